// SPDX-License-Identifier: GPL-3.0-or-later
#include <xxhash.h>
#include <zstd.h>

#include <memory>
#include <string>
#include <vector>

#include "env/error.h"
#include "env/games.h"
#include "tests/fuzz/fuzz_bodies.h"
#include "train/game_record.h"
#include "train/replayed_game.h"

namespace khanzero {
namespace {

// The message as the store keeps it: mark, version, checksum, zstd frame.
std::string Enclosed(const std::string& message) {
  std::string frame(ZSTD_compressBound(message.size()), '\0');
  frame.resize(ZSTD_compress(frame.data(), frame.size(), message.data(), message.size(), 1));
  const uint64_t hash = XXH3_64bits(frame.data(), frame.size());
  std::string bytes = "KZR\x01";
  for (int shift = 0; shift < 64; shift += 8) bytes += static_cast<char>(hash >> shift);
  return bytes + frame;
}

void Replay(const GameRecord& record) {
  const std::vector<std::string> names = GameNames();
  if (std::find(names.begin(), names.end(), record.game) == names.end()) return;
  const std::unique_ptr<Replayer> replayer = MakeReplayer(record.game);
  const ReplayedGame game = replayer->Replay(record);
  std::vector<float> planes(static_cast<size_t>(replayer->info().shape.input_size()));
  TrainingSample sample;
  for (size_t i = 0; i < game.samples.size(); ++i) {
    replayer->Build(game, i, i % 2 == 0 ? Mirror::kNo : Mirror::kYes, Targets::kAll, planes,
                    sample);
    if (sample.policy.empty()) continue;  // a sample of the value alone
    double sum = 0.0;
    for (const float p : sample.policy) sum += p;
    DemandThat(sum > 0.99 && sum < 1.01, "a policy target that does not sum to 1");
  }
}

}  // namespace

InputWorth FuzzRecord(std::span<const uint8_t> input) {
  const std::string text(input.begin(), input.end());
  const std::string bytes = text.starts_with("KZR") ? text : Enclosed(text);
  try {
    const GameRecord record = ParseRecord(bytes);
    const GameRecord again = ParseRecord(SerializeRecord(record));
    DemandThat(again.move_ranks == record.move_ranks && again.id == record.id &&
                   again.samples.size() == record.samples.size(),
               "a record that was written and read is another");
    Replay(record);
  } catch (const InputError& error) {
    DemandReadable(error.what(), "");
  }
  return InputWorth::kKeep;
}

}  // namespace khanzero

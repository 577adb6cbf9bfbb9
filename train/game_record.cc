// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/game_record.h"

#include <xxhash.h>
#include <zstd.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "env/error.h"
#include "record.pb.h"

namespace khanzero {

namespace {

constexpr std::string_view kMagic = "KZR";
constexpr char kVersion = 1;
constexpr size_t kChecksumBytes = 8;
constexpr int kCompressionLevel = 9;
// Far above any game: a longer claim is a damaged or hostile record.
constexpr size_t kLargestMessage = size_t{64} << 20;

[[noreturn]] void Fail(const std::string& what) { throw InputError("bad game record: " + what); }

// The checksum of the compressed part, least byte first.
std::string ChecksumOf(std::string_view frame) {
  const uint64_t hash = XXH3_64bits(frame.data(), frame.size());
  std::string bytes(kChecksumBytes, '\0');
  for (size_t i = 0; i < kChecksumBytes; ++i) bytes[i] = static_cast<char>(hash >> (8 * i));
  return bytes;
}

std::string Compress(const std::string& message) {
  std::string frame(ZSTD_compressBound(message.size()), '\0');
  const size_t size =
      ZSTD_compress(frame.data(), frame.size(), message.data(), message.size(), kCompressionLevel);
  Check(ZSTD_isError(size) == 0, "zstd could not compress a record");
  frame.resize(size);
  return std::string(kMagic) + kVersion + ChecksumOf(frame) + frame;
}

std::string Decompress(std::string_view bytes) {
  if (bytes.substr(0, kMagic.size()) != kMagic || bytes.size() <= kMagic.size()) {
    Fail("it does not begin with the mark of a record");
  }
  const int version = bytes[kMagic.size()];
  if (version != kVersion) {
    Fail("its version is " + std::to_string(version) + ", this program reads version " +
         std::to_string(kVersion));
  }
  bytes.remove_prefix(kMagic.size() + 1);
  if (bytes.size() < kChecksumBytes) Fail("it is cut off");
  const std::string_view frame = bytes.substr(kChecksumBytes);
  if (bytes.substr(0, kChecksumBytes) != ChecksumOf(frame)) {
    Fail("its checksum does not match: it was damaged or cut off");
  }
  const unsigned long long size = ZSTD_getFrameContentSize(frame.data(), frame.size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN ||
      size > kLargestMessage) {
    Fail("its compressed part is damaged");
  }
  std::string message(static_cast<size_t>(size), '\0');
  const size_t got = ZSTD_decompress(message.data(), message.size(), frame.data(), frame.size());
  if (ZSTD_isError(got) != 0 || got != message.size()) {
    Fail(std::string("its compressed part is damaged (") + ZSTD_getErrorName(got) + ")");
  }
  return message;
}

}  // namespace

int64_t PolicyTargets(const GameRecord& record) {
  return std::ranges::count_if(record.samples,
                               [](const SampleRecord& sample) { return !sample.target.empty(); });
}

uint8_t QuantizeShare(double share) {
  return static_cast<uint8_t>(std::lround(std::clamp(share, 0.0, 1.0) * 255.0));
}

std::vector<TargetEntry> QuantizeTarget(const std::vector<double>& probabilities, Random& random) {
  const double sum = std::accumulate(probabilities.begin(), probabilities.end(), 0.0);
  Check(std::abs(sum - 1.0) < 1e-3, "a policy target that does not sum to 1");
  const double most =
      std::max(kTargetQuantum, *std::max_element(probabilities.begin(), probabilities.end()));
  const double scale = 255.0 / most;
  const double quantum = std::round(kTargetQuantum * scale);
  double sampled = random.Uniform() * quantum;  // the weight since a small entry was kept
  std::vector<TargetEntry> target;
  for (size_t rank = 0; rank < probabilities.size(); ++rank) {
    double weight = probabilities[rank] * scale;
    if (weight < quantum) {
      sampled += weight;
      if (sampled < quantum) continue;
      sampled -= quantum;
      weight = quantum;
    }
    target.push_back({static_cast<uint16_t>(rank), static_cast<uint8_t>(std::lround(weight))});
  }
  return target;
}

std::string SerializeRecord(const GameRecord& record) {
  proto::GameRecord message;
  message.set_game(record.game);
  message.set_rules_version(static_cast<uint32_t>(record.rules_version));
  message.set_kings_landing(static_cast<uint32_t>(record.settings.kings_landing));
  message.set_start_fen(record.start_fen);
  message.set_id(record.id);
  message.set_seed(record.seed);
  message.set_number(record.number);
  message.set_first_network_step(record.first_network_step);
  message.set_last_network_step(record.last_network_step);
  message.set_result(static_cast<uint32_t>(record.outcome.result));
  message.set_reason(static_cast<uint32_t>(record.outcome.reason));
  message.mutable_move_ranks()->Add(record.move_ranks.begin(), record.move_ranks.end());

  auto& counts = *message.mutable_target_counts();
  counts.Resize(static_cast<int>(record.move_ranks.size()), 0);
  int next_value_ply = 0;
  for (const SampleRecord& sample : record.samples) {
    if (sample.target.empty()) {
      message.add_value_ply_gaps(static_cast<uint32_t>(sample.ply - next_value_ply));
      message.mutable_value_wins()->push_back(static_cast<char>(sample.root_win));
      message.mutable_value_losses()->push_back(static_cast<char>(sample.root_loss));
      next_value_ply = sample.ply + 1;
      continue;
    }
    counts[sample.ply] = static_cast<uint32_t>(sample.target.size());
    uint32_t before = 0;
    for (const TargetEntry& entry : sample.target) {
      message.add_target_rank_gaps(entry.rank - before);
      message.mutable_target_weights()->push_back(static_cast<char>(entry.weight));
      before = entry.rank + 1U;
    }
    message.mutable_root_wins()->push_back(static_cast<char>(sample.root_win));
    message.mutable_root_losses()->push_back(static_cast<char>(sample.root_loss));
    message.mutable_surprises()->push_back(static_cast<char>(sample.surprise));
  }
  return Compress(message.SerializeAsString());
}

namespace {

void CheckRoot(const SampleRecord& sample) {
  if (sample.root_win + sample.root_loss > 256) Fail("a root value is above 1");
}

// Unpacks the parallel arrays of the samples that have a policy target; none of them is trusted.
std::vector<SampleRecord> ParseSamples(const proto::GameRecord& message) {
  if (message.target_counts_size() != message.move_ranks_size()) {
    Fail("it has another number of targets than of moves");
  }
  const std::string& weights = message.target_weights();
  if (static_cast<size_t>(message.target_rank_gaps_size()) != weights.size() ||
      message.root_wins().size() != message.root_losses().size() ||
      (!message.surprises().empty() && message.surprises().size() != message.root_wins().size())) {
    Fail("its arrays do not fit each other");
  }
  std::vector<SampleRecord> samples;
  size_t entry = 0;
  for (int ply = 0; ply < message.target_counts_size(); ++ply) {
    const size_t count = message.target_counts(ply);
    if (count == 0) continue;
    if (count > weights.size() - entry || samples.size() >= message.root_wins().size()) {
      Fail("its arrays do not fit each other");
    }
    SampleRecord sample{.ply = ply,
                        .target = {},
                        .root_win = static_cast<uint8_t>(message.root_wins()[samples.size()]),
                        .root_loss = static_cast<uint8_t>(message.root_losses()[samples.size()])};
    if (!message.surprises().empty()) {
      sample.surprise = static_cast<uint8_t>(message.surprises()[samples.size()]);
    }
    CheckRoot(sample);
    uint64_t rank = 0;
    for (size_t i = 0; i < count; ++i, ++entry, ++rank) {
      rank += message.target_rank_gaps(static_cast<int>(entry));
      const auto weight = static_cast<uint8_t>(weights[entry]);
      if (rank > 65535 || weight == 0) Fail("a policy target is out of range");
      sample.target.push_back({static_cast<uint16_t>(rank), weight});
    }
    samples.push_back(std::move(sample));
  }
  if (entry != weights.size() || samples.size() != message.root_wins().size()) {
    Fail("its arrays do not fit each other");
  }
  return samples;
}

// Adds the samples without a policy target, at their plies.
void AddValueSamples(const proto::GameRecord& message, std::vector<SampleRecord>& samples) {
  const std::string& wins = message.value_wins();
  const std::string& losses = message.value_losses();
  if (wins.size() != static_cast<size_t>(message.value_ply_gaps_size()) ||
      losses.size() != wins.size()) {
    Fail("its arrays do not fit each other");
  }
  if (wins.empty()) return;
  const auto with_target = static_cast<std::ptrdiff_t>(samples.size());
  const auto plies = static_cast<uint64_t>(message.move_ranks_size());
  uint64_t ply = 0;
  for (size_t i = 0; i < wins.size(); ++i, ++ply) {
    ply += message.value_ply_gaps(static_cast<int>(i));
    if (ply >= plies) Fail("a sample stands after the last move");
    samples.push_back({.ply = static_cast<int>(ply),
                       .target = {},
                       .root_win = static_cast<uint8_t>(wins[i]),
                       .root_loss = static_cast<uint8_t>(losses[i])});
    CheckRoot(samples.back());
  }
  std::inplace_merge(samples.begin(), samples.begin() + with_target, samples.end(),
                     [](const SampleRecord& a, const SampleRecord& b) { return a.ply < b.ply; });
  const auto same = std::adjacent_find(
      samples.begin(), samples.end(),
      [](const SampleRecord& a, const SampleRecord& b) { return a.ply == b.ply; });
  if (same != samples.end()) Fail("two samples are of one position");
}

}  // namespace

GameRecord ParseRecord(std::string_view bytes) {
  proto::GameRecord message;
  if (!message.ParseFromString(Decompress(bytes))) Fail("its message cannot be read");
  if (message.result() > static_cast<uint32_t>(Result::kDraw) ||
      message.reason() > static_cast<uint32_t>(EndReason::kPlyCap)) {
    Fail("its result is unknown");
  }
  GameRecord record;
  record.game = message.game();
  record.rules_version = static_cast<int>(message.rules_version());
  record.settings.kings_landing = static_cast<int>(message.kings_landing());
  record.start_fen = message.start_fen();
  record.id = message.id();
  record.seed = message.seed();
  record.number = message.number();
  record.first_network_step = message.first_network_step();
  record.last_network_step = message.last_network_step();
  record.outcome = {static_cast<Result>(message.result()),
                    static_cast<EndReason>(message.reason())};
  for (const uint32_t rank : message.move_ranks()) {
    if (rank > 65535) Fail("a move is out of range");
    record.move_ranks.push_back(static_cast<uint16_t>(rank));
  }
  record.samples = ParseSamples(message);
  AddValueSamples(message, record.samples);
  return record;
}

}  // namespace khanzero

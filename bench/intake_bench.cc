// SPDX-License-Identifier: GPL-3.0-or-later
//
// intake_bench RUN URL GAMES THREADS: how many games a second a learner takes from Redis. The games
// of a run are numbered anew until there are GAMES different ones, all of them wait in the stream
// of an empty database, and then a learner of an empty run beside RUN begins to listen; the clock
// runs until they are all stored and acknowledged.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

#include "env/error.h"
#include "env/random.h"
#include "train/actor_hub.h"
#include "train/redis_run.h"
#include "train/run_folder.h"
#include "train/run_id.h"

namespace khanzero {
namespace {

using std::chrono::steady_clock;

double SecondsSince(steady_clock::time_point start) {
  return std::chrono::duration<double>(steady_clock::now() - start).count();
}

// Puts `count` different games into the stream, 14 a batch: what an actor of 7 games/s sends in
// 2 s. Returns their bytes.
int64_t FillStream(RunDatabase& database, const std::vector<GameRecord>& games,
                   const std::string& run_id, int64_t count) {
  constexpr int64_t kBatch = 14;
  int64_t bytes = 0;
  for (int64_t sent = 0; sent < count;) {
    GameBatch batch{.run = run_id, .actor = "bench", .protocol = std::to_string(kActorProtocol)};
    for (int64_t i = 0; i < kBatch && sent < count; ++i, ++sent) {
      GameRecord game = games[static_cast<size_t>(sent) % games.size()];
      game.number = (uint64_t{1} << 61) + static_cast<uint64_t>(sent);
      game.id = Mix64(Mix64(game.seed) + game.number);
      batch.records.push_back(SerializeRecord(game));
    }
    bytes += batch.record_bytes();
    if (database.Add(batch) != RunDatabase::Added::kYes) {
      throw RuntimeFailure("the stream takes no batch");
    }
  }
  return bytes;
}

void Run(const std::filesystem::path& run, const std::string& url, int64_t count, int threads) {
  Config config = ReadRunConfig(run, {});
  config.learner.threads = threads;
  std::vector<GameRecord> games;
  ReplayStore(RunFolder(run).store(), config.game, ReplayStore::Access::kReadOnly)
      .ReadAfter(0, 2000, [&](const StoredGame& game) {
        games.push_back(ParseRecord(game.bytes));
        games.back().seed = config.seed;  // of a run begun from another there are others
      });
  if (games.empty()) throw InputError("the run has no games");
  const std::filesystem::path other = run.string() + "-intake";
  std::filesystem::remove_all(other);
  const RunFolder folder = OpenRunFolder(other, config);
  const ListenOptions listen{.url = url, .most_bytes = int64_t{1} << 40};
  OpenActorHub(listen, config, folder);  // claims the database
  RunDatabase database(RedisAddressOf(url));
  const int64_t bytes = FillStream(database, games, RunId(folder), count);

  const auto start = steady_clock::now();
  const std::clock_t computed = std::clock();
  const auto hub = OpenActorHub(listen, config, folder);
  while (hub->figures()->games < count) {
    hub->Wait({});
    for (const std::string& note : hub->TakeNews().notes) fmt::print(stderr, "{}\n", note);
  }
  const double seconds = SecondsSince(start);
  const double cpu_seconds = static_cast<double>(std::clock() - computed) / CLOCKS_PER_SEC;
  const double plies = static_cast<double>(
      ReplayStore(folder.store(), config.game, ReplayStore::Access::kReadOnly).Totals().plies);
  fmt::print(
      "{} games of {:.0f} plies and {:.0f} bytes, {} threads: {:.2f} s, {:.0f} games/s; the "
      "learner's process computed for {:.2f} s: {:.0f} games/s of a core\n",
      count, plies / static_cast<double>(count),
      static_cast<double>(bytes) / static_cast<double>(count), threads, seconds,
      static_cast<double>(count) / seconds, cpu_seconds, static_cast<double>(count) / cpu_seconds);
  std::filesystem::remove_all(other);
}

}  // namespace
}  // namespace khanzero

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: intake_bench RUN URL GAMES THREADS\n");
    return 2;
  }
  try {
    khanzero::Run(argv[1], argv[2], std::atoll(argv[3]), std::atoi(argv[4]));
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "intake_bench: %s\n", error.what());
    return 1;
  }
}

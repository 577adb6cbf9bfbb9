// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/cluster_status.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "env/error.h"

namespace khanzero {

namespace {

// Figures of a notice come from another process: whatever is no figure is 0.
double Figure(const RedisFields& fields, const char* name) {
  const auto found = fields.find(name);
  if (found == fields.end()) return 0.0;
  const double value = std::strtod(found->second.c_str(), nullptr);
  constexpr double kMost = 1e15;
  return std::isfinite(value) && std::abs(value) < kMost ? value : 0.0;
}

int64_t Whole(const RedisFields& fields, const char* name) {
  return static_cast<int64_t>(Figure(fields, name));
}

std::string Named(const RedisFields& fields, const char* name) {
  constexpr size_t kLongest = 64;
  const auto found = fields.find(name);
  return found == fields.end() ? std::string() : Printable(found->second.substr(0, kLongest));
}

}  // namespace

double ClusterStatus::actors_games_per_second() const {
  double sum = 0.0;
  for (const ActorStatus& actor : actors) sum += actor.games_per_second;
  return sum;
}

int64_t ClusterStatus::spooled_games() const {
  int64_t sum = 0;
  for (const ActorStatus& actor : actors) sum += actor.spooled_games;
  return sum;
}

std::map<std::string, int64_t> ClusterStatus::versions() const {
  std::map<std::string, int64_t> counts;
  for (const ActorStatus& actor : actors) ++counts[actor.program];
  return counts;
}

ClusterStatus ReadClusterStatus(RunDatabase& database) {
  ClusterStatus status;
  const std::optional<RunNotice> run = database.ReadRun();
  if (!run) {
    throw InputError("no learner has announced a run at " + database.client().address().Text() +
                     "; start one with khanzero train --listen, or look at the /DATABASE");
  }
  status.run = *run;
  status.network = database.ReadNetwork().value_or(NetworkNotice{});
  const RedisFields learner = database.ReadLearner();
  const double heartbeat = Figure(learner, "heartbeat");
  status.learner_ended = heartbeat <= 0.0;
  if (!status.learner_ended) status.learner_seconds = std::max(0.0, database.Now() - heartbeat);
  status.learner_network = Named(learner, "network");
  status.games = Whole(learner, "games");
  status.duplicates = Whole(learner, "duplicates");
  status.refused = Whole(learner, "refused");
  status.games_per_second = Figure(learner, "games_per_second");
  status.stream = database.ReadStream();
  for (const auto& [id, fields] : database.ReadActors()) {
    status.actors.push_back({.id = Printable(id),
                             .host = Named(fields, "host"),
                             .program = Named(fields, "program"),
                             .network = Named(fields, "network"),
                             .games = Whole(fields, "games"),
                             .positions = Whole(fields, "positions"),
                             .games_per_second = Figure(fields, "games_per_second"),
                             .spooled_games = Whole(fields, "spooled_games")});
  }
  return status;
}

nlohmann::ordered_json ToJson(const ClusterStatus& status) {
  nlohmann::ordered_json actors = nlohmann::ordered_json::array();
  for (const ActorStatus& actor : status.actors) {
    actors.push_back({{"id", actor.id},
                      {"host", actor.host},
                      {"program", actor.program},
                      {"network", actor.network},
                      {"games", actor.games},
                      {"positions", actor.positions},
                      {"games_per_second", actor.games_per_second},
                      {"spooled_games", actor.spooled_games}});
  }
  return {{"run", Printable(status.run.id)},
          {"game", Printable(status.run.game.name)},
          {"finished", status.run.finished},
          {"learner",
           {{"alive", status.learner_alive()},
            {"seconds", status.learner_seconds},
            {"where", Printable(status.run.where)},
            {"program", Printable(status.run.program)},
            {"games", status.games},
            {"games_per_second", status.games_per_second},
            {"duplicates", status.duplicates},
            {"refused", status.refused}}},
          {"network",
           {{"name", status.network.name},
            {"step", status.network.step},
            {"simulations", status.network.simulations},
            {"uniform", status.network.uniform}}},
          {"stream",
           {{"batches", status.stream.batches},
            {"bytes", status.stream.bytes},
            {"most_bytes", status.run.most_bytes},
            {"lag_seconds", status.stream.lag_seconds}}},
          {"actors_alive", status.stream.actors},
          {"actors_games_per_second", status.actors_games_per_second()},
          {"spooled_games", status.spooled_games()},
          {"versions", status.versions()},
          {"actors", std::move(actors)}};
}

namespace {

std::string LearnerText(const ClusterStatus& status) {
  if (status.learner_ended) return "ended";
  return fmt::format("{}, heard of {:.0f} s ago", status.learner_alive() ? "alive" : "gone",
                     status.learner_seconds);
}

}  // namespace

std::string ToText(const ClusterStatus& status) {
  constexpr double kMib = 1024.0 * 1024.0;
  std::string versions;
  for (const auto& [version, count] : status.versions()) {
    versions += fmt::format("{}{} of {}", versions.empty() ? "" : ", ", count, version);
  }
  std::string text = fmt::format(
      "run      {} ({}){}\n"
      "learner  {}, {}\n"
      "         version {}; {} games stored, {:.1f}/s, {} duplicates, {} refused\n"
      "network  {}{}, {} simulations\n"
      "actors   {} alive{}, {:.1f} games/s; {} games wait on their side\n"
      "stream   {} batches, {:.2f} of {:.0f} MiB, the oldest {:.1f} s old\n",
      Printable(status.run.id), Printable(status.run.game.name),
      status.run.finished ? ", finished" : "", LearnerText(status), Printable(status.run.where),
      Printable(status.run.program), status.games, status.games_per_second, status.duplicates,
      status.refused, status.network.name.empty() ? "none yet" : status.network.name,
      status.network.uniform ? " (not used: games are played uniformly)" : "",
      status.network.simulations, status.stream.actors,
      versions.empty() ? "" : " (" + versions + ")", status.actors_games_per_second(),
      status.spooled_games(), status.stream.batches,
      static_cast<double>(status.stream.bytes) / kMib,
      static_cast<double>(status.run.most_bytes) / kMib, status.stream.lag_seconds);
  constexpr size_t kListed = 20;
  for (size_t i = 0; i < std::min(kListed, status.actors.size()); ++i) {
    const ActorStatus& actor = status.actors[i];
    text += fmt::format(
        "  {} on {}: {} games, {:.2f}/s, with {}{}\n", actor.id, actor.host, actor.games,
        actor.games_per_second, actor.network.empty() ? "nothing yet" : actor.network,
        actor.spooled_games > 0 ? fmt::format(", {} games wait", actor.spooled_games) : "");
  }
  if (status.actors.size() > kListed) {
    text += fmt::format("  and {} more; --json lists all\n", status.actors.size() - kListed);
  }
  return text;
}

}  // namespace khanzero

// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/redis_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "env/error.h"
#include "model/version.h"

namespace khanzero {

namespace {

constexpr std::string_view kRun = "khanzero:run";
constexpr std::string_view kLearner = "khanzero:learner";
constexpr std::string_view kNetwork = "khanzero:network";
constexpr std::string_view kGames = "khanzero:games";
constexpr std::string_view kBytes = "khanzero:bytes";
constexpr std::string_view kActors = "khanzero:actors";
constexpr std::string_view kActor = "khanzero:actor:";
constexpr std::string_view kGroup = "learner";

// More batches than this are not let in either, however small.
constexpr int kMostBatches = 1'000'000;

// KEYS: stream, counter. ARGV: run id, bytes, most batches, fields and values. The run's key is not
// among KEYS: a server's rules ask for the right to write all that are.
constexpr std::string_view kAddScript = R"(
local run = redis.call('HMGET', 'khanzero:run', 'id', 'most_bytes')
if not run[1] then return 'none' end
if run[1] ~= ARGV[1] then return 'other' end
local most = tonumber(run[2]) or 0
local held = tonumber(redis.call('GET', KEYS[2])) or 0
local count = redis.call('XLEN', KEYS[1])
if count >= tonumber(ARGV[3]) or (count > 0 and held + tonumber(ARGV[2]) > most) then
  return 'full'
end
redis.call('XADD', KEYS[1], '*', unpack(ARGV, 4))
redis.call('SET', KEYS[2], held + tonumber(ARGV[2]))
return 'added')";

// ARGV: group, bytes, ids of entries. The counter is set right whenever the stream is empty.
constexpr std::string_view kAcknowledgeScript = R"(
redis.call('XACK', KEYS[1], ARGV[1], unpack(ARGV, 3))
redis.call('XDEL', KEYS[1], unpack(ARGV, 3))
local left = (tonumber(redis.call('GET', KEYS[2])) or 0) - tonumber(ARGV[2])
if left < 0 or redis.call('XLEN', KEYS[1]) == 0 then left = 0 end
redis.call('SET', KEYS[2], left)
return left)";

// ARGV: actor, seconds, fields and values. A script that has written something may write on when
// the server's memory is full, so it begins with what takes none.
constexpr std::string_view kBeatScript = R"(
redis.call('EXPIRE', KEYS[1], ARGV[2])
redis.call('HSET', KEYS[1], unpack(ARGV, 3))
redis.call('EXPIRE', KEYS[1], ARGV[2])
redis.call('ZADD', KEYS[2], redis.call('TIME')[1], ARGV[1])
return 1)";

// ARGV: run id, session, replace, seconds, the run's fields and values. Answers 'mine', or whose it
// is.
constexpr std::string_view kClaimScript = R"(
local now = tonumber(redis.call('TIME')[1])
local id = redis.call('HGET', KEYS[1], 'id')
if id and id ~= ARGV[1] then
  local beat = tonumber(redis.call('HGET', KEYS[2], 'heartbeat')) or 0
  local alive = now - beat <= tonumber(ARGV[4])
  if ARGV[3] ~= '1' or alive then
    return {alive and 'alive' or 'gone', id, redis.call('HGET', KEYS[1], 'where') or '',
            now - beat}
  end
  redis.call('DEL', unpack(KEYS))
end
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], 'id', ARGV[1], unpack(ARGV, 5))
redis.call('HSET', KEYS[2], 'session', ARGV[2], 'heartbeat', now)
return {'mine'})";

// ARGV: session, seconds, fields and values. The oldest entry's id begins with its milliseconds.
constexpr std::string_view kBeatLearnerScript = R"(
local session = redis.call('HGET', KEYS[1], 'session')
if not session then return {'none'} end
if session ~= ARGV[1] then return {'other'} end
local time = redis.call('TIME')
redis.call('ZREMRANGEBYSCORE', KEYS[4], '-inf', time[1] - ARGV[2])
redis.call('HSET', KEYS[1], 'heartbeat', time[1], unpack(ARGV, 3))
local first = redis.call('XRANGE', KEYS[2], '-', '+', 'COUNT', 1)
return {'mine', redis.call('XLEN', KEYS[2]), redis.call('GET', KEYS[3]) or '0',
        redis.call('ZCARD', KEYS[4]), first[1] and first[1][1] or '', time[1], time[2]})";

int64_t WholeOr(const std::string& text, int64_t otherwise) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? value : otherwise;
}

// The names and values of a hash.
RedisFields FieldsOfHash(const RedisReply& reply) {
  RedisFields fields;
  for (size_t i = 0; i + 1 < reply.items.size(); i += 2) {
    fields[reply.items[i].text] = reply.items[i + 1].text;
  }
  return fields;
}

std::string Get(const RedisFields& fields, const char* name) {
  const auto found = fields.find(name);
  return found == fields.end() ? std::string() : found->second;
}

// Appends views of fields and values.
void Append(std::vector<std::string_view>& words, const std::vector<std::string>& fields) {
  words.insert(words.end(), fields.begin(), fields.end());
}

std::vector<std::string> Flat(const RedisFields& fields) {
  std::vector<std::string> flat;
  for (const auto& [name, value] : fields) {
    flat.push_back(name);
    flat.push_back(value);
  }
  return flat;
}

double LagOf(const std::string& oldest, double now) {
  if (oldest.empty()) return 0.0;
  const auto ms = static_cast<double>(WholeOr(oldest.substr(0, oldest.find('-')), 0));
  return std::max(0.0, now - ms / 1000.0);
}

double Seconds(const RedisReply& seconds, const RedisReply& micros) {
  return static_cast<double>(WholeOr(seconds.text, 0)) +
         1e-6 * static_cast<double>(WholeOr(micros.text, 0));
}

}  // namespace

std::optional<RunNotice> RunDatabase::ReadRun() {
  const RedisFields fields = FieldsOfHash(client_.Call({"HGETALL", kRun}));
  if (fields.empty()) return std::nullopt;
  RunNotice notice;
  notice.id = Get(fields, "id");
  notice.protocol = static_cast<int>(WholeOr(Get(fields, "protocol"), 0));
  notice.program = Get(fields, "program");
  notice.config_yaml = Get(fields, "config");
  notice.where = Get(fields, "where");
  notice.most_bytes = WholeOr(Get(fields, "most_bytes"), 0);
  notice.finished = Get(fields, "finished") == "1";
  notice.game.name = Get(fields, "game");
  notice.game.rules_version = static_cast<int>(WholeOr(Get(fields, "rules_version"), 0));
  notice.game.encoding_version = static_cast<int>(WholeOr(Get(fields, "encoding_version"), 0));
  if (notice.id.empty()) {
    throw InputError("the database " + client_.address().Text() +
                     " holds no run of this program: 'khanzero:run' has no id");
  }
  return notice;
}

std::string RunDatabase::ReadStamp() { return client_.Call({"HGET", kNetwork, "stamp"}).text; }

std::optional<NetworkNotice> RunDatabase::ReadNetwork() {
  const RedisReply reply = client_.Call(
      {"HMGET", kNetwork, "run", "stamp", "name", "step", "simulations", "uniform", "checksum"});
  if (reply.at(1).nil()) return std::nullopt;
  return NetworkNotice{.run = reply.at(0).text,
                       .stamp = reply.at(1).text,
                       .name = Printable(reply.at(2).text),
                       .step = WholeOr(reply.at(3).text, 0),
                       .simulations = static_cast<int>(WholeOr(reply.at(4).text, 0)),
                       .uniform = reply.at(5).text == "1",
                       .checksum = reply.at(6).text};
}

std::string RunDatabase::ReadNetworkBytes() {
  return client_.Call({"HGET", kNetwork, "bytes"}).text;
}

RunDatabase::Added RunDatabase::Add(const GameBatch& batch) {
  const std::string bytes = std::to_string(batch.record_bytes());
  const std::string most = std::to_string(kMostBatches);
  const std::vector<std::string> fields = FieldsOf(batch);
  std::vector<std::string_view> words = {"EVAL", kAddScript, "2",   kGames,
                                         kBytes, batch.run,  bytes, most};
  Append(words, fields);
  try {
    const std::string answer = client_.Call(words).text;
    return answer == "added"   ? Added::kYes
           : answer == "other" ? Added::kOtherRun
           : answer == "none"  ? Added::kNoRun
                               : Added::kFull;
  } catch (const RedisRefusal& e) {
    if (e.code() != "OOM") throw;  // maxmemory is a bound like the learner's
    return Added::kFull;
  }
}

void RunDatabase::Beat(const std::string& actor, const RedisFields& fields) {
  const std::string key = std::string(kActor) + actor;
  const std::string seconds = std::to_string(kActorSeconds);
  const std::vector<std::string> flat = Flat(fields);
  std::vector<std::string_view> words = {"EVAL", kBeatScript, "2", key, kActors, actor, seconds};
  Append(words, flat);
  client_.Call(words);
}

void RunDatabase::Leave(const std::string& actor) {
  const std::string key = std::string(kActor) + actor;
  client_.Call({"DEL", key});
  client_.Call({"ZREM", kActors, actor});
}

void RunDatabase::Claim(const RunNotice& notice, const std::string& session, bool replace) {
  const std::string seconds = std::to_string(kActorSeconds);
  const std::vector<std::string> fields =
      Flat({{"game", notice.game.name},
            {"rules_version", std::to_string(notice.game.rules_version)},
            {"encoding_version", std::to_string(notice.game.encoding_version)},
            {"protocol", std::to_string(notice.protocol)},
            {"program", notice.program},
            {"config", notice.config_yaml},
            {"where", notice.where},
            {"most_bytes", std::to_string(notice.most_bytes)},
            {"finished", "0"}});
  std::vector<std::string_view> words = {"EVAL",   kClaimScript, "6",     kRun,
                                         kLearner, kNetwork,     kGames,  kBytes,
                                         kActors,  notice.id,    session, replace ? "1" : "0",
                                         seconds};
  Append(words, fields);
  const RedisReply reply = client_.Call(words);
  const std::string answer = reply.at(0).text;
  if (answer == "mine") return;
  const std::string whose =
      fmt::format("the database {} belongs to run {} ({})", client_.address().Text(),
                  Printable(reply.at(1).text), Printable(reply.at(2).text));
  if (answer == "alive") {
    throw RunTaken(whose +
                   ", whose learner is alive; take another database (a /NUMBER behind the "
                   "address) or stop that one");
  }
  constexpr int64_t kNever = 1'000'000'000;  // it has ended in good order: its heartbeat is 0
  const int64_t age = reply.at(3).integer;
  throw RunTaken(fmt::format(
      "{}, whose learner {}; take another database (a /NUMBER behind the address), or "
      "--replace-run to delete what that run has there",
      whose, age > kNever ? "has ended" : fmt::format("was last heard of {} s ago", age)));
}

void RunDatabase::MakeGroup() {
  try {
    client_.Call({"XGROUP", "CREATE", kGames, kGroup, "0", "MKSTREAM"});
  } catch (const RedisRefusal& e) {
    if (e.code() != "BUSYGROUP") throw;  // it is there
  }
}

std::vector<RunDatabase::Entry> RunDatabase::Read(Which which, int count, int milliseconds) {
  const std::string most = std::to_string(count);
  const std::string block = std::to_string(milliseconds);
  // The group has one consumer: whoever trains the run goes on where the one before it was.
  const RedisReply reply =
      client_.Call({"XREADGROUP", "GROUP", kGroup, "learner", "COUNT", most, "BLOCK", block,
                    "STREAMS", kGames, which == Which::kNew ? ">" : "0"});
  std::vector<Entry> entries;
  for (const RedisReply& item : reply.at(0).at(1).items) {
    std::vector<std::string> fields;
    for (const RedisReply& field : item.at(1).items) fields.push_back(field.text);
    entries.push_back({.id = item.at(0).text, .batch = ParseBatch(std::move(fields))});
  }
  return entries;
}

void RunDatabase::Acknowledge(const std::vector<Entry>& entries) {
  if (entries.empty()) return;
  int64_t total = 0;
  for (const Entry& entry : entries) total += entry.batch.record_bytes();
  const std::string bytes = std::to_string(total);
  std::vector<std::string_view> words = {"EVAL", kAcknowledgeScript, "2", kGames, kBytes, kGroup,
                                         bytes};
  for (const Entry& entry : entries) words.push_back(entry.id);
  client_.Call(words);
}

void RunDatabase::Publish(const NetworkNotice& notice, const std::string& bytes) {
  const std::string step = std::to_string(notice.step);
  const std::string simulations = std::to_string(notice.simulations);
  client_.Call({"HSET", kNetwork, "run", notice.run, "stamp", notice.stamp, "name", notice.name,
                "step", step, "simulations", simulations, "uniform", notice.uniform ? "1" : "0",
                "checksum", notice.checksum, "bytes", bytes});
}

std::optional<StreamFigures> RunDatabase::BeatLearner(const std::string& session,
                                                      const RedisFields& fields) {
  const std::string seconds = std::to_string(kActorSeconds);
  const std::vector<std::string> flat = Flat(fields);
  std::vector<std::string_view> words = {
      "EVAL", kBeatLearnerScript, "4", kLearner, kGames, kBytes, kActors, session, seconds};
  Append(words, flat);
  const RedisReply reply = client_.Call(words);
  if (reply.at(0).text == "none") return std::nullopt;
  if (reply.at(0).text != "mine") {
    throw RunTaken("another learner has taken the run in " + client_.address().Text() +
                   ": a copy of this folder is being trained");
  }
  return StreamFigures{.batches = reply.at(1).integer,
                       .bytes = WholeOr(reply.at(2).text, 0),
                       .actors = reply.at(3).integer,
                       .lag_seconds = LagOf(reply.at(4).text, Seconds(reply.at(5), reply.at(6)))};
}

void RunDatabase::Finish() {
  client_.Call({"HSET", kRun, "finished", "1"});
  client_.Call({"HSET", kNetwork, "stamp", "finished"});
}

void RunDatabase::EndLearner() { client_.Call({"HSET", kLearner, "heartbeat", "0"}); }

std::vector<std::string> RunDatabase::Warnings() {
  std::vector<std::string> warnings;
  const auto setting = [&](std::string_view name) {
    return client_.Call({"CONFIG", "GET", name}).at(1).text;
  };
  try {
    if (setting("appendonly") != "yes") {
      warnings.emplace_back(
          "Warning: Redis keeps no log (appendonly no): games that wait in it are lost when it "
          "restarts");
    } else if (setting("appendfsync") != "always") {
      warnings.emplace_back(
          "Warning: Redis writes its log once a second (appendfsync): a power failure may lose "
          "the games of the last one; 'appendfsync always' loses none");
    }
    const std::string policy = setting("maxmemory-policy");
    if (setting("maxmemory") != "0" && policy != "noeviction") {
      warnings.push_back(
          "Warning: Redis may throw games away when its memory is full "
          "(maxmemory-policy " +
          Printable(policy) + "); set it to noeviction");
    }
  } catch (const RedisRefusal&) {  // a hosted Redis does not tell
  } catch (const InputError&) {    // nor one whose rules forbid it
  }
  return warnings;
}

RedisFields RunDatabase::ReadLearner() { return FieldsOfHash(client_.Call({"HGETALL", kLearner})); }

double RunDatabase::Now() {
  const RedisReply time = client_.Call({"TIME"});
  return Seconds(time.at(0), time.at(1));
}

StreamFigures RunDatabase::ReadStream() {
  const double now = Now();
  const RedisReply oldest = client_.Call({"XRANGE", kGames, "-", "+", "COUNT", "1"});
  const std::string since = std::to_string(static_cast<int64_t>(now) - kActorSeconds);
  return {.batches = client_.Call({"XLEN", kGames}).integer,
          .bytes = WholeOr(client_.Call({"GET", kBytes}).text, 0),
          .actors = client_.Call({"ZCOUNT", kActors, since, "+inf"}).integer,
          .lag_seconds = LagOf(oldest.at(0).at(0).text, now)};
}

std::vector<ActorNotice> RunDatabase::ReadActors() {
  std::vector<ActorNotice> actors;
  const std::string since = std::to_string(static_cast<int64_t>(Now()) - kActorSeconds);
  for (const RedisReply& item : client_.Call({"ZRANGEBYSCORE", kActors, since, "+inf"}).items) {
    const std::string key = std::string(kActor) + item.text;
    RedisFields fields = FieldsOfHash(client_.Call({"HGETALL", key}));
    if (!fields.empty()) actors.push_back({.id = item.text, .fields = std::move(fields)});
  }
  return actors;
}

namespace {

// "0.1.0" as numbers that can be compared; missing or odd parts are 0.
std::vector<int64_t> PartsOf(const std::string& version) {
  std::vector<int64_t> parts;
  for (size_t begin = 0; parts.size() < 3;) {
    const size_t end = std::min(version.find('.', begin), version.size());
    parts.push_back(begin < end ? WholeOr(version.substr(begin, end - begin), 0) : 0);
    begin = std::min(end + 1, version.size());
  }
  return parts;
}

}  // namespace

void CheckProgramVersion(const std::string& other, const std::string& who) {
  const std::string own(ProgramVersion());
  // The oldest that works with this one, and the first that is too new: of another major version.
  constexpr const char* kOldest = "0.1.0";
  const std::vector<int64_t> parts = PartsOf(other);
  if (parts < PartsOf(kOldest)) {
    throw InputError(
        fmt::format("{} is of version {}, too old for this program ({}), which works "
                    "with {} and later; renew it",
                    who, Printable(other), own, kOldest));
  }
  if (parts[0] > PartsOf(own)[0]) {
    throw InputError(
        fmt::format("{} is of version {}, too new for this program ({}); renew this "
                    "one",
                    who, Printable(other), own));
  }
}

}  // namespace khanzero

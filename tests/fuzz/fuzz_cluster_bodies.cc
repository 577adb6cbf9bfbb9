// SPDX-License-Identifier: GPL-3.0-or-later
//
// What comes from other machines: addresses that people type, and entries of the stream of games.
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "env/error.h"
#include "tests/fuzz/fuzz_bodies.h"
#include "train/game_batch.h"
#include "train/redis_address.h"

namespace khanzero {

namespace {

// Why an address is refused; what may be a password is not quoted in it.
void DemandDiscreet(const InputError& error, const std::string& secret) {
  const std::string said = error.what();
  DemandReadable(said, said.starts_with("rediss://") ? "" : "the address of Redis ");
  DemandThat(said.find(secret) == std::string::npos,
             "the refusal quotes what may be a password: " + said);
}

}  // namespace

InputWorth FuzzAddress(std::span<const uint8_t> input) {
  const std::string url(input.begin(), input.end());
  const std::string secret = "Zq7Jx9Wv3K";
  try {
    // A password that lacks its '@' looks like any other part of the URL.
    ParseRedisAddress(url + secret);
  } catch (const InputError& error) {
    DemandDiscreet(error, secret);
  }
  RedisAddress address;
  try {
    address = ParseRedisAddress(url);
  } catch (const InputError& error) {
    DemandDiscreet(error, secret);
    return InputWorth::kKeep;
  }
  DemandThat(address.host.empty() != address.socket.empty(),
             "neither a host nor a socket, or both");
  DemandThat(address.port >= 1 && address.port <= 65535, "the port is out of range");
  DemandThat(address.database >= 0, "the database is out of range");
  DemandReadable(address.Text(), address.socket.empty() ? "redis://" : "unix://");
  RedisAddress open = address;
  open.user.clear();
  open.password.clear();
  DemandThat(open.Text() == address.Text(), "who the user is shows in " + address.Text());
  DemandThat(ParseRedisAddress(address.Text()) == open,
             "it reads back as another: " + address.Text());
  return InputWorth::kKeep;
}

InputWorth FuzzBatch(std::span<const uint8_t> input) {
  std::istringstream lines(std::string(input.begin(), input.end()));
  std::vector<std::string> fields;
  for (std::string line; std::getline(lines, line);) fields.push_back(line);
  const bool paired = fields.size() % 2 == 0;
  const GameBatch batch = ParseBatch(fields);
  if (!batch.fault.empty()) {
    DemandReadable(batch.fault, "");
    return InputWorth::kKeep;
  }
  DemandThat(paired, "a field without a value was taken");
  DemandThat(!batch.records.empty() && batch.records.size() <= kMostBatchRecords,
             "the number of records is out of range");
  const GameBatch again = ParseBatch(FieldsOf(batch));
  DemandThat(again.fault.empty() && again.run == batch.run && again.actor == batch.actor &&
                 again.protocol == batch.protocol && again.records == batch.records,
             "a batch that was written and read is another");
  DemandReadable(PrintableName(batch.actor), "");
  return InputWorth::kKeep;
}

}  // namespace khanzero

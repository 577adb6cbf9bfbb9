// SPDX-License-Identifier: GPL-3.0-or-later
//
// One connection to a Redis server, by hiredis: commands one after another, what goes wrong in
// clear words. Not for several threads at once.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "env/error.h"
#include "env/random.h"
#include "train/redis_address.h"

namespace khanzero {

// The server cannot be reached, went away, takes too long or is not ready (loading its data, a disk
// it cannot write to): the same may do later.
class RedisAway : public RuntimeFailure {
 public:
  using RuntimeFailure::RuntimeFailure;
};

// The server refuses a command.
class RedisRefusal : public RuntimeFailure {
 public:
  explicit RedisRefusal(const std::string& reply)
      : RuntimeFailure("Redis refuses a command: " + Printable(reply)),
        code_(reply.substr(0, reply.find(' '))) {}
  const std::string& code() const { return code_; }  // "OOM", "NOGROUP", "ERR", ...

 private:
  std::string code_;
};

struct RedisReply {
  enum class Kind { kNil, kInteger, kText, kList };

  Kind kind = Kind::kNil;
  int64_t integer = 0;
  std::string text = {};
  std::vector<RedisReply> items = {};

  bool nil() const { return kind == Kind::kNil; }
  // The item at `index`, nil when there is none: replies come from outside.
  const RedisReply& at(size_t index) const;
};

class RedisClient {
 public:
  // Connects with the first command.
  explicit RedisClient(RedisAddress address);
  ~RedisClient();
  RedisClient(RedisClient&&) noexcept;

  // Throws RedisAway; InputError when there is something else than a Redis, or it does not let this
  // user in. Does nothing while connected.
  void Connect();
  bool connected() const { return context_ != nullptr; }
  void Close();

  // Sends a command and waits for the reply. Throws RedisAway (the command may have been carried
  // out all the same), RedisRefusal, and as Connect(), which it calls.
  RedisReply Call(const std::vector<std::string_view>& words);

  const RedisAddress& address() const { return address_; }

 private:
  struct Context;

  RedisReply Exchange(const std::vector<std::string_view>& words);
  [[noreturn]] void Fail(const std::string& doing);
  [[noreturn]] void Refuse(const std::string& reply);

  RedisAddress address_;
  std::unique_ptr<Context> context_;  // none: not connected
};

// When to try again: after 0.5 s, then twice as long, up to 15 s; a random part of that, so that
// not all who lost a server come back in the same moment.
class RetryClock {
 public:
  using Clock = std::chrono::steady_clock;

  bool due() const { return Clock::now() >= next_; }
  bool waiting() const { return failures_ > 0; }
  void Failed();
  void Succeeded() { failures_ = 0; }

 private:
  int failures_ = 0;
  Clock::time_point next_{};
  Random random_{static_cast<uint64_t>(Clock::now().time_since_epoch().count())};
};

}  // namespace khanzero

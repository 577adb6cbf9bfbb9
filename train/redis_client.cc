// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/redis_client.h"

#include <hiredis/hiredis.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <initializer_list>
#include <utility>

namespace khanzero {

namespace {

constexpr timeval kConnectTimeout = {.tv_sec = 3, .tv_usec = 0};
// Of one read or write, not of a whole reply: a slow line carries a network all the same.
constexpr timeval kReplyTimeout = {.tv_sec = 10, .tv_usec = 0};

struct FreeReply {
  void operator()(redisReply* reply) const { freeReplyObject(reply); }
};
using ReplyHandle = std::unique_ptr<redisReply, FreeReply>;

RedisReply Convert(const redisReply& reply) {
  RedisReply converted;
  switch (reply.type) {
    case REDIS_REPLY_STRING:
    case REDIS_REPLY_STATUS:
    case REDIS_REPLY_ERROR:
      converted.kind = RedisReply::Kind::kText;
      converted.text.assign(reply.str, reply.len);
      break;
    case REDIS_REPLY_INTEGER:
      converted.kind = RedisReply::Kind::kInteger;
      converted.integer = reply.integer;
      break;
    case REDIS_REPLY_ARRAY:
      converted.kind = RedisReply::Kind::kList;
      for (size_t i = 0; i < reply.elements; ++i) {
        converted.items.push_back(Convert(*reply.element[i]));
      }
      break;
    default:
      break;
  }
  return converted;
}

bool IsAnyOf(const std::string& reply, std::initializer_list<const char*> codes) {
  return std::ranges::any_of(
      codes, [&](const char* code) { return reply.starts_with(std::string(code) + " "); });
}

}  // namespace

const RedisReply& RedisReply::at(size_t index) const {
  static const RedisReply kNone;
  return index < items.size() ? items[index] : kNone;
}

struct RedisClient::Context {
  struct Free {
    void operator()(redisContext* context) const { redisFree(context); }
  };
  std::unique_ptr<redisContext, Free> handle;
};

// hiredis writes without MSG_NOSIGNAL: a server that closes the connection would end the process.
RedisClient::RedisClient(RedisAddress address) : address_(std::move(address)) {
  std::signal(SIGPIPE, SIG_IGN);
}
RedisClient::~RedisClient() = default;
RedisClient::RedisClient(RedisClient&&) noexcept = default;

void RedisClient::Close() { context_.reset(); }

void RedisClient::Fail(const std::string& doing) {
  const redisContext* const context = context_ ? context_->handle.get() : nullptr;
  std::string why = "out of memory";
  bool foreign = false;
  if (context != nullptr) {
    why = context->err == REDIS_ERR_IO && (errno == EAGAIN || errno == EWOULDBLOCK)
              ? "it takes too long"
              : Printable(context->errstr);
    foreign = context->err == REDIS_ERR_PROTOCOL;
  }
  Close();
  if (foreign) {
    throw InputError("what answers at " + address_.Text() + " is no Redis server (" + why +
                     "); look at the address and the port");
  }
  throw RedisAway(doing + " " + address_.Text() + ": " + why);
}

// Throws what an error reply means.
void RedisClient::Refuse(const std::string& reply) {
  const std::string at = "Redis at " + address_.Text();
  if (IsAnyOf(reply, {"NOAUTH", "WRONGPASS"}) || reply.starts_with("ERR invalid password")) {
    Close();
    throw InputError(at + " does not let us in: " + Printable(reply) +
                     "; the password is read from KHANZERO_REDIS_PASSWORD, the user from the "
                     "address (redis://USER@HOST)");
  }
  if (IsAnyOf(reply, {"NOPERM"})) {
    throw InputError(at + " allows this user too little: " + Printable(reply) +
                     "; docs/cluster.md has the rules that are needed (ACL)");
  }
  if (IsAnyOf(reply, {"DENIED", "-DENIED"})) {
    Close();
    throw InputError(at +
                     " runs in protected mode: it takes connections of its own machine only, "
                     "until it has a password (docs/cluster.md)");
  }
  if (IsAnyOf(reply, {"LOADING", "BUSY", "MASTERDOWN", "READONLY", "MISCONF", "TRYAGAIN"})) {
    Close();
    throw RedisAway(at + " is not ready: " + Printable(reply));
  }
  throw RedisRefusal(reply);
}

void RedisClient::Connect() {
  if (context_) return;
  redisContext* const made =
      address_.host.empty()
          ? redisConnectUnixWithTimeout(address_.socket.c_str(), kConnectTimeout)
          : redisConnectWithTimeout(address_.host.c_str(), address_.port, kConnectTimeout);
  if (made != nullptr) {
    context_ = std::make_unique<Context>();
    context_->handle.reset(made);
  }
  if (made == nullptr || made->err != 0) Fail("no Redis answers at");
  redisSetTimeout(made, kReplyTimeout);
  if (!address_.host.empty()) redisEnableKeepAlive(made);
  try {
    if (!address_.password.empty()) {
      address_.user.empty() ? Exchange({"AUTH", address_.password})
                            : Exchange({"AUTH", address_.user, address_.password});
    }
    // A server that asks for a password says so here.
    const RedisReply pong = Exchange({"PING"});
    if (pong.text != "PONG") {
      throw InputError("what answers at " + address_.Text() + " is no Redis server");
    }
    if (address_.database != 0) Exchange({"SELECT", std::to_string(address_.database)});
  } catch (const RedisRefusal& e) {
    Close();
    throw InputError("Redis at " + address_.Text() + " cannot be used: " + e.what());
  } catch (...) {
    Close();
    throw;
  }
}

RedisReply RedisClient::Call(const std::vector<std::string_view>& words) {
  Connect();
  return Exchange(words);
}

RedisReply RedisClient::Exchange(const std::vector<std::string_view>& words) {
  std::vector<const char*> texts;
  std::vector<size_t> lengths;
  for (const std::string_view word : words) {
    texts.push_back(word.data());
    lengths.push_back(word.size());
  }
  const ReplyHandle reply(static_cast<redisReply*>(redisCommandArgv(
      context_->handle.get(), static_cast<int>(words.size()), texts.data(), lengths.data())));
  if (!reply) Fail("lost Redis at");
  if (reply->type == REDIS_REPLY_ERROR) Refuse(std::string(reply->str, reply->len));
  return Convert(*reply);
}

void RetryClock::Failed() {
  constexpr double kFirst = 0.5;
  constexpr double kLongest = 15.0;
  constexpr int kMostDoublings = 6;
  const double wait = std::min(kLongest, kFirst * (1 << std::min(failures_, kMostDoublings)));
  ++failures_;
  next_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                             std::chrono::duration<double>(wait * (0.5 + 0.5 * random_.Uniform())));
}

}  // namespace khanzero

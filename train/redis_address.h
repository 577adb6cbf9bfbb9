// SPDX-License-Identifier: GPL-3.0-or-later
//
// Where a Redis server is:
//
//   redis://[USER[:PASSWORD]@]HOST[:PORT][/DATABASE]
//   unix://[USER[:PASSWORD]@]/PATH/OF/SOCKET[?db=DATABASE]
//
// Parts of a URL may be written with %XX. A password had better not be in it, where `ps` shows it:
// the environment variable KHANZERO_REDIS_PASSWORD gives one to a URL without.
#pragma once

#include <string>
#include <string_view>

namespace khanzero {

struct RedisAddress {
  std::string host = {};  // a name or an IP address; empty: `socket` is meant
  int port = 6379;
  std::string socket = {};  // a path
  std::string user = {};    // empty: Redis' default user
  std::string password = {};
  int database = 0;

  // As a URL that is read back as the same address, printable, without user and password.
  std::string Text() const;

  friend bool operator==(const RedisAddress&, const RedisAddress&) = default;
};

// Throws InputError that says what is wrong with the URL, and never quotes a password.
RedisAddress ParseRedisAddress(std::string_view url);

// The same with the password of the environment where the URL has none.
RedisAddress RedisAddressOf(std::string_view url);

}  // namespace khanzero

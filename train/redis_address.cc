// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/redis_address.h"

#include <charconv>
#include <cstdlib>
#include <optional>

#include "env/error.h"

namespace khanzero {

namespace {

constexpr const char* kForms =
    "; an address is redis://[USER[:PASSWORD]@]HOST[:PORT][/DATABASE] or "
    "unix:///PATH[?db=DATABASE]";

[[noreturn]] void Refuse(const std::string& what) {
  throw InputError("the address of Redis " + what + kForms);
}

std::optional<int> HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return std::nullopt;
}

// Without %XX. A zero byte would end a host's name or a path for the system, not for us.
std::string Decoded(std::string_view text) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    const auto high = i + 2 < text.size() ? HexDigit(text[i + 1]) : std::nullopt;
    const auto low = i + 2 < text.size() ? HexDigit(text[i + 2]) : std::nullopt;
    if (!high || !low) Refuse("has a '%' that two hexadecimal digits do not follow");
    decoded += static_cast<char>(*high * 16 + *low);
    i += 2;
  }
  if (decoded.find('\0') != std::string::npos) Refuse("has a zero byte in it");
  return decoded;
}

// With %XX for all but letters, digits, "-._~" and what is `plain`.
std::string Encoded(std::string_view text, std::string_view plain) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  constexpr std::string_view kMarks = "-._~";
  const auto stays = [&](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           kMarks.find(c) != std::string_view::npos || plain.find(c) != std::string_view::npos;
  };
  std::string encoded;
  for (const char c : text) {
    if (stays(c)) {
      encoded += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    encoded += {'%', kDigits[byte / 16], kDigits[byte % 16]};
  }
  return encoded;
}

int Number(std::string_view text, const char* name, int least, int most) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || value < least ||
      value > most) {
    // What is there is not quoted: it may be a password that lacks its '@'.
    Refuse("has a " + std::string(name) + " that is no number from " + std::to_string(least) +
           " to " + std::to_string(most));
  }
  return value;
}

int DatabaseNumber(std::string_view text) {
  constexpr int kMostDatabases = 1 << 20;  // far more than any server has
  return Number(text, "database", 0, kMostDatabases);
}

// Takes "user:password@" off the front of `rest`.
void TakeUser(std::string_view& rest, std::string_view authority, RedisAddress& address) {
  const size_t at = authority.rfind('@');
  if (at == std::string_view::npos) return;
  const std::string_view who = authority.substr(0, at);
  const size_t colon = who.find(':');
  address.user = Decoded(who.substr(0, colon));
  if (colon != std::string_view::npos) address.password = Decoded(who.substr(colon + 1));
  rest.remove_prefix(at + 1);
}

void TakeHost(std::string_view authority, RedisAddress& address) {
  std::string_view port;
  std::string_view host = authority;
  bool has_port = false;
  if (authority.starts_with('[')) {  // an IPv6 address
    const size_t end = authority.find(']');
    if (end == std::string_view::npos) Refuse("has a '[' without a ']'");
    host = authority.substr(1, end - 1);
    std::string_view after = authority.substr(end + 1);
    has_port = after.starts_with(':');
    if (!has_port && !after.empty()) Refuse("goes on strangely behind ']'");
    if (has_port) port = after.substr(1);
  } else if (const size_t colon = authority.find(':'); colon != std::string_view::npos) {
    host = authority.substr(0, colon);
    port = authority.substr(colon + 1);
    has_port = true;
  }
  address.host = Decoded(host);
  if (address.host.empty()) Refuse("has no host");
  if (has_port) address.port = Number(port, "port", 1, 65535);
}

RedisAddress ParseNetworkAddress(std::string_view rest) {
  RedisAddress address;
  std::string_view authority = rest.substr(0, rest.find('/'));
  // A password may have a '/' that was not written as %2F: the last '@' ends it all the same.
  if (const size_t at = rest.rfind('@'); at != std::string_view::npos && at > authority.size()) {
    Refuse("has a '/' before its '@': write it as %2F");
  }
  TakeUser(rest, authority, address);
  authority = rest.substr(0, rest.find('/'));
  TakeHost(authority, address);
  rest.remove_prefix(authority.size());
  if (rest.size() > 1) address.database = DatabaseNumber(rest.substr(1));
  return address;
}

RedisAddress ParseSocketAddress(std::string_view rest) {
  RedisAddress address;
  TakeUser(rest, rest.substr(0, rest.find('/')), address);
  const size_t query = rest.find('?');
  address.socket = Decoded(rest.substr(0, query));
  if (!address.socket.starts_with('/')) Refuse("has no path that begins with '/'");
  if (query != std::string_view::npos) {
    const std::string_view option = rest.substr(query + 1);
    if (!option.starts_with("db=")) Refuse("may have '?db=DATABASE' behind the path, nothing else");
    address.database = DatabaseNumber(option.substr(3));
  }
  return address;
}

}  // namespace

std::string RedisAddress::Text() const {
  if (host.empty()) {
    return "unix://" + Encoded(socket, "/") +
           (database > 0 ? "?db=" + std::to_string(database) : "");
  }
  const bool v6 = host.find(':') != std::string::npos;
  return "redis://" + (v6 ? "[" + Encoded(host, ":") + "]" : Encoded(host, "")) + ":" +
         std::to_string(port) + "/" + std::to_string(database);
}

RedisAddress ParseRedisAddress(std::string_view url) {
  constexpr std::string_view kTcp = "redis://";
  constexpr std::string_view kUnix = "unix://";
  if (url.starts_with("rediss://")) {
    throw InputError(
        "rediss:// (TLS) is not spoken here: Debian's hiredis has none. Let stunnel or an ssh "
        "tunnel carry the connection and give the address of its near end (docs/cluster.md)");
  }
  if (url.starts_with(kTcp)) return ParseNetworkAddress(url.substr(kTcp.size()));
  if (url.starts_with(kUnix)) return ParseSocketAddress(url.substr(kUnix.size()));
  Refuse("does not begin with redis:// or unix://");
}

RedisAddress RedisAddressOf(std::string_view url) {
  RedisAddress address = ParseRedisAddress(url);
  const char* const password = std::getenv("KHANZERO_REDIS_PASSWORD");
  if (address.password.empty() && password != nullptr) address.password = password;
  return address;
}

}  // namespace khanzero

// SPDX-License-Identifier: GPL-3.0-or-later
//
// The two ways in which something can be wrong. InputError is for everything that comes from
// outside (a FEN, a file, a flag, a socket): its text says what is wrong, where, and what to do.
// KZ_CHECK-like conditions of our own are bugs: Check() reports them with their place.
#pragma once

#include <source_location>
#include <stdexcept>
#include <string>
#include <string_view>

namespace khanzero {

// Bad input or usage. Commands turn it into one line on stderr and exit code 2.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Something outside failed while the input was good: a full disk, a lost process. Exit code 1.
class RuntimeFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A fault of this program.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

// `text` with everything but printable ASCII written as \xNN, so that a message that quotes foreign
// bytes stays whole and harmless on a terminal.
inline std::string Printable(std::string_view text) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string printable;
  for (const char c : text) {
    if (c >= ' ' && c <= '~') {
      printable += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      printable += {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return printable;
}

// Throws InternalError with the caller's place when `condition` does not hold.
inline void Check(bool condition, std::string_view what,
                  std::source_location where = std::source_location::current()) {
  if (!condition) {
    throw InternalError("internal error: " + std::string(what) + " (" + where.file_name() + ":" +
                        std::to_string(where.line()) + ")");
  }
}

}  // namespace khanzero

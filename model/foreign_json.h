// SPDX-License-Identifier: GPL-3.0-or-later
//
// JSON from outside: an object whose fields are checked as they are read. Text that is not valid,
// too long or nested too deep is refused before a tree is made of it, so that no text can take the
// stack or much more memory than it has bytes.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace khanzero {

inline constexpr size_t kMostJsonBytes = 1 << 20;
inline constexpr int kMostJsonDepth = 32;

// The value that `text` is, or a discarded one (is_discarded()) when it is not valid JSON or breaks
// the limits above.
nlohmann::json ParseForeignJson(std::string_view text);

class ForeignJson {
 public:
  // REQUIRES: value.is_object(). `source` names it in messages ("runs/a/checkpoint.json").
  ForeignJson(nlohmann::json value, std::string source);

  // Each throws InputError naming source and field when the field is missing, of another type or
  // out of range.
  int64_t Integer(const char* name, int64_t least, int64_t most) const;
  double Number(const char* name) const;
  bool Flag(const char* name) const;
  std::string Text(const char* name) const;
  ForeignJson Object(const char* name) const;

  const nlohmann::json& value() const { return value_; }
  const std::string& source() const { return source_; }

 private:
  const nlohmann::json& Field(const char* name) const;
  [[noreturn]] void Refuse(const std::string& fault) const;

  nlohmann::json value_;
  std::string source_;
};

}  // namespace khanzero

// SPDX-License-Identifier: GPL-3.0-or-later
//
// The body of a request to `khanzero serve`: one JSON object, read field by field. Whatever is
// wrong with it is an InputError that names the field and says what it must be.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace khanzero {

class WebFields {
 public:
  // An empty body is an object without fields. Throws InputError for anything but a JSON object.
  explicit WebFields(std::string_view body);
  ~WebFields();
  WebFields(const WebFields&) = delete;
  WebFields& operator=(const WebFields&) = delete;

  // Each reads one field, and throws InputError for one of another type or out of bounds; without
  // a default also for one that is missing. Text is at most `most` bytes long.
  std::string Text(const std::string& name, size_t most);
  std::string Text(const std::string& name, size_t most, const std::string& without);
  int Number(const std::string& name, int least, int most);
  int Number(const std::string& name, int least, int most, int without);
  bool Flag(const std::string& name, bool without);
  // An array of at most `most_items` texts; empty when it is missing.
  std::vector<std::string> Texts(const std::string& name, size_t most_items, size_t most);

  // Throws InputError for a field that nobody has read: a misspelt name is no silent default.
  void RefuseOthers() const;

 private:
  const nlohmann::json* Find(const std::string& name);
  const nlohmann::json& Need(const std::string& name);

  std::unique_ptr<nlohmann::json> object_;
  std::vector<std::string> read_;
};

}  // namespace khanzero

// SPDX-License-Identifier: GPL-3.0-or-later
#include "play/uci_options.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <sstream>

#include "env/error.h"

namespace khanzero {

namespace {

constexpr std::string_view kEmptyText = "<empty>";

std::string Lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

std::string ShortText(double value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

class Lister {
 public:
  void Combo(const char* name, const std::string& value, const std::vector<std::string>& choices,
             UciChange) {
    std::string line = Begin(name, "combo", value);
    for (const std::string& choice : choices) line += " var " + choice;
    lines.push_back(line);
  }
  void Text(const char* name, const std::string& value, UciChange) {
    lines.push_back(
        Begin(name, "string", value.empty() ? std::string(kEmptyText) : Printable(value)));
  }
  template <class Integer>
  void Spin(const char* name, Integer value, int64_t least, int64_t most, UciChange) {
    lines.push_back(Begin(name, "spin", std::to_string(value)) + " min " + std::to_string(least) +
                    " max " + std::to_string(most));
  }
  void Check(const char* name, bool value) {
    lines.push_back(Begin(name, "check", value ? "true" : "false"));
  }
  void Number(const char* name, double value, double, double, UciChange) {
    lines.push_back(Begin(name, "string", ShortText(value)));
  }

  std::vector<std::string> lines;

 private:
  static std::string Begin(const std::string& name, const char* type, const std::string& value) {
    return "option name " + name + " type " + type + " default " + value;
  }
};

class Setter {
 public:
  Setter(const std::string& name, const std::string& value) : key_(Lower(name)), value_(value) {}

  void Combo(const char* name, std::string& value, const std::vector<std::string>& choices,
             UciChange touched) {
    if (!Is(name, touched)) return;
    if (std::ranges::find(choices, value_) == choices.end()) {
      std::string text;
      for (const std::string& choice : choices) text += (text.empty() ? "" : ", ") + choice;
      Refuse(name, "it must be one of: " + text);
    }
    value = value_;
  }
  void Text(const char* name, std::string& value, UciChange touched) {
    if (Is(name, touched)) value = value_ == kEmptyText ? "" : value_;
  }
  template <class Integer>
  void Spin(const char* name, Integer& value, int64_t least, int64_t most, UciChange touched) {
    if (!Is(name, touched)) return;
    const int64_t number = ParseUciNumber(value_, std::string("option ") + name);
    if (number < least || number > most) {
      Refuse(name, "it must be from " + std::to_string(least) + " to " + std::to_string(most));
    }
    value = static_cast<Integer>(number);
  }
  void Check(const char* name, bool& value) {
    if (!Is(name, UciChange::kNothing)) return;
    if (value_ != "true" && value_ != "false") Refuse(name, "it must be true or false");
    value = value_ == "true";
  }
  void Number(const char* name, double& value, double least, double most, UciChange touched) {
    if (!Is(name, touched)) return;
    double number = 0.0;
    const char* const end = value_.data() + value_.size();
    const auto [stop, error] = std::from_chars(value_.data(), end, number);
    // Written so that what is no number at all is refused too.
    if (error != std::errc{} || stop != end || !(number >= least && number <= most)) {
      Refuse(name, "it must be a number from " + ShortText(least) + " to " + ShortText(most));
    }
    value = number;
  }

  std::optional<UciChange> change;  // set once the name was found

 private:
  bool Is(const char* name, UciChange touched) {
    if (change || Lower(name) != key_) return false;
    change = touched;
    return true;
  }
  [[noreturn]] void Refuse(const char* name, const std::string& why) const {
    throw InputError("option " + std::string(name) + " is " + QuoteInput(value_) + "; " + why);
  }

  std::string key_;
  const std::string& value_;
};

}  // namespace

std::optional<Skill> UciOptions::PlayingSkill() const {
  if (analyse_mode) return std::nullopt;
  return SkillOfLevel(limit_strength ? LevelOfElo(elo) : skill);
}

std::vector<std::string> OptionLines(const UciOptions& options) {
  UciOptions copy = options;
  Lister lister;
  UciOptions::Fields(copy, lister);
  return lister.lines;
}

UciChange SetOption(UciOptions& options, const std::string& name, const std::string& value) {
  Setter setter(name, value);
  UciOptions::Fields(options, setter);
  if (!setter.change) {
    throw InputError("unknown option " + QuoteInput(name) + "; 'uci' lists them");
  }
  return *setter.change;
}

int64_t ParseUciNumber(const std::string& text, const std::string& what) {
  int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) {
    throw InputError(what + " needs a number and has " + QuoteInput(text));
  }
  return value;
}

std::string QuoteInput(std::string_view text) {
  constexpr size_t kMost = 100;
  return "'" + Printable(text.substr(0, kMost)) + (text.size() > kMost ? "...'" : "'");
}

}  // namespace khanzero

// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/config.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include "env/error.h"
#include "env/games.h"
#include "train/config_visitors.h"

namespace khanzero {
namespace {

std::vector<FieldText> FieldsOf(Config config) {
  SettingsLister lister;
  Config::Fields(config, lister);
  return lister.fields();
}

std::vector<std::string> AllKeys() {
  std::vector<std::string> keys;
  for (const FieldText& field : FieldsOf(Config{})) {
    if (!field.is_section) keys.push_back(field.path);
  }
  return keys;
}

constexpr size_t kMostConfigBytes = 1 << 20;

// Passes over a document.
class IgnoreEvents : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t,
                const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}
};

// Whether there is more than one document. YAML::LoadAll would never end where a ',' stands outside
// of brackets: there yaml-cpp finds one empty document after another.
bool HasSeveralDocuments(const std::string& text) {
  std::istringstream in(text);
  YAML::Parser parser(in);
  IgnoreEvents ignore;
  return parser.HandleNextDocument(ignore) && parser.HandleNextDocument(ignore);
}

// The one document of a YAML text; a null node when the text is empty.
YAML::Node ParseYaml(const std::string& text, const std::string& source) {
  if (text.size() > kMostConfigBytes) {
    throw InputError(source + " has more than " + std::to_string(kMostConfigBytes) +
                     " bytes: it is no configuration");
  }
  try {
    if (HasSeveralDocuments(text)) {
      throw InputError(source +
                       ": the file holds several YAML documents (separated by ---) or a ',' "
                       "outside of brackets; one document is expected");
    }
    return YAML::Load(text);
  } catch (const YAML::Exception& error) {
    throw InputError(source + ", line " + std::to_string(error.mark.line + 1) +
                     ": not valid YAML: " + error.msg);
  }
}

void ReadAll(const YAML::Node& root, SettingsSource& source, Config& config) {
  if (!root.IsMap() && !root.IsNull()) {
    throw InputError(source.PlaceOf(root) +
                     ": a configuration is made of 'key: value' lines, found something else");
  }
  SettingsReader reader(root, "", source);
  Config::Fields(config, reader);
  reader.RefuseUnknownKeys();
}

std::string Trimmed(const std::string& text) {
  const size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(" \t") + 1 - begin);
}

// Turns "search.simulations=16" into the map that the YAML file would hold.
YAML::Node OverrideNode(const std::string& text) {
  const auto refuse = [&] {
    throw InputError("setting '" + text +
                     "' must have the form key=value, for example search.simulations=16");
  };
  const size_t equals = text.find('=');
  if (equals == std::string::npos) refuse();
  std::string path = Trimmed(text.substr(0, equals));
  YAML::Node node(Trimmed(text.substr(equals + 1)));
  for (bool more = true; more;) {
    const size_t dot = path.rfind('.');
    more = dot != std::string::npos;
    const std::string key = more ? path.substr(dot + 1) : path;
    if (key.empty()) refuse();
    YAML::Node outer(YAML::NodeType::Map);
    outer[key] = node;
    node.reset(outer);
    if (more) path.resize(dot);
  }
  return node;
}

bool IsDevice(const std::string& text) {
  if (text == "auto" || text == "cpu" || text == "cuda") return true;
  constexpr std::string_view kNumbered = "cuda:";
  if (!text.starts_with(kNumbered)) return false;
  const std::string_view number = std::string_view(text).substr(kNumbered.size());
  return !number.starts_with('+') && ReadNumber<int>(number, 0, 127).has_value();
}

// Checks that no single field can make. `places` says where each key was given.
void Validate(const Config& config, const std::map<std::string, std::string>& places) {
  const auto refuse = [&](const std::string& key, const std::string& what) {
    const auto place = places.find(key);
    throw InputError((place == places.end() ? "" : place->second + ": ") + key + " " + what);
  };
  const std::vector<std::string> games = GameNames();
  if (std::ranges::find(games, config.game) == games.end()) {
    refuse("game", "must be one of " + GameNamesText() + ", found '" + config.game + "'");
  }
  if (!IsDevice(config.inference.device)) {
    refuse("inference.device",
           "must be auto, cpu, cuda or cuda:N, found '" + config.inference.device + "'");
  }
  const LearnerSettings& learner = config.learner;
  if (learner.final_learning_rate > learner.learning_rate) {
    const bool given = places.contains("learner.final_learning_rate");
    refuse(
        given ? "learner.final_learning_rate" : "learner.learning_rate",
        "is out of order: learner.final_learning_rate (" + NumberText(learner.final_learning_rate) +
            ") must not exceed learner.learning_rate (" + NumberText(learner.learning_rate) + ")");
  }
  if (learner.policy_weight == 0.0 && learner.value_weight == 0.0) {
    refuse("learner.policy_weight", "and learner.value_weight are both 0: nothing would be learnt");
  }
}

}  // namespace

namespace {

Config ParseFreely(const std::string& text, const std::string& source,
                   const std::vector<std::string>& overrides) {
  Config config;
  SettingsSource from{.name = source, .has_lines = true, .all_keys = AllKeys(), .places = {}};
  ReadAll(ParseYaml(text, source), from, config);
  from.has_lines = false;
  for (const std::string& override_text : overrides) {
    from.name = override_text;
    ReadAll(OverrideNode(override_text), from, config);
  }
  Validate(config, from.places);
  return config;
}

}  // namespace

Config ParseConfig(const std::string& text, const std::string& source,
                   const std::vector<std::string>& overrides) {
  try {
    return ParseFreely(text, source, overrides);
  } catch (const InputError& error) {
    // It quotes the text, which may hold what steers a terminal.
    std::string what = error.what();
    std::ranges::replace_if(
        what, [](char c) { return (c >= 0 && c < ' ') || c == 0x7F; }, '?');
    throw InputError(what);
  }
}

Config LoadConfig(const std::string& path, const std::vector<std::string>& overrides) {
  const auto refuse = [&](const std::string& why) {
    throw InputError("cannot read the configuration '" + path + "': " + why);
  };
  std::error_code ignored;  // the open below names what is wrong
  if (std::filesystem::is_directory(path, ignored)) refuse("it is a folder");
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) refuse(std::strerror(errno));
  std::string text(kMostConfigBytes + 1, '\0');  // one more than is taken, so that it shows
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(file.gcount()));
  if (file.bad()) refuse(std::strerror(errno));
  return ParseConfig(text, path, overrides);
}

std::string ToYaml(const Config& config) {
  const std::vector<FieldText> fields = FieldsOf(config);
  const std::vector<FieldText> defaults = FieldsOf(Config{});
  std::string yaml;
  for (size_t i = 0; i < fields.size(); ++i) {
    const FieldText& field = fields[i];
    if (field.is_section) {
      yaml += "\n# " + field.meaning + "\n" + field.name + ":\n";
      continue;
    }
    const std::string indent = field.path == field.name ? "" : "  ";
    yaml += indent + "# " + field.meaning + " [" + field.limits +
            (field.limits.empty() ? "" : "; ") + "default " + defaults[i].value + "]\n";
    yaml += indent + field.name + ": " + field.value + "\n";
  }
  return yaml;
}

}  // namespace khanzero

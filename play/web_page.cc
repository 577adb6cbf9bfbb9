// SPDX-License-Identifier: GPL-3.0-or-later
#include "play/web_page.h"

#include <fstream>
#include <iterator>

#include "env/error.h"

namespace khanzero {

namespace {

struct Part {
  const char* path;
  const char* file;
  const char* type;
};
constexpr Part kParts[] = {{"/", "index.html", "text/html; charset=utf-8"},
                           {"/page.js", "page.js", "text/javascript; charset=utf-8"},
                           {"/page.css", "page.css", "text/css; charset=utf-8"},
                           {"/icon.svg", "icon.svg", "image/svg+xml"}};

constexpr const char* kMissing =
    "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>KhanZero</title>"
    "<h1>The page was not built</h1><p>It needs Node and npm (on Debian: apt-get install nodejs "
    "npm). With both in place run <code>scripts/build_page.sh</code> in KhanZero's folder, then "
    "start <code>khanzero serve</code> again.</p><p>The server itself runs: its interface is under "
    "<code>/api/</code>.</p></html>\n";

}  // namespace

bool HasWebPage(const std::filesystem::path& folder) {
  for (const Part& part : kParts) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(folder / part.file, error)) return false;
  }
  return true;
}

WebFiles LoadWebPage(const std::filesystem::path& folder) {
  WebFiles files;
  if (!HasWebPage(folder)) {
    files["/"] = {.type = kParts[0].type, .bytes = kMissing};
    return files;
  }
  for (const Part& part : kParts) {
    std::ifstream in(folder / part.file, std::ios::binary);
    WebFile file{.type = part.type, .bytes = {std::istreambuf_iterator<char>(in), {}}};
    if (!in) throw RuntimeFailure("cannot read '" + (folder / part.file).string() + "'");
    files[part.path] = std::move(file);
  }
  return files;
}

}  // namespace khanzero

// SPDX-License-Identifier: GPL-3.0-or-later
//
// The files of the page, read once from the folder that scripts/build_page.sh fills. Requests are
// answered from this table, so none of them can name a file.
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace khanzero {

struct WebFile {
  std::string type;  // "text/html; charset=utf-8"
  std::string bytes;
};

using WebFiles = std::map<std::string, WebFile, std::less<>>;  // by path: "/", "/page.js"

// The page in `folder`; when it is not there, a page that says what is missing and what to do.
WebFiles LoadWebPage(const std::filesystem::path& folder);

// Whether LoadWebPage finds the page in `folder`.
bool HasWebPage(const std::filesystem::path& folder);

}  // namespace khanzero

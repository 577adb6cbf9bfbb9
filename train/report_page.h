// SPDX-License-Identifier: GPL-3.0-or-later
//
// The files that report.html is made of. The build writes the definitions (embed_page.cmake).
#pragma once

#include <string_view>

namespace khanzero {

std::string_view ReportHtml();
std::string_view ReportStyle();
std::string_view ReportCharts();
std::string_view ReportPlots();
std::string_view ReportGames();

}  // namespace khanzero

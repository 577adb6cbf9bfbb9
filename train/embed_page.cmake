# SPDX-License-Identifier: GPL-3.0-or-later
#
# cmake -DOUT=FILE.cc -P embed_page.cmake: writes the files of the report's page as C++ arrays.
function(embed name file)
  file(READ ${CMAKE_CURRENT_LIST_DIR}/${file} bytes HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)" "\\1\n" bytes "${bytes}")
  file(APPEND ${OUT} "
std::string_view ${name}() {
  static constexpr unsigned char kBytes[] = {
${bytes}};
  return {reinterpret_cast<const char*>(kBytes), sizeof kBytes};
}
")
endfunction()

file(WRITE ${OUT} "// Written by train/embed_page.cmake.
#include \"train/report_page.h\"

namespace khanzero {
")
embed(ReportHtml report.html)
embed(ReportStyle report.css)
embed(ReportCharts report_charts.js)
embed(ReportPlots report_plots.js)
embed(ReportGames report_games.js)
file(APPEND ${OUT} "
}  // namespace khanzero
")

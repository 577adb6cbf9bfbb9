// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/commands.h"

namespace khanzero {

void AddQuickCommands(CLI::App& app) {
  AddPlay(app);
  AddServe(app);
  AddUci(app);
  AddAnalyze(app);
  AddInfo(app);
  AddConfig(app);
  AddData(app);
  AddReport(app);
  AddStatus(app);
  AddStudy(app);
  AddPgn(app);
  AddPerft(app);
}

}  // namespace khanzero

// SPDX-License-Identifier: GPL-3.0-or-later
//
// The games of a run, for a study of what its network knows.
#pragma once

#include <cstdint>
#include <vector>

#include "play/study_games.h"
#include "train/config.h"
#include "train/run_folder.h"

namespace khanzero {

struct StudyRunGames {
  std::vector<StudyGame> games{};  // the newest last
  int64_t damaged = 0;             // left out
};

// The newest `most` games of the run's store. Throws InputError when there is no store, and
// RuntimeFailure when it cannot be read.
StudyRunGames ReadStudyGames(const RunFolder& run, const Config& config, int64_t most,
                             const StudyProgress& progress);

}  // namespace khanzero

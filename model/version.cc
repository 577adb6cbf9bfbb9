// SPDX-License-Identifier: GPL-3.0-or-later
//
// The build gives the version, so that CMakeLists.txt is the one place that states it.
#include "model/version.h"

namespace khanzero {

std::string_view ProgramVersion() { return KHANZERO_VERSION; }

}  // namespace khanzero

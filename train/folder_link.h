// SPDX-License-Identifier: GPL-3.0-or-later
//
// An actor's link to a run in a folder of the same machine: games go into its store at once,
// networks are its checkpoints.
#pragma once

#include <filesystem>
#include <memory>

#include "train/actor_link.h"

namespace khanzero {

// `config` is the run's, with what this process has other. Throws InputError when the folder is no
// run, has no checkpoint yet, or takes games of its own alone (loop.deterministic).
std::unique_ptr<ActorLink> OpenFolderLink(const std::filesystem::path& run, const Config& config);

}  // namespace khanzero

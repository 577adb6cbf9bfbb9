// SPDX-License-Identifier: GPL-3.0-or-later
//
// Where programs that play find a network: as a person names it, or, where nobody named one, the
// agent that comes with the program.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace khanzero {

// The path that `text` names: latest:RUN and best:RUN lead to a checkpoint of a run, anything else
// is a path, whose slash at the end is left out. Throws InputError for a run without such a
// checkpoint. Whether there is a network is seen when it is read.
std::filesystem::path FindWeights(const std::string& text);

// The folders in which agents may come with the program, in the order in which they are searched:
// `models` beside the binary and in the folders above it (a build folder lies in the repository),
// share/khanzero/models of where the program is installed, and `models` of the working directory.
std::vector<std::filesystem::path> ModelFolders();

// The agent of `game` that comes with the program: GAME.safetensors in the first of `folders` that
// has it; nothing where none has.
std::optional<std::filesystem::path> DefaultWeights(
    const std::string& game, const std::vector<std::filesystem::path>& folders = ModelFolders());

// What to do where DefaultWeights() finds nothing.
inline std::string NoDefaultWeightsText(const std::string& game) {
  return "no network is given and none comes with the program (there is no models/" + game +
         ".safetensors): name a checkpoint's folder, latest:RUN, best:RUN or an exported "
         ".safetensors file";
}

}  // namespace khanzero

// SPDX-License-Identifier: GPL-3.0-or-later
//
// Networks that come as bytes, not as files.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "env/game_info.h"

namespace khanzero {

struct FoldedNetwork;

// The network of the bytes of an export in safetensors format, ready to play with. Throws
// InputError, naming `source`, for bytes that are no such file, for numbers that are not finite,
// and, when `expected` is given, for a network of another game, rules version, encoding version or
// shape, naming both sides.
std::shared_ptr<const FoldedNetwork> ParseNetworkForPlay(std::string_view bytes,
                                                         const std::string& source,
                                                         const GameInfo* expected);

}  // namespace khanzero

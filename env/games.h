// SPDX-License-Identifier: GPL-3.0-or-later
//
// The one place where a game's name becomes a type. The list of games itself is env/game_list.h.
#pragma once

#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "env/error.h"
#include "env/game_info.h"
#include "env/game_list.h"

namespace khanzero {

// The names of all games, in the order of the list.
inline std::vector<std::string> GameNames() {
  return []<class... G>(std::type_identity<std::tuple<G...>>) {
    return std::vector<std::string>{std::string(G::kName)...};
  }(std::type_identity<Games>{});
}

// "khans, serbest"
inline std::string GameNamesText() {
  std::string text;
  for (const std::string& name : GameNames()) text += (text.empty() ? "" : ", ") + name;
  return text;
}

// Calls f.template operator()<G>() for the game called `name` and returns what it returns, which
// must be the same type for every game. Throws InputError for an unknown name.
template <class F>
decltype(auto) WithGame(std::string_view name, F&& f) {
  using First = std::tuple_element_t<0, Games>;
  using R = decltype(f.template operator()<First>());
  const auto find = [&]<class G, class... Rest>(auto& self,
                                                std::type_identity<std::tuple<G, Rest...>>) -> R {
    if (name == G::kName) return f.template operator()<G>();
    if constexpr (sizeof...(Rest) > 0) {
      return self(self, std::type_identity<std::tuple<Rest...>>{});
    } else {
      throw InputError("unknown game '" + std::string(name) + "'; the games are " +
                       GameNamesText());
    }
  };
  return find(find, std::type_identity<Games>{});
}

inline GameInfo InfoOfGame(std::string_view name) {
  return WithGame(name, []<class G>() { return InfoOf<G>(); });
}

}  // namespace khanzero

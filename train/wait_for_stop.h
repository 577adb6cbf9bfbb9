// SPDX-License-Identifier: GPL-3.0-or-later
//
// A pause that a stop ends.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>

namespace khanzero {

inline void WaitForStop(const std::stop_token& stop, std::chrono::milliseconds longest) {
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  wake.wait_for(lock, stop, longest, [] { return false; });
}

}  // namespace khanzero

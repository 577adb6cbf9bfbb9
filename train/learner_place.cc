// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/learner_place.h"

#include <charconv>
#include <cstdlib>
#include <string_view>

#include "env/error.h"

namespace khanzero {

namespace {

// Empty when it is not set.
std::string Variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string Needed(const char* name, const std::string& meaning) {
  std::string value = Variable(name);
  if (value.empty()) {
    throw InputError(std::string("--learners needs ") + name + " in the environment: " + meaning +
                     " (torchrun sets it)");
  }
  return value;
}

int NumberOf(const char* name, const std::string& value, int least, int most) {
  int number = 0;
  const char* const last = value.data() + value.size();
  const auto [end, error] = std::from_chars(value.data(), last, number);
  if (error != std::errc{} || end != last || number < least || number > most) {
    throw InputError(std::string(name) + " in the environment is '" + Printable(value) +
                     "'; expected a whole number from " + std::to_string(least) + " to " +
                     std::to_string(most));
  }
  return number;
}

}  // namespace

LearnerPlace ReadLearnerPlace(int learners) {
  LearnerPlace place{.learners = learners};
  constexpr int kMost = 1'000'000;
  const int size =
      NumberOf("WORLD_SIZE",
               Needed("WORLD_SIZE", "how many learners there are, as --learners says"), 1, kMost);
  if (size != learners) {
    throw InputError("--learners is " + std::to_string(learners) +
                     ", but WORLD_SIZE in the environment is " + std::to_string(size) +
                     "; both are the number of learners in all");
  }
  place.rank =
      NumberOf("RANK", Needed("RANK", "0 for the first learner, 1 for the next"), 0, learners - 1);
  place.address = Needed("MASTER_ADDR", "the host where the learner of RANK 0 runs");
  if (const std::string port = Variable("MASTER_PORT"); !port.empty()) {
    constexpr int kLastPort = 65535;
    place.port = static_cast<uint16_t>(NumberOf("MASTER_PORT", port, 1, kLastPort));
  }
  place.has_store = Variable("TORCHELASTIC_USE_AGENT_STORE") == "True";
  if (const std::string attempt = Variable("TORCHELASTIC_RESTART_COUNT"); !attempt.empty()) {
    place.attempt = attempt;
  }
  return place;
}

std::string NameOfLearner(const LearnerPlace& place, int rank) {
  return "learner " + std::to_string(rank) + " of " + std::to_string(place.learners);
}

}  // namespace khanzero

// SPDX-License-Identifier: GPL-3.0-or-later
//
// A build without Gloo: a learner is alone.
#include <torch/torch.h>

#include "env/error.h"
#include "train/learner_group.h"

namespace khanzero {

struct LearnerGroup::Engine {};

LearnerGroup::LearnerGroup(const LearnerPlace& place, std::unique_ptr<Engine> engine)
    : place_(place), engine_(std::move(engine)) {}
LearnerGroup::~LearnerGroup() = default;

void LearnerGroup::Sum(at::Tensor& /*tensor*/) { Check(false, "a group without Gloo"); }
void LearnerGroup::Send(const std::string& /*bytes*/, int /*to*/) {
  Check(false, "a group without Gloo");
}
std::string LearnerGroup::Receive(int /*from*/) {
  Check(false, "a group without Gloo");
  return {};
}

std::unique_ptr<LearnerGroup> JoinLearners(const LearnerPlace& /*place*/, std::stop_token /*stop*/,
                                           const std::function<void(const std::string&)>& /*say*/) {
  throw InputError(
      "this program was built without Gloo, so that --learners must be 1; install Gloo's headers "
      "(libgloo-dev) and build it again");
}

}  // namespace khanzero

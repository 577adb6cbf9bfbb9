// SPDX-License-Identifier: GPL-3.0-or-later
//
// Several learners as one group, on c10d: sums over all of them, and messages from one to another.
// The only file that knows c10d is learner_group.cc; a build without Gloo has learner_no_group.cc
// in its place, where nobody can join.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "train/learner_place.h"

namespace at {
class Tensor;
}

namespace khanzero {

// Every function throws RuntimeFailure when another learner is lost (its connection is closed, or
// nothing was heard of it for place().patience). The group is of no use after that.
class LearnerGroup {
 public:
  struct Engine;  // what c10d has of it

  LearnerGroup(const LearnerPlace& place, std::unique_ptr<Engine> engine);
  ~LearnerGroup();

  const LearnerPlace& place() const { return place_; }

  // Sums `tensor` over all learners, in place, to the same bits everywhere. All learners call it in
  // the same order.
  void Sum(at::Tensor& tensor);

  void Send(const std::string& bytes, int to);
  std::string Receive(int from);

 private:
  LearnerPlace place_;
  std::unique_ptr<Engine> engine_;
};

// Waits until all learners are there and connects them; null when `stop` is asked for before.
// `say` is told what it waits for. Throws InputError when another one is of another program
// version, or has the same rank or another number of learners; RuntimeFailure when one does not
// come within place.patience.
//
// While they gather, the learner of rank 0 listens on place.port at every address of its machine,
// as c10d's TCPStore does; that port is closed again before this returns (torchrun's own stays open
// as long as torchrun runs). The connections among the
// learners, which last, are bound to the address that leads to place.address (or to the interface
// that GLOO_SOCKET_IFNAME names).
std::unique_ptr<LearnerGroup> JoinLearners(const LearnerPlace& place, std::stop_token stop,
                                           const std::function<void(const std::string&)>& say);

}  // namespace khanzero

// SPDX-License-Identifier: GPL-3.0-or-later
//
// The one file with c10d. Learners meet in a TCPStore of the first, which is closed as soon as all
// are connected: nothing listens on that port while they train, and a store whose server has died
// cannot end the process of another learner before it has said a word.
#include "train/learner_group.h"

#include <netdb.h>
#include <sys/socket.h>
#include <torch/torch.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <nlohmann/json.hpp>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#ifdef USE_C10D_NCCL
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>
#endif

#include "env/error.h"
#include "model/version.h"

namespace khanzero {

namespace {

using std::chrono::steady_clock;

struct Stopped {};  // thrown while learners gather

// What is wrong, without LibTorch's stack and Gloo's place in its sources.
std::string Reason(const std::exception& error) {
  const auto* const of_torch = dynamic_cast<const c10::Error*>(&error);
  std::string text = of_torch != nullptr ? of_torch->what_without_backtrace() : error.what();
  text = text.substr(0, text.find('\n'));
  if (text.starts_with('[') && text.find("] ") != std::string::npos) {
    text = text.substr(text.find("] ") + 2);
  }
  while (text.ends_with('.')) text.pop_back();
  return Printable(text);
}

// The group's connections are all made by its constructor.
class Gloo : public c10d::ProcessGroupGloo {
 public:
  using ProcessGroupGloo::ProcessGroupGloo;
  void LeaveStore() { store_.reset(); }
};

template <class Group>
void SumBy(Group& group, at::Tensor& tensor) {
  std::vector<at::Tensor> tensors = {tensor};
  group.allreduce(tensors)->wait();
}

std::string PlaceText(const LearnerPlace& place) {
  return place.address + ":" + std::to_string(place.port);
}

// Connects a socket of this type to where the first learner is or will be, and asks `found` about
// it. False while its name is not known or nobody answers.
bool Reach(const LearnerPlace& place, int type, const std::function<bool(int)>& found) {
  addrinfo wanted = {};
  wanted.ai_socktype = type;
  addrinfo* all = nullptr;
  const std::string port = std::to_string(place.port);
  if (getaddrinfo(place.address.c_str(), port.c_str(), &wanted, &all) != 0) return false;
  bool reached = false;
  for (const addrinfo* each = all; each != nullptr && !reached; each = each->ai_next) {
    const int probe = socket(each->ai_family, type | SOCK_CLOEXEC, 0);
    if (probe < 0) continue;
    const timeval patience = {.tv_sec = 1, .tv_usec = 0};
    setsockopt(probe, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    reached = connect(probe, each->ai_addr, each->ai_addrlen) == 0 && found(probe);
    ::close(probe);
  }
  freeaddrinfo(all);
  return reached;
}

// c10d complains on stderr where nobody listens yet.
bool Listens(const LearnerPlace& place) {
  return Reach(place, SOCK_STREAM, [](int) { return true; });
}

// The address of this machine that leads to the first learner; empty while that one's name is not
// known. Connecting a datagram socket sends nothing, it only chooses the route.
std::string AddressTowards(const LearnerPlace& place) {
  char text[NI_MAXHOST] = "";
  Reach(place, SOCK_DGRAM, [&](int probe) {
    sockaddr_storage own = {};
    socklen_t size = sizeof own;
    auto* const plain = reinterpret_cast<sockaddr*>(&own);
    return getsockname(probe, plain, &size) == 0 &&
           getnameinfo(plain, size, text, sizeof text, nullptr, 0, NI_NUMERICHOST) == 0;
  });
  return text;
}

// The learners' way to each other.
class Gathering {
 public:
  Gathering(const LearnerPlace& place, std::stop_token stop)
      : place_(place), stop_(std::move(stop)) {}

  c10::intrusive_ptr<c10d::Store> OpenStore() {
    c10d::TCPStoreOptions options;
    options.port = place_.port;
    options.isServer = place_.rank == 0 && !place_.has_store;
    options.waitWorkers = false;
    options.timeout = std::chrono::seconds(2);
    c10::intrusive_ptr<c10d::Store> store;
    std::string reason;
    const bool open = Until([&] {
      if (!options.isServer && !Listens(place_)) return false;
      try {
        store = c10::make_intrusive<c10d::TCPStore>(place_.address, options);
        return true;
      } catch (const std::exception& e) {
        reason = Reason(e);
        if (!options.isServer) return false;
        throw RuntimeFailure("learner 0 cannot open port " + std::to_string(place_.port) + " (" +
                             reason + "); MASTER_ADDR must be this machine, and another " +
                             "MASTER_PORT may be free");
      }
    });
    if (!open) Missing(0, reason);
    store->setTimeout(place_.patience);
    return c10::make_intrusive<c10d::PrefixStore>("khanzero/" + place_.attempt, store);
  }

  // Refuses learners that do not fit, each by itself: every one reads what every one says.
  void Meet(c10d::Store& store) {
    const std::string own = std::to_string(place_.rank);
    if (store.add("rank/" + own, 1) != 1) {
      throw InputError("two learners have RANK " + own + " at " + PlaceText(place_));
    }
    const nlohmann::json here = {{"program", ProgramVersion()}, {"learners", place_.learners}};
    const std::string text = here.dump();
    store.set("hello/" + own, {text.begin(), text.end()});
    for (int rank = 0; rank < place_.learners; ++rank) {
      const std::string key = "hello/" + std::to_string(rank);
      if (!Until([&] { return store.check({key}); })) Missing(rank, "");
      const std::vector<uint8_t> bytes = store.get(key);
      const auto there = nlohmann::json::parse(bytes.begin(), bytes.end());
      for (const char* const what : {"program", "learners"}) {
        if (there.at(what) == here.at(what)) continue;
        LetOthersRead(store);
        throw InputError("learner " + std::to_string(rank) + " has " + what + " " +
                         Printable(there.at(what).dump()) + ", this one " + here.at(what).dump() +
                         "; all learners must be the same program with the same --learners");
      }
    }
  }

  std::shared_ptr<gloo::transport::Device> OpenDevice() {
    if (const char* const name = std::getenv("GLOO_SOCKET_IFNAME"); name != nullptr) {
      return c10d::ProcessGroupGloo::createDeviceForInterface(name);
    }
    std::string address;
    if (!Until([&] { return !(address = AddressTowards(place_)).empty(); })) {
      throw RuntimeFailure("the name '" + place_.address + "' in MASTER_ADDR is not known here");
    }
    return c10d::ProcessGroupGloo::createDeviceForHostname(address);
  }

 private:
  // The store ends with the first learner, which refuses only when those that came have seen why
  // they will, too.
  void LetOthersRead(c10d::Store& store) {
    if (place_.rank > 0) {
      store.add("read", 1);
      return;
    }
    const auto end = steady_clock::now() + std::chrono::seconds(5);
    Until([&] {
      int64_t came = 0;
      for (int rank = 1; rank < place_.learners; ++rank) {
        if (store.check({"hello/" + std::to_string(rank)})) ++came;
      }
      return store.add("read", 0) >= came || steady_clock::now() >= end;
    });
  }

  // Asks again and again; false when the patience is spent.
  template <class F>
  bool Until(const F& ready) {
    constexpr auto kPause = std::chrono::milliseconds(20);
    std::mutex mutex;
    std::condition_variable_any wake;
    std::unique_lock lock(mutex);
    while (!ready()) {
      if (stop_.stop_requested()) throw Stopped();
      if (steady_clock::now() >= end_) return false;
      wake.wait_for(lock, stop_, kPause, [] { return false; });
    }
    return true;
  }

  [[noreturn]] void Missing(int rank, const std::string& reason) const {
    throw RuntimeFailure(NameOfLearner(place_, rank) + " did not come to " + PlaceText(place_) +
                         (reason.empty() ? "" : " (" + reason + ")") +
                         "; start all learners with the same MASTER_ADDR and MASTER_PORT, each "
                         "with its own RANK");
  }

  const LearnerPlace& place_;
  const std::stop_token stop_;
  const steady_clock::time_point end_ = steady_clock::now() + place_.patience;
};

}  // namespace

struct LearnerGroup::Engine {
  c10::intrusive_ptr<Gloo> gloo;
#ifdef USE_C10D_NCCL
  c10::intrusive_ptr<c10d::ProcessGroupNCCL> nccl;  // where this machine has a GPU
#endif

  void Sum(at::Tensor& tensor) {
#ifdef USE_C10D_NCCL
    if (tensor.is_cuda()) {
      SumBy(*nccl, tensor);
      return;
    }
#endif
    SumBy(*gloo, tensor);
  }
};

namespace {

std::unique_ptr<LearnerGroup::Engine> Connect(Gathering& gathering, const LearnerPlace& place,
                                              c10::intrusive_ptr<c10d::Store> store) {
  const auto options = c10d::ProcessGroupGloo::Options::create(place.patience);
  options->devices.push_back(gathering.OpenDevice());
  options->threads = 1;
  auto engine = std::make_unique<LearnerGroup::Engine>();
  engine->gloo = c10::make_intrusive<Gloo>(store, place.rank, place.learners, options);
#ifdef USE_C10D_NCCL
  // NCCL connects at its first sum and goes on to look into the store, which then stays open.
  if (torch::cuda::is_available()) {
    engine->nccl = c10::make_intrusive<c10d::ProcessGroupNCCL>(store, place.rank, place.learners);
    return engine;
  }
#endif
  // The server goes last: nobody needs it once all are connected.
  at::Tensor here = torch::ones({1});
  engine->Sum(here);
  engine->gloo->LeaveStore();
  if (place.rank > 0) store.reset();
  engine->Sum(here);
  return engine;
}

// `whom` may be a learner of any rank, -1.
[[noreturn]] void Lost(const LearnerPlace& place, int whom, const std::exception& error) {
  if (whom < 0 && place.learners == 2) whom = 1 - place.rank;
  throw RuntimeFailure((whom < 0 ? "one of " + std::to_string(place.learners) + " learners"
                                 : NameOfLearner(place, whom)) +
                       " is gone (" + Reason(error) +
                       "); start all learners again: the run goes on from its last checkpoint, "
                       "which is good");
}

}  // namespace

LearnerGroup::LearnerGroup(const LearnerPlace& place, std::unique_ptr<Engine> engine)
    : place_(place), engine_(std::move(engine)) {}
LearnerGroup::~LearnerGroup() = default;

void LearnerGroup::Sum(at::Tensor& tensor) {
  try {
    engine_->Sum(tensor);
  } catch (const std::exception& e) {
    Lost(place_, -1, e);
  }
}

void LearnerGroup::Send(const std::string& bytes, int to) {
  try {
    const auto send = [&](at::Tensor part) {
      std::vector<at::Tensor> parts = {std::move(part)};
      engine_->gloo->send(parts, to, /*tag=*/0)->wait();
    };
    send(torch::full({1}, static_cast<int64_t>(bytes.size()), torch::kInt64));
    if (bytes.empty()) return;
    // Nothing writes through the pointer.
    send(torch::from_blob(const_cast<char*>(bytes.data()), {static_cast<int64_t>(bytes.size())},
                          torch::kUInt8));
  } catch (const std::exception& e) {
    Lost(place_, to, e);
  }
}

std::string LearnerGroup::Receive(int from) {
  try {
    const auto receive = [&](at::Tensor part) {
      std::vector<at::Tensor> parts = {std::move(part)};
      engine_->gloo->recv(parts, from, /*tag=*/0)->wait();
    };
    const at::Tensor size = torch::zeros({1}, torch::kInt64);
    receive(size);
    constexpr int64_t kMost = int64_t{1} << 33;
    const auto count = size.item<int64_t>();
    if (count < 0 || count > kMost) throw std::length_error("a message of an impossible size");
    std::string bytes(static_cast<size_t>(count), '\0');
    if (count > 0) receive(torch::from_blob(bytes.data(), {count}, torch::kUInt8));
    return bytes;
  } catch (const std::exception& e) {
    Lost(place_, from, e);
  }
}

std::unique_ptr<LearnerGroup> JoinLearners(const LearnerPlace& place, std::stop_token stop,
                                           const std::function<void(const std::string&)>& say) {
  Gathering gathering(place, std::move(stop));
  say("Waiting for " + std::to_string(place.learners) + " learners at " + PlaceText(place));
  try {
    auto store = gathering.OpenStore();
    gathering.Meet(*store);
    auto engine = Connect(gathering, place, std::move(store));
    say("This is " + NameOfLearner(place, place.rank) + "; all are there");
    return std::make_unique<LearnerGroup>(place, std::move(engine));
  } catch (const Stopped&) {
    return nullptr;
  } catch (const InputError&) {
    throw;
  } catch (const RuntimeFailure&) {
    throw;
  } catch (const std::exception& e) {
    throw RuntimeFailure("the learners at " + PlaceText(place) + " could not be connected (" +
                         Reason(e) + "); start all of them again");
  }
}

}  // namespace khanzero

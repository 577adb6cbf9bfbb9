// SPDX-License-Identifier: GPL-3.0-or-later
//
// A message is its kind, a byte, and what belongs to it.
#include "train/learner_share.h"

#include <zstd.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>

#include "env/error.h"
#include "model/checkpoint.h"
#include "model/files.h"

namespace khanzero {

namespace {

enum class Kind : char {
  kState = 's',   // configuration, counters, weights, optimiser
  kStep = 'b',    // learning rate, packed share of a batch
  kNote = 'n',    // the present state is the one to go back to
  kGoBack = 'g',  // to that state
  kBeat = '.',    // nothing happens, but the first learner is there
  kEnd = 'e',     // of the run
};

// Values and byte strings one after the other.
class Writer {
 public:
  template <class T>
  void Value(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void Bytes(std::string_view bytes) {
    Value(static_cast<uint64_t>(bytes.size()));
    bytes_.append(bytes);
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  template <class T>
  T Value() {
    T value;
    std::memcpy(&value, Take(sizeof value).data(), sizeof value);
    return value;
  }
  std::string_view Bytes() { return Take(Value<uint64_t>()); }

 private:
  std::string_view Take(uint64_t count) {
    if (count > bytes_.size()) throw RuntimeFailure("a message from learner 0 is cut off");
    const std::string_view taken = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return taken;
  }

  std::string_view bytes_;
};

template <class Batch, class F>
void ForEachTensor(Batch& batch, const F& f) {
  const auto moves = [&](auto& targets) {
    f(targets.indices);
    f(targets.padding);
    f(targets.policy);
    f(targets.weight);
  };
  f(batch.planes);
  moves(batch.moves);
  f(batch.wdl);
  f(batch.value_weight);
  moves(batch.replies);
  f(batch.survival);
  f(batch.survival_weight);
  f(batch.moves_left);
  f(batch.moves_left_weight);
}

// As it lies in memory: planes are channels-last.
void WriteTensor(const torch::Tensor& tensor, Writer& writer) {
  writer.Value(static_cast<int8_t>(tensor.defined() ? tensor.dim() : -1));
  if (!tensor.defined()) return;
  const torch::Tensor plain =
      (tensor.dim() == 4 ? tensor.permute({0, 2, 3, 1}) : tensor).contiguous();
  writer.Value(static_cast<int8_t>(plain.scalar_type()));
  for (const int64_t size : plain.sizes()) writer.Value(size);
  writer.Bytes({static_cast<const char*>(plain.data_ptr()), plain.nbytes()});
}

torch::Tensor ReadTensor(Reader& reader) {
  const auto dimensions = reader.Value<int8_t>();
  if (dimensions < 0) return {};
  const auto type = static_cast<torch::ScalarType>(reader.Value<int8_t>());
  std::vector<int64_t> sizes;
  for (int i = 0; i < dimensions; ++i) sizes.push_back(reader.Value<int64_t>());
  const std::string_view bytes = reader.Bytes();
  torch::Tensor tensor = torch::empty(sizes, type);
  if (tensor.nbytes() != bytes.size()) {
    throw RuntimeFailure("a message from learner 0 has an array of another size");
  }
  std::memcpy(tensor.data_ptr(), bytes.data(), bytes.size());
  return dimensions == 4 ? tensor.permute({0, 3, 1, 2}) : tensor;
}

std::string MessageOf(Kind kind, std::string_view rest = "") {
  return std::string(1, static_cast<char>(kind)) + std::string(rest);
}

}  // namespace

LearnerBatch ShareOf(const LearnerBatch& batch, int rank, int learners) {
  Check(batch.size() >= learners, "a batch smaller than the group");
  const int64_t begin = batch.size() * rank / learners;
  const int64_t end = batch.size() * (rank + 1) / learners;
  LearnerBatch share = batch;
  ForEachTensor(share, [&](torch::Tensor& tensor) {
    if (tensor.defined()) tensor = tensor.narrow(0, begin, end - begin);
  });
  return share;
}

std::string PackBatch(const LearnerBatch& batch) {
  // Planes are mostly zeros and ones: the fastest level makes them some thirty times smaller.
  constexpr int kLevel = 1;
  Writer writer;
  writer.Value(batch.totals);
  ForEachTensor(batch, [&](const torch::Tensor& tensor) { WriteTensor(tensor, writer); });
  const std::string& plain = writer.bytes();
  std::string packed(ZSTD_compressBound(plain.size()), '\0');
  const size_t size =
      ZSTD_compress(packed.data(), packed.size(), plain.data(), plain.size(), kLevel);
  Check(ZSTD_isError(size) == 0, "zstd could not compress a batch");
  packed.resize(size);
  return packed;
}

LearnerBatch UnpackBatch(std::string_view bytes) {
  constexpr unsigned long long kMost = 1ULL << 33;
  // What stands for an error is larger than that.
  const unsigned long long size = ZSTD_getFrameContentSize(bytes.data(), bytes.size());
  if (size > kMost) throw RuntimeFailure("a message from learner 0 is no batch");
  std::string plain(static_cast<size_t>(size), '\0');
  if (ZSTD_decompress(plain.data(), plain.size(), bytes.data(), bytes.size()) != plain.size()) {
    throw RuntimeFailure("a message from learner 0 is no batch");
  }
  Reader reader(plain);
  LearnerBatch batch;
  batch.totals = reader.Value<BatchTotals>();
  ForEachTensor(batch, [&](torch::Tensor& tensor) { tensor = ReadTensor(reader); });
  return batch;
}

LearnerLead::LearnerLead(LearnerGroup& group)
    : group_(group), beats_([this](const std::stop_token& stop) { Beat(stop); }) {}

void LearnerLead::Tell(const std::string& message) {
  for (int rank = 1; rank < group_.place().learners; ++rank) group_.Send(message, rank);
}

void LearnerLead::Begin(const Config& config, const LearnerCore::Note& state) {
  {
    const std::lock_guard lock(mutex_);
    if (lost_) std::rethrow_exception(lost_);
    resting_ = false;
  }
  const nlohmann::json counters = {{"step", state.step}, {"loss", state.watch.ToJson()}};
  Writer writer;
  for (const std::string& part :
       {ToYaml(config), counters.dump(), state.trained, state.optimizer}) {
    writer.Bytes(part);
  }
  Tell(MessageOf(Kind::kState, writer.bytes()));
}

void LearnerLead::Step(const std::vector<std::string>& shares, double rate) {
  for (size_t i = 0; i < shares.size(); ++i) {
    Writer writer;
    writer.Value(rate);
    writer.Bytes(shares[i]);
    group_.Send(MessageOf(Kind::kStep, writer.bytes()), static_cast<int>(i) + 1);
  }
}

void LearnerLead::Note() { Tell(MessageOf(Kind::kNote)); }
void LearnerLead::GoBack() { Tell(MessageOf(Kind::kGoBack)); }

void LearnerLead::Rest() {
  const std::lock_guard lock(mutex_);
  resting_ = true;
}

void LearnerLead::End() noexcept {
  beats_.request_stop();
  beats_.join();
  try {
    Tell(MessageOf(Kind::kEnd));
  } catch (const std::exception&) {
    // Who is gone needs not be told.
  }
}

void LearnerLead::Beat(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    wake_.wait_for(lock, stop, group_.place().beat, [] { return false; });
    if (stop.stop_requested() || !resting_ || lost_) continue;
    try {
      Tell(MessageOf(Kind::kBeat));
    } catch (const std::exception&) {
      lost_ = std::current_exception();
    }
  }
}

namespace {

// A follower's network and what becomes of it.
class Follower {
 public:
  Follower(const FollowOptions& options, LearnerGroup& group) : options_(options), group_(group) {}

  // False when the run is over.
  bool Do(std::string_view message) {
    if (message.empty()) throw RuntimeFailure("an empty message from learner 0");
    Reader reader(message.substr(1));
    switch (static_cast<Kind>(message.front())) {
      case Kind::kState:
        TakeState(reader);
        return true;
      case Kind::kStep:
        Step(reader);
        return true;
      case Kind::kNote:
        note_ = Core().MakeNote();
        return true;
      case Kind::kGoBack:
        Core().GoBack(note_);
        return true;
      case Kind::kBeat:
        return true;
      case Kind::kEnd:
        return false;
    }
    throw RuntimeFailure("a message from learner 0 is of an unknown kind");
  }

  int64_t steps() const { return steps_; }
  std::string Weights() const { return core_ ? ChecksumOf(SerializeWeights(*core_->network)) : ""; }

 private:
  LearnerCore& Core() {
    if (!core_) throw RuntimeFailure("learner 0 sent no state before its first step");
    return *core_;
  }

  void TakeState(Reader& reader) {
    const std::string config(reader.Bytes());
    const auto counters = nlohmann::json::parse(reader.Bytes());
    if (!core_) {
      Config own = ParseConfig(config, "the configuration of learner 0", options_.settings);
      own.learner.ema_decay = 0.0;  // the average is the first learner's affair
      core_.emplace(own);
      core_->Take(Network(core_->info.shape, own.network));
      core_->Share(group_, options_.stop);
      core_->network->train();
    }
    note_.trained = reader.Bytes();
    note_.optimizer = reader.Bytes();
    counters.at("step").get_to(note_.step);
    note_.watch.FromJson(counters.at("loss"));
    core_->UseThreads();
    core_->GoBack(note_);
  }

  void Step(Reader& reader) {
    const auto rate = reader.Value<double>();
    const LearnerBatch batch = UnpackBatch(reader.Bytes());
    TrainingReport unused;
    if (Core().Step(batch, rate, core_->heads, unused)) ++steps_;
  }

  const FollowOptions& options_;
  LearnerGroup& group_;
  std::optional<LearnerCore> core_;
  LearnerCore::Note note_;
  int64_t steps_ = 0;
};

}  // namespace

FollowSummary FollowTraining(const FollowOptions& options) {
  const auto group = JoinLearners(options.place, options.stop, options.say);
  if (group == nullptr) return {.stopped = true, .weights = {}};
  Follower follower(options, *group);
  while (follower.Do(group->Receive(0))) continue;
  return {.stopped = options.stop.stop_requested(),
          .steps = follower.steps(),
          .weights = follower.Weights()};
}

}  // namespace khanzero

// SPDX-License-Identifier: GPL-3.0-or-later
//
// Evaluations that were made before, by position. Positions come back by other orders of moves,
// most of all while pieces are placed, and in other games. Memory is bounded; the oldest make room.
// Exact: what is found is what the evaluator said, to the last bit.
//
// Split into shards with a lock each, so that threads seldom wait for each other. A shard is a
// table of slots in sets of four, and a ring of logits that the slots point into.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "env/types.h"

namespace khanzero {

// Thread-safe. An evaluation belongs to one network: Clear() when it changes.
class EvaluationCache {
 public:
  // Takes `bytes` of memory as it fills; with 0 nothing is ever kept.
  explicit EvaluationCache(size_t bytes) {
    const size_t slots = bytes / kShards / kBytesPerSlot / kWays * kWays;
    const size_t floats = (bytes / kShards - slots * sizeof(Slot)) / sizeof(float);
    for (Shard& shard : shards_) shard.Resize(slots, floats);
  }

  // Finds the evaluation of the position with this EvaluationKey(), which has `count` legal moves.
  // The whole key and the number of moves must agree. On success `logits` holds one logit a move.
  bool Find(uint64_t key, size_t count, std::vector<float>& logits, Wdl& wdl) {
    return ShardOf(key).Find(key, count, logits, wdl);
  }
  void Insert(uint64_t key, std::span<const float> logits, const Wdl& wdl) {
    ShardOf(key).Insert(key, logits, wdl);
  }
  void Clear() {
    for (Shard& shard : shards_) shard.Clear();
  }

 private:
  static constexpr size_t kShards = 16;
  static constexpr size_t kWays = 4;
  // A slot and the logits of a position with many moves: more slots would stay empty.
  static constexpr size_t kBytesPerSlot = 256;

  struct Slot {
    uint64_t key = 0;
    uint64_t begin = 0;  // of the logits, counted in all floats ever put into the ring
    uint32_t count = 0;  // 0: empty
    Wdl wdl;
  };
  static_assert(sizeof(Slot) == 32);

  class Shard {
   public:
    void Resize(size_t slots, size_t floats) {
      slots_.resize(slots);
      // Not initialised: memory is taken when it is first used.
      ring_ = std::make_unique_for_overwrite<float[]>(floats);
      ring_size_ = floats;
    }

    bool Find(uint64_t key, size_t count, std::vector<float>& logits, Wdl& wdl) {
      const std::scoped_lock lock(mutex_);
      for (const Slot& slot : SetOf(key)) {
        if (slot.key != key || slot.count != count || !Alive(slot)) continue;
        const float* const first = &ring_[slot.begin % ring_size_];
        logits.assign(first, first + count);
        wdl = slot.wdl;
        return true;
      }
      return false;
    }

    void Insert(uint64_t key, std::span<const float> logits, const Wdl& wdl) {
      if (logits.empty() || logits.size() > ring_size_) return;
      const std::scoped_lock lock(mutex_);
      const std::span<Slot> set = SetOf(key);
      if (set.empty()) return;
      // The same position again, else a dead slot, else the oldest.
      Slot* place = &set[0];
      for (Slot& slot : set) {
        if (slot.key == key && Alive(slot)) return;
        if (Alive(*place) && (!Alive(slot) || slot.begin < place->begin)) place = &slot;
      }
      const size_t left = ring_size_ - end_ % ring_size_;
      if (logits.size() > left) end_ += left;
      *place = {
          .key = key, .begin = end_, .count = static_cast<uint32_t>(logits.size()), .wdl = wdl};
      std::ranges::copy(logits, &ring_[end_ % ring_size_]);
      end_ += logits.size();
    }

    void Clear() {
      const std::scoped_lock lock(mutex_);
      std::ranges::fill(slots_, Slot());
    }

   private:
    std::span<Slot> SetOf(uint64_t key) {
      if (slots_.empty()) return {};
      return std::span(slots_).subspan(key / kShards % (slots_.size() / kWays) * kWays, kWays);
    }
    // Whether the slot's logits were not overwritten.
    bool Alive(const Slot& slot) const { return slot.count > 0 && slot.begin + ring_size_ >= end_; }

    std::mutex mutex_;
    std::vector<Slot> slots_;  // guarded by mutex_, as are the others
    std::unique_ptr<float[]> ring_;
    size_t ring_size_ = 0;
    uint64_t end_ = 0;  // floats ever put into the ring, with those that were skipped at its end
  };

  Shard& ShardOf(uint64_t key) { return shards_[key % kShards]; }

  std::array<Shard, kShards> shards_;
};

}  // namespace khanzero

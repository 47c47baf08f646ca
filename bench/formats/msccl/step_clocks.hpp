// StepClocks: which steps of a program are known to be done when another one runs. A vector clock
// per thread block: what its own earlier steps, awaited steps, and received messages imply.
#pragma once

#include <algorithm>
#include <vector>

namespace arlab::bench {

/// A step: its block, numbered over all GPUs, and its number there.
struct StepNumber {
  int block = -1, step = -1;
  bool operator==(const StepNumber&) const = default;
};

class StepClocks {
 public:
  StepClocks() = default;
  explicit StepClocks(std::size_t blocks)
      : now_(blocks, std::vector<int>(blocks, -1)), after_(blocks) {}

  /// The block's next step runs after another step, which is done.
  void learn(int block, const StepNumber& other) {
    std::vector<int>& mine = now_[at(block)];
    const std::vector<int>& theirs = after_[at(other.block)][at(other.step)];
    for (std::size_t i = 0; i < mine.size(); ++i) mine[i] = std::max(mine[i], theirs[i]);
  }
  void start(const StepNumber& step) { now_[at(step.block)][at(step.block)] = step.step; }
  void finish(const StepNumber& step) { after_[at(step.block)].push_back(now_[at(step.block)]); }
  /// Returns whether the other step is done whenever the running step `me` runs.
  bool before(const StepNumber& other, const StepNumber& me) const {
    return other.block < 0 || now_[at(me.block)][at(other.block)] >= other.step;
  }

 private:
  static std::size_t at(int number) { return static_cast<std::size_t>(number); }
  std::vector<std::vector<int>> now_;
  std::vector<std::vector<std::vector<int>>> after_;  // each step of each block
};

}  // namespace arlab::bench

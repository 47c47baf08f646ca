// GroupMemory: memory that all processes of a group map. They meet in a store of PyTorch, and need
// no MPI for it.
//
// It is a file without a name: nothing of it stays behind, however the processes end.
#pragma once

#include <cstddef>
#include <string>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "algorithms/base/types.hpp"

namespace arlab::training {

class GroupMemory {
 public:
  /// Maps that many bytes of zeros. All ranks, which are on one machine, call it together.
  GroupMemory(c10d::Store& store, Rank me, Rank ranks, std::size_t bytes);
  ~GroupMemory();
  GroupMemory(const GroupMemory&) = delete;
  GroupMemory& operator=(const GroupMemory&) = delete;

  /// Returns why some rank has not got it; empty if all have. The same on all ranks.
  const std::string& why_not() const { return why_not_; }
  std::byte* data() const { return data_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_;
  std::string why_not_;
};

}  // namespace arlab::training

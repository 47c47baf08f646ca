// Agreement: all ranks of a group ask for the same, or each of them gets an error that names two
// that do not.
//
// The ranks exchange their calls as they would sum one number: by a butterfly, in which each
// message says what its sender knows by then. All messages fit into memory of our own, whatever the
// ranks ask for, so nothing is received into a tensor before all agree. A short vector is summed by
// the same messages, which then cost nothing.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "collectives/counting_communicator.hpp"
#include "training/plugins/torch/ranks/call.hpp"

namespace arlab::training {

class Agreement {
 public:
  /// `names`: of the ranks, in errors; by default their numbers.
  Agreement(collectives::CountingCommunicator& ranks, std::vector<std::string> names);

  /// Returns if all ranks have come with the same call. Throws Error(usage) on each of them
  /// otherwise.
  void check(const Call& call) { run(call, {}, {}); }

  /// The same, and reduces a vector of at most kMostBytesWithCall in place, which is left as it was
  /// if it throws.
  void allreduce(const Call& call, std::span<std::byte> data, collectives::Operand operand);

  /// How often the ranks have begun to compare calls.
  std::uint64_t number() const { return number_; }

 private:
  struct Step {
    bool sends = false, receives = false, replaces = false;
    Rank to = 0, from = 0;
  };
  struct Known {  // by a rank, and the header of its messages
    Call first;   // of the lowest rank
    std::uint64_t differ = 0;
    Call other;  // of the lowest one that asks for something else: only if they differ
    void add(const Call& call);
    std::size_t bytes() const { return sizeof *this - (differ ? 0 : sizeof other); }
  };

  void run(const Call& call, std::span<std::byte> data, collectives::Operand operand);
  void exchange(const Step& step, std::span<std::byte> data, collectives::Operand operand);

  collectives::CountingCommunicator& ranks_;
  std::vector<std::string> names_;
  std::vector<Step> steps_;
  Known known_;
  std::uint64_t number_ = 0;
  std::vector<std::byte> out_, in_, work_;
};

}  // namespace arlab::training

// Failures: collects on rank 0, which knows the verdicts of all: Catch2 counts on one thread only.
#pragma once

#include <string>

#include "tests/support/catch.hpp"
#include "tests/support/conformance.hpp"

namespace arlab::collectives::conformance {

class Failures {
 public:
  void expect_good(const Communicator& communicator, Verdict verdict, const std::string& what) {
    if (communicator.rank() != 0) return;
    ++runs_;
    if (verdict != Verdict{} && ++wrong_ <= kMostSaid)
      text_ += "\n" + what + ": " + std::to_string(verdict.wrong_elements) + " wrong elements, " +
               std::to_string(verdict.ranks_off_their_claim) + " ranks off their claim";
  }
  void check() const {
    CHECK(runs_ > 0);
    CHECK(text_ == "");
    CHECK(wrong_ == 0);
  }

 private:
  static constexpr int kMostSaid = 20;  // Catch2 takes minutes to wrap thousands of lines
  int runs_ = 0, wrong_ = 0;
  std::string text_;
};

}  // namespace arlab::collectives::conformance

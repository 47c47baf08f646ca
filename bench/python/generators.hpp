// Generators: algorithms that Python's generators yield.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <string>

#include "algorithms/algorithm.hpp"

namespace arlab::bench::python {

/// An algorithm over functions in Python.
class Generators {
 public:
  /// `about`: name, label, summary, source, collectives (names), and chunks_per_rank.
  /// `program(collective, ranks, root, me)` returns an iterator that yields actions or rounds of
  /// them; `cost(...)`, with the elements instead of `me`, returns messages, elements and rounds,
  /// and `unsupported(...)` a text, or they are None. `place(collective, ranks, root, me, round)`
  /// returns where a round is written.
  Generators(const pybind11::dict& about, pybind11::object program, pybind11::object cost,
             pybind11::object unsupported, pybind11::object place, pybind11::object action_type);

  const std::shared_ptr<const Algorithm>& algorithm() const { return algorithm_; }

  /// Proves one problem. Returns the fault's kind ("none" if there is none), rank, round and chunk,
  /// its text, the bracketing, and whether all ranks added in the same order.
  pybind11::dict prove(const std::string& collective, Rank ranks, Rank root) const;

 private:
  std::shared_ptr<const Algorithm> algorithm_;
};

}  // namespace arlab::bench::python

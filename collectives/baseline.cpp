#include "collectives/baseline.hpp"

#include <cstring>

#include "algorithms/base/error.hpp"
#include "algorithms/base/text.hpp"

namespace arlab::collectives {

std::string Baseline::name_of(const Problem&) const { return ""; }

void Baseline::run(const Problem& problem, const std::byte*, std::byte*, Operand) {
  fail(Blame::usage,
       concat("this backend has no native ", name(problem.collective), ": choose an algorithm"));
}

std::vector<std::string> Baseline::algorithms() {
  fail(Blame::environment,
       "this backend has no library whose algorithm can be chosen: use the backend mpi or nccl");
}

void Baseline::use(const std::string& algorithm) {
  if (!algorithm.empty()) algorithms();
}

std::string Baseline::label(const std::string& algorithm) const {
  return concat(name_of_allreduce(), ":", algorithm);
}

std::string Baseline::unsupported(const std::string&, Operand) { return ""; }

std::string Baseline::choice(Count) const { return ""; }

Baseline& no_baseline() {
  static Baseline none;
  return none;
}

void copy_vector(const Problem& problem, const std::byte* from, std::byte* into, Operand operand) {
  const std::size_t bytes = static_cast<std::size_t>(problem.elements) * size_of(operand.dtype);
  if (from != into && bytes > 0) std::memcpy(into, from, bytes);
}

}  // namespace arlab::collectives

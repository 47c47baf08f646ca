// A program of another project with its own algorithm: a relay up the ranks, and back down.
#include <arlab/algorithms/verify/count.hpp>
#include <arlab/algorithms/verify/verify.hpp>
#include <iostream>

using namespace arlab;

Program relay(Problem p, Rank me) {
  const Rank last = p.ranks - 1;
  if (me > 0) co_yield reduce(me - 1, p.all());
  if (me < last) {
    co_yield send(me + 1, p.all());
    co_yield replace(me + 1, p.all());
  }
  if (me > 0) co_yield send(me - 1, p.all());
}

int main() {
  Algorithm algorithm;
  algorithm.name = "relay";
  algorithm.program = relay;
  const Problem problem{.ranks = 5, .elements = 1000};
  const Cost cost = count(algorithm, problem).all;
  const Proof proof = verify(algorithm, problem);
  std::cout << algorithm.name << " on " << problem.ranks << " ranks: " << cost.messages
            << " messages, " << cost.elements << " elements, " << cost.rounds << " rounds, "
            << (proof ? "proved: " + proof.bracketing : proof.fault.text) << '\n';
  return proof ? 0 : 1;
}

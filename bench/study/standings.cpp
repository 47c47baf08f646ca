#include "bench/study/standings.hpp"

#include <algorithm>

#include "bench/study/rank_sum.hpp"

namespace arlab::bench {
namespace {

constexpr double kSignificant = 0.05;

}  // namespace

Standings standings_of(std::span<const FastestTest> tests) {
  Standings s;
  std::vector<double> p;
  for (const FastestTest& test : tests) p.push_back(test.p);
  s.p = holm_corrected(p);
  for (std::size_t i = 0; i < tests.size(); ++i) {
    // Even the clearest difference would not be significant among this many comparisons.
    const bool hopeless = tests[i].least_p * static_cast<double>(tests.size()) >= kSignificant;
    const bool slower = s.p[i] < kSignificant;
    s.tested.push_back(slower ? Standing::slower : hopeless ? Standing::undecided : Standing::tie);
    s.fastest.resize(std::max(s.fastest.size(), tests[i].contest + 1), Standing::fastest);
    Standing& best = s.fastest[tests[i].contest];
    if (!slower && best != Standing::undecided) best = s.tested.back();
  }
  return s;
}

std::string text_of(Standing standing, std::string_view samples) {
  switch (standing) {
    case Standing::fastest:
      return "fastest";
    case Standing::tie:
      return "tie";
    case Standing::slower:
      return "slower";
    case Standing::undecided:
      break;
  }
  return "not enough " + std::string(samples);
}

}  // namespace arlab::bench

// Proofs: refuses schedules that the verifier refutes, before they are timed.
#pragma once

#include <map>
#include <string>
#include <tuple>

#include "bench/config/config.hpp"

namespace arlab::bench {

class Proofs {
 public:
  /// Returns why the schedule of this configuration is wrong; empty if it is proved. On more than
  /// 32 ranks, where a proof takes long, it proves the algorithm on 32. Keeps its answers.
  const std::string& refuted(const Config& config);

 private:
  std::map<std::tuple<const Algorithm*, Collective, Rank, Rank, int, std::size_t>, std::string>
      known_;
};

}  // namespace arlab::bench

// Caller: who runs a command in this process instead of a shell, such as Python (bench/python/). It
// may bring algorithms of its own, and takes the results, which are then not printed.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "algorithms/algorithm.hpp"

namespace arlab::bench {

struct Caller {
  std::map<std::string, std::shared_ptr<const Algorithm>> algorithms;  ///< its own, by name
  /// Called by the calling thread as the steps of a command are done; may be empty, and may throw.
  std::function<void(std::size_t done, std::size_t steps)> progress{};

  std::vector<nlohmann::ordered_json> records{};  ///< results
  std::string text{};                             ///< what is a table or a picture
};

}  // namespace arlab::bench

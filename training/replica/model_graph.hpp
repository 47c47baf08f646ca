// ModelGraph: a model's operations and parameters, and what flows between them, for TensorBoard.
#pragma once

#include <string>
#include <vector>

#include "algorithms/problem.hpp"

namespace arlab::training {

struct GraphNode {
  std::string name;  ///< unique; parts between slashes are scopes, such as "1_Linear/weight"
  std::string operation;
  std::vector<std::string> inputs = {};  ///< names of earlier nodes
  std::vector<Count> shape = {};         ///< of its output
};

using ModelGraph = std::vector<GraphNode>;

}  // namespace arlab::training

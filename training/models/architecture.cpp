#include "training/models/architecture.hpp"

#include <dlfcn.h>
#include <torch/utils.h>

#include <string>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "algorithms/base/error.hpp"

namespace arlab::training {

const Architecture& find_architecture(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Architecture& a : architectures()) {
    if (a.name == name) return a;
    names.push_back(a.name);
  }
  fail(Blame::usage, "unknown model '" + std::string(name) + "'" + did_you_mean(name, names) +
                         " (`arlab list architectures` names all)");
}

std::unique_ptr<Replica> make_replica(const Architecture& architecture, const ReplicaSetup& setup) {
  return architecture.make(architecture, setup);
}

void use_threads(int threads) {
  torch::set_num_threads(threads);
  // LibTorch does not control OpenBLAS's threads, which all workers of a process share.
  using Set = void(int);
  if (auto* const set = reinterpret_cast<Set*>(dlsym(RTLD_DEFAULT, "openblas_set_num_threads")))
    set(threads);
}

}  // namespace arlab::training

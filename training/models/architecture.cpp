#include "training/models/architecture.hpp"

#include <dlfcn.h>
#include <torch/utils.h>

#include <string>
#include <vector>

#include "algorithms/base/error.hpp"
#include "algorithms/base/names.hpp"

namespace arlab::training {

const Architecture& find_architecture(std::string_view name) {
  return find_named(architectures(), name, "model");
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

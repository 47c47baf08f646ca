#include "collectives/backends/backend.hpp"

#include <algorithm>

#include "algorithms/base/error.hpp"
#include "algorithms/base/names.hpp"

namespace arlab::collectives {

const Backend& find_backend(std::string_view name) {
  return find_named(backends(), name, "backend");
}

const Backend& default_backend(const Job& job) {
  const auto all = backends();
  const auto chosen = std::find_if(all.begin(), all.end(), [&](const Backend& b) {
    return job.ranks() > 0 ? b.default_in_job : b.default_alone;
  });
  expects(chosen != all.end(), "the catalog has no default backend");
  return *chosen;
}

Placement placement_in(const Job& job, const Backend& backend) {
  return job.ranks() > 0 && backend.joins_job ? Placement::processes : backend.placement;
}

}  // namespace arlab::collectives

#include "collectives/backends/gloo.hpp"

#include "algorithms/base/error.hpp"
#ifdef ARLAB_HAS_GLOO
#include "collectives/gloo/gloo.hpp"
#endif

namespace arlab::collectives {

#ifdef ARLAB_HAS_GLOO

std::string why_no_gloo() { return ""; }

ConnectLibrary connect_gloo(const Patience& patience) {
  return [seconds = patience.seconds](Communicator& control) {
    return gloo_baseline(control, seconds);
  };
}

#else

std::string why_no_gloo() {
  return "built without Gloo: apt install libgloo-dev, then configure again";
}

ConnectLibrary connect_gloo(const Patience&) {
  return
      [](Communicator&) -> std::unique_ptr<Baseline> { fail(Blame::environment, why_no_gloo()); };
}

#endif

}  // namespace arlab::collectives

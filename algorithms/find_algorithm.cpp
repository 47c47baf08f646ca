// find_algorithm: an algorithm by its name, or configured by a spec.
#include <atomic>
#include <memory>

#include "algorithms/algorithm.hpp"
#include "algorithms/base/error.hpp"
#include "algorithms/base/names.hpp"
#include "algorithms/base/text.hpp"

namespace arlab {
namespace {

// A configured algorithm, in a list that only grows: callers keep references, as to the catalog.
struct Configured {
  std::string spec, label = {};
  Algorithm algorithm;
  const Configured* next = nullptr;
};

// Threads may add at once; a spec that two add at the same time is there twice, which is harmless.
std::atomic<const Configured*>& configured() {
  static std::atomic<const Configured*> first{nullptr};
  return first;
}

const Algorithm& configure(std::string_view spec) {
  for (const Configured* c = configured().load(std::memory_order_acquire); c; c = c->next)
    if (c->spec == spec) return c->algorithm;
  const NamedSettings parsed = parse_spec(spec);
  const Algorithm& entry = find_named(algorithms(), parsed.name, "algorithm");
  if (!entry.configure)
    fail(Blame::usage,
         concat("algorithm ", entry.name, " has no parameters, but the settings are '",
                spec.substr(parsed.name.size() + 1), "': leave them out"));
  auto made = std::make_unique<Configured>(
      Configured{.spec = std::string(spec), .algorithm = entry.configure(parsed.settings)});
  made->algorithm.name = made->spec;
  made->label = concat(made->algorithm.label, " ", spec.substr(parsed.name.size() + 1));
  made->algorithm.label = made->label;  // so that charts tell settings apart
  made->next = configured().load(std::memory_order_relaxed);
  Configured* const added = made.release();
  while (!configured().compare_exchange_weak(added->next, added, std::memory_order_acq_rel)) {
  }
  return added->algorithm;
}

}  // namespace

const Algorithm& find_algorithm(std::string_view spec) {
  if (spec.find(':') != std::string_view::npos) return configure(spec);
  return find_named(algorithms(), spec, "algorithm");
}

}  // namespace arlab

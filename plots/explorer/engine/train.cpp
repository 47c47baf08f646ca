// Simulated training iterations: how a scheduler overlaps communication with computation.
#include <cmath>

#include "algorithms/base/error.hpp"

#include <nlohmann/json.hpp>
#include "plots/explorer/engine/request.hpp"
#include "training/schedulers/timeline.hpp"

namespace arlab::explorer {
namespace {

// Returns a time in picoseconds, a time per byte or a number of elements.
double amount(const Json& value) {
  constexpr double kMax = 1e18;
  if (!value.is_number() || value.get<double>() < 0 || value.get<double>() > kMax)
    fail(Blame::usage,
         "a layer's time or size is " + value.dump() + ": give a number of 0 to 1e18");
  return std::round(value.get<double>());
}

// "layers": [[forward, backward, elements]...], times in picoseconds.
training::Profile parse_profile(const Json& request) {
  if (!request.contains("layers") || !request["layers"].is_array())
    fail(Blame::usage, "training needs layers: a list of [forward, backward, elements]");
  training::Profile profile;
  for (const Json& layer : request["layers"]) {
    if (!layer.is_array() || layer.size() != 3)
      fail(Blame::usage, "a layer is [forward, backward, elements], not " + layer.dump());
    profile.push_back({.name = std::to_string(profile.size() + 1),
                       .forward = to_time(amount(layer[0])),
                       .backward = to_time(amount(layer[1])),
                       .elements = static_cast<Count>(amount(layer[2])),
                       .needs = {}});
  }
  if (profile.empty() || profile.size() > 200)
    fail(Blame::usage, std::to_string(profile.size()) + " layers: give 1 to 200");
  return profile;
}

}  // namespace

// Simulates "scheduler" with "alpha" and "beta" of the link. works: [[kind (forward, backward,
// message), step, layer, bytes, begin, end]...] of all steps; period: picoseconds per step in
// the steady state.
Json train_json(const Json& request) {
  training::Study study;
  study.profile = parse_profile(request);
  study.kind = &training::find_scheduler(text(request, "scheduler", "none"));
  study.link.alpha = to_time(amount(request.value("alpha", Json(0))));
  study.link.beta = amount(request.value("beta", Json(0)));
  study.steps = 8;
  const training::Timeline timeline = training::simulate(study);
  Json works = Json::array();
  for (const training::Work& w : timeline.works)
    works.push_back(
        {static_cast<int>(w.kind), w.step, w.layer, w.bytes, w.begin.count(), w.end.count()});
  return {{"period", timeline.period},
          {"computation", timeline.computation.count()},
          {"exposed", timeline.exposed()},
          {"works", std::move(works)}};
}

}  // namespace arlab::explorer

#include "training/exchange/route.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "algorithms/base/error.hpp"
#include "algorithms/verify/verify.hpp"
#include "collectives/host/execute.hpp"

namespace arlab::training {
namespace {

constexpr collectives::Operand kSum{collectives::DType::float32, collectives::Op::sum};

std::shared_ptr<const Groups> groups_of(collectives::Communicator& communicator, Rank size) {
  if (size == 0) return collectives::groups_by_machine(communicator);
  return std::make_shared<const Groups>(Groups::consecutive(communicator.ranks(), size));
}

/// Returns why the algorithm cannot exchange gradients; empty if it can. Its schedules are proved
/// first, for every collective that it has: a wrong one would wait forever.
std::string refusal(const Algorithm& algorithm, Rank ranks, const Groups* groups) {
  Problem problem{.ranks = ranks, .elements = ranks, .groups = groups};
  if (std::string why = unsupported(algorithm, problem); !why.empty()) return why;
  bool same_on_all_ranks = true;
  for (const Collective collective : algorithm.collectives) {
    problem.collective = collective;
    if (!unsupported(algorithm, problem).empty()) continue;
    const Proof proof = verify(algorithm, problem);
    if (!proof)
      return std::string(algorithm.name) + " is not a correct " + std::string(name(collective)) +
             " on " + std::to_string(ranks) + " ranks: " + proof.fault.text;
    if (collective == Collective::allreduce) same_on_all_ranks = proof.same_on_all_ranks;
  }
  if (same_on_all_ranks) return "";
  return std::string(algorithm.name) + " adds in a different order on each of " +
         std::to_string(ranks) + " ranks, so replicas would drift apart: use ring or tree";
}

/// The same, proved by rank 0 for all. Every rank calls it.
std::string refusal(const Algorithm& algorithm, collectives::Communicator& communicator,
                    const Groups* groups) {
  const bool proves = communicator.rank() == 0;
  const std::string found = proves ? refusal(algorithm, communicator.ranks(), groups) : "";
  if (communicator.max(found.empty() ? 0 : 1) == 0) return "";
  return proves ? found : refusal(algorithm, communicator.ranks(), groups);
}

/// Returns the slowest rank's best time of a few runs, the same on all ranks.
double time_of(collectives::Communicator& communicator, const Route& route,
               std::vector<float>& data) {
  double best = std::numeric_limits<double>::infinity();
  for (int repeat = 0; repeat < 4; ++repeat) {
    communicator.barrier();
    const double start = communicator.clock().now();
    run_collective(communicator, route, Collective::allreduce, 0, data, 0);
    best = std::min(best, communicator.clock().now() - start);
  }
  return communicator.max(best);
}

Route fastest(collectives::Communicator& communicator, const std::vector<Route>& routes,
              Count elements) {
  std::vector<float> data(static_cast<std::size_t>(elements));
  Route best = routes.front();
  double best_time = std::numeric_limits<double>::infinity();
  for (const Route& route : routes)
    if (const double time = time_of(communicator, route, data); time < best_time)
      best = route, best_time = time;
  return best;
}

}  // namespace

std::string Route::name(const collectives::Communicator& communicator) const {
  if (algorithm) return std::string(algorithm->name);
  return (executor ? executor->baseline() : communicator.baseline()).name_of_allreduce();
}

int Route::lanes() const {
  if (!algorithm) return 1;
  if (!algorithm->lane_weights || !groups) return algorithm->lanes * segments;
  const Problem any{.ranks = groups->ranks(), .elements = 1, .groups = groups.get()};
  return static_cast<int>(algorithm->lane_weights(any).size()) * segments;
}

std::vector<Route> all_routes(int segments, collectives::Communicator& communicator,
                              const RouteOptions& options) {
  const auto groups = groups_of(communicator, options.group_size);
  std::vector<Route> routes;
  for (const Algorithm& a : algorithms())
    if (refusal(a, communicator, groups.get()).empty())
      routes.push_back({&a, segments, groups, options.executor});
  const Route native{.executor = options.executor};
  if (!native.name(communicator).empty()) routes.push_back(native);
  return routes;
}

Route find_route(std::string_view word, int segments, collectives::Communicator& communicator,
                 Count elements, const RouteOptions& options) {
  if (word == "auto")
    return fastest(communicator, all_routes(segments, communicator, options), elements);
  if (word == "native") {
    const Route native{.executor = options.executor};
    if (native.name(communicator).empty())
      fail(Blame::usage, "this backend has no native allreduce: use ring, tree or auto");
    return native;
  }
  const Algorithm& algorithm = find_algorithm(word);
  const auto groups = groups_of(communicator, options.group_size);
  if (const std::string why = refusal(algorithm, communicator, groups.get()); !why.empty())
    fail(Blame::usage, why);
  return {&algorithm, segments, groups, options.executor};
}

namespace {

/// Throws unless the route has the collective.
Problem problem_of(const collectives::Communicator& communicator, const Route& route,
                   Collective collective, Rank root, Count elements) {
  expects(route.algorithm || collective == Collective::allreduce,
          "the backend's native collective is an allreduce");
  return {.collective = collective,
          .ranks = communicator.ranks(),
          .elements = elements,
          .root = root,
          .groups = route.groups.get()};
}

}  // namespace

Cost run_collective(collectives::Communicator& communicator, const Route& route,
                    Collective collective, Rank root, std::span<float> data, int first_lane) {
  const auto bytes = std::as_writable_bytes(data);
  const auto elements = static_cast<Count>(data.size());
  const Problem problem = problem_of(communicator, route, collective, root, elements);
  if (!route.algorithm) {
    if (route.executor)
      route.executor->native_allreduce(bytes, kSum);
    else
      communicator.native_allreduce(bytes.data(), elements, kSum);
    return {};
  }
  if (route.executor)
    return route.executor->execute(*route.algorithm, problem, bytes, kSum, route.segments,
                                   first_lane);
  return collectives::execute(communicator, *route.algorithm, problem, bytes, kSum, route.segments,
                              first_lane);
}

collectives::DeviceRun run_on_device(const collectives::Communicator& communicator,
                                     const Route& route, Collective collective, Rank root,
                                     std::span<float> there,
                                     std::span<const collectives::DeviceEvent> after) {
  expects(route.executor != nullptr, "vectors of a device are reduced without an executor");
  const Problem problem =
      problem_of(communicator, route, collective, root, static_cast<Count>(there.size()));
  return route.executor->expect_device().execute(
      route.algorithm, problem, std::as_writable_bytes(there).data(), kSum, route.segments, after);
}

}  // namespace arlab::training

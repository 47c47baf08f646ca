// The whole catalog on emulated ranks: the bits of threads, and the time of simulate().
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "collectives/threads/threads.hpp"
#include "simulator/engine/simulate.hpp"
#include "simulator/models/model.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/conformance.hpp"
#include "training/emulation/emulated_ranks.hpp"

using namespace arlab;
using namespace arlab::simulator;
using namespace arlab::collectives;
using namespace arlab::training;

namespace {

constexpr Operand kSum{DType::float32, Op::sum};

using Memory = std::vector<std::vector<std::byte>>;  // by rank

// Fractions, so that a different order of additions gives different bits.
std::vector<std::byte> start_of(Rank rank, Count elements) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(elements) * sizeof(float));
  auto* const values = reinterpret_cast<float*>(bytes.data());
  for (Count i = 0; i < elements; ++i)
    values[i] = 1.0F / static_cast<float>(1 + (i * 31 + rank * 17) % 97);
  return bytes;
}

struct Case {
  const Algorithm* algorithm;
  Problem problem;
  int segments;
};

auto body(const Case& c, Memory& memory) {
  memory.assign(static_cast<std::size_t>(c.problem.ranks), {});
  return [&](Communicator& communicator) {
    std::vector<std::byte> data = start_of(communicator.rank(), c.problem.elements);
    execute(communicator, *c.algorithm, c.problem, data, kSum, c.segments);
    memory[static_cast<std::size_t>(communicator.rank())] = data;
  };
}

std::unique_ptr<Network> network_of(const std::string& model, const std::string& topology,
                                    Rank ranks) {
  return make_network(find_model(model), {{"gamma", 40}}, ranks, FabricSpec{.topology = topology});
}

/// Describes the first difference in words.
std::string difference(const Case& c, const std::string& model, const std::string& topology,
                       const Memory& expected) {
  const Rank ranks = c.problem.ranks;
  Memory memory;
  const EmulationResult emulated =
      on_emulated_ranks(*network_of(model, topology, ranks), ranks, body(c, memory));
  const SimulationResult simulated =
      simulate(*c.algorithm, c.problem, sizeof(float), *network_of(model, topology, ranks),
               {.segments = c.segments});
  const std::string what =
      "\n" + model + ": " + conformance::text_of(*c.algorithm, c.problem, kSum, c.segments) + ": ";
  if (memory != expected) return what + "different bits";
  if (emulated.finish_of != simulated.finish_of)
    return what + std::to_string(emulated.finish.count()) + " ps, simulate() " +
           std::to_string(simulated.finish.count());
  return "";
}

std::string differences(Rank ranks, const std::vector<std::pair<std::string, std::string>>& models,
                        const std::vector<Count>& sizes) {
  std::string text;
  int runs = 0;
  conformance::for_all_problems(
      ranks, sizes, ranks / 2,
      [&](const Algorithm& algorithm, const Problem& problem, int segments) {
        const Case c{&algorithm, problem, segments};
        Memory expected;
        on_threads(ranks, body(c, expected));
        for (const auto& [model, topology] : models) {
          text += difference(c, model, topology, expected);
          ++runs;
        }
      });
  return runs > 0 ? text : "no case was run";
}

}  // namespace

TEST_CASE("emulated ranks give the bits of threads in the time of simulate(), for 1 to 16 ranks") {
  for (const Rank ranks : unless_sanitized({1, 2, 3, 4, 5, 6, 7, 8, 16}, {1, 5, 8}))
    CHECK(differences(ranks, {{"alpha_beta", ""}, {"loggops", ""}},
                      thorough<Count>({0, ranks - 1, 3 * ranks + 2}, {3 * ranks + 2})) == "");
}

TEST_CASE("emulated ranks do so on a fat tree with flows and packets, too") {
  for (const Rank ranks : unless_sanitized({2, 6, 16}, {6}))
    CHECK(differences(ranks, {{"fluid", "fat_tree:k=4"}, {"packet", "fat_tree:k=4"}},
                      thorough<Count>({ranks - 1, 5000}, {5000})) == "");
}

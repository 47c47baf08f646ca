#include "bench/tune/count_native.hpp"

#include <cstring>
#include <span>
#include <vector>

#include "algorithms/base/error.hpp"
#include "algorithms/base/parameters.hpp"
#include "algorithms/base/quantities.hpp"
#include "collectives/host/gatherv.hpp"
#include "collectives/verifiable_input.hpp"

namespace arlab::bench {
namespace {

using collectives::Communicator;
using collectives::Operand;
using collectives::SentMessages;

// What all ranks sent, on rank 0.
PairTraffic all_pairs(Communicator& world, const SentMessages& before, const SentMessages& after) {
  const auto ranks = static_cast<std::size_t>(world.ranks());
  std::vector<Count> mine;
  for (std::size_t to = 0; to < ranks; ++to) {
    mine.push_back(after.messages[to] - before.messages[to]);
    mine.push_back(after.bytes[to] - before.bytes[to]);
  }
  std::string text(mine.size() * sizeof(Count), '\0');
  std::memcpy(text.data(), mine.data(), text.size());
  const std::vector<std::string> texts = collectives::gather(world, text);
  PairTraffic traffic(world.ranks());
  for (std::size_t from = 0; from < texts.size(); ++from) {
    std::memcpy(mine.data(), texts[from].data(), text.size());
    for (std::size_t to = 0; to < ranks; ++to)
      if (mine[2 * to] > 0)
        traffic.add(static_cast<Rank>(from), static_cast<Rank>(to), mine[2 * to + 1], mine[2 * to]);
  }
  return traffic;
}

Count segment_of(const std::string& native) {
  if (native.empty()) return 0;
  for (const Setting& setting : parse_spec(native).settings)
    if (setting.name == "segment") return parse_count(setting.value, "segment");
  return 0;
}

// Runs the library's own form of the collective on verifiable input.
PairTraffic counted(Communicator& world, const Problem& problem, Operand operand) {
  std::vector<std::byte> data(static_cast<std::size_t>(problem.elements) *
                              collectives::size_of(operand.dtype));
  collectives::fill(data, operand, problem, world.rank());
  world.barrier();
  const SentMessages before = world.sent_messages();
  world.baseline().run(problem, data.data(), data.data(), operand);
  const SentMessages after = world.sent_messages();
  const Count wrong = world.sum(collectives::wrong_elements(data, operand, problem, world.rank()));
  if (wrong > 0)
    fail(Blame::check, world.baseline().name_of(problem) + " gave " + std::to_string(wrong) +
                           " wrong elements: update the MPI library");
  return all_pairs(world, before, after);
}

}  // namespace

CountedTraffic count_native(Communicator& world, Count elements, Operand operand,
                            const std::string& native) {
  Problem problem{.ranks = world.ranks(), .elements = elements};
  world.baseline().use(native);
  CountedTraffic all{
      .problem = {.ranks = problem.ranks,
                  .elements = elements,
                  .element_bytes = static_cast<Count>(collectives::size_of(operand.dtype)),
                  .segment_bytes = segment_of(native)},
      .allreduce = counted(world, problem, operand)};
  world.baseline().use("");
  problem.collective = Collective::reduce;
  all.reduce_then_broadcast = counted(world, problem, operand);
  problem.collective = Collective::broadcast;
  *all.reduce_then_broadcast += counted(world, problem, operand);
  return all;
}

}  // namespace arlab::bench

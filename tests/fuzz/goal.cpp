// Fuzzes GOAL traces: any text is a trace that runs to its end or deadlocks, or an Error.
#include "bench/formats/parse_goal.hpp"
#include "simulator/models/model.hpp"
#include "simulator/replay/replay.hpp"
#include "tests/fuzz/fuzz.hpp"

void arlab::fuzz::goal(std::string_view input) {
  accepted([&] {
    const simulator::TraceGraph trace = bench::parse_goal(input, "fuzzed");
    constexpr std::size_t kMostRanks = 64;
    if (trace.ranks.size() > kMostRanks) return;
    Count sends = 0;
    for (const simulator::RankGraph& rank : trace.ranks)
      for (const simulator::Operation& o : rank.operations)
        sends += o.kind == simulator::Operation::Kind::send ? 1 : 0;
    for (const char* model : {"alpha_beta", "loggops"}) {
      const auto network = simulator::make_network(simulator::find_model(model), {},
                                                   static_cast<Rank>(trace.ranks.size()));
      try {
        const simulator::ReplayResult result = simulator::replay(trace, *network);
        demand(result.messages == sends, "messages are missing");
      } catch (const Error& error) {
        if (error.blame() != Blame::check) throw;  // a deadlock blames the trace's program
      }
    }
  });
}

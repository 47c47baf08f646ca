#include "simulator/replay/match_messages.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

#include "algorithms/base/error.hpp"
#include "algorithms/base/text.hpp"

namespace arlab::simulator {
namespace {

struct End {  // of a message
  Rank source, target;
  Count tag;
  std::uint32_t operation;
  Count line;
  auto key() const { return std::tie(source, target, tag); }
};

std::string text(const End& end, bool sends) {
  return concat("line ", end.line, ": a ", sends ? "send" : "recv", " from rank ", end.source,
                " to rank ", end.target, " with tag ", end.tag);
}

}  // namespace

std::vector<std::uint32_t> first_operations(const TraceGraph& trace) {
  if (trace.ranks.empty()) fail(Blame::usage, "the trace has no ranks: give num_ranks at least 1");
  std::vector<std::uint32_t> first{0};
  for (const RankGraph& rank : trace.ranks) {
    if (rank.operations.size() >= kNoOperation - first.back())
      fail(Blame::usage, "the trace has more than 4 billion operations: cut it into parts");
    first.push_back(first.back() + static_cast<std::uint32_t>(rank.operations.size()));
  }
  return first;
}

std::vector<std::uint32_t> match_messages(const TraceGraph& trace,
                                          const std::vector<std::uint32_t>& first) {
  std::vector<End> sends, receives;
  const auto ranks = static_cast<Rank>(trace.ranks.size());
  for (Rank r = 0; r < ranks; ++r) {
    const auto& operations = trace.ranks[index(r)].operations;
    for (std::uint32_t i = 0; i < operations.size(); ++i) {
      const Operation& o = operations[i];
      if (o.kind == Operation::Kind::compute) continue;
      if (o.peer < 0 || o.peer >= ranks || o.peer == r)
        fail(Blame::usage, concat("line ", o.line, ": a message between rank ", r, " and rank ",
                                  o.peer, ": give another rank from 0 to ", ranks - 1));
      const std::uint32_t number = first[index(r)] + i;
      if (o.kind == Operation::Kind::send)
        sends.push_back({r, o.peer, o.tag, number, o.line});
      else
        receives.push_back({o.peer, r, o.tag, number, o.line});
    }
  }
  const auto before = [](const End& a, const End& b) { return a.key() < b.key(); };
  std::stable_sort(sends.begin(), sends.end(), before);
  std::stable_sort(receives.begin(), receives.end(), before);
  std::vector<std::uint32_t> partners(first.back(), kNoOperation);
  for (std::size_t i = 0; i < std::max(sends.size(), receives.size()); ++i) {
    const bool lonely_send =
        i >= receives.size() || (i < sends.size() && before(sends[i], receives[i]));
    const bool lonely_receive =
        i >= sends.size() || (i < receives.size() && before(receives[i], sends[i]));
    if (lonely_send || lonely_receive)
      fail(Blame::usage, concat(lonely_send ? text(sends[i], true) : text(receives[i], false),
                                " has no ", lonely_send ? "recv" : "send", ": add it"));
    partners[sends[i].operation] = receives[i].operation;
    partners[receives[i].operation] = sends[i].operation;
  }
  return partners;
}

}  // namespace arlab::simulator

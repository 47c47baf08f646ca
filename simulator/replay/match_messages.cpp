#include "simulator/replay/match_messages.hpp"

#include <algorithm>
#include <limits>
#include <map>
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
  std::map<std::pair<Rank, Count>, Count> from_any;  // receives by rank and tag
  const auto ranks = static_cast<Rank>(trace.ranks.size());
  for (Rank r = 0; r < ranks; ++r) {
    const auto& operations = trace.ranks[index(r)].operations;
    for (std::uint32_t i = 0; i < operations.size(); ++i) {
      const Operation& o = operations[i];
      if (o.kind == Operation::Kind::compute) continue;
      if (o.kind == Operation::Kind::receive && o.peer == kAnySource) {
        ++from_any[{r, o.tag}];
        continue;
      }
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
  std::size_t s = 0, r = 0;
  while (s < sends.size() || r < receives.size()) {
    const bool lonely_send =
        r == receives.size() || (s < sends.size() && before(sends[s], receives[r]));
    const bool lonely_receive =
        s == sends.size() || (r < receives.size() && before(receives[r], sends[s]));
    if (lonely_send) {
      const auto any = from_any.find({sends[s].target, sends[s].tag});
      if (any == from_any.end() || any->second-- == 0)
        fail(Blame::usage, text(sends[s], true) + " has no recv: add it");
      ++s;
      continue;
    }
    if (lonely_receive) fail(Blame::usage, text(receives[r], false) + " has no send: add it");
    partners[sends[s].operation] = receives[r].operation;
    partners[receives[r++].operation] = sends[s++].operation;
  }
  for (const auto& [key, left] : from_any)
    if (left > 0)
      fail(Blame::usage,
           concat("rank ", key.first, " has ", left, " more recv from any rank with tag ",
                  key.second, " than there are sends left for them: add sends"));
  return partners;
}

}  // namespace arlab::simulator

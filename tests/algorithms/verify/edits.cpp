// Edits: changes each action of each program in turn. verify must catch every change.
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "algorithms/verify/verify.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/grouped.hpp"
#include "tests/support/schedules.hpp"
#include "tests/support/thorough.hpp"

using namespace arlab;
using Kind = Fault::Kind;

namespace {

// The kinds of fault that it may cause, depending on the place.
struct Edit {
  const char* what;
  std::function<bool(const Problem&, Action&)> apply;  // false: not applicable here
  std::set<Kind> kinds;
};

const std::vector<Edit> kEdits{
    {"next chunk",
     [](const Problem& p, Action& a) {
       a.chunks.first = p.wrap(Count{a.chunks.first} + 1);
       return a.chunks.count == 1;
     },
     {Kind::mismatched, Kind::hazard}},
    {"one chunk less",
     [](const Problem&, Action& a) { return --a.chunks.count > 0; },
     {Kind::mismatched}},
    {"next peer",
     [](const Problem& p, Action& a) {
       a.peer = p.wrap(Count{a.peer} + 1);
       return true;
     },
     {Kind::bad_peer, Kind::mismatched, Kind::unmatched, Kind::deadlock, Kind::duplicate}},
    {"other direction",
     [](const Problem&, Action& a) {
       a.kind = a.sends() ? ActionKind::reduce : ActionKind::send;
       return true;
     },
     {Kind::mismatched, Kind::unmatched, Kind::deadlock, Kind::duplicate}},
    {"replace for reduce",
     [](const Problem&, Action& a) {
       const bool edits = a.kind == ActionKind::reduce;
       a.kind = ActionKind::replace;
       return edits;
     },
     {Kind::hazard, Kind::missing}},
    {"reduce for replace",
     [](const Problem&, Action& a) {
       const bool edits = a.kind == ActionKind::replace;
       a.kind = ActionKind::reduce;
       return edits;
     },
     {Kind::duplicate}},
};

}  // namespace

TEST_CASE("verify catches an edit of any one action of any program") {
  for (const Algorithm& algorithm : algorithms())
    for (const Rank ranks : unless_sanitized({2, 3, 4, 5, 8}, {2, 5})) {
      const Problem p = grouped(algorithm, {.ranks = ranks, .elements = 100, .root = ranks / 2});
      if (!unsupported(algorithm, p).empty()) continue;
      const AllRounds right = script_of(algorithm, p);
      for (std::size_t r = 0; r < right.size(); ++r)
        for (std::size_t k = 0; k < right[r].size(); ++k)
          for (std::size_t i = 0; i < right[r][k].size(); ++i)
            for (const Edit& edit : kEdits) {
              AllRounds script = right;
              if (!edit.apply(p, script[r][k][i])) continue;
              const Fault fault = verify(p, replay(script)).fault;
              INFO(edit.what << ": " << algorithm.name << " on " << ranks << ", rank " << r
                             << ", round " << k + 1 << ", action " << i << ": " << fault.text);
              REQUIRE(edit.kinds.count(fault.kind) == 1);
              REQUIRE(fault.text.find("rank " + std::to_string(fault.rank)) != std::string::npos);
            }
    }
}

// Fuzzes the verifier with random programs. It must accept exactly those that a second, brute-force
// definition accepts, and what it accepts must give the right numbers on threads.
#include "tests/support/schedules.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "algorithms/spec.hpp"
#include "algorithms/verify/verify.hpp"
#include "collectives/host/execute.hpp"
#include "collectives/threads/threads.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/support/tried.hpp"

namespace {

using namespace arlab;
using fuzz::demand;

constexpr Count kPerChunk = 2;                            // elements
constexpr std::int64_t kGarbage = std::int64_t{1} << 40;  // where a rank holds no value

std::size_t at(Count i) { return static_cast<std::size_t>(i); }

std::int64_t contribution(Rank r) { return std::int64_t{1} << 8 * r; }  // up to 255 of each

// Messages one after another, each a new round or part of the last one, on both sides; then edits.
AllRounds made(fuzz::Bytes& bytes, const Problem& p) {
  AllRounds script(at(p.ranks));
  const auto range = [&] {
    if (bytes.below(3) > 0) return p.all();
    const Rank first = bytes.below(p.ranks), count = 1 + bytes.below(p.ranks);  // around the end
    const bool strided = count > 1 && 2 * (count - 1) < p.ranks && bytes.below(2) == 1;
    return p.chunks(first, count, strided ? 2 : 1);
  };
  const auto add = [&](Rank r, const Action& a, bool joins) {
    Rounds& rounds = script[at(r)];
    if (rounds.empty() || !joins) rounds.emplace_back();
    rounds.back().push_back(a);
  };
  for (int messages = bytes.below(13); messages > 0; --messages) {
    const unsigned choice = bytes.next();
    const Rank a = static_cast<Rank>(choice) % p.ranks,
               b = p.wrap(a + 1 + bytes.below(p.ranks - 1));
    const Chunks chunks = range();
    add(a, send(b, chunks), choice & 16);
    add(b, choice & 32 ? reduce(a, chunks) : replace(a, chunks), choice & 64);
    if (choice & 128) {  // an exchange
      add(b, send(a, chunks), true);
      add(a, reduce(b, chunks), true);
    }
  }
  return script;
}

void edit(fuzz::Bytes& bytes, const Problem& p, AllRounds& script) {
  Rounds& rounds = script[at(bytes.below(p.ranks))];
  if (rounds.empty()) return;
  const auto which = at(bytes.below(static_cast<int>(rounds.size())));
  std::vector<Action>& round = rounds[which];
  if (round.empty()) return;
  Action& action = round[at(bytes.below(static_cast<int>(round.size())))];
  switch (bytes.below(8)) {
    case 0:
      action.kind = ActionKind{static_cast<std::uint8_t>(bytes.below(3))};
      break;
    case 1:
      action.peer = bytes.below(p.ranks + 2) - 1;
      break;
    case 2:
      action.chunks.first = bytes.below(p.ranks + 2) - 1;
      break;
    case 3:
      action.chunks.count = bytes.below(p.ranks + 2);
      break;
    case 7:
      action.chunks.stride = bytes.below(p.ranks + 1);
      break;
    case 4:
      round.push_back(Action(action));
      break;
    case 5:
      rounds.erase(rounds.begin() + static_cast<std::ptrdiff_t>(which));
      break;
    default:
      std::swap(rounds[which], rounds[at(bytes.below(static_cast<int>(rounds.size())))]);
  }
}

std::vector<Rank> listed(const Chunks& chunks, Rank parts) {
  std::vector<Rank> all;
  for (Rank i = 0; i < chunks.count; ++i) all.push_back((chunks.first + i * chunks.stride) % parts);
  return all;
}

bool share_one(const std::vector<Rank>& a, const std::vector<Rank>& b) {
  return std::find_first_of(a.begin(), a.end(), b.begin(), b.end()) != a.end();
}

// The definition, by brute force: every rank's chunks as numbers and as sets of contributions.
class Reference {
 public:
  explicit Reference(const Problem& p, const AllRounds& script) : p_(p), script_(script) {
    const Spec spec(p);
    for (Rank r = 0; r < p.ranks; ++r) {
      ranks_.emplace_back();
      for (Rank c = 0; c < p.ranks; ++c) {
        const bool holds = spec.holds_at_start(r, c);
        ranks_.back().now.push_back({holds ? contribution(r) : kGarbage, holds ? 1U << r : 0});
      }
      if (script[at(r)].empty()) ranks_.back().over = true;
    }
    for (Rank r = 0; r < p.ranks; ++r) start(r);
    while (!broken_ && step()) {
    }
    for (const State& s : ranks_) complete_ = complete_ && s.over;
    complete_ = complete_ && !broken_;
    for (Rank r = 0; r < p.ranks && complete_; ++r)
      for (Rank c = 0; c < p.ranks; ++c) {
        const unsigned whole = (1U << p.ranks) - 1, own = 1U << spec.source(c);
        if (spec.needs_at_end(r, c) && held(r, c).of != (spec.sums() ? whole : own)) wrong_ = true;
      }
  }

  struct Value {
    std::int64_t number;
    unsigned of;  // the contributions in it; 0: not a value
  };

  bool accepts() const { return complete_ && !wrong_ && !hazard_; }
  bool complete() const { return complete_; }  // every action found its peer
  bool hazard() const { return hazard_; }
  const Value& held(Rank r, Rank c) const { return ranks_[at(r)].now[at(c)]; }

 private:
  struct State {
    std::size_t round = 0;
    bool over = false;
    std::vector<Value> now, before;        // before: at the start of the round
    std::vector<bool> done;                // by action
    std::vector<std::vector<Value>> came;  // by action, of receives
  };

  const std::vector<Action>& round_of(Rank r) const { return script_[at(r)][ranks_[at(r)].round]; }

  void start(Rank r) {
    State& s = ranks_[at(r)];
    if (s.over) return;
    const auto& round = round_of(r);
    s.before = s.now;
    s.done.assign(round.size(), false);
    s.came.assign(round.size(), {});
    for (const Action& a : round) {
      if (a.peer < 0 || a.peer >= p_.ranks || a.peer == r || a.chunks.count < 1 ||
          a.chunks.first < 0 || a.chunks.first >= p_.ranks || a.chunks.stride < 1 ||
          (a.chunks.count - 1) * a.chunks.stride >= p_.ranks)
        return void(broken_ = true);
    }
    for (const Action& a : round) {
      for (const Action& b : round)
        if (&a != &b && a.kind == ActionKind::replace &&
            share_one(listed(a.chunks, p_.ranks), listed(b.chunks, p_.ranks)))
          hazard_ = true;
    }
  }

  // Matches one pair, or ends one round. Returns whether it could.
  bool step() {
    for (Rank r = 0; r < p_.ranks; ++r) {
      if (ranks_[at(r)].over) continue;
      bool all = true;
      for (const bool done : ranks_[at(r)].done) all = all && done;
      if (all) return end(r), true;
      for (std::size_t i = 0; i < round_of(r).size(); ++i)
        if (!ranks_[at(r)].done[i] && round_of(r)[i].sends() && match(r, i)) return true;
    }
    return false;
  }

  bool match(Rank r, std::size_t i) {
    const Action& a = round_of(r)[i];
    for (std::size_t k = 0; k < i; ++k)  // in order
      if (!ranks_[at(r)].done[k] && round_of(r)[k].sends() && round_of(r)[k].peer == a.peer)
        return false;
    State& peer = ranks_[at(a.peer)];
    if (peer.over) return false;
    for (std::size_t k = 0; k < round_of(a.peer).size(); ++k) {
      const Action& b = round_of(a.peer)[k];
      if (peer.done[k] || b.sends() || b.peer != r) continue;
      if (!(a.chunks == b.chunks)) return broken_ = true;
      for (const Rank c : listed(a.chunks, p_.ranks)) {
        const Value& value = ranks_[at(r)].before[at(c)];
        if (value.of == 0) wrong_ = true;
        peer.came[k].push_back(value);
      }
      return ranks_[at(r)].done[i] = peer.done[k] = true;
    }
    return false;
  }

  void end(Rank r) {
    State& s = ranks_[at(r)];
    const auto& round = round_of(r);
    for (std::size_t i = 0; i < round.size(); ++i)
      for (std::size_t k = 0; k < s.came[i].size(); ++k) {
        Value& into = s.now[at(listed(round[i].chunks, p_.ranks)[k])];
        const Value& value = s.came[i][k];
        if (round[i].kind == ActionKind::replace) {
          into = value;
          continue;
        }
        if (into.of == 0 || (into.of & value.of) != 0) wrong_ = true;
        into = {into.number + value.number, into.of | value.of};
      }
    if (++s.round == script_[at(r)].size())
      s.over = true;
    else
      start(r);
  }

  Problem p_;
  const AllRounds& script_;
  std::vector<State> ranks_;
  bool broken_ = false, hazard_ = false, wrong_ = false, complete_ = true;
};

const AllRounds* running = nullptr;  // an Algorithm's program is a function without state

Program run_script(Problem, Rank me) { return replay((*running)[at(me)]); }

// The chunks of all ranks after a run on threads.
std::vector<std::vector<std::int64_t>> on_threads(const Problem& p, const AllRounds& script) {
  running = &script;
  Algorithm algorithm = tried(run_script);
  algorithm.collectives.assign(std::begin(kCollectives), std::end(kCollectives));
  std::vector<std::vector<std::int64_t>> memory(at(p.ranks));
  const Spec spec(p);
  collectives::on_threads(p.ranks, [&](collectives::Communicator& c) {
    std::vector<std::int64_t>& mine = memory[at(c.rank())];
    for (Rank chunk = 0; chunk < p.ranks; ++chunk)
      mine.insert(mine.end(), kPerChunk,
                  spec.holds_at_start(c.rank(), chunk) ? contribution(c.rank()) : kGarbage);
    collectives::execute(c, algorithm, p, std::as_writable_bytes(std::span(mine)),
                         {collectives::DType::int64, collectives::Op::sum});
  });
  return memory;
}

}  // namespace

void arlab::fuzz::schedules(std::string_view input) {
  Bytes bytes(input);
  Problem p{.collective = kCollectives[bytes.below(5)], .ranks = 2 + bytes.below(3)};
  p.elements = p.ranks * kPerChunk;
  p.root = bytes.below(p.ranks);
  AllRounds script;
  if (const int known = bytes.below(2 * static_cast<int>(algorithms().size()));
      known < static_cast<int>(algorithms().size())) {
    const Algorithm& algorithm = algorithms()[at(known)];
    if (!unsupported(algorithm, p).empty()) return;
    script = script_of(algorithm, p);
  } else {
    script = made(bytes, p);
  }
  for (int edits = bytes.below(4); edits > 0; --edits) edit(bytes, p, script);

  const Proof proof = verify(p, replay(script));
  const Reference reference(p, script);
  demand(static_cast<bool>(proof) == reference.accepts(),
         "the verifier says '" + proof.fault.text + "', the definition the opposite");
  if (!reference.complete() || reference.hazard()) return;
  std::vector<std::vector<std::int64_t>> memory;
  try {
    memory = on_threads(p, script);
  } catch (const Error&) {
    return demand(!proof, "threads refuse a proved schedule");
  }
  for (Rank r = 0; r < p.ranks; ++r)
    for (Count i = 0; i < p.elements; ++i)
      demand(memory[at(r)][at(i)] == reference.held(r, static_cast<Rank>(i / kPerChunk)).number,
             "threads have another number than the definition");
}

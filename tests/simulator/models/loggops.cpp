// loggops against closed forms and cases solved by hand.
#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/runs.hpp"

using namespace arlab;
using namespace arlab::simulator;

namespace {

struct Rates {
  // NOLINTBEGIN(readability-identifier-naming): the papers' letters
  double L, o, g, G, gamma;
  double O = 0, S = 1e9;
  // NOLINTEND(readability-identifier-naming)

  Values values() const {
    return {{"L", L}, {"o", o}, {"g", g}, {"G", G}, {"O", O}, {"S", S}, {"gamma", gamma}};
  }
  Time one_message(Bytes s) const {  // T1(s) = 2 o + L + (s-1) G
    return ps(std::llround(2 * o + L)) + body(s);
  }
  // The minimum time between two messages of a rank: a receiver's processor waits for the whole
  // body, a sender's only for its port.
  Time between_receives(Bytes s) const { return ps(std::llround(std::max(o, g))) + body(s); }
  Time between_sends(Bytes s) const {
    return std::max(ps(std::llround(o)), ps(std::llround(g)) + body(s));
  }
  Time body(Bytes s) const { return ps(std::llround(static_cast<double>(s - 1) * G)); }
  Time addition(Bytes s) const { return ps(std::llround(static_cast<double>(s) * gamma)); }
};

// With and without reductions, g below and above o, fractional G. In all, g <= 2 o + L: a port is
// free before an answer can arrive.
const std::vector<Rates> kRates{{3e6, 1e6, 5e5, 80, 0},
                                {3e6, 1e6, 5e5, 80, 40},
                                {1000, 100, 700, 1.1, 0.37},
                                {50, 300, 0, 0.013, 2.6},
                                {0, 1, 0, 0, 0}};

SimulationResult simulated(const Rates& rates, const std::string& algorithm, const Problem& p,
                           Bytes element_size = 1) {
  return run("loggops", rates.values(), find_algorithm(algorithm), p, element_size);
}

SimulationResult simulated(const Rates& rates, Program (*program)(Problem, Rank), Rank ranks,
                           Count bytes) {
  return run("loggops", rates.values(), tried(program), {.ranks = ranks, .elements = bytes});
}

}  // namespace

TEST_CASE("one message takes 2 o + L + (s-1) G") {
  for (const Rates& rates : kRates)
    for (const Bytes s : {1, 2, 1000, 1'000'001}) {
      const Problem p{.collective = Collective::broadcast, .ranks = 2, .elements = s};
      const SimulationResult outcome = simulated(rates, "tree", p);
      CHECK(outcome.finish == rates.one_message(s));
      CHECK(outcome.finish_of[0] == ps(std::llround(rates.o)));  // the sender's processor
    }
}

TEST_CASE("tree, butterfly, ring and linear gather equal their closed forms under loggops") {
  for (const Rates& rates : kRates)
    for (Rank p = 2; p <= 64; ++p) {
      INFO("ranks " << p << ", L " << rates.L << ", o " << rates.o << ", G " << rates.G);
      const Count elements = 3 * p;
      const Bytes whole = 8 * elements, part = 8 * 3;
      const Problem problem{.ranks = p, .elements = elements, .root = p / 2};
      Problem gather = problem;
      gather.collective = Collective::reduce;

      REQUIRE(simulated(rates, "ring", problem, 8).finish ==
              2 * (p - 1) * rates.one_message(part) + (p - 1) * rates.addition(part));
      // o + L + (P-2)(max(o, g) + (n-1) G) + o + (n-1) G, then the additions
      REQUIRE(simulated(rates, "master_worker", gather, 8).finish ==
              rates.one_message(whole) + (p - 2) * rates.between_receives(whole) +
                  (p - 1) * rates.addition(whole));
      if (floor_log2(p) != ceil_log2(p)) continue;
      REQUIRE(simulated(rates, "butterfly", problem, 8).finish ==
              floor_log2(p) * (rates.one_message(whole) + rates.addition(whole)));
      REQUIRE(simulated(rates, "tree", problem, 8).finish ==
              floor_log2(p) * (2 * rates.one_message(whole) + rates.addition(whole)));
    }
}

TEST_CASE("closed forms under loggops at P = 1024") {
  const Rates& rates = kRates[2];
  const Problem p{.ranks = 1024, .elements = 1024};
  CHECK(simulated(rates, "tree", p).finish ==
        10 * (2 * rates.one_message(1024) + rates.addition(1024)));
  CHECK(simulated(rates, "butterfly", p).finish ==
        10 * (rates.one_message(1024) + rates.addition(1024)));
}

TEST_CASE("a binomial broadcast reaches every rank at the time of the closed form, for any P") {
  const Bytes bytes = 1000;
  for (const Rates& rates : kRates)
    for (Rank p = 1; p <= 64; ++p) {
      const SimulationResult outcome = simulated(
          rates, "tree", {.collective = Collective::broadcast, .ranks = p, .elements = bytes});
      // A rank sends to its farthest child first, and the k-th child waits for k-1 sends.
      std::vector<Time> has(static_cast<std::size_t>(p));
      for (Rank distance = 1 << ceil_log2(p); distance >= 1; distance /= 2)
        for (Rank r = 0; r + distance < p; r += 2 * distance) {
          Count sent_before = 0;
          for (Rank d = 2 * distance; d < (r == 0 ? p : r & -r); d *= 2) sent_before += r + d < p;
          has[index(r + distance)] =
              has[index(r)] + sent_before * rates.between_sends(bytes) + rates.one_message(bytes);
        }
      REQUIRE(outcome.finish == *std::max_element(has.begin(), has.end()));
    }
}

// The hand-worked cases use L = 1000, o = 100 and 11 bytes, so that a body takes 10 G or 10 O.

TEST_CASE("O: the processor is busy for every byte, at both ends") {
  Rates rates{.L = 1000, .o = 100, .g = 0, .G = 1, .gamma = 0, .O = 3};
  const auto pair = [](Problem p, Rank me) -> Program {
    if (me == 0)
      co_yield send(1, p.all());
    else
      co_yield replace(0, p.all());
  };
  // O above G: sender 100 + 30; the first byte arrives at 1100, receiver 100 + 30 from there.
  CHECK(simulated(rates, pair, 2, 11).finish_of == std::vector<Time>{130_ps, 1230_ps});
  // O below G: the port is the bottleneck; sender 100 + 30, receiver 100 + 70.
  rates.G = 7;
  CHECK(simulated(rates, pair, 2, 11).finish_of == std::vector<Time>{130_ps, 1270_ps});
}

TEST_CASE("O and g: a second send waits for the processor and for the port") {
  const auto two_sends = [](Problem p, Rank me) -> Program {
    if (me == 0)
      co_yield together(send(1, p.all()), send(2, p.all()));
    else
      co_yield replace(0, p.all());
  };
  // Processor free at 100 + 30, port at 50 + 10: the second leaves at 130 and arrives at 1230.
  CHECK(simulated({.L = 1000, .o = 100, .g = 50, .G = 1, .gamma = 0, .O = 3}, two_sends, 3, 11)
            .finish_of == std::vector<Time>{260_ps, 1230_ps, 1360_ps});
  // Processor free at 100, port at 500 + 10: the second leaves at 510.
  CHECK(
      simulated({.L = 1000, .o = 100, .g = 500, .G = 1, .gamma = 0}, two_sends, 3, 11).finish_of ==
      std::vector<Time>{610_ps, 1210_ps, 1720_ps});
}

TEST_CASE("rendezvous: a sender is done only when the receive is posted") {
  // 3 -> 2 -> 1, and 0 -> 1, which rank 1 posts last.
  const auto program = [](Problem p, Rank me) -> Program {
    if (me == 2) co_yield replace(3, p.all());
    if (me == 1) {
      co_yield replace(2, p.all());
      co_yield replace(0, p.all());
    }
    if (me == 0 || me == 2) co_yield send(1, p.all());
    if (me == 3) co_yield send(2, p.all());
  };
  Rates rates{.L = 1000, .o = 100, .g = 0, .G = 1, .gamma = 0};
  // Eager: senders need their processor for 100. 3 -> 2: arrives 1100, received 1210; 2 -> 1: sent
  // until 1310, arrives 2310, received 2420. 0 -> 1 was received long before.
  CHECK(simulated(rates, program, 4, 11).finish_of ==
        std::vector<Time>{100_ps, 2420_ps, 1310_ps, 100_ps});
  // Messages of up to S bytes are eager.
  rates.S = 11;
  CHECK(simulated(rates, program, 4, 11).finish_of ==
        std::vector<Time>{100_ps, 2420_ps, 1310_ps, 100_ps});
  // Above S, rank 3 is done when its message matches its receive at 1100, rank 2 at 2310; rank 1
  // posts the receive for rank 0 at 2420.
  rates.S = 10;
  CHECK(simulated(rates, program, 4, 11).finish_of ==
        std::vector<Time>{2420_ps, 2420_ps, 2310_ps, 1100_ps});
}

TEST_CASE("rendezvous: the next activity of the sender waits, too") {
  // Rank 0 sends to 1 and then to 2; rank 1 first receives from 2, which receives from 3.
  const auto program = [](Problem p, Rank me) -> Program {
    if (me == 0) {
      co_yield send(1, p.all());
      co_yield send(2, p.all());
    } else if (me == 1) {
      co_yield replace(2, p.all());
      co_yield replace(0, p.all());
    } else {
      co_yield send(1, p.all());
      co_yield replace(0, p.all());
    }
  };
  Rates rates{.L = 1000, .o = 100, .g = 0, .G = 1, .gamma = 0};
  // Both messages to rank 1 arrive at 1100. The first, of rank 0, occupies its processor until
  // 1210, the message of rank 2 until 1320. Eager: rank 0's second message leaves at 100, arrives
  // at 1200 and is received by 1310.
  CHECK(simulated(rates, program, 3, 11).finish_of == std::vector<Time>{200_ps, 1320_ps, 1310_ps});
  // Rendezvous: rank 1 posts the receive for rank 0 at 1320; only then the second message leaves,
  // arrives at 2420, matches its receive and is received by 2530. Rank 2's matched at 1210.
  rates.S = 0;
  CHECK(simulated(rates, program, 3, 11).finish_of == std::vector<Time>{2420_ps, 1320_ps, 2530_ps});
}

TEST_CASE("rendezvous: a sender is not done before its processor is") {
  const auto pair = [](Problem p, Rank me) -> Program {
    if (me == 0)
      co_yield send(1, p.all());
    else
      co_yield replace(0, p.all());
  };
  // The first byte arrives at 110, while the sender copies until 100 + 300.
  const Rates rates{.L = 10, .o = 100, .g = 0, .G = 1, .gamma = 0, .O = 30, .S = 0};
  CHECK(simulated(rates, pair, 2, 11).finish_of == std::vector<Time>{400_ps, 510_ps});
}

TEST_CASE("rendezvous: closed forms hold if every receive is posted in time") {
  Rates rates = kRates[1];
  rates.S = 0;
  const Problem p{.ranks = 16, .elements = 160};
  CHECK(simulated(rates, "butterfly", p).finish ==
        4 * (rates.one_message(160) + rates.addition(160)));
  CHECK(simulated(rates, "ring", p).finish == 30 * rates.one_message(10) + 15 * rates.addition(10));
}

TEST_CASE("a reduction delays the next activity of the processor") {
  // Rank 1 adds the message of rank 0, 11 bytes at 20 ps each, while the message of rank 2 for its
  // next round arrives: it is received from 1110 to 1120 with g = 0, then the additions follow.
  const auto program = [](Problem p, Rank me) -> Program {
    if (me == 1) {
      co_yield reduce(0, p.all());
      co_yield reduce(2, p.all());
    } else {
      co_yield send(1, p.all());
    }
  };
  // Both messages arrive at 1010. Rank 0's is received by 1030 and added by 1250. Rank 2's waits
  // for the processor: received by 1270, added by 1490.
  const Rates rates{.L = 1000, .o = 10, .g = 0, .G = 1, .gamma = 20};
  CHECK(simulated(rates, program, 3, 11).finish_of == std::vector<Time>{10_ps, 1490_ps, 10_ps});
}

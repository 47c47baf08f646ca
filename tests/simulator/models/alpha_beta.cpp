// alpha_beta against the closed forms of the six algorithms, exactly, in whole picoseconds.
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/runs.hpp"
#include "tests/support/thorough.hpp"

using namespace arlab;
using namespace arlab::simulator;

namespace {

struct Rates {
  double alpha, beta, gamma;  // picoseconds, and picoseconds per byte
};

// Whole and fractional, with and without latency and reductions. NVLink takes about 1.1 ps per
// byte.
const std::vector<Rates> kRates{{5e6, 80, 0}, {5e6, 80, 40}, {7, 1.1, 0.37}, {0, 0.013, 2.6}};

// The durations of one message and one reduction.
struct Steps {
  Time message, addition;
};
Steps steps(const Rates& rates, Bytes bytes) {
  const auto n = static_cast<double>(bytes);
  return {ps(std::llround(rates.alpha) + std::llround(n * rates.beta)),
          ps(std::llround(n * rates.gamma))};
}

// The numbers of messages and additions on the longest path.
struct Form {
  std::string algorithm;
  Collective collective;
  Count (*messages)(Count p);
  Count (*additions)(Count p);
};

Count none(Count) { return 0; }
Count others(Count p) { return p - 1; }
Count twice_others(Count p) { return 2 * (p - 1); }
Count levels(Count p) { return ceil_log2(p); }
Count twice_levels(Count p) { return 2 * ceil_log2(p); }
Count folds(Count p) { return ceil_log2(p) - floor_log2(p); }  // 1 if ranks must fold in
Count butterfly_messages(Count p) { return floor_log2(p) + 2 * folds(p); }
Count butterfly_additions(Count p) { return floor_log2(p) + folds(p); }

const std::vector<Form> kWhole{
    {"all_to_all", Collective::allreduce, others, others},
    {"master_worker", Collective::allreduce, twice_others, others},
    {"master_worker", Collective::reduce, others, others},
    {"master_worker", Collective::broadcast, others, none},
    {"tree", Collective::allreduce, twice_levels, levels},
    {"tree", Collective::reduce, levels, levels},
    {"tree", Collective::broadcast, levels, none},
    {"butterfly", Collective::allreduce, butterfly_messages, butterfly_additions},
};

// These need chunks of equal size: the number of ranks divides the number of elements.
const std::vector<Form> kSplit{
    {"ring", Collective::allreduce, twice_others, others},
    {"ring", Collective::reduce_scatter, others, others},
    {"ring", Collective::all_gather, others, none},
    {"round_robin", Collective::allreduce, twice_others, others},
    {"round_robin", Collective::reduce_scatter, others, others},
    {"round_robin", Collective::all_gather, others, none},
};

void check_form(const Form& form, const Rates& rates, Problem p, Bytes element_size,
                Bytes message_bytes) {
  p.collective = form.collective;
  INFO(form.algorithm << " " << name(p.collective) << ", ranks " << p.ranks << ", elements "
                      << p.elements << " of " << element_size << " bytes, root " << p.root
                      << ", alpha " << rates.alpha << ", beta " << rates.beta << ", gamma "
                      << rates.gamma);
  const Steps step = steps(rates, message_bytes);
  const Time expected =
      form.messages(p.ranks) * step.message + form.additions(p.ranks) * step.addition;
  const Values values{{"alpha", rates.alpha}, {"beta", rates.beta}, {"gamma", rates.gamma}};
  REQUIRE(run("alpha_beta", values, find_algorithm(form.algorithm), p, element_size).finish ==
          expected);
}

bool rooted(const Form& form) {
  return form.algorithm == "tree" || form.algorithm == "master_worker";
}

}  // namespace

TEST_CASE("whole vectors: alpha_beta equals the closed forms for every P up to 64") {
  for (const Rank p : ranks_up_to(64))
    for (const Rates& rates : kRates)
      for (const Form& form : kWhole)
        for (const Rank root : rooted(form) ? std::set<Rank>{0, p / 2, p - 1} : std::set<Rank>{0}) {
          const Count elements = 1000 + p;
          const Bytes size = p % 2 ? 4 : 8;
          check_form(form, rates, {.ranks = p, .elements = elements, .root = root}, size,
                     elements * size);
        }
}

TEST_CASE("split vectors: alpha_beta equals the closed forms for every P up to 64") {
  for (const Rank p : ranks_up_to(64))
    for (const Rates& rates : kRates)
      for (const Form& form : kSplit) {
        const Count chunk = 100 + p;
        const Bytes size = p % 2 ? 2 : 4;
        check_form(form, rates, {.ranks = p, .elements = p * chunk}, size, chunk * size);
      }
}

TEST_CASE("two rings at once take twice as long as one: a rank sends in the order of its lanes") {
  const Rates& rates = kRates.front();  // without additions, which overlap
  for (const Rank p : ranks_up_to(64)) {
    if (p < 3) continue;
    INFO("ranks " << p);
    const SimulationResult outcome =
        run("alpha_beta", {{"alpha", rates.alpha}, {"beta", rates.beta}, {"gamma", 0}},
            find_algorithm("bidirectional_ring"), {.ranks = p, .elements = 2 * p * Count{100}});
    CHECK(outcome.finish == 2 * twice_others(p) * steps(rates, 100).message);
  }
}

TEST_CASE("of two lanes the first sends first, whichever receive is posted first") {
  const auto program = [](Problem p, Rank me) -> Program {
    const Rank target = p.lane == 0 ? p.root : 3 - p.root;
    if (me == 0) co_yield send(target, p.all());
    if (me == target) co_yield replace(0, p.all());
  };
  Algorithm two = tried(program);
  two.lanes = 2;
  for (const Rank first : {1, 2}) {
    const SimulationResult outcome = run("alpha_beta", {{"alpha", 100}, {"beta", 1}, {"gamma", 0}},
                                         two, {.ranks = 3, .elements = 20, .root = first});
    CHECK(outcome.finish_of[index(first)] == 110_ps);
    CHECK(outcome.finish_of[index(3 - first)] == 220_ps);
  }
}

TEST_CASE("alpha_beta equals the closed forms at P = 1024, and one rank more") {
  for (const Rank p : {1024, 1025})
    for (const Form& form : kWhole)
      if (form.algorithm != "all_to_all")
        check_form(form, kRates[2], {.ranks = p, .elements = 1009, .root = 5}, 4, 4 * 1009);
}

TEST_CASE("alpha_beta equals the closed forms of all-to-all algorithms at P = 1024") {
  const Problem p{.ranks = 1024, .elements = 2 * 1024};
  check_form(kWhole[0], kRates[2], p, 4, 4 * p.elements);
  for (const Form& form : kSplit)
    if (form.collective == Collective::reduce_scatter) check_form(form, kRates[2], p, 4, 4 * 2);
}

TEST_CASE("a rate is rounded once per message, not per byte") {
  const Values values{{"alpha", 0}, {"beta", 0.3}, {"gamma", 0}};
  const auto bytes_take = [&](Count bytes) {
    return run("alpha_beta", values, find_algorithm("tree"),
               {.collective = Collective::broadcast, .ranks = 2, .elements = bytes})
        .finish;
  };
  CHECK(bytes_take(1) == 0_ps);  // 0.3
  CHECK(bytes_take(2) == 1_ps);  // 0.6
  CHECK(bytes_take(10) == 3_ps);
  CHECK(bytes_take(1'000'000'001) == 300'000'000_ps);
}

TEST_CASE("messages to one rank pass its receive port one after another") {
  // Ranks 1, 2 and 3 send 10 bytes each to rank 0, which takes 100 + 10 ps per message.
  const Values values{{"alpha", 100}, {"beta", 1}, {"gamma", 0}};
  const SimulationResult outcome =
      run("alpha_beta", values, find_algorithm("master_worker"),
          {.collective = Collective::reduce, .ranks = 4, .elements = 10});
  CHECK(outcome.finish_of == std::vector<Time>{330_ps, 110_ps, 220_ps, 330_ps});
}

TEST_CASE("a message for a later round occupies no port and delays no message behind it") {
  // Rank 0 sends to 1 and 2 in one round. Rank 1 first waits for rank 3, which receives from
  // rank 2, which receives from rank 0: the send listed first leaves last.
  const auto program = [](Problem p, Rank me) -> Program {
    const auto x = p.all();
    switch (me) {
      case 0:
        co_yield together(send(1, x), send(2, x));
        break;
      case 1:
        co_yield replace(3, x);
        co_yield replace(0, x);
        break;
      case 2:
        co_yield replace(0, x);
        co_yield send(3, x);
        break;
      default:
        co_yield replace(2, x);
        co_yield send(1, x);
    }
  };
  const Values values{{"alpha", 100}, {"beta", 1}, {"gamma", 0}};
  const SimulationResult outcome =
      run("alpha_beta", values, tried(program), {.ranks = 4, .elements = 10});
  CHECK(outcome.finish_of == std::vector<Time>{440_ps, 440_ps, 220_ps, 330_ps});
}

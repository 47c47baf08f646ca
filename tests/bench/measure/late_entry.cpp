#include "bench/measure/late_entry.hpp"

#include "bench/measure/measure.hpp"
#include "collectives/host/host_executor.hpp"
#include "collectives/threads/threads.hpp"
#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::collectives;
using namespace arlab::bench;

namespace {

constexpr double kUs = 1e-6;

// The measurement of rank 0.
Measurement measured_on(Rank ranks, const MeasureOptions& options, const char* algorithm = "ring") {
  Measurement first;
  on_threads(ranks, [&](Communicator& c) {
    HostExecutor executor(c);
    const std::vector<Config> configs{
        {&find_algorithm(algorithm), {.ranks = ranks, .elements = 64}, {}, 1}};
    auto all = measure(executor, configs, options);
    if (c.rank() == 0) first = std::move(all.front());
  });
  return first;
}

}  // namespace

TEST_CASE("late entry: hand-made intervals are split") {
  // Rank 0 waits 3 us for rank 1, rank 2 leaves 1 us after it came: it waited for nobody.
  const std::vector<Intervals> ranks{
      {{10 * kUs, 20 * kUs}}, {{13 * kUs, 21 * kUs}}, {{11 * kUs, 12 * kUs}}};
  const LateEntry late = split_late_entry(ranks, 1);
  CHECK(late.collective_us.median == Approx(8));
  CHECK(late.max_waiting_us.median == Approx(3));
  CHECK(late.mean_waiting_us.median == Approx(4.0 / 3));
  CHECK(late.entry_skew_us.median == Approx(3));
  CHECK(late.exit_skew_us.median == Approx(9));
  CHECK(split_late_entry(ranks, 4).collective_us.median == Approx(2));
}

TEST_CASE("late entry: the intervals of all ranks arrive at rank 0, in order") {
  std::vector<Intervals> all;
  on_threads(3, [&](Communicator& c) {
    const double me = c.rank();
    auto gathered = gather_intervals(c, {{me, me + 10}, {me + 1, me + 20}});
    if (c.rank() == 0)
      all = std::move(gathered);
    else if (!gathered.empty())
      throw std::logic_error("only rank 0 gets the intervals");
  });
  REQUIRE(all.size() == 3);
  for (std::size_t rank = 0; rank < 3; ++rank) {
    CHECK(all[rank][0].enter == static_cast<double>(rank));
    CHECK(all[rank][1].leave == static_cast<double>(rank) + 20);
  }
}

TEST_CASE("late entry: an injected delay is waiting, and not a part of the collective") {
  const MeasureOptions usual{.seconds = 0, .min_runs = 41, .max_runs = 41};
  MeasureOptions late = usual;
  late.late_rank = 1;
  late.late_seconds = 5e-3;
  const Measurement m = measured_on(2, late);
  REQUIRE(m.late_entry);
  // Ranks may share a core with each other, and with others: one run is enough.
  CHECK(m.late_entry->max_waiting_us.max > 4500);
  CHECK(m.late_entry->entry_skew_us.max > 4500);
  CHECK(m.time_us.max > 4500);  // that of the slowest rank, which waited
  CHECK(m.late_entry->collective_us.min < 4000);
  CHECK(m.intervals.size() == 2);
  CHECK(m.intervals.front().size() == 41);
}

TEST_CASE("late entry: ranks start at an agreed time, or the run is repeated") {
  MeasureOptions options{.seconds = 0, .min_runs = 15, .max_runs = 15};
  options.at_agreed_time = true;
  const Measurement m = measured_on(2, options);
  CHECK(m.time_us.samples == 15);
  CHECK(m.wrong == 0);
  CHECK(m.late_starts >= 0);
  REQUIRE(m.late_entry);
  CHECK(m.late_entry->collective_us.min > 0);
}

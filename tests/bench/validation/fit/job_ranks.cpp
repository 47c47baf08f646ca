#include "bench/validation/fit/job_ranks.hpp"

#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::bench;

namespace {

PublishedTime run_of(const char* algorithm, Count elements, Rank ranks, Split split) {
  PublishedTime row;
  row.system = "here";
  row.nodes = std::to_string(ranks);
  row.ranks = ranks;
  row.library = "OMPI";
  row.algorithm = algorithm;
  row.bytes = 4 * elements;
  row.median_us = 1;
  row.run = "2025_04_06___23_05_13";
  row.split = split;
  return row;
}

// A job that ran whole vectors of 8, 64, 512, and 4096 elements, and others from `least` on.
std::vector<PublishedTime> rows_of_job(Count least, Rank ranks, Split split = Split::calibrate) {
  std::vector<PublishedTime> rows;
  for (const Count elements : {8, 64, 512, 4096}) {
    rows.push_back(run_of("recursive_doubling_ompi", elements, ranks, split));
    if (elements >= least) rows.push_back(run_of("ring_ompi", elements, ranks, split));
  }
  return rows;
}

Rank ranks_by_sizes(const std::vector<PublishedTime>& rows) {
  const std::vector<PublishedTime> corrected = with_ranks_of_sizes(rows);
  for (const PublishedTime& row : corrected) CHECK(row.ranks == corrected[0].ranks);
  CHECK(corrected[0].ranks % corrected[0].ranks_per_node == 0);
  return corrected[0].ranks;
}

}  // namespace

TEST_CASE("sizes that a job left out show that it had more ranks than nodes") {
  CHECK(ranks_by_sizes(rows_of_job(4096, 256)) == 1024);  // 512 elements did not suffice
  CHECK(ranks_by_sizes(rows_of_job(512, 256)) == 256);
  CHECK(ranks_by_sizes(rows_of_job(512, 128)) == 128);  // 64 are too few anyway
  CHECK(ranks_by_sizes(rows_of_job(8, 4)) == 4);
}

TEST_CASE(
    "ranks are not guessed where sizes contradict each other, or of jobs that are predicted") {
  CHECK(ranks_by_sizes(rows_of_job(4096, 3)) == 768);
  CHECK(ranks_by_sizes(rows_of_job(64, 60)) == 60);
  CHECK(ranks_by_sizes(rows_of_job(10000, 16)) == 16);  // no algorithm that cuts
  CHECK(ranks_by_sizes(rows_of_job(4096, 256, Split::test)) == 256);
  std::vector<PublishedTime> known = rows_of_job(4096, 256);
  for (PublishedTime& row : known) row.ranks_per_node = 4, row.ranks = 1024;
  CHECK(ranks_by_sizes(known) == 1024);
}

#include "bench/validation/fit/job_ranks.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "bench/validation/calibrated/rounds.hpp"
#include "bench/validation/published/implementation.hpp"

namespace arlab::bench {
namespace {

using MeasuredJob = std::tuple<std::string, std::string, std::string, std::string>;

struct JobSizes {
  std::vector<Count> cut, any;  // bytes
};

MeasuredJob job_of_record(const PublishedTime& row) {
  return {row.system, row.library, row.nodes, row.run};
}

// Returns by how many times more ranks there were.
Rank times_more(const JobSizes& sizes, Rank ranks) {
  if (sizes.cut.empty()) return 1;
  const Count least = *std::min_element(sizes.cut.begin(), sizes.cut.end());
  Count below = 0;
  for (const Count bytes : sizes.any)
    if (bytes < least) below = std::max(below, bytes);
  Rank more = 1;
  while (Count{ranks} * more <= below / simulator::kElementBytes) more *= 2;
  return Count{ranks} * more <= least / simulator::kElementBytes ? more : 1;
}

}  // namespace

std::vector<PublishedTime> with_ranks_of_sizes(std::vector<PublishedTime> rows) {
  std::map<MeasuredJob, JobSizes> jobs;
  for (const PublishedTime& row : rows) {
    if (row.split != Split::calibrate || row.ranks_per_node != 1 || !row.torus.empty()) continue;
    JobSizes& sizes = jobs[job_of_record(row)];
    sizes.any.push_back(row.bytes);
    if (implementation_of(row).cuts) sizes.cut.push_back(row.bytes);
  }
  for (PublishedTime& row : rows) {
    const auto job = jobs.find(job_of_record(row));
    if (job == jobs.end() || row.ranks_per_node != 1) continue;
    const Rank more = times_more(job->second, row.ranks);
    row.ranks_per_node *= more;
    row.ranks *= more;
  }
  return rows;
}

}  // namespace arlab::bench

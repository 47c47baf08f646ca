// Published times: times of allreduces, one row per configuration, as allreduce.csv holds them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/base/types.hpp"

namespace arlab::bench {

/// What a row is for: rows of `calibrate` may be fitted, rows of `test` are only predicted.
enum class Split : std::uint8_t { calibrate, test };

std::string_view name(Split split);

struct PublishedTime {
  std::string system;
  std::string nodes;        ///< as written: "128", or "4x4x4" on a torus
  std::vector<Rank> torus;  ///< its sizes; empty unless nodes names them
  Rank ranks_per_node = 1;
  Rank ranks = 1;
  std::string library;
  std::string algorithm;  ///< as written
  Count bytes = 0;        ///< of the vector
  double median_us = 0;
  std::string run;  ///< the job that measured it; empty if not known
  Split split = Split::test;
};

/// Returns the same text for rows of one job, and another one for each job.
std::string job_of(const PublishedTime& row);

/// Returns the median of each row [us].
std::vector<double> measured_us(const std::vector<PublishedTime>& rows);

/// Reads the text of allreduce.csv. Throws Error(usage) that names the line, the value, and the
/// remedy.
std::vector<PublishedTime> read_published_times(std::string_view text, const std::string& name);

}  // namespace arlab::bench

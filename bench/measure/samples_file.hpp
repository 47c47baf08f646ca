// SamplesFile: every run of every rank, as comma-separated values or JSON Lines.
#pragma once

#include <string>

#include "bench/measure/measure.hpp"
#include "bench/results/locked_file.hpp"
#include "bench/results/record.hpp"

namespace arlab::bench {

class SamplesFile {
 public:
  /// A name that ends in .csv asks for comma-separated values. "-" is stdout. An earlier file is
  /// renamed. Throws Error(environment) if the file cannot be written.
  explicit SamplesFile(std::string path);

  /// Writes a line per run and rank: when the rank entered and left, in microseconds from the first
  /// entry. Where the ranks have no times of their own, a line per run.
  void add(const Record& record, const Measurement& measurement);

 private:
  void write(const Json& line);

  std::string path_;
  bool csv_;
  LockedFile file_;
};

}  // namespace arlab::bench

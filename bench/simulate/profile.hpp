// Profile: the allreduces that a program called, replayed in simulation at other scales and on
// other networks.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bench/results/record.hpp"

namespace arlab::bench {

class Profile {
 public:
  /// Reads the JSON Lines that libarlab_mpi.so writes to ARLAB_PROFILE. Throws Error that names the
  /// path, the line and what to change if it cannot be read or a line is not a profile.
  explicit Profile(const std::string& path);

  /// Returns the different sizes of vectors, rising, as the command line writes them: "1024".
  std::vector<std::string> sizes() const;
  /// Returns the most ranks of a call.
  Rank ranks() const { return ranks_; }

  /// Adds the simulated time of one call of the record's size, times the calls of that size.
  void add(const Record& record);

  /// Returns a table of the time of all calls: by algorithm, ranks and network, and as it was
  /// measured.
  std::string table() const;

 private:
  struct Calls {
    Count calls = 0;
    double measured_us = 0;
  };
  struct Sum {
    double us = 0;
    std::size_t sizes = 0;  ///< of those of the profile
  };
  std::map<Bytes, Calls> by_size_;
  std::map<std::vector<std::string>, Sum> sums_;  ///< by algorithm, ranks, topology, model
  Rank ranks_ = 1;
  Count left_out_ = 0;  ///< calls without elements, or of types that ours do not know
};

}  // namespace arlab::bench

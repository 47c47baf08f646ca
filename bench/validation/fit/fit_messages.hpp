// Fits the message model to the calibration rows of a system, and finds out which rows the library
// solved by another algorithm than it was asked for.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "bench/validation/calibrated/messages.hpp"
#include "bench/validation/published/published_time.hpp"

namespace arlab::bench {

class FittedMessages {
 public:
  /// `rows`: of split calibrate, all by messages; `start`: parameters of the system, where to
  /// begin.
  explicit FittedMessages(const std::vector<PublishedTime>& rows,
                          std::span<const double> start = {});

  /// Returns the function of the parameters that predicts the times [us] in a typical state of the
  /// network.
  simulator::PredictRows predictor(const std::vector<PublishedTime>& rows) const;

  const simulator::RobustFit& fit() const { return fit_; }
  const std::vector<simulator::Prior>& priors() const { return priors_; }
  int states() const { return states_; }
  /// Returns the library's algorithms whose rows mostly are its default rule, with the votes.
  std::vector<std::string> notes() const;

 private:
  struct Votes {
    int states = 0, by_default = 0;
    bool chosen() const { return 2 * by_default > states; }
  };
  simulator::MessageCase case_of(const PublishedTime& row, bool by_default) const;
  std::vector<bool> find_default_rows(const std::vector<PublishedTime>& rows);

  std::map<std::string, int> state_of_;  // of a job
  std::map<std::string, Votes> votes_;   // by algorithm and library
  std::vector<simulator::Prior> priors_;
  simulator::RobustFit fit_;
  int states_ = 0;
};

}  // namespace arlab::bench

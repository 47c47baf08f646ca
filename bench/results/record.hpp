// Record: the result of one configuration, as one line of a result file and one row of a table.
//
// A record is a head, which all commands share, and a body of the kind of its command.
// docs/reference/records.md describes every key of the JSON form; its schema validates it.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "bench/results/link_utilization.hpp"
#include "bench/results/run_body.hpp"
#include "bench/results/statistics.hpp"
#include "bench/text/write_file.hpp"
#include "collectives/reduce/dtype.hpp"
#include "simulator/analysis/rank_times.hpp"

namespace arlab::bench {

/// `arlab count`: the head says it all.
struct CountBody {
  static constexpr std::string_view kKind = "count";
};

/// `arlab verify`.
struct VerifyBody {
  static constexpr std::string_view kKind = "verify";
  std::optional<std::string> fault = {};       ///< the first violation, if the proof failed
  std::optional<std::string> bracketing = {};  ///< the order of additions, such as "((0+1)+(2+3))"
  std::optional<bool> same_on_all_ranks = {};  ///< whether all ranks add in the same order
};

/// `arlab simulate`.
struct SimulateBody {
  static constexpr std::string_view kKind = "simulate";
  std::string topology = {}, model = {};
  std::string machine = {};  ///< the model's parameters
  std::optional<double> modelled_us = {};
  std::optional<std::string> engine = {};  ///< as in EngineKind
  std::string disturbance = {};            ///< what delays the run; empty: nothing
  std::optional<double> undisturbed_us = {}, delay_us = {};  ///< of one delay; with a disturbance
  std::optional<Summary> runs_us = {};  ///< of several runs with different random delays
  double most_delays = std::numeric_limits<double>::infinity();  ///< that can add up
  /// On a calibrated machine: 80% of the measurements are expected from low to high.
  struct Refits {
    std::vector<double> us = {};  ///< by each of the machine's refits, in their order
    double spread = 0;            ///< of the logarithm, beside that of `us`: what the model lacks
    Rank ranks = 2;               ///< that were calibrated
    double least_bytes = 1, most_bytes = 1;  ///< of the messages that were calibrated
  };
  std::optional<double> low_us = {}, high_us = {};
  std::optional<bool> beyond_calibration = {};  ///< more ranks, or other sizes
  std::optional<Refits> refits = {};
  /// A time that no run on this topology can beat: the optimum, for allreduce a bound.
  std::optional<double> bound_us = {};
  std::optional<LinkUtilization> links = {};  ///< where the model has links
  /// The time that each kind of step takes on the critical path; empty: it was not asked for.
  std::map<std::string, double> critical_path_us = {};
  std::vector<simulator::RankTimes> rank_times = {};  ///< by rank; empty: not asked for

  /// bound_us by modelled_us: 1 is optimal.
  std::optional<double> optimum_fraction() const;
  /// By how much the run ends later, per delay: 0 if it is absorbed, 1 if it is passed on once.
  /// Nothing where the delay alone cannot be the reason, but that messages came in another order.
  std::optional<double> slowdown_per_delay() const;
};

/// `arlab train`.
struct TrainBody {
  static constexpr std::string_view kKind = "train";

  struct Epoch {
    Count number = 0, steps = 0, samples = 0;
    double loss = 0, accuracy = 0;  ///< of the training samples; accuracies are 0 to 1
    std::optional<double> validation_loss = {}, validation_accuracy = {};
    double elapsed_us = 0;  ///< all times are of the slowest worker
    double compute_us = 0, input_us = 0, exposed_us = 0;
    double communication_us = 0;  ///< hidden or exposed; of these:
    double codec_us = 0;
    double images_per_s = 0;
    Bytes bytes_sent = 0;  ///< by all ranks
  };

  /// The network and the speed of emulated ranks.
  struct Emulation {
    std::optional<double> bandwidth_gbit_per_s = {}, latency_us = {};  ///< of a rank's port
    std::optional<std::string> topology = {};
    double multiply_adds_per_s = 0;
    std::vector<double> slowdown = {};  ///< by rank
    double jitter = 0;
    double encode_ns = 0, decode_ns = 0;  ///< per element
  };

  std::string backend = {}, model = {}, strategy = {}, data = {}, optimizer = {}, scheduler = {};
  std::optional<std::string> compressor = {}, aggregation = {};
  std::optional<std::string> gradients = {};  ///< with GPUs: "device" or "host: why"
  Rank workers = 1, servers = 0;
  Count batch_size = 0;  ///< samples per step, over all workers
  std::uint64_t seed = 0;
  double learning_rate = 0;
  std::optional<std::string> rate_schedule = {};  ///< scaling, warm-up and decay
  std::optional<double> momentum = {};
  double weight_decay = 0;
  bool shuffle = true, drop_remainder = true;
  std::optional<Count> input_threads = {};  ///< of the worker with most; nothing: not measured
  bool overlap = false;
  std::optional<Emulation> emulation = {};
  std::optional<Summary> step_time_us = {};
  std::vector<Epoch> epochs = {};
  std::map<Count, Count> staleness = {};  ///< updates by the age of their gradient, in steps
  Count warmup_steps = 0;                 ///< the first steps of the run, which `timed` leaves out
  Epoch timed = {};                       ///< only steps, samples, times and bytes
};

struct Record {
  using Body = std::variant<CountBody, VerifyBody, SimulateBody, RunBody, TrainBody>;

  std::string algorithm;
  Problem problem;
  collectives::Operand operand;
  std::optional<int> lanes;
  int segments = 1;
  std::optional<Cost> sent;            ///< counted, simulated or executed
  std::optional<Cost> claimed;         ///< by the cost model, for estimates, too
  bool has_formula = true;             ///< else `claimed` is counted, and nothing to compare with
  std::optional<Count> wrong;          ///< elements, proofs or counts that differ from the expected
  std::optional<std::string> skipped;  ///< the reason
  std::string label, color, family;
  Body body;

  template <class Kind>
  Kind& as() {
    return std::get<Kind>(body);
  }
  template <class Kind>
  const Kind& as() const {
    return std::get<Kind>(body);
  }

  std::string_view kind() const;
  /// What a closed formula claims, where there is one.
  std::optional<Cost> formula() const { return has_formula ? claimed : std::nullopt; }
  Bytes bytes() const {
    return problem.elements * static_cast<Bytes>(collectives::size_of(operand.dtype));
  }
  /// The time of the collective, in microseconds; of a training run, the time of a step.
  std::optional<Summary> time_us() const;
  /// Algorithm bandwidth in GB/s: the bytes of the vector per time. Absent for training runs.
  std::optional<double> algbw() const;
  /// Bus bandwidth in GB/s: the bytes that a link must carry at least, per time. It is comparable
  /// with the hardware's rate whatever the number of ranks.
  std::optional<double> busbw() const;
};

/// All keys of the record's kind; what is absent is null, never 0.
Json to_json(const Record& record);

/// The keys, beside the kind, that distinguish configurations.
inline constexpr const char* kIdentityKeys[] = {"algorithm",  "ranks",
                                                "elements",   "backend",
                                                "collective", "dtype",
                                                "op",         "root",
                                                "groups",     "dims",
                                                "trees",      "segments",
                                                "topology",   "model",
                                                "machine",    "compressor",
                                                "place",      "mode",
                                                "repeats",    "cache",
                                                "start",      "summary_over_ranks",
                                                "disturbance"};

/// The keys that distinguish trainings, too.
inline constexpr const char* kTrainIdentityKeys[] = {"strategy",
                                                     "scheduler",
                                                     "workers",
                                                     "servers",
                                                     "batch_size",
                                                     "data",
                                                     "optimizer",
                                                     "momentum",
                                                     "overlap",
                                                     "aggregation",
                                                     "gradients",
                                                     "bandwidth_gbit_per_s",
                                                     "latency_us",
                                                     "multiply_adds_per_s",
                                                     "slowdown",
                                                     "jitter",
                                                     "codec_ns_per_element"};

/// Returns all keys, beside the kind, that distinguish configurations of this kind.
std::vector<const char*> identity_keys(std::string_view kind);
/// Returns those of all kinds.
std::vector<const char*> identity_keys();

/// Returns their values as text: --resume skips those that a file holds.
std::string identity(const Json& record);

}  // namespace arlab::bench

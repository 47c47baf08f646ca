// The cells of a tuning: what each candidate takes for each number of ranks and size, measured or
// simulated by other processes of this program.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bench/options/options.hpp"
#include "bench/results/record.hpp"
#include "bench/run/temporary_folder.hpp"
#include "bench/tune/decide.hpp"

namespace arlab::bench {

struct TuneOptions {
  SweepOptions sweep;  ///< names, ranks, sizes, segments, one type and operation
  bool simulated() const { return !network.empty(); }
  std::string backend;                    ///< empty: the one of MPI jobs
  std::string launcher = "mpirun -n {}";  ///< of jobs; {} is the number of ranks
  std::string network;      ///< of `arlab simulate`, or its options as one text; empty: measured
  int runs = 200;           ///< of each candidate
  std::string mode, place;  ///< of `arlab run`; empty: alone, and in place
  int launches = 2;         ///< of each side, when the library runs with a file
};

/// Whether ranks are processes that the launcher starts.
bool uses_launcher(const TuneOptions& options);

/// Returns the command that runs these arguments of this program on that number of ranks. Throws
/// Error(usage) if the launcher has no {}.
std::vector<std::string> on_ranks(const TuneOptions& options, Rank ranks,
                                  const std::vector<std::string>& arguments);

/// Returns the options of `arlab run` that say how often and how it measures.
std::vector<std::string> measure_words(const TuneOptions& options);

/// Returns the options for sizes, type and operation, as they were given.
std::vector<std::string> problem_words(const TuneOptions& options);

/// Measures or simulates all candidates. Throws Error(environment) if a job fails, and Error(check)
/// if one gives wrong results. Candidates of the library that would fall back to another algorithm
/// are left out.
std::vector<TuneCell> tune_cells(const TuneOptions& options, const TemporaryFolder& folder);

/// Names of candidates, and the sizes of one job.
struct JobSpec {
  std::vector<std::string> names, segments;
  std::vector<Count> elements;
};

/// By algorithm, segments, ranks and elements.
using SampleKey = std::tuple<std::string, int, Rank, Count>;
using SamplesByKey = std::map<SampleKey, std::vector<double>>;

/// Collects records into cells.
class CellBuilder {
 public:
  /// Throws Error(usage) if a record differs from those before in what a table does not tell apart,
  /// such as the network.
  void add(const Json& record, const SamplesByKey& samples);
  std::vector<TuneCell> cells() const;
  /// Returns the one of all records.
  Collective collective() const;

 private:
  using Shared = std::map<std::string, Json>;  // by key
  struct Cell {
    TuneCell cell;
    Shared network;
  };
  TuneCell& cell_of(const Json& record);
  Shared problem_;
  std::map<std::pair<Rank, Bytes>, Cell> cells_;
};

/// Measures a job, and adds what it gives.
void measure_into(const TuneOptions& options, Rank ranks, const JobSpec& job,
                  const TemporaryFolder& folder, CellBuilder& builder);

}  // namespace arlab::bench

// ToolVariables: the MPI library's variables, by name: control variables, which configure it, and
// performance variables, which it counts. This is MPI's tool interface (MPI-3.1, chapter 14).
#pragma once

#include <mpi.h>

#include <optional>
#include <string>
#include <vector>

#include "algorithms/base/types.hpp"

namespace arlab::collectives {

/// While one lives, the tool interface is on. It must end before MPI does.
class ToolVariables {
 public:
  ToolVariables();
  ~ToolVariables();
  ToolVariables(const ToolVariables&) = delete;
  ToolVariables& operator=(const ToolVariables&) = delete;

  struct Value {
    int number = 0;
    std::string name;
  };
  /// A control variable that holds a whole number or a flag.
  struct Control {
    int index = 0;
    std::string description;
    std::vector<Value> values;  ///< that have names
  };

  /// Returns nothing if the library has no such variable.
  std::optional<Control> control(const std::string& name) const;
  int read(const Control& control) const;
  void write(const Control& control, int value) const;
};

/// A performance variable that counts something for each rank of MPI_COMM_WORLD.
class RankCounters {
 public:
  /// `tools` must outlive this.
  RankCounters(const ToolVariables& tools, const std::string& name, int ranks);
  ~RankCounters();
  RankCounters(const RankCounters&) = delete;
  RankCounters& operator=(const RankCounters&) = delete;

  /// Whether the library has the variable, and counts.
  bool counts() const { return counts_; }
  std::vector<Count> read() const;

 private:
  bool counts_ = false;
  int ranks_ = 0;
  std::size_t bytes_per_value_ = 0;
  MPI_T_pvar_session session_ = MPI_T_PVAR_SESSION_NULL;
  MPI_T_pvar_handle handle_ = MPI_T_PVAR_HANDLE_NULL;
};

}  // namespace arlab::collectives

// LibraryAlgorithms: makes MPI_Allreduce run an algorithm of the library's own.
//
// Open MPI's component coll_tuned reads its choice when a communicator is made, so each algorithm
// gets a duplicate. MPICH reads its choice at every call.
#pragma once

#include <mpi.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "collectives/mpi/library/tool_variables.hpp"

namespace arlab::collectives {

class LibraryAlgorithms {
 public:
  LibraryAlgorithms();
  ~LibraryAlgorithms();
  LibraryAlgorithms(const LibraryAlgorithms&) = delete;
  LibraryAlgorithms& operator=(const LibraryAlgorithms&) = delete;

  /// Sets the environment of the library, before it starts, so that choices are taken; what the
  /// user has set stays.
  static void prepare();

  /// By the library's names. Throws Error(environment) with a remedy if none can be chosen.
  std::vector<std::string> names() const;

  /// Returns a communicator of the ranks of `comm`, for which MPI_Allreduce runs the algorithm from
  /// now on: a name, or "segmented_ring:segment=64K". Empty: the library decides. This object keeps
  /// the communicator. All ranks of `comm` call it together. Throws Error(usage) with all names.
  MPI_Comm use(MPI_Comm comm, const std::string& spec);

 private:
  struct Choice {
    int algorithm = 0, segment_bytes = 0;
  };
  Choice parse(const std::string& spec) const;
  MPI_Comm duplicate(MPI_Comm comm, const std::string& spec, Choice choice);
  void read_open_mpi();
  void read_mpich();

  ToolVariables tools_;
  std::vector<ToolVariables::Value> algorithms_;  // without the one that lets the library decide
  ToolVariables::Value undecided_;
  std::optional<ToolVariables::Control> algorithm_, segment_, device_;
  bool per_communicator_ = false;
  std::string why_none_;
  std::map<std::string, MPI_Comm> duplicates_;  // by spec
};

}  // namespace arlab::collectives

// EventFile: writes scalars and histograms by step, and the graph of a model, for TensorBoard.
//
// A file is a sequence of records: length u64, masked CRC32C of the length, an Event (event.proto),
// masked CRC32C of the event. TensorFlow, core/lib/io/record_writer.cc.
#pragma once

#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "algorithms/problem.hpp"
#include "training/replica/model_graph.hpp"

namespace arlab::training {

class EventFile {
 public:
  /// Creates a new file in the folder, with a unique name that TensorBoard finds. Throws
  /// Error(environment) if it cannot be written, and in builds without protobuf.
  explicit EventFile(const std::string& folder);

  /// All write through to the file at once, so that data survive if the process is killed. They
  /// throw Error(environment) if the disk is full.
  void scalar(std::string_view tag, double value, Count step);
  /// Leaves out values that are not finite; if there are any, writes their number as the scalar
  /// <tag>/not_finite.
  void histogram(std::string_view tag, std::span<const float> values, Count step);

  void graph(const ModelGraph& graph);

  const std::string& path() const { return path_; }

 private:
  void write(const std::string& event);

  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace arlab::training

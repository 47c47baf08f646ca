// Event files: what TensorBoard shows of a run: scalars and histograms by step.
//
// A file is a row of records: length u64, masked CRC32C of the length, an Event (event.proto),
// masked CRC32C of that. TensorFlow, core/lib/io/record_writer.cc.
#pragma once

#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "algorithms/problem.hpp"

namespace arlab::training {

/// Whether this program was built with protobuf, which event files need.
bool has_event_files();

class EventFile {
 public:
  /// Begins a new file in the folder, named so that TensorBoard finds it and no other is
  /// overwritten. Throws Error(environment) if it cannot be written, or has_event_files() is false.
  explicit EventFile(const std::string& folder);

  /// All throw Error(environment) if the disk is full. What was added is in the file, even if the
  /// process is killed.
  void scalar(std::string_view tag, double value, Count step);
  /// Values that are not finite are left out of it; if there are some, their number is written as
  /// the scalar <tag>/not_finite.
  void histogram(std::string_view tag, std::span<const float> values, Count step);

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

// NamedFiles: the files of a command line, so that an output does not replace an input.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class Option;
}

namespace arlab::bench {

class NamedFiles {
 public:
  /// Adds a value of an option, or an argument. `given` is the option as it was written.
  void add(const CLI::Option& option, const std::string& given, std::string_view value);

  /// Throws Error(usage) that names the option and the file if an output is an existing file that is
  /// also an input.
  void check() const;

 private:
  struct Output {
    std::string given, path;
  };
  std::vector<std::string> inputs_;
  std::vector<Output> outputs_;
};

}  // namespace arlab::bench

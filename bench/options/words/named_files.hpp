// NamedFiles: the files of a command line, so that an output replaces neither an input nor another
// output.
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

  /// Throws Error(usage) that names the options and the file if two outputs are the same file, or
  /// if an output is an existing file that is also an input.
  void check() const;

 private:
  struct Output {
    std::string given, path;
  };
  std::vector<std::string> inputs_;
  std::vector<Output> outputs_;
};

}  // namespace arlab::bench

// Fuzzes the reader of result files: what it accepts can be identified and written, and is then
// read back the same.
#include <sys/mman.h>
#include <unistd.h>

#include "bench/results/record.hpp"
#include "bench/results/result_file.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace {

using namespace arlab::bench;

// A file in memory.
class File {
 public:
  explicit File(std::string_view content) : file_(::memfd_create("fuzzed", MFD_CLOEXEC)) {
    while (!content.empty()) {
      const auto written = ::write(file_, content.data(), content.size());
      arlab::fuzz::demand(written > 0, "no memory for a file");
      content.remove_prefix(static_cast<std::size_t>(written));
    }
  }
  ~File() { ::close(file_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }

 private:
  int file_;
};

std::string written(const Results& results) {
  std::string text;
  for (const auto* lines : {&results.contexts, &results.records})
    for (Json line : *lines) {
      line.erase("context");
      text += line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
    }
  return text;
}

}  // namespace

void arlab::fuzz::records(std::string_view input) {
  accepted([&] {
    const Results results = read_results(File(input).path());
    for (const Json& record : results.records) identity(record);
    const std::string once = written(results);
    demand(written(read_results(File(once).path())) == once, "changes when read again");
  });
}

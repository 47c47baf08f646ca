// Fuzzers: what each does with one input, and how it reports a finding.
//
// Each <name>.cpp defines one. With clang and -DARLAB_FUZZ=ON each becomes the program fuzz_<name>
// on libFuzzer. With every compiler, test_fuzz replays the seeds and a short burst of mutations.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "algorithms/base/error.hpp"

namespace arlab::fuzz {

/// Something that must never happen: the program is wrong, whatever the input is.
struct Finding : std::logic_error {
  using std::logic_error::logic_error;
};

inline void demand(bool holds, const std::string& what) {
  if (!holds) throw Finding(what);
}

/// Calls `use`. An Error that blames the input is a valid answer, and its text must not be empty;
/// any other exception is a finding. Returns whether the input was accepted.
template <class Use>
bool accepted(Use use) {
  try {
    use();
    return true;
  } catch (const Error& error) {
    demand(error.blame() == Blame::usage, std::string("blames something else: ") + error.what());
    demand(error.what()[0] != '\0', "an empty message");
    return false;
  } catch (const Finding&) {
    throw;
  } catch (const std::exception& error) {
    throw Finding(std::string("not an Error: ") + error.what());
  }
}

/// Makes numbers of the input, and zeros after its end.
class Bytes {
 public:
  explicit Bytes(std::string_view input) : left_(input) {}
  bool empty() const { return left_.empty(); }
  unsigned next() {
    if (left_.empty()) return 0;
    const auto byte = static_cast<unsigned char>(left_.front());
    left_.remove_prefix(1);
    return byte;
  }
  /// Returns a number from 0 to bound - 1, bound at most 65,536.
  int below(int bound) {
    const unsigned high = bound > 256 ? next() << 8 : 0;
    return static_cast<int>((high | next()) % static_cast<unsigned>(bound));
  }
  std::string_view rest() const { return left_; }

 private:
  std::string_view left_;
};

struct Fuzzer {
  std::string_view name;
  void (*run)(std::string_view input);
  int burst = 2000;  ///< number of mutations that test_fuzz tries
};

/// Returns all of them.
std::span<const Fuzzer> fuzzers();

void chakra(std::string_view input);
void checkpoint(std::string_view input);
void cluster(std::string_view input);
void goal(std::string_view input);
void images(std::string_view input);
void logs(std::string_view input);
void networks(std::string_view input);
void placements(std::string_view input);
void quantities(std::string_view input);
void ranges(std::string_view input);
void records(std::string_view input);
void requests(std::string_view input);
void runs(std::string_view input);
void schedule_files(std::string_view input);
void schedules(std::string_view input);
void specs(std::string_view input);
void topology_file(std::string_view input);

}  // namespace arlab::fuzz

// Networks that are damaged in more than 50 ways each: what is read is either refused, or is what
// the damaged text says. What was cut is never ignored.
#include <algorithm>
#include <string>
#include <vector>

#include "algorithms/base/random.hpp"
#include "simulator/topologies/import/file.hpp"
#include "tests/bench/formats/topologies/files.hpp"

using namespace arlab;
using namespace arlab::bench;

namespace {

struct Whole {
  const char* file;
  const char* settings;
  int free_lines;  // at the end, whose loss loses nothing
};
constexpr Whole kWholes[] = {{"nccl_h200.xml", ":latency=1us", 0},
                             {"nccl_dgx1.xml", ":latency=1us", 0},
                             {"nccl_power9.xml", ":latency=1us", 0},
                             {"smi_v100.txt", ":nvlink=25GB/s,latency=1us", 6},
                             {"smi_h100.txt", ":nvlink=25GB/s,latency=1us", 14},
                             {"smi_pcie.txt", ":pcie=25GB/s,latency=1us", 7},
                             {"simgrid_cluster.xml", "", 0},
                             {"simgrid_cabinets.xml", "", 0},
                             {"simgrid_dogbone.xml", "", 0},
                             {"simgrid_ring.xml", "", 0},
                             {"astra_three.yml", "", 0},
                             {"astra_h100.yml", "", 0},
                             {"astra_star.txt", "", 6},
                             {"simai_two_servers.txt", "", 0}};

// What the text says; empty if it was refused in the right way.
std::string outcome(const std::string& text, const Whole& whole) {
  const std::string spec = std::string(whole.file) + whole.settings;
  try {
    return listed(read_network(text, spec));
  } catch (const Error& error) {
    INFO(error.what());
    CHECK(error.blame() == Blame::usage);
    CHECK(std::string(error.what()).size() < 400);
    return "";
  }
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1);
    lines.push_back(text.substr(at, end + 1 - at));
    at = end + 1;
  }
  return lines;
}

std::string joined(const std::vector<std::string>& lines, std::size_t count) {
  std::string text;
  for (std::size_t l = 0; l < count; ++l) text += lines[l];
  return text;
}

}  // namespace

TEST_CASE("networks that end early are refused") {
  for (const Whole& whole : kWholes) {
    const auto lines = lines_of(network_text(whole.file));
    const std::size_t needed = lines.size() - static_cast<std::size_t>(whole.free_lines);
    for (std::size_t count = 0; count < needed; ++count) {
      INFO(whole.file << " up to line " << count);
      CHECK(outcome(joined(lines, count), whole).empty());
    }
  }
}

TEST_CASE("networks with a sign in place of a digit do not pass as whole") {
  for (const Whole& whole : kWholes) {
    const std::string text = network_text(whole.file), said = outcome(text, whole);
    REQUIRE_FALSE(said.empty());
    const Random random(7);
    for (std::uint64_t i = 0; i < 60; ++i) {
      std::string damaged = text;
      std::vector<std::size_t> digits;
      for (std::size_t c = 0; c < text.size(); ++c)
        if (text[c] >= '0' && text[c] <= '9') digits.push_back(c);
      const std::size_t at = digits[static_cast<std::size_t>(random.below(std::ssize(digits), i))];
      damaged[at] = '?';
      INFO(whole.file << ": ? at byte " << at);
      const std::string is = outcome(damaged, whole);
      // A digit in a name, or in what is not read, changes no number.
      if (!is.empty())
        CHECK(std::count(is.begin(), is.end(), '\n') == std::count(said.begin(), said.end(), '\n'));
    }
  }
}

TEST_CASE("networks with any bytes changed, lost or repeated end in a topology or an error") {
  for (const Whole& whole : kWholes) {
    const std::string text = network_text(whole.file);
    for (std::uint64_t i = 0; i < 100; ++i) {
      const Random random = Random(11).of(i);
      std::string damaged = text;
      const auto below = [&](std::size_t bound, std::uint64_t draw) {
        return static_cast<std::size_t>(random.below(static_cast<Count>(bound), draw));
      };
      const std::size_t at = below(text.size(), 0), size = 1 + below(80, 1);
      if (i % 4 == 0) damaged.erase(at, size);
      if (i % 4 == 1) damaged.insert(at, text.substr(below(text.size(), 2), size));
      if (i % 4 == 2) damaged[at] = static_cast<char>(below(256, 3));
      if (i % 4 == 3) damaged[at] = "0919-.,:=x\n\"<>/ "[below(16, 4)];
      INFO(whole.file << ", damage " << i << " at byte " << at);
      outcome(damaged, whole);
    }
  }
}

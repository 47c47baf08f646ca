// Replays the seeds of every fuzzer, and a short burst of random mutations of them, always the
// same.
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "algorithms/base/random.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/source_file.hpp"

using namespace arlab;
using namespace arlab::fuzz;

namespace {

// A seed is a line of seeds/<name>.txt: text with \n, \\ and \xNN. Lines with # are comments.
std::string unescaped(std::string_view line) {
  std::string bytes;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] != '\\') {
      bytes += line[i];
    } else if (line[++i] == 'x') {
      bytes += static_cast<char>(std::stoi(std::string(line.substr(i + 1, 2)), nullptr, 16));
      i += 2;
    } else {
      bytes += line[i] == 'n' ? '\n' : line[i];
    }
  }
  return bytes;
}

std::string escaped(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    char hex[8];
    std::snprintf(hex, sizeof hex, "\\x%02x", static_cast<unsigned>(static_cast<unsigned char>(c)));
    if (c == '\n')
      text += "\\n";
    else if (c == '\\')
      text += "\\\\";
    else
      text += c >= ' ' && c <= '~' && !(c == '#' && text.empty()) ? std::string(1, c) : hex;
  }
  return text;
}

std::vector<std::string> seeds_of(const Fuzzer& fuzzer) {
  std::vector<std::string> seeds;
  std::ifstream in(source_file("tests/fuzz/seeds/" + std::string(fuzzer.name) + ".txt"));
  for (std::string line; std::getline(in, line);)
    if (!line.empty() && line[0] != '#') seeds.push_back(unescaped(line));
  if (fuzzer.name == "topology_file")
    for (const auto& entry : std::filesystem::directory_iterator(
             source_file("tests/simulator/topologies/import/corpus"))) {
      std::ostringstream text;
      text << std::ifstream(entry.path(), std::ios::binary).rdbuf();
      seeds.push_back(text.str());
    }
  std::sort(seeds.begin(), seeds.end());
  return seeds;
}

// Changes 1 to 4 places of a seed: a bit, a byte, a deletion, a repetition, or a part of another
// seed.
std::string mutated(const std::vector<std::string>& seeds, const Random& random) {
  std::uint64_t draws = 0;
  const auto below = [&](std::size_t bound) {
    return static_cast<std::size_t>(random.below(static_cast<Count>(bound), draws++));
  };
  std::string text = seeds[below(seeds.size())];
  for (std::size_t edits = 1 + below(4); edits > 0; --edits) {
    const std::size_t place = below(text.size() + 1), size = below(text.size() - place + 1);
    const std::size_t choice = text.empty() ? 3 : below(6);
    if (choice == 0 && place < text.size())
      text[place] = static_cast<char>(text[place] ^ 1 << below(8));
    if (choice == 1 && place < text.size()) text[place] = static_cast<char>(below(256));
    if (choice == 2) text.erase(place, size);
    if (choice == 3) text.insert(place, 1, "0919-.,:=x\n\"{}[]\0\xff"[below(18)]);
    if (choice == 4 && text.size() < 4096) text.insert(place, text.substr(place, size));
    if (choice == 5) {
      const std::string& other = seeds[below(seeds.size())];
      const std::size_t from = below(other.size() + 1);
      text = text.substr(0, place) + other.substr(from);
    }
  }
  return text;
}

void expect_nothing(const Fuzzer& fuzzer, const std::string& input) {
  INFO("fuzzer " << fuzzer.name << ", input " << escaped(input));
  // Without a string's terminator: the address sanitizer sees who reads past the end.
  const std::vector<char> exact(input.begin(), input.end());
  try {
    fuzzer.run({exact.data(), exact.size()});
  } catch (const std::exception& finding) {
    FAIL(finding.what());
  }
}

}  // namespace

std::span<const Fuzzer> arlab::fuzz::fuzzers() {
  static constexpr Fuzzer kAll[] = {{"chakra", chakra},
                                    {"checkpoint", checkpoint},
                                    {"cluster", cluster},
                                    {"goal", goal, 1000},
                                    {"images", images},
                                    {"logs", logs, 400},
                                    {"networks", networks, 1000},
                                    {"placements", placements},
                                    {"quantities", quantities},
                                    {"ranges", ranges, 1000},
                                    {"records", records, 1000},
                                    {"requests", requests, 200},
                                    {"runs", runs, 150},
                                    {"schedule_files", schedule_files, 1000},
                                    {"schedules", schedules, 1500},
                                    {"specs", specs},
                                    {"topology_file", topology_file, 1000}};
  return kAll;
}

TEST_CASE("fuzzers find nothing in their seeds") {
  for (const Fuzzer& fuzzer : fuzzers()) {
    const auto seeds = seeds_of(fuzzer);
    INFO("fuzzer " << fuzzer.name);
    REQUIRE(seeds.size() >= 4);
    for (const std::string& seed : seeds) expect_nothing(fuzzer, seed);
  }
}

TEST_CASE("fuzzers find nothing in mutations of their seeds") {
  const char* const longer = std::getenv("ARLAB_FUZZ_BURST");  // a factor, for a longer search
  const char* const only = std::getenv("ARLAB_FUZZ_ONLY");
  const int factor = longer ? std::atoi(longer) : 1;
  for (const Fuzzer& fuzzer : fuzzers()) {
    if (only && fuzzer.name != only) continue;
    const auto seeds = seeds_of(fuzzer);
    const Random random = Random(fuzzer.name.size()).of(static_cast<std::uint64_t>(fuzzer.name[0]));
    for (int i = 0; i < fuzzer.burst * factor; ++i)
      expect_nothing(fuzzer, mutated(seeds, random.of(static_cast<std::uint64_t>(i))));
  }
}

TEST_CASE("seeds are text with escapes, and survive them") {
  std::string all;
  for (int c = 0; c < 256; ++c) all += static_cast<char>(c);
  CHECK(unescaped(escaped(all)) == all);
  CHECK(unescaped("a\\x00\\n\\\\b") == std::string("a\0\n\\b", 5));
  CHECK_THROWS_AS(accepted([] { throw std::out_of_range("at"); }), Finding);
  CHECK_THROWS_AS(accepted([] { fail(Blame::check, "a bug"); }), Finding);
  CHECK_FALSE(accepted([] { fail(Blame::usage, "bad input"); }));
}

#include "bench/logs/run_facts.hpp"

#include "algorithms/base/quantities.hpp"
#include "bench/logs/nccl_names.hpp"
#include "bench/logs/words.hpp"
#include "bench/text/words.hpp"

namespace arlab::bench {

void RunFacts::read(const std::string& line, const std::vector<std::string_view>& words) {
  for (const std::string_view word : words)
    if (const std::string program = nccl_program(word); !program.empty()) program_ = program;
  if (words.size() > 2 && words[0] == "rccl-tests:") {
    begin_run();
    rccl_ = std::string(words[2]);
  }
  read_nccl(words);
  for (const char* library : {"NCCL version", "RCCL version"})
    if (const std::size_t at = line.find(library); at != std::string::npos) {
      std::vector<std::string_view> said = words_of(std::string_view(line).substr(at));
      if (said.size() > 3 && said[2] == ":") said.erase(said.begin() + 2);
      if (said.size() < 3) continue;
      begin_run();
      library_ = std::string(said[0]) + " " + std::string(said[2]);
    }
}

// "NCCL_ALGO set by environment to Ring.", "Using network IB"
void RunFacts::read_nccl(const std::vector<std::string_view>& words) {
  for (std::size_t i = 0; i + 2 < words.size(); ++i) {
    if (words[i] == "Using" && words[i + 1] == "network") {
      begin_run();
      network_ = std::string(words.back());
    }
    if (i + 5 >= words.size() || !words[i].starts_with("NCCL_") || words[i + 1] != "set" ||
        words[i + 3] != "environment")
      continue;
    std::string_view value = words[i + 5];
    while (value.ends_with('.') || value.ends_with(',')) value.remove_suffix(1);
    begin_run();
    environment_[std::string(words[i])] = std::string(value);
  }
}

void RunFacts::begin_run() {
  if (!ended_) return;
  ended_ = false;
  environment_.clear();
  for (std::string* text : {&library_, &rccl_, &network_}) text->clear();
}

LogOrigin RunFacts::origin(const LogPreamble& preamble) const {
  LogOrigin origin = nccl_origin(preamble, library_, rccl_);
  origin.environment = environment_;
  if (!network_.empty())
    origin.library += (origin.library.empty() ? "network " : ", network ") + network_;
  return origin;
}

std::string failure_in(const std::string& line) {
  constexpr std::size_t kMost = 80;
  for (const char* failure : {"Test NCCL failure", "Test CUDA failure", "Test failure "})
    if (const std::size_t at = line.find(failure); at != std::string::npos)
      return line.substr(at, kMost);
  return "";
}

std::string failed_verdict(std::string_view line) {
  constexpr std::string_view kBounds = "Out of bounds values", kBandwidth = "Avg bus bandwidth";
  for (const std::string_view foot : {kBounds, kBandwidth}) {
    const std::size_t at = line.find(foot);
    if (at == std::string_view::npos) continue;
    const std::string_view verdict = line.substr(at);
    const std::vector<std::string_view> words = words_of(verdict.substr(foot.size()));
    if (words.size() < 2 || words[0] != ":") return "";
    const auto values = foot == kBounds ? whole_number(words[1]) : std::nullopt;
    const bool failed = values.value_or(0) > 0 || (words.size() > 2 && words[2] == "FAILED");
    return failed ? std::string(trimmed(verdict)) : "";
  }
  return "";
}

}  // namespace arlab::bench

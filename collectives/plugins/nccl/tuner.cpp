// libnccl-tuner-arlab: an NCCL tuner plugin that chooses by a table of `arlab tune`: its own table,
// or the lines of NCCL's example tuner.
//
// It only chooses among what NCCL can run: a pair that NCCL forbids stays forbidden, and what the
// table does not name stays NCCL's choice.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>

#include "algorithms/base/printable.hpp"
#include "collectives/plugins/nccl/abi.hpp"
#include "collectives/plugins/nccl/table.hpp"

namespace arlab::collectives {
namespace {

using nccl_abi::LogLevel;
using nccl_abi::Result;

struct Tuner {
  std::vector<TuningRule> rules;
  int ranks = 1, nodes = 1;
};

void say(nccl_abi::Logger log, LogLevel level, const std::string& text) {
  if (log)
    log(level, nccl_abi::kTuning, "arlab", 0, "TUNER/arlab: %s", text.c_str());
  else
    std::fprintf(stderr, "arlab: %s\n", printable(text).c_str());
}

std::vector<TuningRule> rules_from_environment(nccl_abi::Logger log) {
  const char* path = std::getenv("ARLAB_NCCL_TABLE");
  if (!path) path = std::getenv("NCCL_TUNER_CONFIG_FILE");
  if (!path || *path == '\0') {
    say(log, LogLevel::warn,
        "no table, so NCCL chooses: set ARLAB_NCCL_TABLE to a file that `arlab tune` wrote");
    return {};
  }
  std::ifstream in(path);
  if (!in) {
    say(log, LogLevel::warn,
        std::string("cannot read ARLAB_NCCL_TABLE=") + path +
            ", so NCCL chooses: name a readable file");
    return {};
  }
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const bool is_ours = std::string_view(path).ends_with(".json");
  std::vector<TuningRule> rules =
      is_ours ? nccl_rules_of(parse_tuning_table(text, path)) : read_tuning_table(text, path);
  if (rules.empty()) {
    say(log, LogLevel::warn,
        std::string("ARLAB_NCCL_TABLE=") + path +
            " chooses nothing that NCCL has, so NCCL chooses: tune ring and double_tree");
    return rules;
  }
  say(log, LogLevel::info, std::to_string(rules.size()) + " rules of " + path);
  return rules;
}

// NCCL aborts if a tuner does not start, so a faulty table leaves the choice to NCCL, and says so.
Result start(void** context, std::size_t ranks, std::size_t nodes, nccl_abi::Logger log) noexcept {
  try {
    auto tuner = std::make_unique<Tuner>();
    tuner->ranks = static_cast<int>(ranks);
    tuner->nodes = static_cast<int>(nodes);
    try {
      tuner->rules = rules_from_environment(log);
    } catch (const std::exception& error) {
      say(log, LogLevel::warn, std::string(error.what()) + "; NCCL chooses");
    }
    *context = tuner.release();
    return Result::success;
  } catch (...) {
    *context = nullptr;
    return Result::success;
  }
}

// Of one algorithm's protocols; one that NCCL forbids only if it forbids all.
float* cheapest(float* costs, int protocols) {
  return std::min_element(costs, costs + protocols,
                          [](float a, float b) { return a >= 0 && (b < 0 || a < b); });
}

Result get_coll_info(void* context, nccl_abi::Function function, std::size_t bytes, int pipe_ops,
                     float** costs, int algorithms, int protocols, int registered,
                     int* channels) noexcept {
  const auto* const tuner = static_cast<const Tuner*>(context);
  if (!tuner || !costs) return Result::success;
  const TuningRule* const rule =
      find_rule(tuner->rules, {function, static_cast<std::int64_t>(bytes), tuner->nodes,
                               tuner->ranks, pipe_ops, registered});
  if (!rule || rule->algorithm >= algorithms || rule->protocol >= protocols) return Result::success;
  float* const of_algorithm = reinterpret_cast<float*>(costs) + rule->algorithm * protocols;
  float* const cost =
      rule->protocol < 0 ? cheapest(of_algorithm, protocols) : of_algorithm + rule->protocol;
  if (*cost < 0) return Result::success;  // NCCL cannot run it here
  *cost = 0;
  if (rule->channels > 0) *channels = rule->channels;
  return Result::success;
}

Result stop(void* context) noexcept {
  delete static_cast<Tuner*>(context);
  return Result::success;
}

Result start_v4(std::size_t ranks, std::size_t nodes, nccl_abi::Logger log, void** context) {
  return start(context, ranks, nodes, log);
}

Result start_v5(void** context, std::uint64_t, std::size_t ranks, std::size_t nodes,
                nccl_abi::Logger log, void*, void*) {
  return start(context, ranks, nodes, log);
}

}  // namespace
}  // namespace arlab::collectives

extern "C" {
[[gnu::visibility(
    "default")]] extern const arlab::collectives::nccl_abi::TunerV4 ncclTunerPlugin_v4 = {
    "arlab", arlab::collectives::start_v4, arlab::collectives::get_coll_info,
    arlab::collectives::stop};
[[gnu::visibility(
    "default")]] extern const arlab::collectives::nccl_abi::TunerV5 ncclTunerPlugin_v5 = {
    "arlab", arlab::collectives::start_v5, arlab::collectives::get_coll_info,
    arlab::collectives::stop};
}

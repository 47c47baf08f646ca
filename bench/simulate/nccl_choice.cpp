#include "bench/simulate/nccl_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "algorithms/base/error.hpp"
#include "bench/options/nccl_network.hpp"
#include "bench/results/record.hpp"
#include "bench/text/table.hpp"
#include "bench/text/units.hpp"
#include "simulator/nccl/symmetric.hpp"

namespace arlab::bench {
namespace {

namespace nccl = simulator::nccl;

constexpr std::string_view kLibrary = "native", kSymmetric = "symmetric";

std::vector<nccl::Machine> machines_of(const SweepOptions& o, const ModelOptions& model) {
  const nccl::Machine one = nccl_machine(model.given);
  if (o.ranks.empty()) return {one};
  std::vector<nccl::Machine> all;
  for (const Rank ranks : o.parsed_ranks()) {
    nccl::Machine machine = one;
    if (ranks < one.ranks_per_node) {
      machine.ranks_per_node = ranks;
      machine.nodes = 1;
    } else if (ranks % one.ranks_per_node == 0) {
      machine.nodes = ranks / one.ranks_per_node;
    } else {
      fail(Blame::usage, fmt::format("-p {} does not fill nodes of {} GPUs: give a multiple, or "
                                     "another number of gpus in --network nccl:gpus={}",
                                     ranks, one.ranks_per_node, one.ranks_per_node));
    }
    all.push_back(machine);
  }
  return all;
}

// The rows of one size.
void add_rows(const nccl::Tuning& tuning, Count bytes, collectives::Operand operand,
              std::vector<NcclEstimate>& rows) {
  const nccl::Support support = nccl_support(tuning.machine, tuning.collective, operand);
  const auto size = static_cast<double>(bytes);
  const nccl::Choice choice = nccl::choose(tuning, size, support);
  for (const nccl::Estimate& e : tuning.estimates) {
    NcclEstimate row{.machine = nccl_text(tuning.machine),
                     .collective = std::string(name(tuning.collective)),
                     .dtype = std::string(name(operand.dtype)),
                     .op = std::string(name(operand.op)),
                     .algorithm = std::string(nccl::name(e.algorithm)),
                     .protocol = std::string(nccl::name(e.protocol)),
                     .nodes = tuning.machine.nodes,
                     .ranks_per_node = tuning.machine.ranks_per_node,
                     .bytes = bytes,
                     .channels = 0,
                     .latency_us = e.latency(),
                     .bandwidth = e.bandwidth,
                     .us = 0,
                     .chosen = &e == choice.estimate,
                     .skipped = e.why_not};
    if (row.skipped.empty() && !nccl::supported(support, e.algorithm))
      row.skipped = fmt::format("{} compute {} of {}",
                                nccl::is_nvls(e.algorithm) ? "NVSwitches cannot" : "PAT does not",
                                row.op, row.dtype);
    if (row.skipped.empty()) {
      row.channels = nccl::used_channels(tuning, e, size);
      row.us = nccl::estimated_us(tuning, e, size);
    }
    rows.push_back(std::move(row));
  }
}

// NCCL's scores beat the links of large vectors: a row takes what the links do, if that is longer.
void add_symmetric(const nccl::Machine& machine, const NcclEstimate& like,
                   std::vector<NcclEstimate>& rows) {
  for (const nccl::SymmetricKernel& kernel :
       nccl::symmetric_kernels(machine, static_cast<double>(like.bytes))) {
    NcclEstimate row = like;
    row.algorithm = kSymmetric;
    row.protocol = kernel.name;
    row.channels = kernel.blocks;
    row.us = std::max(kernel.us, kernel.links_us);
    row.latency_us = row.bandwidth = 0;
    row.chosen = false;
    row.skipped.clear();
    rows.push_back(std::move(row));
  }
}

std::string chosen_name(const nccl::Estimate& e) {
  return fmt::format("{} {}", nccl::name(e.algorithm), nccl::name(e.protocol));
}

// "16 GPUs: tree ll up to 64 KiB, tree ll128 up to 8 MiB, then nvlstree simple."
std::string crossovers(const nccl::Tuning& tuning, collectives::Operand operand) {
  constexpr double kFirst = 64, kLast = 16.0 * (1 << 30);
  const nccl::Support support = nccl_support(tuning.machine, tuning.collective, operand);
  const std::vector<nccl::Range> ranges = nccl::choices(tuning, kFirst, kLast, support);
  std::string text = fmt::format("{}, {}: NCCL takes ", show_plural(tuning.machine.ranks(), "GPU"),
                                 name(tuning.collective));
  for (std::size_t i = 0; i < ranges.size(); ++i)
    text +=
        i + 1 == ranges.size()
            ? fmt::format("{}{}.", i > 0 ? "then " : "always ", chosen_name(*ranges[i].estimate))
            : fmt::format("{} up to {}, ", chosen_name(*ranges[i].estimate),
                          show_bytes(static_cast<std::int64_t>(ranges[i].last)));
  if (support.ring_weight > 1)
    text += fmt::format(" It avoids rings for {}, since their sums lose precision.",
                        name(operand.dtype));
  return text;
}

}  // namespace

bool asks_for_nccl(const std::vector<std::string>& words, const ModelOptions& model) {
  const bool on_nccl = model.model == kNcclNetwork;
  const bool native = words.size() == 1 && words.front() == kLibrary;
  if (on_nccl && !native) {
    const auto other = std::ranges::find_if(words, [](const auto& w) { return w != kLibrary; });
    fail(Blame::usage, fmt::format("network nccl predicts NCCL's own collectives: write `arlab "
                                   "simulate native --network nccl:...`, without {}",
                                   other == words.end() ? "other algorithms" : *other));
  }
  return on_nccl;
}

NcclEstimates estimate_nccl(const SweepOptions& o, const ModelOptions& model) {
  NcclEstimates all;
  const Collective collective = o.parsed_collective();
  for (const nccl::Machine& machine : machines_of(o, model)) {
    const nccl::Tuning tuning = nccl::tune(machine, collective);
    for (const collectives::DType dtype : o.parsed_dtypes())
      for (const collectives::Op op : o.parsed_ops()) {
        for (const Count elements : o.parsed_elements(dtype)) {
          if (elements < 1) fail(Blame::usage, "--size 0: NCCL sends nothing; give a byte or more");
          const Count bytes = elements * static_cast<Count>(collectives::size_of(dtype));
          add_rows(tuning, bytes, {dtype, op}, all.rows);
          if (collective == Collective::allreduce &&
              nccl_support(machine, collective, {dtype, op}).symmetric)
            add_symmetric(machine, NcclEstimate(all.rows.back()), all.rows);
        }
        all.crossovers.push_back(crossovers(tuning, {dtype, op}));
      }
  }
  return all;
}

std::string table_of(const NcclEstimates& estimates) {
  std::vector<std::vector<std::string>> rows;
  std::set<std::string> left_out;
  for (const NcclEstimate& r : estimates.rows) {
    const std::string what = r.algorithm + " " + r.protocol;
    if (!r.skipped.empty()) {
      left_out.insert(
          fmt::format("{} x {} GPUs, {}: {}", r.nodes, r.ranks_per_node, what, r.skipped));
      continue;
    }
    rows.push_back({fmt::format("{} x {}", r.nodes, r.ranks_per_node), show_bytes(r.bytes), what,
                    fmt::format("{}", r.channels), r.bandwidth > 0 ? show_time(r.latency_us) : "",
                    r.bandwidth > 0 ? fmt::format("{:.1f} GB/s", r.bandwidth) : "", show_time(r.us),
                    fmt::format("{:.1f} GB/s", static_cast<double>(r.bytes) / r.us / 1000),
                    r.chosen ? "yes" : ""});
  }
  std::string text = markdown({"nodes x GPUs", "size", "algorithm", "channels", "latency",
                               "bandwidth", "time", "algbw", "NCCL takes"},
                              rows);
  text += "\n";
  for (const std::string& sentence : estimates.crossovers) text += sentence + "\n";
  if (std::ranges::any_of(estimates.rows, [](const auto& r) { return r.algorithm == kSymmetric; }))
    text +=
        "Symmetric kernels need buffers that all GPUs map (windows). Their times are the scores by "
        "which NCCL picks one of them, or what the links take, whichever is longer.\n";
  for (const std::string& reason : left_out) text += fmt::format("Not considered: {}.\n", reason);
  return text;
}

nlohmann::ordered_json to_json(const NcclEstimate& r) {
  const bool done = r.skipped.empty();
  const auto number = [&](bool given, double value) {
    return given ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
  };
  return {{"schema", kSchema},
          {"kind", "nccl"},
          {"collective", r.collective},
          {"machine", r.machine},
          {"nodes", r.nodes},
          {"ranks_per_node", r.ranks_per_node},
          {"ranks", r.nodes * r.ranks_per_node},
          {"dtype", r.dtype},
          {"op", r.op},
          {"bytes", r.bytes},
          {"algorithm", r.algorithm},
          {"protocol", r.protocol},
          {"channels", r.channels},
          {"latency_us", number(done && r.bandwidth > 0, r.latency_us)},
          {"bandwidth_gb_per_s", number(done && r.bandwidth > 0, r.bandwidth)},
          {"modelled_us", number(done, r.us)},
          {"chosen", r.chosen},
          {"skipped", done ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(r.skipped)}};
}

}  // namespace arlab::bench

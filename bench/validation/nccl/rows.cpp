#include "bench/validation/nccl/rows.hpp"

#include <algorithm>
#include <cctype>

#include "algorithms/base/read_number.hpp"
#include "bench/text/words.hpp"
#include "bench/validation/published/csv_table.hpp"

namespace arlab::bench {
namespace {

namespace nccl = simulator::nccl;

constexpr Count kMostNodes = 1 << 20, kMostGpusOfNode = 1024;
constexpr double kMostMicroseconds = 1e12;

NcclSplit nccl_split_of(const CsvTable& table, std::size_t row) {
  const std::string text = table.text(row, "split");
  for (const NcclSplit split : {NcclSplit::calibrate, NcclSplit::test, NcclSplit::unfitted})
    if (text == name(split)) return split;
  table.refuse(row, "split", "give calibrate, test or unfitted");
}

bool mentions(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// Cards of GPUs that are usually on boards with NVLink: other clocks, links, and no NVSwitch.
bool is_card(std::string_view machine) {
  return mentions(machine, "PCIe") || mentions(machine, "PCIE") || has_words(machine, "NVL");
}

// How machines write the names of GPUs.
struct KnownGpu {
  std::string_view written, name;
};
constexpr KnownGpu kKnownGpus[] = {{"GB300", "gb300"},
                                   {"GB200", "gb200"},
                                   {"GH200", "gh200"},
                                   {"B300", "b300"},
                                   {"B200", "b200"},
                                   {"H200", "h200"},
                                   {"H100", "h100"},
                                   {"A100", "a100"},
                                   {"V100", "v100"},
                                   {"L40S", "l40s"},
                                   {"RTX PRO 6000", "rtx_pro_6000"},
                                   {"DGX (8 GPUs)", "h100"},
                                   {"A40", "a40"}};

// The release that was current when most machines of a generation were measured.
int usual_version(nccl::Generation generation) {
  if (generation < nccl::Generation::hopper) return nccl::parse_version("2.18.5");
  return nccl::parse_version(generation == nccl::Generation::hopper ? "2.23" : "2.27");
}

// Processors by the makers' data sheets: A100 and p5 have AMD's.
nccl::Cpu cpu_of(const NcclRow& row, const nccl::Gpu& gpu) {
  const bool amd =
      (gpu.name == "a100" && !mentions(row.machine, "ABCI")) || mentions(row.machine, "p5");
  return amd ? nccl::Cpu::amd : gpu.cpu;
}

// "InfiniBand HDR 4x200G": 4 NICs of 200 Gbit/s.
void add_network(nccl::Machine& machine, const std::string& text) {
  constexpr double kEfaLatency = 20;  // us, which AWS's own tuner counts on p5
  if (mentions(text, "EFA")) machine.nic_latency = kEfaLatency;
  std::size_t at = 0;
  while ((at = text.find('x', at + 1)) != std::string::npos) {
    std::size_t first = at;
    while (first > 0 && std::isdigit(static_cast<unsigned char>(text[first - 1]))) --first;
    int nics = 0;
    double gigabits = 0;
    const char* const end = text.data() + text.size();
    if (from_chars(text.data() + first, text.data() + at, nics).ec != std::errc() ||
        from_chars(text.data() + at + 1, end, gigabits).ec != std::errc())
      continue;
    if (nics < 1 || nics > kMostGpusOfNode || !(gigabits > 0 && gigabits < 10000)) continue;
    machine.nics = nics;
    machine.nic = gigabits / 8;
    return;
  }
}

}  // namespace

std::string_view name(NcclSplit split) {
  return split == NcclSplit::calibrate ? "calibrate"
         : split == NcclSplit::test    ? "test"
                                       : "unfitted";
}

std::vector<NcclRow> read_nccl_rows(std::string_view text, const std::string& name) {
  const CsvTable table(text, name,
                       {"machine", "gpus", "nodes", "network", "nccl_version", "collective",
                        "dtype", "size_bytes", "time_us", "in_place", "split"});
  std::vector<NcclRow> rows;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const Count gpus = table.whole(i, "gpus", 1), nodes = table.whole(i, "nodes", 1);
    if (nodes > kMostNodes) table.refuse(i, "nodes", "give at most 1048576");
    if (gpus % nodes != 0 || gpus / nodes > kMostGpusOfNode)
      table.refuse(i, "gpus", "give as many GPUs to each node, at most 1024");
    NcclRow row{.machine = table.text(i, "machine"),
                .network = table.text(i, "network"),
                .version = table.text(i, "nccl_version"),
                .nodes = static_cast<Rank>(nodes),
                .gpus_per_node = static_cast<Rank>(gpus / nodes),
                .collective = table.text(i, "collective"),
                .dtype = table.text(i, "dtype"),
                .bytes = static_cast<double>(table.whole(i, "size_bytes", 1)),
                .in_place = table.text(i, "in_place") == "1",
                .us = table.number(i, "time_us", 1e-6),
                .split = nccl_split_of(table, i)};
    if (row.machine.empty()) table.refuse(i, "machine", "name the machine");
    if (row.us > kMostMicroseconds) table.refuse(i, "time_us", "give at most 1e12");
    rows.push_back(std::move(row));
  }
  return rows;
}

std::optional<nccl::Machine> machine_of(const NcclRow& row) {
  if (row.known) {
    nccl::Machine machine = *row.known;
    machine.nodes = row.nodes;
    machine.ranks_per_node = row.gpus_per_node;
    return machine;
  }
  const auto known = std::ranges::find_if(
      kKnownGpus, [&](const KnownGpu& gpu) { return has_words(row.machine, gpu.written); });
  if (known == std::end(kKnownGpus) || !why_no_machine(row).empty()) return std::nullopt;
  const nccl::Gpu& gpu = nccl::find_gpu(is_card(row.machine) ? "h100_pcie" : known->name);
  nccl::Machine machine{
      .gpu = gpu, .cpu = cpu_of(row, gpu), .nodes = row.nodes, .ranks_per_node = row.gpus_per_node};
  machine.version = row.version.empty() ? usual_version(machine.gpu.generation)
                                        : nccl::parse_version(row.version);
  // DGX-1 and its like have 8 V100 without a switch.
  machine.cube_mesh = known->name == "v100" && mentions(row.machine, "8x");
  if (row.nodes > 1) add_network(machine, row.network);
  return machine;
}

std::string why_no_machine(const NcclRow& row) {
  if (row.known || !is_card(row.machine)) return "";
  const bool has_sheet = has_words(row.machine, "H100") && !has_words(row.machine, "NVL");
  return has_sheet ? "" : "a PCIe or NVL card without a data sheet here: " + row.machine;
}

std::optional<Collective> collective_of(std::string_view name) {
  if (name == "all_reduce") return Collective::allreduce;
  if (name == "all_gather") return Collective::all_gather;
  if (name == "reduce_scatter") return Collective::reduce_scatter;
  return std::nullopt;
}

}  // namespace arlab::bench

// The matrix of `nvidia-smi topo -m`: NV# is that many NVLinks; PIX, PXB, PHB, NODE and SYS are
// ever longer ways over PCIe.
//
// The matrix does not say how fast a link is: nvlink= and, where NVLinks do not join all GPUs,
// pcie= do, after the file's name. Where a GPU would have more NVLinks than a GPU has ports if they
// led to one another, they lead to an NVSwitch. Else GPUs forward messages.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <optional>

#include "bench/formats/topologies/graph_writer.hpp"
#include "bench/formats/topologies/network_file.hpp"
#include "bench/text/words.hpp"

namespace arlab::bench {
namespace {

constexpr std::array kWays{"PIX", "PXB", "PHB", "NODE", "SYS"};
constexpr long kMostPorts = 18;  // of a GPU: 6 on V100, 12 on A100, 18 on H100 and B200

// What joins two GPUs: NVLinks, or else the number of the way over PCIe.
struct Joint {
  long nvlinks = 0;
  std::size_t way = kWays.size();
};

struct Matrix {
  std::vector<std::vector<Joint>> rows;
  std::vector<std::size_t> lines;  // of the file
  std::size_t size() const { return rows.size(); }
};

Joint read_cell(const NetworkText& text, std::string_view cell, std::size_t line) {
  if (cell.starts_with("NV")) return {text.whole(cell.substr(2), line, "NV", 1, 72), kWays.size()};
  if (cell == "SOC") cell = "SYS";  // of old drivers
  const auto way = std::find(kWays.begin(), kWays.end(), cell);
  if (way == kWays.end())
    text.wrong(line, fmt::format("{} joins two GPUs: write NV#, PIX, PXB, PHB, NODE or SYS",
                                 in_quotes(cell)));
  return {0, static_cast<std::size_t>(way - kWays.begin())};
}

std::size_t count_gpus(const NetworkText& text, const std::vector<std::string_view>& words,
                       std::size_t line) {
  std::size_t gpus = 0;
  while (gpus < words.size() && words[gpus] == fmt::format("GPU{}", gpus)) ++gpus;
  for (std::size_t w = gpus; w < words.size(); ++w)
    if (words[w].starts_with("GPU") && words[w] != "GPU")
      text.wrong(line, fmt::format("{} is not where GPU{} is expected: write the GPUs in order",
                                   in_quotes(words[w]), gpus));
  return gpus;
}

Matrix read_matrix(const NetworkText& text) {
  Matrix matrix;
  std::size_t line = 0, gpus = 0;
  for (const std::string_view whole : text.lines()) {
    ++line;
    const auto words = words_of(whole);
    if (words.empty()) continue;
    if (whole.find("ROCm") != std::string_view::npos ||
        whole.find("XGMI") != std::string_view::npos)
      text.wrong(line, "this is of rocm-smi, which is not read: write the network as GraphML");
    const bool row = words.size() > 1 && words[0].starts_with("GPU") &&
                     !words[1].starts_with("GPU") && words[1] != "CPU";
    if (gpus == 0) {
      if (words[0] == "GPU0") gpus = count_gpus(text, words, line);
      continue;
    }
    if (matrix.size() == gpus) {
      if (words[0].starts_with("GPU"))
        text.wrong(line, fmt::format("{} follows the {} GPUs of the matrix: give one matrix",
                                     in_quotes(words[0]), gpus));
      continue;
    }
    const std::string name = fmt::format("GPU{}", matrix.size());
    if (!row || words[0] != name)
      text.wrong(line, fmt::format("{} is not the row of {}: write all rows in order",
                                   in_quotes(words[0]), name));
    if (words.size() < gpus + 1)
      text.wrong(line, fmt::format("the row of {} has {} of {} cells: write all", name,
                                   words.size() - 1, gpus));
    std::vector<Joint> joints(gpus);
    for (std::size_t g = 0; g < gpus; ++g) {
      if ((words[g + 1] == "X") != (g == matrix.size()))
        text.wrong(line, fmt::format("{} stands between {} and GPU{}: write X where a GPU meets "
                                     "itself, only there",
                                     in_quotes(words[g + 1]), name, g));
      if (g != matrix.size()) joints[g] = read_cell(text, words[g + 1], line);
    }
    matrix.rows.push_back(std::move(joints));
    matrix.lines.push_back(line);
  }
  if (gpus == 0 || matrix.size() < gpus)
    text.wrong(
        std::max<std::size_t>(line, 1),
        fmt::format("the matrix ends before the row of GPU{}: add the rest of it", matrix.size()));
  return matrix;
}

void check_symmetric(const NetworkText& text, const Matrix& matrix) {
  for (std::size_t a = 0; a < matrix.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) {
      const Joint &here = matrix.rows[a][b], &there = matrix.rows[b][a];
      if (here.nvlinks != there.nvlinks || here.way != there.way)
        text.wrong(matrix.lines[a],
                   fmt::format("what joins GPU{} and GPU{} is another in line {}: make them the "
                               "same",
                               a, b, matrix.lines[b]));
    }
}

// Numbers the parts of the GPUs that `joined` pairs form.
template <class Joined>
std::vector<std::size_t> parts_of(std::size_t gpus, Joined joined) {
  std::vector<std::size_t> part(gpus);
  std::iota(part.begin(), part.end(), std::size_t{0});
  for (std::size_t a = 0; a < gpus; ++a)
    for (std::size_t b = 0; b < a; ++b)
      if (joined(a, b) && part[a] != part[b]) {
        const std::size_t from = part[a], to = part[b];
        std::replace(part.begin(), part.end(), from, to);
      }
  return part;
}

class SmiGraph {
 public:
  SmiGraph(const NetworkText& text, const Matrix& matrix, simulator::FileSettings& settings)
      : text_(text), matrix_(matrix), settings_(settings) {
    part_ = parts_of(matrix.size(),
                     [&](std::size_t a, std::size_t b) { return matrix.rows[a][b].nvlinks > 0; });
    one_part_ =
        std::all_of(part_.begin(), part_.end(), [&](std::size_t part) { return part == part_[0]; });
  }

  simulator::ParsedGraph graph() {
    for (std::size_t g = 0; g < matrix_.size(); ++g)
      hosts_.push_back(
          writer_.add_host(fmt::format("gpu{}", g), "", nvlinks(g) > 0 && !is_switched(g)));
    if (matrix_.size() == 1)
      text_.wrong(matrix_.lines[0], "one GPU is no network: give a matrix of several");
    for (std::size_t g = 0; g < matrix_.size(); ++g) add_nvlinks(g);
    if (!one_part_) add_pcie();
    return writer_.graph();
  }

 private:
  long nvlinks(std::size_t g) const {
    long sum = 0;
    for (const Joint& joint : matrix_.rows[g]) sum += joint.nvlinks;
    return sum;
  }

  // More than the ports of a GPU: each number is that of all its links, which lead to a switch.
  bool is_switched(std::size_t g) const { return nvlinks(g) > kMostPorts; }

  double nvlink_rate() const {
    const std::optional<double> rate = settings_.nvlink();
    if (!rate)
      text_.wrong(matrix_.lines[0],
                  fmt::format("the matrix does not say how fast an NVLink is: name it after the "
                              "file, as in {}:nvlink=25GB/s (V100, A100, H100; B200: 50GB/s)",
                              text_.name()));
    return *rate;
  }

  void add_nvlinks(std::size_t g) {
    if (is_switched(g)) {
      add_switched(g);
      return;
    }
    for (std::size_t other = 0; other < g; ++other)
      if (const long count = matrix_.rows[g][other].nvlinks; count > 0)
        writer_.add_cable(hosts_[g], hosts_[other], nvlink_rate() * static_cast<double>(count),
                          std::nullopt, matrix_.lines[g]);
  }

  void add_switched(std::size_t g) {
    long count = 0;
    for (std::size_t other = 0; other < matrix_.size(); ++other) {
      if (other == g || part_[other] != part_[g]) continue;
      const long here = matrix_.rows[g][other].nvlinks;
      if (count == 0) count = here;
      if (here == 0 || here != count || here > kMostPorts)
        text_.wrong(matrix_.lines[g],
                    fmt::format("GPU{} has {} NVLinks, which are too many without an NVSwitch "
                                "that joins all alike: write the network as GraphML",
                                g, nvlinks(g)));
    }
    const auto middle = switches_.find(part_[g]);
    const GraphWriter::Node node =
        middle != switches_.end()
            ? middle->second
            : switches_.emplace(part_[g], writer_.add_switch(fmt::format("nvswitch{}", part_[g])))
                  .first->second;
    writer_.add_cable(hosts_[g], node, nvlink_rate() * static_cast<double>(count), std::nullopt,
                      matrix_.lines[g]);
  }

  // A tree: the GPUs that a way joins have a switch, below that of the next longer way. Each GPU is
  // behind a device of its own, so that a way over NVLink is the shorter one.
  void add_pcie() {
    pcie_ = settings_.pcie();
    if (!pcie_)
      text_.wrong(matrix_.lines[0],
                  fmt::format("NVLinks do not join all GPUs, and the matrix does not say how fast "
                              "PCIe is: name it after the file, as in {}:pcie=25GB/s",
                              text_.name()));
    std::vector<GraphWriter::Node> below;
    for (std::size_t g = 0; g < matrix_.size(); ++g) {
      below.push_back(writer_.add_switch(fmt::format("pcie{}", g)));
      writer_.add_cable(hosts_[g], below[g], *pcie_, 0, matrix_.lines[g]);
    }
    for (std::size_t way = 0; way < kWays.size(); ++way) {
      const bool last = way + 1 == kWays.size();
      const auto part = parts_of(matrix_.size(), [&](std::size_t a, std::size_t b) {
        return last || below[a] == below[b] || matrix_.rows[a][b].way <= way;
      });
      add_level(way, part, below);
    }
  }

  void add_level(std::size_t way, const std::vector<std::size_t>& part,
                 std::vector<GraphWriter::Node>& below) {
    const std::vector<GraphWriter::Node> before = below;
    for (std::size_t p = 0; p < part.size(); ++p) {
      std::vector<GraphWriter::Node> members;
      std::size_t line = 0;
      for (std::size_t g = 0; g < part.size(); ++g)
        if (part[g] == p) {
          if (std::find(members.begin(), members.end(), before[g]) == members.end())
            members.push_back(before[g]);
          line = matrix_.lines[g];
        }
      if (members.size() < 2) continue;
      const GraphWriter::Node above = writer_.add_switch(fmt::format("{}{}", kWays[way], p));
      for (const GraphWriter::Node member : members)
        writer_.add_cable(member, above, *pcie_, std::nullopt, line);
      for (std::size_t g = 0; g < part.size(); ++g)
        if (part[g] == p) below[g] = above;
    }
  }

  const NetworkText& text_;
  const Matrix& matrix_;
  simulator::FileSettings& settings_;
  std::optional<double> pcie_;
  std::vector<std::size_t> part_;
  bool one_part_ = false;
  std::vector<GraphWriter::Node> hosts_;
  std::map<std::size_t, GraphWriter::Node> switches_;  // by part
  GraphWriter writer_;
};

}  // namespace

simulator::ParsedGraph parse_nvidia_smi(const NetworkText& text,
                                        simulator::FileSettings& settings) {
  const Matrix matrix = read_matrix(text);
  check_symmetric(text, matrix);
  return SmiGraph(text, matrix, settings).graph();
}

}  // namespace arlab::bench

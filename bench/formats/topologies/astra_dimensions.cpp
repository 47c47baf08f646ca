// ASTRA-sim's analytical networks: the shape, size, bandwidth and latency of each dimension, the
// innermost first. The format is YAML, of which these files use lists of words in one or several
// lines.
//
// As astra-network-analytical builds them (common/NetworkFunction, congestion_aware/): a gigabyte
// has 2^30 bytes, each link has the dimension's bandwidth each way, a ring has links to both
// neighbors, and a switch has a link to each of its hosts, with the latency on each.
#include <fmt/format.h>

#include <array>

#include "bench/formats/topologies/graph_writer.hpp"
#include "bench/formats/topologies/network_file.hpp"
#include "bench/text/words.hpp"

namespace arlab::bench {
namespace {

constexpr std::array kKeys{"topology", "npus_count", "bandwidth", "latency"};
constexpr long kMostHosts = 1 << 20;

// The values of a key, and the lines on which they stand.
struct List {
  std::vector<std::string_view> values;
  std::size_t line = 0;
};
using Lists = std::array<List, kKeys.size()>;

struct Dimension {
  std::string_view shape;
  long size = 0;
  double bandwidth = 0, latency = 0;  // bytes per second, picoseconds
  std::size_t line = 0;
};

class DimensionReader {
 public:
  explicit DimensionReader(const NetworkText& text) : text_(text) {}

  std::vector<Dimension> read() {
    std::size_t number = 0;
    for (std::string_view line : text_.lines()) {
      ++number;
      line = line.substr(0, line.find('#'));
      if (!words_of(line).empty()) add_line(line, number);
    }
    if (open_) text_.wrong(open_->line, "the list has no end: add ]");
    return dimensions();
  }

 private:
  void add_line(std::string_view line, std::size_t number) {
    if (!open_) {
      const std::size_t colon = line.find(':');
      const auto before = words_of(line.substr(0, colon));
      if (colon == line.npos || before.size() != 1)
        text_.wrong(number, fmt::format("{} is no key with a list: write for example bandwidth: "
                                        "[ 50.0 ]",
                                        in_quotes(line)));
      start(before[0], number);
      line.remove_prefix(colon + 1);
      const std::size_t bracket = line.find_first_not_of(" \t");
      if (bracket == line.npos || line[bracket] != '[')
        text_.wrong(number, fmt::format("{} has no list: write for example {}: [ 50.0 ]", before[0],
                                        before[0]));
      line.remove_prefix(bracket + 1);
    }
    const std::size_t end = line.find(']');
    add_values(line.substr(0, end), number);
    if (end == line.npos) return;
    if (expects_value_)
      text_.wrong(number, "a comma has nothing after it: remove it, or add the value");
    if (const auto rest = words_of(line.substr(end + 1)); !rest.empty())
      text_.wrong(number, fmt::format("{} follows the list: remove it", in_quotes(rest[0])));
    open_ = nullptr;
  }

  void start(std::string_view key, std::size_t number) {
    const auto found = std::find(kKeys.begin(), kKeys.end(), key);
    if (found == kKeys.end())
      text_.wrong(number, fmt::format("the key {} is not read, only {}: remove it", in_quotes(key),
                                      fmt::join(kKeys, ", ")));
    open_ = &lists_[static_cast<std::size_t>(found - kKeys.begin())];
    if (open_->line != 0) text_.wrong(number, fmt::format("{} is given twice: remove one", key));
    open_->line = number;
    expects_value_ = false;
  }

  // Values and the commas between them.
  void add_values(std::string_view part, std::size_t number) {
    while (true) {
      const std::size_t comma = part.find(',');
      const auto words = words_of(part.substr(0, comma));
      if (words.size() > 1)
        text_.wrong(number, fmt::format("no comma before {}: add it", in_quotes(words[1])));
      if (words.empty() && comma != part.npos)
        text_.wrong(number, "a comma has no value before it: add the value");
      if (!words.empty()) {
        if (!expects_value_ && !open_->values.empty())
          text_.wrong(number, fmt::format("no comma before {}: add it", in_quotes(words[0])));
        open_->values.push_back(words[0]);
        expects_value_ = false;
      }
      if (comma == part.npos) return;
      expects_value_ = true;
      part.remove_prefix(comma + 1);
    }
  }

  double number(const List& list, std::size_t at, std::string_view what, double least) const {
    double value = 0;
    try {
      value = parse_number(list.values[at], "");
    } catch (const Error&) {
      value = -1;
    }
    if (value < least || value > 1e9)
      text_.wrong(list.line,
                  fmt::format("{} is {}: write a number {}", what, in_quotes(list.values[at]),
                              least > 0 ? "above zero" : "from 0 on"));
    return value;
  }

  std::vector<Dimension> dimensions() const {
    const List &shapes = lists_[0], &counts = lists_[1];
    for (std::size_t k = 0; k < kKeys.size(); ++k) {
      if (lists_[k].line == 0)
        text_.wrong(1, fmt::format("the network has no {}: add it", kKeys[k]));
      if (lists_[k].values.size() != shapes.values.size() || shapes.values.empty())
        text_.wrong(lists_[k].line,
                    fmt::format("{} has {} values, but topology has {}: give one per dimension",
                                kKeys[k], lists_[k].values.size(), shapes.values.size()));
    }
    std::vector<Dimension> all;
    long hosts = 1;
    for (std::size_t d = 0; d < shapes.values.size(); ++d) {
      const std::string_view shape = shapes.values[d];
      if (shape != "Ring" && shape != "FullyConnected" && shape != "Switch")
        text_.wrong(shapes.line, fmt::format("a dimension is {}: write Ring, FullyConnected or "
                                             "Switch",
                                             in_quotes(shape)));
      const long size = text_.whole(counts.values[d], counts.line, "npus_count", 1, kMostHosts);
      hosts *= size;
      if (hosts > kMostHosts)
        text_.wrong(counts.line,
                    fmt::format("the network has over {} hosts: write smaller sizes", kMostHosts));
      constexpr double kGigabyte = 1 << 30, kPicosecondsPerNanosecond = 1000;
      all.push_back({shape, size, kGigabyte * number(lists_[2], d, "bandwidth", 1e-9),
                     kPicosecondsPerNanosecond * number(lists_[3], d, "latency", 0), shapes.line});
    }
    return all;
  }

  const NetworkText& text_;
  Lists lists_;
  List* open_ = nullptr;        // the list whose end was not read yet
  bool expects_value_ = false;  // after a comma
};

// Joins the hosts of one line of a dimension: first, first + stride, ...
void join(GraphWriter& writer, const Dimension& of, long first, long stride,
          const std::string& name) {
  const auto host = [&](long i) { return static_cast<GraphWriter::Node>(first + i * stride); };
  const auto cable = [&](GraphWriter::Node a, GraphWriter::Node b) {
    writer.add_cable(a, b, of.bandwidth, of.latency, of.line);
  };
  if (of.size == 1) return;
  if (of.shape == "Switch") {
    const GraphWriter::Node middle = writer.add_switch(name);
    for (long i = 0; i < of.size; ++i) cable(host(i), middle);
  } else if (of.shape == "Ring") {
    for (long i = 0; i + 1 < of.size; ++i) cable(host(i), host(i + 1));
    if (of.size > 2) cable(host(of.size - 1), host(0));
  } else {
    for (long i = 0; i < of.size; ++i)
      for (long j = i + 1; j < of.size; ++j) cable(host(i), host(j));
  }
}

}  // namespace

simulator::ParsedGraph parse_astra_dimensions(const NetworkText& text) {
  const std::vector<Dimension> dimensions = DimensionReader(text).read();
  long hosts = 1;
  double links = 0;
  for (const Dimension& d : dimensions) hosts *= d.size;
  for (const Dimension& d : dimensions)
    links += static_cast<double>(hosts) *
             (d.shape == "FullyConnected" ? static_cast<double>(d.size) - 1 : 2);
  if (links > static_cast<double>(simulator::kMostEdges))
    text.wrong(dimensions[0].line, fmt::format("the network has over {} links: write smaller sizes",
                                               simulator::kMostEdges));
  GraphWriter writer;
  const bool nodes = dimensions.size() > 1 && dimensions[0].size > 1;
  for (long h = 0; h < hosts; ++h)
    writer.add_host(fmt::format("npu{}", h),
                    nodes ? fmt::format("{}", h / dimensions[0].size) : "");
  long stride = 1;
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    const long size = dimensions[d].size;
    for (long line = 0; line < hosts / size; ++line)
      join(writer, dimensions[d], line / stride * stride * size + line % stride, stride,
           fmt::format("dim{}-switch{}", d, line));
    stride *= size;
  }
  return writer.graph();
}

}  // namespace arlab::bench

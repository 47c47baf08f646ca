#include "bench/formats/machine_file.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>

#include "algorithms/base/error.hpp"
#include "algorithms/base/names.hpp"

namespace arlab::bench {
namespace {

constexpr std::string_view kPostings[] = {"receives", "sends", "sends of exchanges"};

// One table of the file, whose keys must all be known.
class Section {
 public:
  Section(const toml::table& root, std::string_view name, const std::string& file)
      : name_(name), file_(file), table_(root[name].as_table()) {
    if (!table_ && root.contains(name)) wrong(*root.get(name), name, "is not a table");
  }

  bool exists() const { return table_ != nullptr; }

  [[noreturn]] void missing(std::string_view key) const {
    fail(Blame::usage, fmt::format("{}: {}.{} is missing: calibrate the machine again, or add it",
                                   file_, name_, key));
  }

  bool has(std::string_view key) const { return table_ && table_->contains(key); }

  double number(std::string_view key, double least = 0, double most = 1e18) {
    const toml::node& node = at(key);
    const auto value = node.value<double>();
    if (!value || node.is_boolean()) wrong(node, key_of(key), "is not a number");
    check(node, key_of(key), *value, least, most);
    return *value;
  }

  std::string text(std::string_view key) {
    const toml::node& node = at(key);
    if (!node.is_string()) wrong(node, key_of(key), "is not a text in quotes");
    return *node.value<std::string>();
  }

  bool flag(std::string_view key) {
    const toml::node& node = at(key);
    if (!node.is_boolean()) wrong(node, key_of(key), "is neither true nor false");
    return *node.value<bool>();
  }

  // [[bytes, microseconds], ...]
  simulator::SizeCurve curve(std::string_view key) {
    const toml::node& node = at(key);
    const std::string name = key_of(key);
    const toml::array* rows = node.as_array();
    if (!rows) wrong(node, name, "is not a list of [bytes, microseconds]");
    simulator::SizeCurve curve;
    for (const toml::node& row : *rows) {
      const toml::array* pair = row.as_array();
      if (!pair || pair->size() != 2)
        wrong(row, name, "has an entry that is not [bytes, microseconds]");
      const auto bytes = (*pair)[0].value<double>(), us = (*pair)[1].value<double>();
      if (!bytes || !us) wrong(row, name, "has an entry that is not two numbers");
      check(row, name, *bytes, 1, 1e18);
      check(row, name, *us, 0, 1e12);
      if (!curve.points.empty() && *bytes <= curve.points.back().bytes)
        wrong(row, name,
              fmt::format("has {:.17g} bytes after {:.17g}: sizes must ascend", *bytes,
                          curve.points.back().bytes));
      curve.points.push_back({*bytes, 1e6 * *us});
    }
    return curve;
  }

  // Throws for a key that nobody has asked for.
  void expect_no_others() const {
    for (const auto& [key, node] : *table_) {
      const std::string_view name = key.str();
      if (std::find(known_.begin(), known_.end(), name) != known_.end()) continue;
      wrong(node, key_of(name), fmt::format("is unknown{}", did_you_mean(name, known_)));
    }
  }

 private:
  std::string key_of(std::string_view key) const { return fmt::format("{}.{}", name_, key); }

  const toml::node& at(std::string_view key) {
    known_.push_back(key);
    if (const toml::node* node = table_ ? table_->get(key) : nullptr) return *node;
    missing(key);
  }

  void check(const toml::node& node, std::string_view key, double value, double least,
             double most) const {
    if (std::isfinite(value) && value >= least && value <= most) return;
    wrong(node, key,
          fmt::format("is or has {:.6g}: give a number from {:.6g} to {:.6g}", value, least, most));
  }

  [[noreturn]] void wrong(const toml::node& node, std::string_view key,
                          std::string_view what) const {
    fail(Blame::usage, fmt::format("{}, line {}: {} {}: correct it, or calibrate the machine again",
                                   file_, node.source().begin.line, key, what));
  }

  std::string_view name_;
  const std::string& file_;
  const toml::table* table_;
  std::vector<std::string_view> known_;
};

simulator::Machine machine_of(Section& s) {
  constexpr double kMicrosecond = 1e6, kLongest = 1e9;  // picoseconds; microseconds
  simulator::Machine m;
  m.latency = kMicrosecond * s.number("latency_us", 0, kLongest);
  m.gap = kMicrosecond * s.number("gap_us", 0, kLongest);
  m.beta = 1e3 * s.number("port_ns_per_byte", 0, kLongest);
  m.envelope = s.number("envelope_bytes");
  m.acks = s.number("acks_per_byte", 0, 1);
  m.burst = s.number("burst_bytes");
  if (s.has("burst_left_bytes")) m.burst_left = s.number("burst_left_bytes");  // not in older files
  m.eager = s.number("eager_bytes");
  m.socket = s.number("socket_bytes");
  m.queue = s.number("backlog_bytes");
  m.segment = s.number("segment_bytes", 1);
  m.drift = kMicrosecond * s.number("drift_us", 0, kLongest);
  m.drift_long = kMicrosecond * s.number("drift_long_us", 0, kLongest);
  m.ordered = s.flag("ordered");
  const std::string posting = s.text("posting");
  const auto found = std::find(std::begin(kPostings), std::end(kPostings), posting);
  if (found == std::end(kPostings)) fail_unknown("machine.posting", posting, kPostings);
  m.posting = static_cast<simulator::Posting>(found - std::begin(kPostings));
  m.mtu = static_cast<Bytes>(s.number("packet_bytes", 1, 1e9));
  m.host = s.curve("host_us");
  m.reduction = s.curve("reduction_us");
  if (s.has("shared")) m.shared = s.flag("shared");  // these are of ranks of one machine only
  if (s.has("host_together_us")) m.host_together = s.curve("host_together_us");
  if (s.has("reduction_sent_us")) m.reduction_sent = s.curve("reduction_sent_us");
  return m;
}

toml::table parsed(std::string_view text, const std::string& file) {
  try {
    return toml::parse(text, file);
  } catch (const toml::parse_error& e) {
    fail(Blame::usage, fmt::format("{}, line {}: {}: give a file that `arlab calibrate` wrote",
                                   file, e.source().begin.line, e.description()));
  }
}

}  // namespace

MachineFile parse_machine(std::string_view text, const std::string& file) {
  const toml::table root = parsed(text, file);
  Section head(root, "machine", file), network(root, "network", file);
  if (!head.exists()) head.missing("latency_us");
  MachineFile result;
  result.machine = machine_of(head);
  head.expect_no_others();
  if (network.exists()) {
    result.topology = network.text("topology");
    result.placement = network.text("placement");
    network.expect_no_others();
  }
  return result;
}

}  // namespace arlab::bench

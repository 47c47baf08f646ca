// MachineSection: one table of a machine file.
#pragma once

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/base/error.hpp"
#include "algorithms/base/names.hpp"
#include "simulator/connections/size_curve.hpp"

namespace arlab::bench {

// One table of the file, whose keys must all be known.
class MachineSection {
 public:
  MachineSection(const toml::table& root, std::string_view name, const std::string& file)
      : name_(name), file_(file), table_(root[name].as_table()) {
    if (!table_ && root.contains(name)) wrong(*root.get(name), name, "is not a table");
  }
  /// One table of the list `name`.
  MachineSection(const toml::node& entry, std::string_view name, const std::string& file)
      : name_(name), file_(file), table_(entry.as_table()) {
    if (!table_) wrong(entry, name, "has an entry that is not a table");
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

  // A list of that number of numbers.
  std::vector<double> numbers(std::string_view key, std::size_t count, double most = 1e18) {
    const toml::node& node = at(key);
    const std::string name = key_of(key);
    const toml::array* all = node.as_array();
    if (!all || all->size() != count)
      wrong(node, name, fmt::format("is not a list of {} numbers", count));
    std::vector<double> values;
    for (const toml::node& one : *all) {
      const auto value = one.value<double>();
      if (!value) wrong(one, name, "has an entry that is not a number");
      check(one, name, *value, 0, most);
      values.push_back(*value);
    }
    return values;
  }

  // A list of tables.
  const toml::array& tables(std::string_view key) {
    const toml::node& node = at(key);
    if (!node.is_array()) wrong(node, key_of(key), "is not a list of tables");
    return *node.as_array();
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

}  // namespace arlab::bench

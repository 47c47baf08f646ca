// Schedule files have one number of ranks, collective, and root, which need not be given.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <set>

#include "algorithms/base/error.hpp"
#include "bench/options/options.hpp"

namespace arlab::bench {
namespace {

// Throws if the files cannot be in one sweep.
void check_alike(const Script& a, const Script& b) {
  const auto differ = [&](std::string_view of_a, std::string_view of_b) {
    fail(Blame::usage, fmt::format("{} is a schedule {}, and {} one {}: give each a command of "
                                   "its own",
                                   a.name, of_a, b.name, of_b));
  };
  if (a.collective != b.collective)
    differ(fmt::format("for {}", name(a.collective)), fmt::format("for {}", name(b.collective)));
  if (a.root != b.root)
    differ(fmt::format("with root {}", a.root), fmt::format("with root {}", b.root));
}

}  // namespace

void SweepOptions::take_defaults(const std::string& usual_ranks) {
  std::vector<const Script*> files;
  for (const std::string& name : wanted_algorithms()) files.push_back(schedule_in(name));
  if (std::find(files.begin(), files.end(), nullptr) == files.end()) take_from(files);
  if (ranks.empty()) ranks = {usual_ranks};
}

bool SweepOptions::names_collective() const { return app_ && app_->count("--collective") > 0; }

// What to give instead, as options, since the schedule is for other values than given; else empty.
std::string SweepOptions::needed_for(const Script& file) const {
  const auto lacks = [](const std::vector<Rank>& given, Rank wanted) {
    return std::find(given.begin(), given.end(), wanted) == given.end();
  };
  std::string needed;
  if (names_collective() && parsed_collective() != file.collective)
    needed += fmt::format(" -c {}", name(file.collective));
  if (!ranks.empty() && lacks(parsed_ranks(), file.ranks))
    needed += fmt::format(" -p {}", file.ranks);
  if (!roots.empty() && !every_root() && lacks(parsed_roots(file.ranks), file.root))
    needed += fmt::format(" --root {}", file.root);
  return needed;
}

void SweepOptions::take_from(const std::vector<const Script*>& files) {
  std::vector<const Script*> fit;
  std::copy_if(files.begin(), files.end(), std::back_inserter(fit),
               [&](const Script* file) { return needed_for(*file).empty(); });
  if (fit.empty()) {
    const Script& file = *files.front();
    fail(Blame::usage,
         fmt::format("{} is a schedule for {} on {} ranks with root {}: use{}", file.name,
                     name(file.collective), file.ranks, file.root, needed_for(file)));
  }
  const Script& first = *fit.front();
  for (const Script* file : fit) check_alike(first, *file);
  own_ranks_ = ranks.empty() && fit.size() == files.size();
  if (!names_collective()) collective = name(first.collective);
  if (roots.empty() && first.root != 0) roots = {std::to_string(first.root)};
  if (!ranks.empty()) return;
  std::set<Rank> all;
  for (const Script* file : fit) all.insert(file->ranks);
  for (const Rank one : all) ranks.push_back(std::to_string(one));
}

}  // namespace arlab::bench

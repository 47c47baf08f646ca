#include "bench/sweep/plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bench/text/say.hpp"
#include "bench/text/table.hpp"
#include "bench/text/units.hpp"
#include "bench/text/write_file.hpp"

namespace arlab::bench {
namespace {

std::string show_messages(double messages) {
  return messages < 9e18 ? show_count(static_cast<Count>(messages))
                         : fmt::format("{:.3g}", messages);
}

double bytes_sent(const Record& r) {
  return r.claimed ? static_cast<double>(r.claimed->elements) *
                         static_cast<double>(collectives::size_of(r.operand.dtype))
                   : 0;
}

std::string range(const std::string& least, const std::string& most) {
  return least == most ? least : least + " to " + most;
}

}  // namespace

std::string show_seconds(double seconds) {
  if (seconds < 120) return show_time(seconds * 1e6);
  if (seconds < 2 * 3600) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.3g} h", seconds / 3600);
}

std::string show_memory(double bytes) {
  return show_bytes(static_cast<Bytes>(std::min(bytes, 9e18)));
}

void Plan::add(const Record& r, const Estimate& e) {
  if (one_by_one_)
    add_row(r, e);
  else
    add_to_sum(r, e);
  if (r.skipped) return;
  ++all_.done;
  all_.memory = std::max(all_.memory, e.memory);
  all_.seconds += e.seconds;
}

void Plan::add_row(const Record& r, const Estimate& e) {
  rows_.push_back({r.algorithm, std::to_string(r.problem.ranks), show_bytes(r.bytes())});
  std::vector<std::string> cells{"", "", "", "", r.skipped.value_or("")};
  if (!r.skipped)
    cells = {r.claimed ? show_count(r.claimed->messages) : "",
             r.claimed ? show_memory(bytes_sent(r)) : "", show_memory(e.memory),
             show_seconds(e.seconds)};
  rows_.back().insert(rows_.back().end(), cells.begin(), cells.end());
}

void Plan::add_to_sum(const Record& r, const Estimate& e) {
  auto sum = std::find_if(sums_.begin(), sums_.end(),
                          [&](const Sum& s) { return s.algorithm == r.algorithm; });
  if (sum == sums_.end()) {
    Sum fresh;
    fresh.algorithm = r.algorithm;
    fresh.least_ranks = r.problem.ranks;
    fresh.least_bytes = r.bytes();
    sum = sums_.insert(sums_.end(), std::move(fresh));
  }
  sum->least_ranks = std::min(sum->least_ranks, r.problem.ranks);
  sum->most_ranks = std::max(sum->most_ranks, r.problem.ranks);
  sum->least_bytes = std::min(sum->least_bytes, r.bytes());
  sum->most_bytes = std::max(sum->most_bytes, r.bytes());
  if (r.skipped) {
    ++sum->skipped;
    if (sum->why.empty()) sum->why = *r.skipped;
    return;
  }
  ++sum->done;
  sum->messages += r.claimed ? static_cast<double>(r.claimed->messages) : e.messages;
  sum->bytes += bytes_sent(r);
  sum->memory = std::max(sum->memory, e.memory);
  sum->seconds += e.seconds;
}

std::string Plan::text() const {
  std::vector<std::string> header{"algorithm",  "ranks",  "size", "messages",
                                  "bytes sent", "memory", "time", "skipped"};
  std::vector<std::vector<std::string>> rows = rows_;
  if (!one_by_one_) {
    header.insert(header.begin() + 3, "configurations");
    header.back() = "first reason to skip";
    header.insert(header.end() - 1, "skipped");
    for (const Sum& s : sums_)
      rows.push_back(
          {s.algorithm, range(std::to_string(s.least_ranks), std::to_string(s.most_ranks)),
           range(show_bytes(s.least_bytes), show_bytes(s.most_bytes)), show_count(s.done),
           show_messages(s.messages), show_memory(s.bytes), show_memory(s.memory),
           show_seconds(s.seconds), show_count(s.skipped), s.why});
  }
  return fmt::format("{}\n{}, about {} in all, up to {} of memory\n", compact(header, rows),
                     show_plural(all_.done, "configuration"), show_seconds(all_.seconds),
                     show_memory(all_.memory));
}

void print(const Plan& plan, const SweepOptions& options) {
  write_file(options.output, plan.text());
  say_written(options.output);
  for (const std::string& file : {options.json, options.csv})
    if (!file.empty()) say("note: --dry-run runs nothing: no records for {}\n", file);
}

}  // namespace arlab::bench

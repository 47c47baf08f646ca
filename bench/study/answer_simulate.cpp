// What simulated runs answer: the fastest by range, how near it is to the optimum, what limits it.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "bench/study/answer_parts.hpp"
#include "bench/study/intervals/refits.hpp"
#include "bench/text/units.hpp"

namespace arlab::bench {
namespace {

constexpr double kEqual = 1 + 1e-9;
constexpr std::size_t kMostSettings = 12, kFewRanks = 3, kMostWinners = 4;

double simulated_time(const Json& record) {
  const Json time = record.value("modelled_us", Json());
  return time.is_number() ? time.get<double>() : 0;
}

AnswerRows timed(const AnswerRows& rows) {
  AnswerRows all;
  for (const Json* const row : rows)
    if (simulated_time(*row) > 0) all.push_back(row);
  return all;
}

const Json& fastest(const AnswerRows& rows) {
  return **std::min_element(rows.begin(), rows.end(), [](const Json* a, const Json* b) {
    return simulated_time(*a) < simulated_time(*b);
  });
}

std::vector<std::string> fastest_names(const AnswerRows& rows) {
  const double best = simulated_time(fastest(rows));
  std::vector<std::string> names;
  for (const Json* const row : rows)
    if (simulated_time(*row) <= best * kEqual) names.push_back(contender_name(*row));
  return names;
}

std::string axis_text(const char* axis, Count value) {
  return axis == std::string_view("bytes") ? show_bytes(value) : with_commas(value);
}

// "12.3 us, 49% of the optimum, limited by h0-s0 (host), utilized to 98%".
std::string facts_of(const Json& record) {
  std::string text = show_time(simulated_time(record));
  if (const Json low = record.value("low_us", Json()), high = record.value("high_us", Json());
      low.is_number() && high.is_number())
    text += fmt::format(", 80% interval {} to {}", show_time(low.get<double>()),
                        show_time(high.get<double>()));
  if (const Json runs = record.value("time_statistics_us", Json()); runs.is_object())
    text += fmt::format(", half of the runs within {}, 99% within {}",
                        show_time(runs.value("p50", 0.0)), show_time(runs.value("p99", 0.0)));
  if (const Json part = record.value("optimum_fraction", Json()); part.is_number())
    text += fmt::format(", {:.0f}% of the optimum", 100 * part.get<double>());
  if (const Json links = record.value("most_utilized_links", Json());
      links.is_array() && !links.empty())
    text += fmt::format(
        ", limited by {} ({}), utilized to {:.0f}%", links.front().value("name", std::string()),
        links.front().value("tier", std::string()), 100 * links.front().value("utilization", 0.0));
  return text;
}

// One sentence: the fastest in each range of the axis.
std::string sentence_over(const std::string& setting, const AnswerRows& rows, const char* axis) {
  const std::map<Count, AnswerRows> places = by_place(rows, axis);
  std::vector<Count> values;
  std::vector<std::vector<std::string>> names;
  for (const auto& [value, here] : places) {
    values.push_back(value);
    names.push_back(fastest_names(here));
  }
  const bool over_ranks = axis == std::string_view("ranks");
  std::vector<std::string> parts;
  for (const AnswerSpan& span : spans_of(names)) {
    const std::string range =
        from_to(axis_text(axis, values[span.first]), axis_text(axis, values[span.last]));
    const char* const at = over_ranks ? "on" : span.first == span.last ? "at" : "from";
    parts.push_back(fmt::format("{} {} {}{}", either(span.names), at, range,
                                over_ranks ? values[span.last] == 1 ? " rank" : " ranks" : ""));
  }
  const std::string last =
      values.size() == 1
          ? ""
          : fmt::format("at {}{}, ", axis_text(axis, values.back()), over_ranks ? " ranks" : "");
  return fmt::format("Fastest {} {}: {} ({}{}).", over_ranks ? "at" : "on", setting,
                     fmt::join(parts, "; "), last, facts_of(fastest(places.rbegin()->second)));
}

// The fastest beside the next: how sure the order is.
std::string sentence_of_order(const std::string& place, AnswerRows rows) {
  std::stable_sort(rows.begin(), rows.end(), [](const Json* a, const Json* b) {
    return simulated_time(*a) < simulated_time(*b);
  });
  const auto first = refitted_time(*rows.front());
  if (!first || rows.size() < 2) return "";
  std::size_t ties = 0;
  for (std::size_t i = 1; i < rows.size(); ++i)
    if (const auto other = refitted_time(*rows[i]))
      ties += ratio_interval(*other, *first).is_tie() ? 1U : 0U;
  const auto second = refitted_time(*rows[1]);
  if (!second) return "";
  const RatioInterval ratio = ratio_interval(*second, *first);
  const std::string said = fmt::format(
      "{} takes {:.2f} times as long as {}, 80% interval {:.2f} to {:.2f}",
      contender_name(*rows[1]), ratio.ratio, contender_name(*rows.front()), ratio.low, ratio.high);
  if (ties == 0) return fmt::format("{}: {}.", place, said);
  return fmt::format(
      "A tie {}: {}{}.", place, said,
      ties > 1 ? fmt::format("; so may {}", show_plural(static_cast<Count>(ties) - 1, "other"))
               : "");
}

// Where it is a tie, and the last place.
void add_orders(const std::string& setting, const AnswerRows& rows, Sentences& all) {
  constexpr std::size_t kMostTies = 4;
  const std::map<Count, AnswerRows> places = by_place(rows, "bytes");
  std::size_t left_out = 0, said = 0;
  for (const auto& [bytes, here] : places) {
    const std::string place = fmt::format("at {} on {}", show_bytes(bytes), setting);
    std::string text = sentence_of_order(place, here);
    const bool is_tie = text.starts_with("A tie"), is_last = bytes == places.rbegin()->first;
    if (text.empty() || (!is_tie && !is_last)) continue;
    if (said == kMostTies && !is_last) {
      ++left_out;
      continue;
    }
    ++said;
    text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
    all.push_back(std::move(text));
  }
  if (left_out > 0)
    all.push_back(
        fmt::format("Ties at {} more.", show_plural(static_cast<Count>(left_out), "size")));
}

// Of many numbers of ranks: who is the fastest in how many cases.
std::string sentence_of_cases(const std::string& network,
                              const std::map<std::pair<Count, Count>, AnswerRows>& cases) {
  std::map<std::string, std::set<std::pair<Count, Count>>> wins;
  for (const auto& [at, rows] : cases)
    for (const std::string& name : fastest_names(rows)) wins[name].insert(at);
  std::set<std::pair<Count, Count>> left;
  for (const auto& [at, rows] : cases) left.insert(at);
  std::vector<std::string> parts;
  while (!left.empty() && parts.size() < kMostWinners) {
    const auto covers = [&](const auto& win) {
      return std::count_if(win.second.begin(), win.second.end(),
                           [&](const auto& at) { return left.contains(at); });
    };
    const auto best = std::max_element(wins.begin(), wins.end(), [&](const auto& a, const auto& b) {
      return covers(a) < covers(b);
    });
    std::vector<std::string> equal;
    for (const auto& [name, where] : wins)
      if (where == best->second) equal.push_back(name);
    Count covered = 0;
    for (const auto& at : best->second) covered += static_cast<Count>(left.erase(at));
    parts.push_back(fmt::format("{} in {}", either(equal), covered));
  }
  if (!left.empty()) parts.push_back(fmt::format("others in {}", left.size()));
  const Count least = cases.begin()->first.first, most = cases.rbegin()->first.first;
  return fmt::format("Fastest of {} cases, {} to {}{}: {}.", cases.size(), with_commas(least),
                     show_plural(most, "rank"), network.empty() ? "" : ", " + network,
                     fmt::join(parts, "; "));
}

bool compete_here(const AnswerRows& rows) {
  std::set<std::string> names;
  for (const Json* const row : rows) names.insert(contender_name(*row));
  return names.size() > 1;
}

// The same problem on several networks, or disturbed in several ways.
std::string sentence_of_settings(const std::string& name,
                                 const std::vector<std::pair<std::string, AnswerRows>>& settings) {
  constexpr double kShownEqual = 1.005;  // rounds to 1.00
  const auto time_of = [](const auto& setting) { return simulated_time(*setting.second.front()); };
  const auto [best, worst] =
      std::minmax_element(settings.begin(), settings.end(),
                          [&](const auto& a, const auto& b) { return time_of(a) < time_of(b); });
  const Json& row = *best->second.front();
  const std::string problem =
      fmt::format("{} on {}, {}", name, show_plural(row.value("ranks", Count{0}), "rank"),
                  show_bytes(row.value("bytes", Count{0})));
  const double ratio = time_of(*worst) / time_of(*best);
  if (ratio < kShownEqual) {
    std::vector<std::string> names;
    for (const auto& setting : settings) names.push_back(setting.first);
    return fmt::format("{}: {} of {}, with {}.", problem,
                       ratio <= kEqual ? "the same time" : "nearly the same time",
                       show_time(time_of(*best)), either(names, "and"));
  }
  return fmt::format("{}: the fastest is {} ({}), the slowest {}, {:.2f} times as long.", problem,
                     best->first, facts_of(row), worst->first, ratio);
}

// A single algorithm has no rival: the ends of what was asked.
std::string sentence_alone(const AnswerRows& rows) {
  const auto text = [](const Json& row) {
    return fmt::format("{}, {}: {}", show_plural(row.value("ranks", Count{0}), "rank"),
                       show_bytes(row.value("bytes", Count{0})), facts_of(row));
  };
  const std::string name = contender_name(*rows.front());
  if (rows.size() == 1) return fmt::format("{} on {}.", name, text(*rows.front()));
  if (by_place(rows, "ranks").size() == 1 && by_place(rows, "bytes").size() == 1)
    if (const auto settings = settings_of(rows, NameRanks::if_they_vary);
        settings.size() == rows.size())
      return sentence_of_settings(name, settings);
  return fmt::format("{} from {}, to {}.", name, text(*rows.front()), text(*rows.back()));
}

void add_fastest(const AnswerRows& rows, Sentences& all) {
  if (!compete_here(rows)) {
    all.push_back(sentence_alone(rows));
    return;
  }
  const auto sizes = by_place(rows, "bytes"), ranks = by_place(rows, "ranks");
  const std::vector<std::pair<std::string, AnswerRows>> settings = settings_of(rows);
  if (ranks.size() <= kFewRanks) {
    for (std::size_t i = 0; i < std::min(settings.size(), kMostSettings); ++i) {
      all.push_back(sentence_over(settings[i].first, settings[i].second, "bytes"));
      add_orders(settings[i].first, settings[i].second, all);
    }
    if (settings.size() > kMostSettings)
      all.push_back(fmt::format("{} more settings are in the table: --rows all prints it.",
                                settings.size() - kMostSettings));
    return;
  }
  // The networks and types, each with all numbers of ranks.
  std::vector<std::pair<std::string, AnswerRows>> networks;
  for (const auto& [setting, its_rows] : settings) {
    const std::size_t comma = setting.find(", ");
    const std::string network = comma == std::string::npos ? "" : setting.substr(comma + 2);
    const auto found = std::find_if(networks.begin(), networks.end(),
                                    [&](const auto& one) { return one.first == network; });
    AnswerRows& its =
        (found == networks.end() ? networks.emplace_back(network, AnswerRows{}) : *found).second;
    its.insert(its.end(), its_rows.begin(), its_rows.end());
  }
  for (std::size_t i = 0; i < std::min(networks.size(), kMostSettings); ++i) {
    const auto& [network, its] = networks[i];
    if (sizes.size() == 1) {
      all.push_back(
          sentence_over(show_bytes(sizes.begin()->first) + (network.empty() ? "" : ", " + network),
                        its, "ranks"));
      continue;
    }
    std::map<std::pair<Count, Count>, AnswerRows> cases;
    for (const Json* const row : its)
      cases[{row->at("ranks").get<Count>(), row->at("bytes").get<Count>()}].push_back(row);
    all.push_back(sentence_of_cases(network, cases));
    const Count most = cases.rbegin()->first.first;
    AnswerRows largest;
    for (const Json* const row : its)
      if (row->at("ranks").get<Count>() == most) largest.push_back(row);
    all.push_back(sentence_over(show_plural(most, "rank") + (network.empty() ? "" : ", " + network),
                                largest, "bytes"));
  }
}

}  // namespace

void add_simulated_answers(const AnswerRows& all_rows, Sentences& all) {
  const AnswerRows rows = timed(all_rows);
  if (rows.empty()) return;
  add_fastest(rows, all);
  for (std::string& note : calibration_notes(rows)) all.push_back(std::move(note));
}

}  // namespace arlab::bench

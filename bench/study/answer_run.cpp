// What measured runs answer: the fastest by range, and whether it beats the library's collective.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/study/answer_parts.hpp"
#include "bench/study/rank_sum.hpp"
#include "bench/text/units.hpp"

namespace arlab::bench {
namespace {

constexpr double kSignificantP = 0.05;

// A rank-sum test beside another row.
struct Test {
  double p = 1;           ///< corrected
  double least = 1;       ///< that as many runs can have, not corrected
  bool done = false;      ///< that other row is another one
  bool hopeless = false;  ///< too few runs for a verdict among so many tests
  bool is_clear() const { return p < kSignificantP; }
};

// A measured algorithm at one size.
struct Rival {
  std::string name;
  double median = 0;
  double ratio = 1;         ///< the library's time over this one's
  bool is_fastest = false;  ///< by the median
  Test library, fastest;
  /// Not clearly slower than the fastest. Without a test only the fastest itself is.
  bool is_among_fastest() const { return is_fastest || (fastest.done && !fastest.is_clear()); }
};

struct SizeOfRun {
  Count bytes = 0;
  std::string library;  ///< its name; empty: none ran
  std::vector<Rival> rivals;
  std::vector<std::string> winners;  ///< that beat the library, or the fastest without one
};

struct SettingOfRun {
  std::string text;
  std::vector<SizeOfRun> sizes;
};

double median_of(const Json& record) {
  const Json time = record.value("time_us", Json());
  return time.is_object() && time.value("median", Json()).is_number() ? time["median"].get<double>()
                                                                      : 0;
}

std::size_t samples_of(const Json& record) {
  const Json n = record["time_us"].value("n", Json());
  return n.is_number_integer() && n.get<Count>() > 0 ? n.get<std::size_t>() : 1;
}

double number_or(const Json& record, const char* key, double other) {
  const Json value = record.value(key, Json());
  return value.is_number() ? value.get<double>() : other;
}

// Of a configuration that was measured several times the last counts.
AnswerRows latest(const AnswerRows& rows) {
  std::map<std::string, const Json*> last;
  std::vector<std::string> order;
  for (const Json* const row : rows) {
    const std::string name = contender_name(*row);
    if (!last.contains(name)) order.push_back(name);
    last[name] = row;
  }
  AnswerRows kept;
  for (const std::string& name : order) kept.push_back(last[name]);
  return kept;
}

Test test_of(const Json& row, const char* key, std::size_t other_runs) {
  const Json p = row.value(key, Json());
  if (!p.is_number()) return {};
  return {p.get<double>(), least_rank_sum_p(other_runs, samples_of(row)), true};
}

SizeOfRun size_of_run(Count bytes, const AnswerRows& rows) {
  SizeOfRun size;
  size.bytes = bytes;
  const AnswerRows here = latest(rows);
  const Json* const fastest =
      *std::ranges::min_element(here, {}, [](const Json* row) { return median_of(*row); });
  std::size_t of_library = 1;  // runs
  double median_of_library = 0;
  for (const Json* const row : here) {
    const Json library = row->value("library", Json());
    if (library.is_string()) size.library = library.get<std::string>();
    if (library.is_string() && contender_name(*row) == size.library)
      of_library = samples_of(*row), median_of_library = median_of(*row);
  }
  for (const Json* const row : here) {
    const std::string name = contender_name(*row);
    if (name == size.library) continue;
    const double median = median_of(*row);
    size.rivals.push_back(
        {name, median,
         number_or(*row, "library_ratio", median_of_library > 0 ? median_of_library / median : 1),
         row == fastest, test_of(*row, "library_rank_sum_p", of_library),
         row == fastest ? Test{} : test_of(*row, "rank_sum_p", samples_of(*fastest))});
  }
  return size;
}

// Corrects the p-values of all tests for their number, as the table does.
void correct(std::vector<SettingOfRun>& settings, Test Rival::*member) {
  std::vector<Test*> tests;
  std::vector<double> p;
  for (SettingOfRun& setting : settings)
    for (SizeOfRun& size : setting.sizes)
      for (Rival& rival : size.rivals)
        if (Test& test = rival.*member; test.done) tests.push_back(&test), p.push_back(test.p);
  const std::vector<double> corrected = holm_corrected(p);
  for (std::size_t i = 0; i < tests.size(); ++i) {
    tests[i]->p = corrected[i];
    tests[i]->hopeless = !tests[i]->is_clear() &&
                         tests[i]->least * static_cast<double>(tests.size()) >= kSignificantP;
  }
}

void decide_winners(SizeOfRun& size) {
  bool hopeless = false;
  for (const Rival& rival : size.rivals) {
    const Test& test = size.library.empty() ? rival.fastest : rival.library;
    const bool beats = rival.library.is_clear() && rival.ratio > 1;
    if (rival.is_among_fastest() && (size.library.empty() || beats))
      size.winners.push_back(rival.name);
    hopeless = hopeless || test.hopeless;
  }
  // One that ties with the fastest may be no faster than the library, while a slower one is not.
  if (size.winners.empty() && !size.library.empty())
    for (const Rival& rival : size.rivals)
      if (rival.library.is_clear() && rival.ratio > 1) size.winners.push_back(rival.name);
  if (size.winners.empty()) size.winners = {hopeless ? "?" : "="};
  if (size.library.empty() && hopeless) size.winners = {"?"};
}

const Rival* rival_of(const SizeOfRun& size, const std::string& name) {
  const auto found = std::find_if(size.rivals.begin(), size.rivals.end(),
                                  [&](const Rival& rival) { return rival.name == name; });
  return found == size.rivals.end() ? nullptr : &*found;
}

std::string p_text(double p, bool several) {
  if (p < 0.001) return "p < 0.001";
  return fmt::format("p {} {:.2g}", several ? "at most" : "=", p);
}

std::string times_text(double ratio) {
  return ratio < 10 ? fmt::format("{:.2f}", ratio) : fmt::format("{:.1f}", ratio);
}

// Of the names of a span, the one that saves most over all its sizes.
std::string best_of(const AnswerSpan& span, const std::vector<SizeOfRun>& sizes) {
  const auto cost = [&](const std::string& name) {
    double sum = 0;
    for (std::size_t i = span.first; i <= span.last; ++i)
      if (const Rival* const rival = rival_of(sizes[i], name)) sum += std::log(rival->median);
    return sum;
  };
  return *std::min_element(
      span.names.begin(), span.names.end(),
      [&](const std::string& a, const std::string& b) { return cost(a) < cost(b); });
}

std::string span_sentence(const AnswerSpan& span, const SettingOfRun& setting) {
  const SizeOfRun &first = setting.sizes[span.first], &last = setting.sizes[span.last];
  const std::string range = from_to(show_bytes(first.bytes), show_bytes(last.bytes)),
                    start = fmt::format("{}, {}: ", setting.text, range);
  if (span.names.front() == "?")
    return start + "too few runs for a verdict: raise --time or --runs, or add --launches.";
  if (span.names.front() == "=")
    return fmt::format("{}nothing is faster than {}.", start, first.library);
  if (first.library.empty())
    return span.names.size() == 1 ? fmt::format("{}{} is the fastest.", start, span.names.front())
                                  : fmt::format("{}no difference between {}, the fastest.", start,
                                                either(span.names, "and"));
  const std::string name = best_of(span, setting.sizes);
  double low = INFINITY, high = 0, p = 0;
  for (std::size_t i = span.first; i <= span.last; ++i) {
    const Rival& rival = *rival_of(setting.sizes[i], name);
    low = std::min(low, rival.ratio), high = std::max(high, rival.ratio);
    p = std::max(p, rival.library.p);
  }
  return fmt::format("{}{}, {} times faster than {} ({}).", start, name,
                     from_to(times_text(low), times_text(high)), first.library,
                     p_text(p, span.first != span.last));
}

// The last sentence: the library at all sizes.
std::string verdict_sentence(const SettingOfRun& setting) {
  Count beaten = 0, all = 0, unknown = 0;
  const SizeOfRun* most = nullptr;
  const Rival* best = nullptr;
  std::string library;
  for (const SizeOfRun& size : setting.sizes) {
    if (size.library.empty()) continue;
    library = size.library;
    ++all;
    unknown += size.winners.front() == "?" ? 1 : 0;
    const Rival* const winner = rival_of(size, size.winners.front());
    if (!winner) continue;
    ++beaten;
    for (const std::string& name : size.winners)
      if (const Rival* const rival = rival_of(size, name); !best || rival->ratio > best->ratio)
        best = rival, most = &size;
  }
  if (all == 0) return "";
  const std::string sizes = all == 1 ? "the one size" : fmt::format("{} of {} sizes", beaten, all);
  if (unknown == all)
    return fmt::format("Verdict on {}, {}: none, since the runs are too few.", library,
                       setting.text);
  if (!best)
    return fmt::format("Verdict on {}, {}: nothing is faster at {}.", library, setting.text,
                       all == 1 ? "the one size" : fmt::format("any of {} sizes", all));
  return fmt::format("Verdict on {}, {}: beaten at {}, most at {}, where {} is {} times faster.",
                     library, setting.text, sizes, show_bytes(most->bytes), best->name,
                     times_text(best->ratio));
}

}  // namespace

void add_measured_answers(const AnswerRows& rows, Sentences& all) {
  add_check_answers(rows, "run", all);
  AnswerRows measured;
  for (const Json* const row : rows)
    if (median_of(*row) > 0 && number_or(*row, "wrong", 0) == 0) measured.push_back(row);
  std::vector<SettingOfRun> settings;
  for (const auto& [text, its] : settings_of(measured)) {
    SettingOfRun& setting = settings.emplace_back();
    setting.text = text;
    for (const auto& [bytes, here] : by_place(its, "bytes"))
      setting.sizes.push_back(size_of_run(bytes, here));
  }
  correct(settings, &Rival::library);
  correct(settings, &Rival::fastest);
  std::vector<std::string> verdicts;
  for (SettingOfRun& setting : settings) {
    std::erase_if(setting.sizes, [](const SizeOfRun& size) {
      return size.rivals.empty() || (size.library.empty() && size.rivals.size() < 2);
    });
    std::vector<std::vector<std::string>> winners;
    for (SizeOfRun& size : setting.sizes) {
      decide_winners(size);
      winners.push_back(size.winners);
    }
    for (const AnswerSpan& span : spans_of(winners)) all.push_back(span_sentence(span, setting));
    if (std::string verdict = verdict_sentence(setting); !verdict.empty())
      verdicts.push_back(std::move(verdict));
  }
  all.insert(all.end(), verdicts.begin(), verdicts.end());
}

}  // namespace arlab::bench

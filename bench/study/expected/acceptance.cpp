#include "bench/study/expected/acceptance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "algorithms/base/error.hpp"
#include "algorithms/base/names.hpp"
#include "bench/results/record_table.hpp"
#include "bench/results/statistics.hpp"
#include "bench/study/expected/gpu_names.hpp"
#include "bench/text/table.hpp"
#include "bench/text/units.hpp"
#include "bench/validation/nccl/operands.hpp"
#include "bench/validation/published/csv_table.hpp"

namespace arlab::bench {
namespace {

constexpr std::int64_t kLeastBytes = 1 << 20;
constexpr double kPass = 0.95;
constexpr std::string_view kColumns[] = {"names", "ranks",          "hosts",  "collective",
                                         "bytes", "busbw_gb_per_s", "tables", "source"};

using Values = std::map<RunShape, std::map<std::int64_t, std::vector<double>>>;

void set_medians(const Values& values, Expectation& expectation) {
  for (const auto& [key, by_size] : values)
    for (const auto& [bytes, all] : by_size) expectation.busbw[key][bytes] = summarize(all).median;
}

// "h100x8": the name, and the ranks; 0: not given.
std::pair<std::string, std::int64_t> parts_of(const std::string& spec) {
  const std::size_t x = spec.rfind('x');
  if (x == std::string::npos || x + 1 == spec.size() ||
      spec.find_first_not_of("0123456789", x + 1) != std::string::npos)
    return {spec, 0};
  const std::int64_t ranks = parse_count(spec.substr(x + 1), "--expect");
  if (ranks == 0) return {spec, 0};  // no machine is called so
  return {spec.substr(0, x), ranks};
}

// Whether a word is one of those between spaces.
bool has_word(const std::string& words, const std::string& word) {
  return !word.empty() && (" " + words + " ").find(" " + word + " ") != std::string::npos;
}

[[noreturn]] void refuse(const std::string& spec, const CsvTable& rows) {
  std::map<std::string, std::set<std::int64_t>> known;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    std::string words = rows.text(i, "names") + " ";
    for (std::size_t end = words.find(' '); end != std::string::npos; end = words.find(' ')) {
      known[words.substr(0, end)].insert(rows.whole(i, "ranks", 1));
      words.erase(0, end + 1);
    }
  }
  std::string all;
  for (const auto& [name, ranks] : known)
    all += fmt::format("{}{}x{}", all.empty() ? "" : ", ", name, fmt::join(ranks, "|"));
  fail(Blame::usage,
       fmt::format("--expect '{}' is neither a file of records nor a machine with public numbers: "
                   "choose from {}",
                   spec, all));
}

std::optional<double> expected_at(const BusbwBySize& known, std::int64_t bytes) {
  const auto above = known.lower_bound(bytes);
  if (above == known.end()) return std::nullopt;
  if (above->first == bytes) return above->second;
  if (above == known.begin()) return std::nullopt;
  const auto below = std::prev(above);
  const auto log = [](std::int64_t size) { return std::log(static_cast<double>(size)); };
  const double part = (log(bytes) - log(below->first)) / (log(above->first) - log(below->first));
  return below->second * std::pow(above->second / below->second, part);
}

std::string word_of(const Judged& one) {
  if (one.wrong() > 0) return fmt::format("FAIL, {} wrong", one.wrong());
  const Acceptance verdict = one.verdict();
  return verdict == Acceptance::pass ? "pass" : verdict == Acceptance::look ? "look" : "FAIL";
}

RunShape shape_of(const Json& record) {
  const auto number = [&](const char* key) {
    const Json value = record.value(key, Json());
    return value.is_number() ? value.get<std::int64_t>() : 0;
  };
  return {record["collective"].get<std::string>(), number("ranks"), number("groups")};
}

std::int64_t wrong_of(const Json& record) {
  const Json wrong = record.value("wrong", Json());
  return wrong.is_number() ? wrong.get<std::int64_t>() : 0;
}

// The numbers of as many hosts. Where one side does not say how many, the only ones.
const std::pair<const RunShape, BusbwBySize>* find_shape(const Expectation& expectation,
                                                         const RunShape& shape) {
  const std::pair<const RunShape, BusbwBySize>* found = nullptr;
  std::size_t count = 0;
  for (const auto& one : expectation.busbw) {
    const RunShape& known = one.first;
    if (known.collective != shape.collective || known.ranks != shape.ranks) continue;
    if (known.hosts == shape.hosts) return &one;
    if (known.hosts > 0 && shape.hosts > 0) continue;
    found = &one;
    ++count;
  }
  return count == 1 ? found : nullptr;
}

// Why nothing is expected of a shape: other numbers of hosts; empty if that is not the reason.
std::string other_hosts(const Expectation& expectation, const RunShape& shape) {
  std::set<std::int64_t> hosts;
  for (const auto& [known, busbw] : expectation.busbw)
    if (known.collective == shape.collective && known.ranks == shape.ranks)
      hosts.insert(known.hosts);
  if (hosts.empty() || shape.hosts == 0) return "";
  return fmt::format("{} of {} ranks ran on {}, but the numbers of {} are of {}", shape.collective,
                     shape.ranks, show_plural(shape.hosts, "host"), expectation.what,
                     fmt::join(hosts, ", "));
}

// Why nothing is expected of a type and operation: NVSwitches do not compute it, but the sums of
// floats of the public numbers. Empty if they do, or if the GPU has none.
std::string other_operand(const Expectation& expectation, const Json& record) {
  const std::string op = text_at(record, "op"), dtype = text_at(record, "dtype"),
                    collective = text_at(record, "collective");
  const bool sums = collective == "allreduce" || collective == "reduce_scatter";
  if (!sums || dtype.empty() || !has_nvls(expectation.gpu)) return "";
  const bool computes = simulator::nccl::support_of({}, Collective::allreduce, number_named(dtype),
                                                    reduction_named(op))
                            .nvls;
  if (computes) return "";
  return fmt::format(
      "NVSwitches cannot compute {} of {}, but the numbers of {} are of sums of "
      "floats, which they can",
      op, dtype, expectation.what);
}

}  // namespace

Expectation public_expectation(const std::string& spec) {
  const CsvTable rows(kPublicBusbw, "public_busbw.csv",
                      std::vector<std::string_view>(std::begin(kColumns), std::end(kColumns)));
  const auto [name, ranks] = parts_of(spec);
  Values values;
  std::set<std::string> sources;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const std::int64_t row_ranks = rows.whole(i, "ranks", 1);
    if (!has_word(rows.text(i, "names"), name) || (ranks > 0 && ranks != row_ranks)) continue;
    const RunShape shape{rows.text(i, "collective"), row_ranks, rows.whole(i, "hosts", 1)};
    values[shape][rows.whole(i, "bytes", 1)].push_back(rows.number(i, "busbw_gb_per_s", 0));
    sources.insert(rows.text(i, "source"));
  }
  if (values.empty()) refuse(spec, rows);
  Expectation expectation{
      .what = spec, .sources = {sources.begin(), sources.end()}, .gpu = gpu_of_machine(name)};
  set_medians(values, expectation);
  return expectation;
}

Expectation expectation_of(const std::vector<Json>& records, const std::string& what) {
  Values values;
  for (const Json& record : records)
    if (record.value("kind", "") == "run" && record["busbw_gb_per_s"].is_number())
      values[shape_of(record)][record["bytes"].get<std::int64_t>()].push_back(
          record["busbw_gb_per_s"].get<double>());
  Expectation expectation{.what = what, .sources = {what}};
  set_medians(values, expectation);
  return expectation;
}

std::int64_t Judged::wrong() const { return wrong_of(record); }

Acceptance Judged::verdict() const {
  if (wrong() > 0) return Acceptance::fail;
  return ratio() >= kPass        ? Acceptance::pass
         : ratio() >= kLookRatio ? Acceptance::look
                                 : Acceptance::fail;
}

bool Judgment::failed() const {
  return !faults.empty() || std::any_of(all.begin(), all.end(), [](const Judged& one) {
    return one.verdict() == Acceptance::fail;
  });
}

Judgment judge(const std::vector<Json>& records, const Expectation& expectation) {
  Judgment judgment;
  std::set<std::string> notes;
  Count wrong = 0;
  for (const Json& record : records) {
    if (record.value("kind", "") != "run") continue;
    wrong += wrong_of(record) > 0 ? 1 : 0;
    const RunShape shape = shape_of(record);
    const auto* const known = find_shape(expectation, shape);
    const std::int64_t bytes = record["bytes"].get<std::int64_t>();
    const auto expected =
        !known || bytes < kLeastBytes ? std::nullopt : expected_at(known->second, bytes);
    const std::string other = other_operand(expectation, record);
    if (other.empty() && expected && *expected > 0 && record["busbw_gb_per_s"].is_number()) {
      judgment.all.push_back({record, record["busbw_gb_per_s"].get<double>(), *expected,
                              expectation.gpu, known->first.hosts});
      continue;
    }
    ++judgment.unjudged;
    if (std::string note = known ? other : other_hosts(expectation, shape); !note.empty())
      notes.insert(std::move(note));
  }
  if (judgment.all.empty() && !notes.empty())
    fail(Blame::usage, fmt::format("nothing is judged: {}", fmt::join(notes, "; ")));
  judgment.notes.assign(notes.begin(), notes.end());
  if (wrong > 0)
    judgment.faults.push_back(fmt::format("{} with wrong elements", show_plural(wrong, "row")));
  std::stable_sort(judgment.all.begin(), judgment.all.end(), [](const Judged& a, const Judged& b) {
    return std::pair(a.wrong() == 0, a.ratio()) < std::pair(b.wrong() == 0, b.ratio());
  });
  return judgment;
}

Judgment judge_results(const Results& results, const Expectation& expectation) {
  Judgment judgment = judge(results.records, expectation);
  std::set<std::string> others;
  for (const Json& context : results.contexts)
    if (const std::string gpu = text_at(context, "gpu");
        !gpu.empty() && !expectation.gpu.empty() && !names_gpu(gpu, expectation.gpu))
      others.insert(gpu);
  if (!others.empty())
    judgment.notes.push_back(fmt::format("the GPU is {}, but the numbers of {} are of {}",
                                         fmt::join(others, ", "), expectation.what,
                                         expectation.gpu));
  judgment.faults.insert(judgment.faults.end(), results.failures.begin(), results.failures.end());
  if (results.cut_short)
    judgment.faults.push_back(
        "the run did not end: the log is cut, or its benchmark failed, and what is missing is not "
        "judged");
  return judgment;
}

std::string table(const Judgment& judgment) {
  static constexpr const char* kSettings[] = {"algorithm", "collective", "ranks", "dtype", "place"};
  const std::vector<const char*> settings = differing_keys(kSettings, judgment.all);
  std::vector<std::string> header(settings.begin(), settings.end());
  header.insert(header.end(), {"size", "busbw GB/s", "expected", "of expected", "verdict"});
  std::vector<std::vector<std::string>> rows;
  for (const Judged& one : judgment.all) {
    std::vector<std::string> row;
    for (const char* key : settings) row.push_back(cell_text(one.record.value(key, Json())));
    row.insert(row.end(), {show_bytes(one.record["bytes"].get<Count>()),
                           fmt::format("{:.4g}", one.busbw), fmt::format("{:.4g}", one.expected),
                           fmt::format("{:.1f}%", 100 * one.ratio()), word_of(one)});
    rows.push_back(std::move(row));
  }
  return markdown(header, rows);
}

}  // namespace arlab::bench

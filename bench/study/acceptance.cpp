#include "bench/study/acceptance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "algorithms/base/error.hpp"
#include "algorithms/base/names.hpp"
#include "bench/results/record_table.hpp"
#include "bench/results/statistics.hpp"
#include "bench/text/table.hpp"
#include "bench/text/units.hpp"
#include "bench/validation/published/csv_table.hpp"

namespace arlab::bench {
namespace {

constexpr std::int64_t kLeastBytes = 1 << 20;
constexpr double kPass = 0.95, kLook = 0.85;
constexpr std::string_view kColumns[] = {"names", "ranks",          "hosts",  "collective",
                                         "bytes", "busbw_gb_per_s", "tables", "source"};

using Values =
    std::map<std::tuple<std::string, std::int64_t>, std::map<std::int64_t, std::vector<double>>>;

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

std::string word_of(Acceptance verdict) {
  return verdict == Acceptance::pass ? "pass" : verdict == Acceptance::look ? "look" : "FAIL";
}

bool near(double ratio, double value) { return std::abs(ratio - value) < 0.03; }

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
    values[{rows.text(i, "collective"), row_ranks}][rows.whole(i, "bytes", 1)].push_back(
        rows.number(i, "busbw_gb_per_s", 0));
    sources.insert(rows.text(i, "source"));
  }
  if (values.empty()) refuse(spec, rows);
  Expectation expectation{.what = spec, .sources = {sources.begin(), sources.end()}};
  set_medians(values, expectation);
  return expectation;
}

Expectation expectation_of(const std::vector<Json>& records, const std::string& what) {
  Values values;
  for (const Json& record : records)
    if (record.value("kind", "") == "run" && record["busbw_gb_per_s"].is_number())
      values[{record["collective"].get<std::string>(), record["ranks"].get<std::int64_t>()}]
            [record["bytes"].get<std::int64_t>()]
                .push_back(record["busbw_gb_per_s"].get<double>());
  Expectation expectation{.what = what, .sources = {what}};
  set_medians(values, expectation);
  return expectation;
}

Acceptance Judged::verdict() const {
  return ratio() >= kPass   ? Acceptance::pass
         : ratio() >= kLook ? Acceptance::look
                            : Acceptance::fail;
}

bool Judgment::failed() const {
  return std::any_of(all.begin(), all.end(),
                     [](const Judged& one) { return one.verdict() == Acceptance::fail; });
}

Judgment judge(const std::vector<Json>& records, const Expectation& expectation) {
  Judgment judgment;
  for (const Json& record : records) {
    if (record.value("kind", "") != "run") continue;
    const auto found = record["ranks"].is_number()
                           ? expectation.busbw.find({record["collective"].get<std::string>(),
                                                     record["ranks"].get<std::int64_t>()})
                           : expectation.busbw.end();
    const std::int64_t bytes = record["bytes"].get<std::int64_t>();
    const auto expected = found == expectation.busbw.end() || bytes < kLeastBytes
                              ? std::nullopt
                              : expected_at(found->second, bytes);
    if (expected && *expected > 0 && record["busbw_gb_per_s"].is_number())
      judgment.all.push_back({record, record["busbw_gb_per_s"].get<double>(), *expected});
    else
      ++judgment.unjudged;
  }
  std::stable_sort(judgment.all.begin(), judgment.all.end(),
                   [](const Judged& a, const Judged& b) { return a.ratio() < b.ratio(); });
  return judgment;
}

std::string likely_reason(const Judged& judged, const Json& context) {
  const Json environment = context.is_object() ? context.value("environment", Json()) : Json();
  for (const char* name : {"NCCL_NVLS_ENABLE", "NCCL_P2P_DISABLE", "NCCL_IB_DISABLE", "NCCL_ALGO",
                           "NCCL_PROTO", "NCCL_SHM_DISABLE", "NCCL_NET_GDR_LEVEL"})
    if (environment.is_object() && environment.contains(name))
      return fmt::format("{}={} was set", name, environment[name].get<std::string>());
  const Json library = context.is_object() ? context.value("nccl", Json()) : Json();
  if (library.is_string() && library.get<std::string>().find("network Socket") != std::string::npos)
    return "NCCL used TCP sockets between the hosts, not the fabric";
  const Json groups = judged.record.value("groups", Json());
  const double ratio = judged.ratio();
  if (groups.is_number() && groups.get<std::int64_t>() > 1) {
    if (near(ratio, 7.0 / 8)) return "7/8 of what is expected, as with one NIC of eight missing";
    if (near(ratio, 0.5)) return "half of what is expected, as with half of the NICs missing";
    if (ratio < 0.12) return "an eighth or less, as through one NIC or TCP sockets";
    return "";
  }
  if (ratio < 0.15) return "as over PCIe or host memory: is NVLink in use (nvidia-smi topo -m)?";
  if (judged.record["collective"] == "allreduce" && ratio > 0.72 && ratio < kLook)
    return "about the rate of a ring: is NVLS (multicast) off, or not supported?";
  return "";
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
                           fmt::format("{:.1f}%", 100 * one.ratio()), word_of(one.verdict())});
    rows.push_back(std::move(row));
  }
  return markdown(header, rows);
}

}  // namespace arlab::bench

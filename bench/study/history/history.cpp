#include "bench/study/history/history.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "bench/study/history/change_point.hpp"
#include "bench/study/rank_sum.hpp"

namespace arlab::bench {
namespace {

using Verdict = Trend::Verdict;

constexpr double kTrendLevel = 0.05;
constexpr double kLeastSpread = 0.7;  // of files, as a part of the threshold

// A trend while its points are collected.
struct Series {
  Trend trend;
  std::vector<LevelPoint> points;
  bool is_sure = true;   // errors are known, or need not be
  bool is_exact = true;  // simulated
};

using SeriesOfHost = std::map<std::string, Series>;  // by identity

std::string host_of(const Results& results, const Json& record) {
  const std::string host = text_at(context_of(results, record), "host");
  return host.empty() ? "unknown" : host;
}

void add_file(std::size_t number, const HistoryFile& file, double least_error,
              std::map<std::string, SeriesOfHost>& all) {
  std::map<std::string, std::vector<Json>> by_host;
  for (const Json& record : file.results.records)
    by_host[host_of(file.results, record)].push_back(record);
  for (const auto& [host, records] : by_host)
    for (const auto& [key, side] : sides_of(records)) {
      Series& series = all[host][key];
      const LogMedian median = side.median();
      const bool is_exact = side.last["kind"] == "simulate";
      series.trend.host = host;
      series.trend.record = side.last;
      series.trend.files.push_back(number);
      series.trend.times_us.push_back(std::exp(median.value));
      series.trend.verdict = side.wrong > 0 ? Verdict::wrong : Verdict::same;
      series.points.push_back(
          {median.value, std::max(median.error.value_or(0), is_exact ? 0 : least_error)});
      series.is_exact = series.is_exact && is_exact;
      series.is_sure = series.is_sure && (median.error || is_of_log(side.last));
    }
}

// All configurations that have a time in each of the host's files, as one.
std::vector<Series> together(const SeriesOfHost& of_host, double least_error) {
  std::set<std::size_t> files;
  for (const auto& [key, series] : of_host)
    files.insert(series.trend.files.begin(), series.trend.files.end());
  std::vector<const Series*> members;
  for (const auto& [key, series] : of_host)
    if (series.points.size() == files.size()) members.push_back(&series);
  if (members.size() < 2 || files.size() < 2) return {};
  Series all;
  const auto n = static_cast<double>(members.size());
  all.trend.members = members.size();
  all.trend.host = members.front()->trend.host;
  all.trend.files.assign(files.begin(), files.end());
  for (const Series* const one : members) {
    all.is_exact = all.is_exact && one->is_exact;
    all.is_sure = all.is_sure && one->is_sure;
  }
  for (std::size_t i = 0; i < files.size(); ++i) {
    LevelPoint point;
    for (const Series* const one : members) {
      point.value += one->points[i].value / n;
      point.error += one->points[i].error * one->points[i].error / (n * n);
    }
    point.error = std::max(std::sqrt(point.error), all.is_exact ? 0 : least_error);
    all.points.push_back(point);
    all.trend.times_us.push_back(std::exp(point.value));
  }
  return {all};
}

Trend located(Series series) {
  Trend& trend = series.trend;
  const ChangePoint change = change_point(series.points);
  trend.since = trend.files[change.first];
  trend.before_us = std::exp(change.before);
  trend.after_us = std::exp(change.after);
  trend.p = change.p;
  const bool is_short = series.points.size() < kFewestForSpread;
  if (trend.verdict == Verdict::same && is_short && !series.is_sure)
    trend.verdict = Verdict::unsure;
  return trend;
}

// `levels`: into how many parts the level of significance is divided.
void decide_trends(std::vector<Trend>& all, double threshold, double levels) {
  std::vector<double> p;
  for (const Trend& t : all)
    if (t.verdict != Verdict::unsure) p.push_back(t.p);
  const std::vector<double> corrected = holm_corrected(p);
  auto next = corrected.begin();
  for (Trend& t : all) {
    if (t.verdict == Verdict::unsure) continue;
    t.p = std::min(1.0, levels * *next++);
    if (t.verdict == Verdict::wrong || t.p >= kTrendLevel) continue;
    if (t.ratio() > 1 + threshold) t.verdict = Verdict::slower;
    if (t.ratio() < 1 / (1 + threshold)) t.verdict = Verdict::faster;
  }
}

}  // namespace

void sort_by_date(std::vector<HistoryFile>& files) {
  if (std::any_of(files.begin(), files.end(),
                  [](const HistoryFile& file) { return file.date.empty(); }))
    return;
  std::stable_sort(files.begin(), files.end(),
                   [](const HistoryFile& a, const HistoryFile& b) { return a.date < b.date; });
}

bool History::failed() const {
  return std::any_of(all.begin(), all.end(), [](const Trend& t) {
    return t.verdict == Verdict::slower || t.verdict == Verdict::wrong;
  });
}

HistoryFile history_file(std::string path, Results results) {
  HistoryFile file{.path = std::move(path)};
  std::set<std::string> texts[5];
  constexpr const char* kKeys[] = {"host", "cpu", "mpi", "nccl", "commit"};
  for (const auto& [key, side] : sides_of(results.records)) file.times += side.launches.size();
  for (const Json& record : results.records) {
    const Json& context = context_of(results, record);
    for (std::size_t i = 0; i < std::size(kKeys); ++i)
      if (const std::string text = text_at(context, kKeys[i]); !text.empty()) texts[i].insert(text);
    const std::string date = text_at(context, "date");
    const bool is_date = !date.empty() && date.front() >= '0' && date.front() <= '9';
    if (is_date && (file.date.empty() || date < file.date)) file.date = date;
  }
  std::string* const joined[] = {&file.host, &file.cpu, &file.mpi, &file.nccl, &file.commit};
  for (std::size_t i = 0; i < std::size(kKeys); ++i)
    *joined[i] = fmt::format("{}", fmt::join(texts[i], ", "));
  file.results = std::move(results);
  return file;
}

History history_of(std::vector<HistoryFile> files, double threshold) {
  sort_by_date(files);
  History history{.files = std::move(files), .all = {}};
  const double least_error = kLeastSpread * threshold;
  std::map<std::string, SeriesOfHost> all;
  for (std::size_t i = 0; i < history.files.size(); ++i)
    add_file(i, history.files[i], least_error, all);
  history.hosts = all.size();
  std::vector<Trend> of_hosts, of_configurations;
  for (const auto& [host, of_host] : all) {
    for (Series& series : together(of_host, least_error))
      of_hosts.push_back(located(std::move(series)));
    for (const auto& [key, series] : of_host) {
      if (series.points.size() < 2)
        ++history.once;
      else
        of_configurations.push_back(located(series));
    }
  }
  const double levels = of_hosts.empty() ? 1 : 2;
  decide_trends(of_hosts, threshold, levels);
  decide_trends(of_configurations, threshold, levels);
  for (std::vector<Trend>* const some : {&of_hosts, &of_configurations}) {
    std::stable_sort(some->begin(), some->end(),
                     [](const Trend& a, const Trend& b) { return a.ratio() > b.ratio(); });
    for (Trend& trend : *some) history.all.push_back(std::move(trend));
  }
  return history;
}

std::vector<std::string> short_names(const std::vector<HistoryFile>& files) {
  std::string common;
  for (const HistoryFile& file : files) {
    std::string folder = std::filesystem::path(file.path).parent_path().string();
    if (!folder.empty() && !folder.ends_with('/')) folder += '/';
    if (&file == &files.front()) common = folder;
    while (!folder.starts_with(common)) {
      common.pop_back();
      common.resize(common.find_last_of('/') + 1);
    }
  }
  std::vector<std::string> names;
  for (const HistoryFile& file : files) names.push_back(file.path.substr(common.size()));
  return names;
}

}  // namespace arlab::bench

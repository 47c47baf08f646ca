#include "bench/formats/metrics/metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>
#include <utility>
#include <vector>

#include "bench/results/record_table.hpp"

namespace arlab::bench {
namespace {

constexpr double kMicrosecondsPerSecond = 1e6, kBytesPerGigabyte = 1e9;

// Of "2026-11-21T04:00:00Z".
std::optional<double> unix_seconds(const std::string& date) {
  namespace chrono = std::chrono;
  int year = 0;
  unsigned month = 0, day = 0, hours = 0, minutes = 0, seconds = 0;
  if (std::sscanf(date.c_str(), "%d-%u-%uT%u:%u:%uZ", &year, &month, &day, &hours, &minutes,
                  &seconds) != 6)
    return {};
  const chrono::year_month_day ymd{chrono::year(year), chrono::month(month), chrono::day(day)};
  if (!ymd.ok()) return {};
  const auto days = chrono::sys_days(ymd).time_since_epoch();
  return chrono::duration<double>(days).count() + 3600.0 * hours + 60.0 * minutes + seconds;
}

class RecordMetrics {
 public:
  explicit RecordMetrics(const Results& results) : results_(results) {
    const std::pair<const char*, const char*> metrics[] = {
        {"arlab_time_seconds", "Median time of a configuration."},
        {"arlab_time_low_seconds", "Lower end of the 95% interval of the median."},
        {"arlab_time_high_seconds", "Upper end of the 95% interval of the median."},
        {"arlab_runs", "Timed runs of a configuration."},
        {"arlab_bus_bandwidth_bytes_per_second", "Bus bandwidth, as nccl-tests define it."},
        {"arlab_wrong_elements", "Elements of the result that are wrong."},
        {"arlab_timestamp_seconds", "When a configuration was measured, in Unix time."},
        {"arlab_hunt_slow_places", "Places that a hunt named as slow."},
        {"arlab_hunt_verdict", "1 for the verdict of a hunt, 0 for the others."},
        {"arlab_hunt_place_times", "Time of a slow place, as a multiple of what is usual."},
        {"arlab_hunt_rank_times", "Time of each rank, as a multiple of what is usual."},
        {"arlab_hunt_usual_seconds", "What is usual: of bandwidth, the time of a large message."},
        {"arlab_hunt_large_message_bytes", "Size of the large message of a hunt."},
        {"arlab_hunt_timestamp_seconds", "When a hunt began, in Unix time."}};
    for (const auto& [name, help] : metrics) all_.declare(name, help);
  }

  Exposition take() {
    std::vector<std::pair<std::string, const Json*>> by_date;  // of two measurements, the later
    for (const Json& record : results_.records)
      by_date.emplace_back(of_context(record, "date"), &record);
    std::ranges::stable_sort(by_date, {}, &std::pair<std::string, const Json*>::first);
    for (const auto& [date, record] : by_date)
      if (record->value("kind", Json()) == "hunt")
        add_hunt(*record);
      else if (record->contains("time_us") && (*record)["time_us"].is_object())
        add_time(*record);
    return std::move(all_);
  }

 private:
  std::string of_context(const Json& record, const char* key) const {
    return cell_text(member(context_of(results_, record), key));
  }

  void add_date(const char* metric, const MetricLabels& labels, const Json& record) {
    if (const auto date = unix_seconds(of_context(record, "date"))) all_.add(metric, labels, *date);
  }

  void add_time(const Json& record) {
    MetricLabels labels;
    labels.emplace_back("kind", cell_text(record["kind"]));
    for (std::string_view key : identity_keys(cell_text(record["kind"]))) {
      if (key == "elements") key = "bytes";
      if (const Json value = record.value(key, Json()); !value.is_null())
        labels.emplace_back(key, cell_text(value));
    }
    labels.emplace_back("host", of_context(record, "host"));
    const Json& time = record["time_us"];
    const auto seconds = [&](const char* metric, const Json& us) {
      if (us.is_number()) all_.add(metric, labels, us.get<double>() / kMicrosecondsPerSecond);
    };
    seconds("arlab_time_seconds", time["median"]);
    seconds("arlab_time_low_seconds", time["ci95"][0]);
    seconds("arlab_time_high_seconds", time["ci95"][1]);
    all_.add("arlab_runs", labels, time["n"].get<double>());
    if (const Json busbw = record.value("busbw_gb_per_s", Json()); busbw.is_number())
      all_.add("arlab_bus_bandwidth_bytes_per_second", labels,
               busbw.get<double>() * kBytesPerGigabyte);
    if (const Json wrong = record.value("wrong", Json()); wrong.is_number())
      all_.add("arlab_wrong_elements", labels, wrong.get<double>());
    add_date("arlab_timestamp_seconds", labels, record);
  }

  void add_hunt(const Json& hunt) {
    const MetricLabels labels{{"backend", cell_text(hunt["backend"])},
                              {"network", cell_text(hunt["network"])},
                              {"ranks", cell_text(hunt["ranks"])}};
    const std::string verdict = hunt["verdict"].get<std::string>();
    for (const char* one : {"slow", "quiet", "noisy", "few"})
      add_with("arlab_hunt_verdict", labels, {{"verdict", one}}, verdict == one ? 1 : 0);
    all_.add("arlab_hunt_slow_places", labels, static_cast<double>(hunt["findings"].size()));
    all_.add("arlab_hunt_large_message_bytes", labels, hunt["bytes"].get<double>());
    for (const Json& f : hunt["findings"])
      add_with("arlab_hunt_place_times", labels,
               {{"what", cell_text(f["what"])},
                {"by", cell_text(f["by"])},
                {"direction", direction(f["sends"].get<bool>(), f["receives"].get<bool>())},
                {"slow", f["ranks"].dump()},
                {"others", f["others"].empty() ? "" : f["others"].dump()}},
               f["times"].get<double>());
    for (const auto& [by, measured] : hunt["measured"].items()) {
      add_with("arlab_hunt_usual_seconds", labels, {{"by", by}},
               measured["usual_us"].get<double>() / kMicrosecondsPerSecond);
      for (const char* side : {"sends", "receives"})
        for (std::size_t r = 0; r < measured[side].size(); ++r)
          add_with("arlab_hunt_rank_times", labels,
                   {{"by", by},
                    {"direction", side},
                    {"rank", fmt::to_string(r)},
                    {"host", r < hunt["hosts"].size() ? cell_text(hunt["hosts"][r]) : ""}},
                   measured[side][r].get<double>());
    }
    add_date("arlab_hunt_timestamp_seconds", labels, hunt);
  }

  static std::string direction(bool sends, bool receives) {
    return sends && receives ? "both" : sends ? "sends" : "receives";
  }

  void add_with(const char* metric, MetricLabels labels, const MetricLabels& more, double value) {
    labels.insert(labels.end(), more.begin(), more.end());
    all_.add(metric, labels, value);
  }

  const Results& results_;
  Exposition all_;
};

}  // namespace

Exposition metrics_of(const Results& results) { return RecordMetrics(results).take(); }

}  // namespace arlab::bench

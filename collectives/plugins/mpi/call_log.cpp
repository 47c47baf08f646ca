#include "collectives/plugins/mpi/call_log.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>

#include "algorithms/base/quantities.hpp"
#include "algorithms/base/text.hpp"

namespace arlab::collectives {

void CallLog::add(const CallKind& kind, double seconds) {
  const std::lock_guard lock(mutex_);
  CallCount& count = calls_[kind];
  ++count.calls;
  count.seconds += seconds;
  count.longest = std::max(count.longest, seconds);
}

std::map<CallKind, CallCount> CallLog::calls() const {
  const std::lock_guard lock(mutex_);
  return calls_;
}

namespace {

template <class... Values>
std::string formatted(const char* format, Values... values) {
  char text[256];
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

std::string type_text(const CallKind& kind) {
  return kind.type.empty() ? "other" : concat(kind.type, " ", kind.op);
}

}  // namespace

std::string report_of(const std::map<CallKind, CallCount>& calls) {
  std::vector<std::pair<CallKind, CallCount>> rows(calls.begin(), calls.end());
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return a.second.seconds > b.second.seconds;
  });
  std::int64_t all = 0, ours = 0;
  std::string text =
      "| ranks | bytes | type | ran | calls | time, s | mean, us | longest, us |\n"
      "| ---: | ---: | --- | --- | ---: | ---: | ---: | ---: |\n";
  for (const auto& [kind, count] : rows) {
    all += count.calls;
    if (!kind.ran.starts_with("mpi")) ours += count.calls;
    const double mean = count.seconds / static_cast<double>(count.calls);
    text += formatted("| %d | %lld | ", kind.ranks, static_cast<long long>(kind.bytes)) +
            type_text(kind) + " | " + kind.ran +
            formatted(" | %lld | %.3f | %.2f | %.1f |\n", static_cast<long long>(count.calls),
                      count.seconds, mean * 1e6, count.longest * 1e6);
  }
  return formatted("arlab: %lld of %lld calls of MPI_Allreduce ran by arlab\n",
                   static_cast<long long>(ours), static_cast<long long>(all)) +
         text;
}

std::string profile_of(const std::map<CallKind, CallCount>& calls,
                       const std::vector<double>& fastest, const std::vector<double>& slowest) {
  std::string text;
  std::size_t i = 0;
  for (const auto& [kind, count] : calls) {
    text +=
        formatted("{\"kind\":\"profile\",\"collective\":\"allreduce\",\"ranks\":%d,\"bytes\":%lld,",
                  kind.ranks, static_cast<long long>(kind.bytes)) +
        concat("\"dtype\":\"", kind.type, "\",\"op\":\"", kind.op, "\",\"ran\":\"", kind.ran,
               "\",") +
        formatted("\"calls\":%lld,\"least_rank_s\":%.9g,\"most_rank_s\":%.9g}\n",
                  static_cast<long long>(count.calls), fastest[i], slowest[i]);
    ++i;
  }
  return text;
}

}  // namespace arlab::collectives

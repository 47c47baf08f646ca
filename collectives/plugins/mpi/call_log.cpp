#include "collectives/plugins/mpi/call_log.hpp"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>

#include "algorithms/base/text.hpp"

namespace arlab::collectives {
namespace {

bool is_ours(const CallKind& kind) { return !kind.ran.starts_with("mpi"); }

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

void CallLog::add(const CallKind& kind, double seconds) {
  const std::lock_guard lock(mutex_);
  CallCount& count = calls_[kind];
  ++count.calls;
  count.seconds += seconds;
  count.longest = std::max(count.longest, seconds);
}

Calls CallLog::calls() const {
  const std::lock_guard lock(mutex_);
  return calls_;
}

std::string written(const Calls& calls) {
  nlohmann::json rows = nlohmann::json::array();
  for (const auto& [kind, count] : calls)
    rows.push_back({kind.ranks, kind.bytes, kind.type, kind.op, kind.ran, count.calls,
                    count.seconds, count.longest, kind.call});
  return rows.dump();
}

Calls read_calls(const std::string& text) {
  Calls calls;
  for (const auto& row : nlohmann::json::parse(text))
    calls[{.ranks = row[0],
           .bytes = row[1],
           .type = row[2],
           .op = row[3],
           .ran = row[4],
           .call = row[8]}] = {.calls = row[5], .seconds = row[6], .longest = row[7]};
  return calls;
}

JobLog merged(const std::vector<Calls>& of_ranks) {
  JobLog log;
  for (const Calls& calls : of_ranks) {
    std::map<std::string, JobLog::Share> mine;
    for (const auto& [kind, count] : calls) {
      JobLog::Share& share = mine[kind.call];
      share.calls += count.calls;
      if (is_ours(kind)) share.ours += count.calls;
      const auto [place, first] = log.kinds.try_emplace(kind);
      JobCount& job = place->second;
      job.calls = std::max(job.calls, count.calls);
      job.least_rank_s = first ? count.seconds : std::min(job.least_rank_s, count.seconds);
      job.most_rank_s = std::max(job.most_rank_s, count.seconds);
      job.longest = std::max(job.longest, count.longest);
    }
    for (const auto& [call, share] : mine)
      if (share.calls > log.shares[call].calls) log.shares[call] = share;
  }
  return log;
}

std::string report_of(const JobLog& log) {
  std::vector<std::pair<CallKind, JobCount>> rows(log.kinds.begin(), log.kinds.end());
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return a.second.most_rank_s > b.second.most_rank_s;
  });
  std::map<std::string, JobLog::Share> shares = log.shares;
  shares.try_emplace("MPI_Allreduce");
  std::string text;
  for (const auto& [call, share] : shares)
    text += formatted("arlab: %lld of %lld calls of %s ran by arlab\n",
                      static_cast<long long>(share.ours), static_cast<long long>(share.calls),
                      call.c_str());
  text +=
      "| call | ranks | bytes | type | ran | calls | time, s | mean, us | longest, us |\n"
      "| --- | ---: | ---: | --- | --- | ---: | ---: | ---: | ---: |\n";
  for (const auto& [kind, count] : rows) {
    const double mean = count.most_rank_s / static_cast<double>(count.calls);
    text += formatted("| %s | %d | %lld | ", kind.call.c_str() + sizeof "MPI_" - 1, kind.ranks,
                      static_cast<long long>(kind.bytes)) +
            type_text(kind) + " | " + kind.ran +
            formatted(" | %lld | %.3f | %.2f | %.1f |\n", static_cast<long long>(count.calls),
                      count.most_rank_s, mean * 1e6, count.longest * 1e6);
  }
  return text;
}

std::string profile_of(const JobLog& log) {
  std::string text;
  for (const auto& [kind, count] : log.kinds) {
    if (kind.call != CallKind{}.call) continue;
    text +=
        formatted("{\"kind\":\"profile\",\"collective\":\"allreduce\",\"ranks\":%d,\"bytes\":%lld,",
                  kind.ranks, static_cast<long long>(kind.bytes)) +
        concat("\"dtype\":\"", kind.type, "\",\"op\":\"", kind.op, "\",\"ran\":\"", kind.ran,
               "\",") +
        formatted("\"calls\":%lld,\"least_rank_s\":%.9g,\"most_rank_s\":%.9g}\n",
                  static_cast<long long>(count.calls), count.least_rank_s, count.most_rank_s);
  }
  return text;
}

}  // namespace arlab::collectives

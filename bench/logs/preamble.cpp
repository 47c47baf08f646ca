#include "bench/logs/preamble.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "algorithms/base/quantities.hpp"
#include "bench/logs/nccl_names.hpp"
#include "bench/logs/words.hpp"
#include "bench/text/words.hpp"

namespace arlab::bench {
namespace {

using Words = std::vector<std::string_view>;

// The text after the first occurrence of `what`, without spaces around it; empty if there is none.
std::string_view after(std::string_view text, std::string_view what) {
  const std::size_t at = text.find(what);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + what.size());
  return trimmed(text);
}

std::string first_word(std::string_view text) {
  const Words words = words_of(text);
  return words.empty() ? std::string() : std::string(words[0]);
}

int number_after(std::string_view text, std::string_view what, int otherwise) {
  const std::optional<std::int64_t> value = whole_number(first_word(after(text, what)));
  return value && *value > 0 && *value < (1 << 30) ? static_cast<int>(*value) : otherwise;
}

// "#  Rank  0 Group  0 Pid 221423 on  gpu-1-1 device  0 [0009:01:00] NVIDIA GH200 120GB"
bool read_rank(const Words& words, std::string_view text, LogPreamble& p) {
  const auto on = std::find(words.begin(), words.end(), "on");
  const std::optional<std::int64_t> rank = whole_number(words[2]);
  if (!rank || *rank >= (1 << 22) || words.end() - on < 4 || on[2] != "device") return false;
  p.hosts[static_cast<Rank>(*rank)] = std::string(on[1]);
  if (words[3] == "Group")
    p.communicators[static_cast<Rank>(*rank)] = whole_number(words[4]).value_or(0);
  if (p.gpu.empty()) p.gpu = std::string(after(text, "] "));
  p.rccl = p.rccl || p.gpu.starts_with("AMD");
  return true;
}

LogComment read_nccl(const Words& words, std::string_view text, LogPreamble& p) {
  if (words[1] == "nThread") {
    p.command = std::string(text);
    p.iterations = number_after(text, " iters:", 20);
    if (const std::string_view rest = after(text, "warmup iters:"); !rest.empty())
      p.iterations = number_after(rest, " iters:", 20);
    p.aggregated = number_after(text, "agg iters:", 1);
    return LogComment::says;
  }
  if (text.find("nccl-tests version") != std::string_view::npos) {
    p.version = first_word(after(text, "version"));
    p.library = nccl_release(number_after(text, "nccl-library=", 0));
    return LogComment::says;
  }
  if (text.find("Collective test starting:") != std::string_view::npos)
    return p.program = nccl_program(first_word(after(text, "starting:"))), LogComment::says;
  if (words[1] == "Rank" && words.size() > 6)
    return read_rank(words, text, p) ? LogComment::says : LogComment::none;
  if (words[1] == "Blocking") return p.waits = true, LogComment::says;
  if (text.find("in-place") != std::string_view::npos)
    p.last_in_place = text.find("out-of-place") == std::string_view::npos;
  if (text.find("out-of-place") != std::string_view::npos ||
      text.find("in-place") != std::string_view::npos || words[1] == "Using" || words[1] == "(B)")
    return LogComment::says;
  for (const char* foot :
       {"Out of bounds values", "Avg bus bandwidth", "Collective test concluded"})
    if (text.find(foot) != std::string_view::npos) return LogComment::ends;
  return LogComment::none;
}

// "# OSU MPI-CUDA Allreduce Latency Test v7.5": the library, where its buffers are, the benchmark.
LogComment read_osu(std::string_view text, LogPreamble& p) {
  std::string_view rest = after(text, "OSU");
  p = LogPreamble{};
  p.osu_version = first_word(after(rest, " Test v"));
  const std::string_view first = rest.substr(0, rest.find(' '));
  const std::size_t dash = first.find('-');
  for (const char* library : {"MPI", "NCCL", "RCCL", "XCCL"})
    if (first.substr(0, dash) == library) {
      p.osu_library = library;
      p.osu_device = dash == std::string_view::npos ? "" : first.substr(dash + 1);
      rest = after(rest, first);
    }
  p.osu_title = std::string(rest);
  return LogComment::next;
}

LogComment read_imb(const Words& words, std::string_view text, LogPreamble& p) {
  if (text.find("MPI Benchmark") != std::string_view::npos) {
    p = LogPreamble{};
    const std::string_view rest = after(text, "MPI Benchmark");
    const std::size_t at = rest.find_first_of("0123456789");
    p.imb_version = at == std::string_view::npos ? "" : first_word(rest.substr(at));
    while (p.imb_version.ends_with(',')) p.imb_version.pop_back();
    return LogComment::next;
  }
  if (words[1] == "Benchmarking" && words.size() > 2) {
    p.benchmark = std::string(words[2]);
    p.processes.reset();
    p.groups = 1;
    return LogComment::next;
  }
  if (words[1] == "#processes" && words.size() > 3) {
    const std::optional<std::int64_t> n = whole_number(words[3]);
    if (n && *n > 0 && *n < (1 << 22)) p.processes = static_cast<Rank>(*n);
    return LogComment::says;
  }
  if (text.find("groups of") != std::string_view::npos)
    return p.groups = number_after(text, "(", 2), LogComment::says;
  const auto value = [&] { return first_word(after(text, ":")); };
  if (words[1] == "MPI_Op") return p.op = value(), LogComment::says;
  if (words[1] == "MPI_Datatype") {
    (text.find("reductions") == std::string_view::npos ? p.datatype : p.datatype_of_reductions) =
        value();
    return LogComment::says;
  }
  if (text.find("All processes entering") != std::string_view::npos) return LogComment::ends;
  return words[1] == "Date" || words[1] == "Calling" ? LogComment::says : LogComment::none;
}

// Whether a rank is in the communicator of rank 0. Logs before 2022 have one, without a number.
bool is_beside_first(const LogPreamble& p, Rank rank) {
  const auto number = [&](Rank r) {
    const auto found = p.communicators.find(r);
    return found == p.communicators.end() ? 0 : found->second;
  };
  return number(rank) == number(0);
}

}  // namespace

bool begins_run(std::string_view comment) {
  for (const char* first : {"# nThread", "# nccl-tests version",
                            "# Collective test starting:", "# OSU ", "MPI Benchmark"})
    if (comment.find(first) != std::string_view::npos) return true;
  return false;
}

LogComment read_comment(std::string_view comment, LogPreamble& preamble) {
  const Words words = words_of(comment);
  if (words.size() < 2 || words[0] != "#") return LogComment::none;
  if (words[1] == "OSU") return read_osu(comment, preamble);
  if (words[1] == "Datatype:" && words.size() > 2) {
    preamble.datatype = std::string(words[2]);
    while (preamble.datatype.ends_with('.')) preamble.datatype.pop_back();
    return LogComment::says;
  }
  const LogComment nccl = read_nccl(words, comment, preamble);
  return nccl == LogComment::none ? read_imb(words, comment, preamble) : nccl;
}

std::optional<Rank> listed_ranks(const LogPreamble& p) {
  const auto count = static_cast<Rank>(p.hosts.size());
  if (count == 0 || p.hosts.rbegin()->first != count - 1) return std::nullopt;
  return static_cast<Rank>(std::count_if(p.hosts.begin(), p.hosts.end(), [&](const auto& one) {
    return is_beside_first(p, one.first);
  }));
}

std::vector<std::int32_t> hosts_of_ranks(const LogPreamble& p) {
  if (!listed_ranks(p)) return {};
  std::map<std::string, std::int32_t> numbers;
  std::vector<std::int32_t> all;
  for (const auto& [rank, host] : p.hosts)
    if (is_beside_first(p, rank))
      all.push_back(numbers.emplace(host, static_cast<std::int32_t>(numbers.size())).first->second);
  return all;
}

std::string split_note(const LogPreamble& p) {
  std::set<std::int64_t> different;
  for (const auto& [rank, communicator] : p.communicators) different.insert(communicator);
  const std::optional<Rank> ranks = listed_ranks(p);
  if (different.size() < 2 || !ranks) return "";
  return fmt::format("{} ranks ran in {} communicators at once: the rows are those of one, of {}",
                     p.hosts.size(), different.size(), *ranks);
}

std::string nccl_release(std::int64_t code) {
  if (code < 2000) return "";
  const bool is_old = code < 10000;  // until 2.8: 2804
  return fmt::format("NCCL {}.{}.{}", code / (is_old ? 1000 : 10000),
                     code / 100 % (is_old ? 10 : 100), code % 100);
}

LogOrigin nccl_origin(const LogPreamble& p, const std::string& library,
                      const std::string& rccl_version) {
  const bool rccl = p.rccl || !rccl_version.empty() || library.starts_with("RCCL");
  LogOrigin origin{.tool = rccl ? "rccl-tests" : "nccl-tests",
                   .backend = rccl ? "rccl" : "nccl",
                   .host = p.hosts.empty() ? "" : p.hosts.begin()->second,
                   .gpu = p.gpu,
                   .library = library.empty() ? p.library : library,
                   .command = p.command};
  const std::int64_t runs = std::int64_t{p.iterations} * p.aggregated;
  origin.repeats = p.waits ? 1 : static_cast<int>(std::min<std::int64_t>(runs, 1 << 30));
  const std::string& version = rccl ? rccl_version : p.version;
  if (!version.empty()) origin.tool += " " + version;
  if (p.version.starts_with("arlab-")) {  // our own programs of the same names, on any backend
    origin.backend.clear();
    origin.algorithm = p.program + "_perf";
  }
  return origin;
}

}  // namespace arlab::bench

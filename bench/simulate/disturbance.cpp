#include "bench/simulate/disturbance.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <span>

#include "algorithms/base/error.hpp"
#include "algorithms/base/quantities.hpp"
#include "bench/options/options.hpp"
#include "bench/options/settings.hpp"
#include "bench/text/units.hpp"
#include "simulator/noise/noisy_network.hpp"
#include "simulator/topologies/fabric.hpp"
#include "simulator/topologies/faults.hpp"

namespace arlab::bench {
namespace {

Time parse_positive(const std::string& text, const std::string& option) {
  const double time = parse_time(text, option);
  if (!(time >= 1 && time <= picoseconds(kLongest)))
    fail(Blame::usage,
         fmt::format("{} is '{}': give a time from 1ps to 11 days, such as 10us", option, text));
  return to_time(time);
}

std::vector<std::string> parts_at(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text)
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

// "3:100us" into the texts on both sides of the colon.
std::pair<std::string, std::string> split_at_colon(const std::string& text,
                                                   const std::string& option, const char* example) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos)
    fail(Blame::usage, fmt::format("{} is '{}': write it like {}", option, text, example));
  return {text.substr(0, colon), text.substr(colon + 1)};
}

// "0.1%", perhaps with ":200ms" behind it.
simulator::PacketLoss parse_loss(const std::string& text, const std::string& option) {
  constexpr Time kLeastOfLinux = 200'000 * kMicrosecond;
  const std::vector<std::string> parts = parts_at(text, ':');
  const std::string& share = parts[0];
  if (!share.ends_with('%') || parts.size() > 2)
    fail(Blame::usage,
         fmt::format("{} is '{}': write it like 0.1%, or 0.1%:200ms with TCP's least timeout",
                     option, text));
  simulator::PacketLoss loss{.share = parse_ratio(share.substr(0, share.size() - 1), option) / 100,
                             .timeout = kLeastOfLinux};
  if (loss.share > 0.5)
    fail(Blame::usage, fmt::format("{} is '{}': give at most 50%", option, text));
  if (parts.size() > 1) loss.timeout = parse_positive(parts[1], option);
  return loss;
}

std::optional<Rank> host_named(const simulator::Topology& topology, std::string_view name) {
  for (Rank host = 0; host < topology.hosts(); ++host)
    if (topology.node(host).name == name) return host;
  return {};
}

// "h2-h6", or "h2--h6" for both directions; names may contain hyphens.
std::vector<simulator::HostStream> streams_between(const std::string& text,
                                                   const simulator::Topology& topology) {
  for (std::size_t at = text.find('-'); at != std::string::npos; at = text.find('-', at + 1)) {
    const bool both = text.compare(at, 2, "--") == 0;
    const auto from = host_named(topology, text.substr(0, at)),
               to = host_named(topology, text.substr(at + (both ? 2 : 1)));
    if (!from || !to || from == to) continue;
    std::vector<simulator::HostStream> streams = {{*from, *to}};
    if (both) streams.push_back({*to, *from});
    return streams;
  }
  fail(Blame::usage,
       fmt::format("--disturb traffic is '{}': write it like h2-h6, or h2--h6 for both directions, "
                   "with two of the hosts {} to {}",
                   text, topology.node(0).name, topology.node(topology.hosts() - 1).name));
}

// Which part of a failure is its length; 0: none. Names of links may have colons, too. Times end
// with a unit, the share that may follow them does not.
std::size_t part_of_length(std::span<const std::string> parts) {
  for (std::size_t i = parts.size(); i-- > 1;)
    if (parts[i].find('@') != std::string::npos) return i;
  const std::string& last = parts.back();
  const std::size_t behind =
      2 + (!last.empty() && std::string_view("0123456789.").find(last.back()) != last.npos ? 1 : 0);
  return parts.size() > behind ? parts.size() - behind : 0;
}

constexpr const char* kAllLinks = "all";
constexpr const char* kFlap = "--disturb flap";

// The failures of one option, by link. The links between two nodes fail together.
void add_flaps(const FlapOption& option, const simulator::Topology& topology, const Random& begins,
               std::vector<simulator::LinkFlap>& all) {
  const auto add = [&](simulator::LinkId id) {
    const simulator::Link& link = topology.link(id);
    const auto low = static_cast<std::uint64_t>(std::min(link.from, link.to)),
               high = static_cast<std::uint64_t>(std::max(link.from, link.to));
    const Time begin =
        option.begin ? *option.begin : Time(begins.below(option.period.count(), low << 32 | high));
    all.push_back({.link = id,
                   .begin = begin,
                   .length = option.length,
                   .period = option.period,
                   .share = option.share});
  };
  if (option.link == kAllLinks)
    for (std::size_t id = 0; id < topology.links().size(); ++id)
      add(static_cast<simulator::LinkId>(id));
  else
    for (const simulator::LinkId id : simulator::links_named(topology, option.link)) add(id);
}

}  // namespace

FlapOption parse_flap(const std::string& text) {
  const auto refuse = [&] {
    fail(Blame::usage,
         fmt::format(
             "--disturb flap is '{}': write it like h0--leaf0:50us:1ms (for 50us of each ms), or "
             "h0--leaf0:50us@100us (once, from 100us on); :0.5 behind it leaves half of the "
             "bandwidth",
             text));
  };
  const std::vector<std::string> parts = parts_at(text, ':');
  const std::size_t first = part_of_length(parts);
  if (first == 0 || text.starts_with(':')) refuse();
  FlapOption flap{.text = text,
                  .link = fmt::format("{}", fmt::join(std::span(parts).first(first), ":"))};
  const std::size_t at = parts[first].find('@');
  const bool once = at != std::string::npos;
  const std::size_t timed = first + (once ? 1 : 2);  // parts before the share
  if (parts.size() < timed || parts.size() > timed + 1) refuse();
  flap.length = parse_positive(parts[first].substr(0, at), kFlap);
  if (once) {
    const std::string begin = parts[first].substr(at + 1);
    flap.begin = parse_time(begin, kFlap) == 0 ? Time{} : parse_positive(begin, kFlap);
  } else {
    flap.period = parse_positive(parts[first + 1], kFlap);
    if (flap.length >= flap.period)
      fail(
          Blame::usage,
          fmt::format("--disturb flap is '{}': the failure must be shorter than the period", text));
  }
  if (parts.size() > timed) {
    flap.share = parts[timed] == "0" ? 0 : parse_ratio(parts[timed], "the bandwidth that remains:");
    if (flap.share >= 1)
      fail(Blame::usage,
           fmt::format("--disturb flap is '{}': the bandwidth that remains is a share below 1, "
                       "such as 0.5",
                       text));
  }
  return flap;
}

bool Disturbance::is_random() const {
  return is_noisy() || std::any_of(flaps.begin(), flaps.end(),
                                   [](const FlapOption& flap) { return !flap.begin; });
}

void Disturbance::add(CLI::App& command) {
  using Text = const std::string&;
  constexpr std::int32_t kMostSeeds = 2'000'000'000, kMostRuns = 100'000;
  const auto read_late = [this](Text text, Text what) {
    for (const std::string& one : parts_at(text, ',')) {
      const auto [text_of_rank, time] = split_at_colon(one, what, "3:100us");
      const Rank rank = checked_number(parse_count(text_of_rank, what), what, 0, kMostRanks - 1);
      for (const auto& [other, other_time] : late)
        if (other == rank)
          fail(Blame::usage, fmt::format("{} names rank {} twice: name it once", what, rank));
      late.emplace_back(rank, parse_positive(time, what));
    }
  };
  const auto read_noise = [this](Text text, Text what) {
    const auto [time, each] = split_at_colon(text, what, "10us:1ms");
    detour = parse_positive(time, what);
    period = parse_positive(each, what);
    if (detour >= period)
      fail(Blame::usage,
           fmt::format("{} is '{}': the interruption must be shorter than the period", what, text));
  };
  const auto read_flaps = [this](Text text, Text) {
    for (const std::string& one : parts_at(text, ',')) flaps.push_back(parse_flap(one));
  };
  const auto read_traffic = [this](Text text, Text) {
    for (const std::string& one : parts_at(text, ',')) traffic.push_back(one);
  };
  const auto number = [](std::int32_t& value, bool& given, std::int32_t least, std::int32_t most) {
    return [&value, &given, least, most](Text text, Text what) {
      value = checked_number(parse_count(text, what), what, least, most);
      given = true;
    };
  };
  add_settings(
      command, "--disturb",
      "Delay what is simulated: late=3:100us (when a rank begins); jitter=2us (mean random delay "
      "per message); loss=0.1% (of the packets; TCP sends the last of a message again after 200ms, "
      "or loss=0.1%:5ms); noise=10us:1ms (interrupts each rank once per period, from a random time "
      "on); "
      "flap=h0--leaf0:50us:1ms (or all:..., links that fail for 50us per ms from a random time on; "
      "h0--leaf0:50us@100us: once; a last :0.5 leaves half of the bandwidth); traffic=h2--h6 "
      "(another job sends between these hosts without a pause; h2-h6: one way); seed=1 of random "
      "numbers; runs=400 with different ones: their mean, p50 and p99; alone, of a calibrated "
      "machine's own delays",
      {{"late", read_late, true},
       {"jitter", [this](Text text, Text what) { jitter = parse_positive(text, what); }},
       {"loss", [this](Text text, Text what) { loss = parse_loss(text, what); }},
       {"noise", read_noise},
       {"flap", read_flaps, true},
       {"traffic", read_traffic, true},
       {"seed", number(seed, has_seed, 0, kMostSeeds)},
       {"runs", number(runs, has_runs, 1, kMostRuns)}});
}

void Disturbance::check(bool drifts) const {
  if (is_random()) return;
  constexpr const char* kDelays = "jitter, loss, noise or a flap with a period";
  if (has_seed) fail_without_effect("--disturb seed", kDelays);
  if (has_runs && !drifts) fail_without_effect("--disturb runs", kDelays);
}

Time Disturbance::delay() const {
  Time longest{};
  for (const auto& [rank, time] : late) longest = std::max(longest, time);
  Time lost{};
  for (const FlapOption& flap : flaps)
    lost = std::max(lost, to_time(picoseconds(flap.length) * (1 - flap.share)));
  return longest + jitter + detour + loss.timeout + lost;
}

std::string Disturbance::text() const {
  const auto show = [](Time time) { return show_picoseconds(picoseconds(time)); };
  std::vector<std::string> parts;
  for (const auto& [rank, time] : late)
    parts.push_back(fmt::format("late={}:{}", rank, show(time)));
  if (jitter > Time{}) parts.push_back("jitter=" + show(jitter));
  if (detour > Time{}) parts.push_back(fmt::format("noise={}:{}", show(detour), show(period)));
  if (loss.share > 0)
    parts.push_back(fmt::format("loss={}%:{}", show_number(loss.share * 100), show(loss.timeout)));
  for (const FlapOption& flap : flaps) parts.push_back("flap=" + flap.text);
  for (const std::string& one : traffic) parts.push_back("traffic=" + one);
  if (is_random()) parts.push_back(fmt::format("seed={}", seed));
  if (is_random() || has_runs) parts.push_back(fmt::format("runs={}", runs));
  return fmt::format("{}", fmt::join(parts, ","));
}

std::vector<Time> Disturbance::starts(Rank ranks) const {
  std::vector<Time> all(late.empty() ? 0 : index(ranks));
  for (const auto& [rank, time] : late) {
    if (rank >= ranks)
      fail(Blame::usage,
           fmt::format("--disturb late names rank {}, but the ranks are 0 to {}: choose "
                       "another one, or raise -p",
                       rank, ranks - 1));
    all[index(rank)] = time;
  }
  return all;
}

std::unique_ptr<simulator::Network> Disturbance::disturbed(
    std::unique_ptr<simulator::Network> network, const simulator::Fabric* fabric, Rank ranks,
    int run) const {
  const Random seeds(static_cast<std::uint64_t>(seed));
  const std::uint64_t number = seeds(static_cast<std::uint64_t>(run));
  std::vector<simulator::LinkFlap> failing;
  for (std::size_t i = 0; fabric && i < flaps.size(); ++i)
    add_flaps(flaps[i], fabric->topology, Random(number).of(2 + i), failing);
  if (!flaps.empty() && (!fabric || !network->flap_links(std::move(failing))))
    fail(Blame::usage,
         "the model knows no links that fail for a while: leave out flap, or use --network fluid");
  std::vector<simulator::HostStream> streams;
  for (std::size_t i = 0; fabric && i < traffic.size(); ++i)
    for (const auto& stream : streams_between(traffic[i], fabric->topology))
      streams.push_back(stream);
  if (!traffic.empty() && (!fabric || !network->add_streams(std::move(streams))))
    fail(Blame::usage,
         "the model knows no links that other jobs use: leave out traffic, or use --network fluid "
         "or a machine file");
  if (!is_noisy()) return network;
  return std::make_unique<simulator::NoisyNetwork>(
      std::move(network), ranks,
      simulator::Noise{
          .seed = number, .jitter = jitter, .detour = detour, .period = period, .loss = loss});
}

}  // namespace arlab::bench

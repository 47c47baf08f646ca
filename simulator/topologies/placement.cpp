#include "simulator/topologies/placement.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <unordered_map>

#include "algorithms/base/error.hpp"
#include "algorithms/base/names.hpp"
#include "algorithms/base/random.hpp"

namespace arlab::simulator {
namespace {

void check_ranks(const Topology& topology, Rank ranks) {
  if (ranks > topology.hosts())
    fail(Blame::usage, std::to_string(ranks) + " ranks do not fit on the " +
                           std::to_string(topology.hosts()) + " hosts of " + topology.spec() +
                           ": make it larger");
}

// The first of every group, then the second of every group, ...
void deal(const Topology& topology, std::vector<Rank>& hosts) {
  if (topology.groups() == 0)
    fail(Blame::usage, "placement 'cyclic' needs groups, and " + topology.spec() +
                           " has none: use block or random");
  std::vector<Rank> met(static_cast<std::size_t>(topology.groups()));
  std::vector<Rank> turn(hosts.size());
  for (const Rank h : hosts)
    turn[static_cast<std::size_t>(h)] = met[static_cast<std::size_t>(topology.group_of(h))]++;
  std::stable_sort(hosts.begin(), hosts.end(), [&](Rank a, Rank b) {
    return turn[static_cast<std::size_t>(a)] < turn[static_cast<std::size_t>(b)];
  });
}

void shuffle(std::vector<Rank>& hosts, std::uint64_t seed) {
  std::uint64_t state = mixed(seed);
  for (std::size_t i = hosts.size(); i > 1; --i) {
    state = mixed(state);
    std::swap(hosts[i - 1], hosts[state % i]);
  }
}

std::string_view trimmed(std::string_view text) {
  text = text.substr(0, text.find('#'));
  constexpr std::string_view kBlank = " \t\r";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

}  // namespace

std::string_view name(Placement placement) {
  constexpr std::string_view kNames[] = {"block", "cyclic", "random"};
  return kNames[static_cast<std::size_t>(placement)];
}

std::string_view summary(Placement placement) {
  constexpr std::string_view kIdeas[] = {"rank r on host r",
                                         "dealt over the groups (nodes, leaves, ...) one by one",
                                         "on hosts drawn without repetition, by seed"};
  return kIdeas[static_cast<std::size_t>(placement)];
}

Placement find_placement(std::string_view text) {
  return find_named(kPlacements, text, "placement", " or a file");
}

std::vector<Rank> place(const Topology& topology, Placement placement, Rank ranks,
                        std::uint64_t seed) {
  check_ranks(topology, ranks);
  std::vector<Rank> hosts(static_cast<std::size_t>(topology.hosts()));
  std::iota(hosts.begin(), hosts.end(), 0);
  if (placement == Placement::cyclic) deal(topology, hosts);
  if (placement == Placement::random) shuffle(hosts, seed);
  hosts.resize(static_cast<std::size_t>(ranks));
  return hosts;
}

std::vector<Rank> read_placement(std::string_view text, const Topology& topology, Rank ranks) {
  check_ranks(topology, ranks);
  std::unordered_map<std::string_view, Rank> named;
  for (Rank h = 0; h < topology.hosts(); ++h) named.emplace(topology.node(h).name, h);
  std::vector<int> line_of(static_cast<std::size_t>(topology.hosts()));
  std::vector<Rank> hosts;
  for (int line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view word = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    const auto refuse = [&](const std::string& why) {
      fail(Blame::usage,
           "placement, line " + std::to_string(line) + ": host '" + std::string(word) + "' " + why);
    };
    Rank host = -1;
    if (const auto found = named.find(word); found != named.end()) {
      host = found->second;
    } else {
      const auto [last, error] = std::from_chars(word.data(), word.data() + word.size(), host);
      if (error != std::errc{} || last != word.data() + word.size() || host < 0 ||
          host >= topology.hosts())
        refuse("is not a host of " + topology.spec() + ": use " + topology.node(0).name + " to " +
               topology.node(topology.hosts() - 1).name + ", or their numbers from 0");
    }
    int& taken = line_of[static_cast<std::size_t>(host)];
    if (taken > 0) refuse("is already taken on line " + std::to_string(taken) + ": use another");
    taken = line;
    hosts.push_back(host);
  }
  if (hosts.size() < static_cast<std::size_t>(ranks))
    fail(Blame::usage, "the placement names " + std::to_string(hosts.size()) + " hosts for " +
                           std::to_string(ranks) + " ranks: add a line for each rank");
  hosts.resize(static_cast<std::size_t>(ranks));
  return hosts;
}

}  // namespace arlab::simulator

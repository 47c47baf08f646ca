#include "simulator/topologies/placement.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <unordered_map>

#include "algorithms/base/error.hpp"
#include "algorithms/base/names.hpp"
#include "algorithms/base/random.hpp"
#include "algorithms/base/read_number.hpp"
#include "algorithms/base/text.hpp"

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

// The words of a line: "rank 3=node1 slot=0" is rank 3 node1 slot 0.
std::vector<std::string_view> words_of(std::string_view line) {
  constexpr std::string_view kBetween = " \t=";
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t begin = line.find_first_not_of(kBetween);
    if (begin == line.npos) return words;
    const std::size_t end = std::min(line.find_first_of(kBetween, begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    line.remove_prefix(end);
  }
}

bool is_decimal(char c) { return c >= '0' && c <= '9'; }

class PlacementReader {
 public:
  PlacementReader(const Topology& topology, Rank ranks)
      : topology_(topology), ranks_(ranks), line_of_(static_cast<std::size_t>(topology.hosts())) {
    for (NodeId n = 0; n < topology.nodes(); ++n)
      (topology.is_host(n) ? named_ : switches_).emplace(topology.node(n).name, n);
  }

  std::vector<Rank> read(std::string_view text) {
    for (const std::string_view whole : lines_of(text)) {
      ++line_;
      if (const std::string_view line = trimmed(whole); !line.empty()) read_line(line);
    }
    for (const Rank host : hosts_)
      if (host < 0)
        fail(Blame::usage,
             "the placement has no line for rank " +
                 std::to_string(std::find(hosts_.begin(), hosts_.end(), -1) - hosts_.begin()) +
                 ": add 'rank N=HOST slot=0'");
    if (hosts_.size() < static_cast<std::size_t>(ranks_))
      fail(Blame::usage, "the placement names " + std::to_string(hosts_.size()) + " hosts for " +
                             std::to_string(ranks_) + " ranks: add a line for each rank");
    hosts_.resize(static_cast<std::size_t>(ranks_));
    return std::move(hosts_);
  }

 private:
  [[noreturn]] void refuse(std::string_view host, const std::string& why) const {
    fail(Blame::usage,
         "placement, line " + std::to_string(line_) + ": host '" + std::string(host) + "' " + why);
  }

  void read_line(std::string_view line) {
    if (named_.contains(line)) return add(line, named_.find(line)->second);
    const std::vector<std::string_view> words = words_of(line);
    if (words.size() >= 3 && words[0] == "rank") return read_rankfile(words);
    Rank slots = -1;  // not said
    for (std::size_t w = 1; w + 1 < words.size(); w += 2) {
      const Rank number = number_of(words[0], words[w + 1]);
      if (words[w] == "slots")
        slots = number;
      else if (words[w] != "max_slots" && words[w] != "max-slots")
        refuse(words[0],
               "is followed by '" + std::string(words[w]) + "': write slots=N or nothing");
    }
    if (words.size() % 2 == 0) refuse(line, unknown());
    std::string_view host = words[0];
    const std::size_t colon = host.rfind(':');
    if (!named_.contains(host) && slots < 0 && colon != host.npos) {
      slots = number_of(host, host.substr(colon + 1));
      host = host.substr(0, colon);
    }
    if (slots < 0) return add(host, one_host(host));
    const std::vector<Rank> all = slots_of(host);
    if (static_cast<std::size_t>(slots) > all.size())
      refuse(host, "has " + std::to_string(slots) + " slots, but the topology has " +
                       std::to_string(all.size()) +
                       " such hosts, with one rank each: give a topology with more");
    for (Rank s = 0; s < slots; ++s) add(host, all[static_cast<std::size_t>(s)]);
  }

  // rank 3 node1 slot 0
  void read_rankfile(const std::vector<std::string_view>& words) {
    const std::string_view host = words[2];
    const Rank rank = number_of(host, words[1]);
    if (words.size() != 5 || (words[3] != "slot" && words[3] != "slots"))
      refuse(host, "has no slot: write 'rank N=HOST slot=N'");
    const std::vector<Rank> all = slots_of(host);
    const Rank slot = number_of(host, words[4]);
    if (static_cast<std::size_t>(slot) >= all.size() && all.size() > 1)
      refuse(host, "has no slot " + std::to_string(slot) + ": give 0 to " +
                       std::to_string(all.size() - 1));
    if (rank >= topology_.hosts()) refuse(host, "is for a rank beyond the hosts of the topology");
    if (index(rank) >= hosts_.size()) hosts_.resize(index(rank) + 1, -1);
    if (hosts_[index(rank)] >= 0) refuse(host, "is for a rank that has a line already");
    const Rank chosen = all[all.size() > 1 ? index(slot) : 0];
    take(host, chosen);
    hosts_[index(rank)] = chosen;
  }

  Rank number_of(std::string_view host, std::string_view text) const {
    const auto number = read_number<Rank>(text);
    if (!number || *number < 0)
      refuse(host, "is beside '" + std::string(text) + "': give a whole number from 0");
    return *number;
  }

  std::string unknown(std::string_view but = "") const {
    return concat("is not a host of ", topology_.spec(), but, ": use ", topology_.node(0).name,
                  " to ", topology_.node(topology_.hosts() - 1).name, ", or their numbers from 0");
  }

  Rank one_host(std::string_view word) const {
    if (const auto found = named_.find(word); found != named_.end()) return found->second;
    // Some files call their switches by numbers, too.
    if (switches_.contains(word)) refuse(word, unknown(", but a switch"));
    Rank host = -1;
    const auto [last, error] = std::from_chars(word.data(), word.data() + word.size(), host);
    if (error != std::errc{} || last != word.data() + word.size() || host < 0 ||
        host >= topology_.hosts())
      refuse(word, unknown());
    return host;
  }

  // The host of this name, or those whose names begin with it.
  std::vector<Rank> slots_of(std::string_view node) const {
    std::vector<Rank> all;
    if (!named_.contains(node))
      for (Rank h = 0; h < topology_.hosts(); ++h) {
        const std::string_view name = topology_.node(h).name;
        if (name.starts_with(node) && name.size() > node.size() && !is_decimal(name[node.size()]))
          all.push_back(h);
      }
    return all.empty() ? std::vector{one_host(node)} : all;
  }

  void take(std::string_view word, Rank host) {
    int& taken = line_of_[index(host)];
    if (taken > 0)
      refuse(word, "is already taken on line " + std::to_string(taken) + ": use another");
    taken = line_;
  }
  void add(std::string_view word, Rank host) {
    take(word, host);
    hosts_.push_back(host);
  }

  const Topology& topology_;
  const Rank ranks_;
  int line_ = 0;
  std::unordered_map<std::string_view, NodeId> named_, switches_;
  std::vector<int> line_of_;
  std::vector<Rank> hosts_;  // of each rank; -1: not known yet
};

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
  return PlacementReader(topology, ranks).read(text);
}

}  // namespace arlab::simulator

#include "simulator/bounds/symmetry.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <tuple>

#include "simulator/bounds/ordered_partition.hpp"

namespace arlab::simulator {
namespace {

constexpr std::size_t kMaxTried = 2;  // representatives that one host is compared with
constexpr double kMaxWork = 3e8;      // arcs visited, about a second

class Classes {
 public:
  explicit Classes(NodeId nodes) : parent_(index(nodes)) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }
  NodeId of(NodeId node) {
    while (parent_[index(node)] != node) node = parent_[index(node)] = parent_[index(parent_[index(node)])];
    return node;
  }
  void join(NodeId a, NodeId b) { parent_[index(of(b))] = of(a); }

 private:
  std::vector<NodeId> parent_;
};

// Searches for symmetries of one graph.
class Search {
 public:
  explicit Search(const CapacityGraph& graph)
      : graph_(graph), neighborhoods_(graph), start_(neighborhoods_, graph.is_host) {
    find_twins();
  }

  // Nodes with the same neighbors have the same number. Exchanging two of them is a symmetry.
  const std::vector<NodeId>& twins() const { return twin_; }
  bool may_map(NodeId a, NodeId b) const { return start_.cell_of(a) == start_.cell_of(b); }
  double work() const { return work_; }

  // Returns a symmetry that maps a to b, or nothing if none was found.
  std::optional<std::vector<NodeId>> map(NodeId a, NodeId b) {
    OrderedPartition from = start_, to = start_;
    from.single_out(a);
    to.single_out(b);
    work_ += 4 * static_cast<double>(graph_.arcs.size());
    while (from.sizes() == to.sizes()) {
      const std::optional<std::size_t> cell = open_cell(from);
      if (!cell) return checked(from, to);
      const auto first = [&](const OrderedPartition& p) {
        return p.order().begin() + offset(*cell);
      };
      const std::size_t size = from.sizes()[*cell];
      const NodeId next = *std::min_element(first(from), first(from) + offset(size));
      // A shift of all numbers merges more classes than an exchange of two nodes.
      const NodeId wanted = next + b - a;
      const auto rank = [&](NodeId node) { return std::tuple(node < wanted, node); };
      const NodeId image = *std::min_element(first(to), first(to) + offset(size),
                                             [&](NodeId x, NodeId y) { return rank(x) < rank(y); });
      from.single_out(next);
      to.single_out(image);
      work_ += static_cast<double>(graph_.nodes);
    }
    return std::nullopt;
  }

 private:
  static std::ptrdiff_t offset(std::size_t n) { return static_cast<std::ptrdiff_t>(n); }

  void find_twins() {
    using List = std::vector<std::tuple<NodeId, std::uint64_t>>;
    std::vector<std::tuple<bool, List, NodeId>> all;
    for (NodeId n = 0; n < graph_.nodes; ++n) {
      List list;
      for (const auto& [node, arc] : neighborhoods_.of[index(n)]) list.emplace_back(node, arc);
      std::sort(list.begin(), list.end());
      all.emplace_back(graph_.is_host[index(n)], std::move(list), n);
    }
    std::sort(all.begin(), all.end());
    twin_.resize(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto& [host, list, node] = all[i];
      const bool twin = i > 0 && host == std::get<0>(all[i - 1]) && list == std::get<1>(all[i - 1]);
      twin_[index(node)] = twin ? twin_[index(std::get<2>(all[i - 1]))] : node;
    }
  }

  // The first cell whose nodes are not all twins.
  std::optional<std::size_t> open_cell(const OrderedPartition& p) const {
    for (std::size_t cell = 0; cell < p.order().size(); cell += p.sizes()[cell])
      for (std::size_t i = 1; i < p.sizes()[cell]; ++i)
        if (twin_[index(p.order()[cell + i])] != twin_[index(p.order()[cell])]) return cell;
    return std::nullopt;
  }

  std::optional<std::vector<NodeId>> checked(const OrderedPartition& from,
                                             const OrderedPartition& to) {
    std::vector<NodeId> image(index(graph_.nodes));
    for (std::size_t i = 0; i < image.size(); ++i) image[index(from.order()[i])] = to.order()[i];
    std::vector<CapacityArc> arcs = graph_.arcs;
    for (CapacityArc& arc : arcs) {
      arc.from = image[index(arc.from)];
      arc.to = image[index(arc.to)];
    }
    const auto key = [](const CapacityArc& a) {
      return std::tie(a.from, a.to, a.capacity, a.latency);
    };
    std::sort(arcs.begin(), arcs.end(),
              [&](const CapacityArc& a, const CapacityArc& b) { return key(a) < key(b); });
    work_ += 10 * static_cast<double>(arcs.size());
    for (std::size_t i = 0; i < arcs.size(); ++i)
      if (key(arcs[i]) != key(graph_.arcs[i])) return std::nullopt;
    for (NodeId n = 0; n < graph_.nodes; ++n)
      if (graph_.is_host[index(n)] != graph_.is_host[index(image[index(n)])]) return std::nullopt;
    return image;
  }

  const CapacityGraph& graph_;
  Neighborhoods neighborhoods_;
  OrderedPartition start_;
  std::vector<NodeId> twin_;
  double work_ = 0;
};

}  // namespace

Symmetry find_symmetry(const CapacityGraph& graph) {
  Symmetry found;
  Search search(graph);
  Classes classes(graph.nodes);
  for (const NodeId host : graph.hosts) classes.join(search.twins()[index(host)], host);
  std::vector<NodeId> tried;  // one of each class so far
  for (const NodeId host : graph.hosts) {
    const auto same = [&](NodeId other) { return classes.of(other) == classes.of(host); };
    if (std::any_of(tried.begin(), tried.end(), same)) continue;
    std::size_t tries = 0;
    for (const NodeId other : tried) {
      if (!search.may_map(other, host)) continue;
      if (++tries > kMaxTried || search.work() > kMaxWork) break;
      auto image = search.map(other, host);
      if (!image) continue;
      for (NodeId n = 0; n < graph.nodes; ++n)
        if (graph.is_host[index(n)]) classes.join(n, (*image)[index(n)]);
      found.generators.push_back(std::move(*image));
      break;
    }
    if (std::none_of(tried.begin(), tried.end(), same)) tried.push_back(host);
  }
  std::vector<Rank> hosts_in(index(graph.nodes));
  for (const NodeId host : graph.hosts) ++hosts_in[index(classes.of(host))];
  for (const NodeId host : tried) {
    Rank& size = hosts_in[index(classes.of(host))];
    if (size == 0) continue;  // merged later with the class of an earlier host
    found.representatives.push_back(host);
    found.class_sizes.push_back(std::exchange(size, 0));
  }
  return found;
}

}  // namespace arlab::simulator

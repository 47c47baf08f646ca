// Chains: many first-in-first-out lists, most of them short or empty, in one pool.
#pragma once

#include <cstdint>
#include <vector>

namespace arlab::simulator {

struct Chain {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::uint32_t head = kNone, tail = kNone;
  bool empty() const { return head == kNone; }
};

template <class T>
class ListPool {
 public:
  void append(Chain& chain, const T& value) {
    const std::uint32_t i = hold(value);
    (chain.empty() ? chain.head : nodes_[chain.tail].next) = i;
    chain.tail = i;
  }
  const T& front(const Chain& chain) const { return nodes_[chain.head].value; }
  T take(Chain& chain) {
    const std::uint32_t i = chain.head;
    chain.head = nodes_[i].next;
    return release(i);
  }

  /// One value alone, by the number that release() takes.
  std::uint32_t hold(const T& value) {
    if (free_ == Chain::kNone) {
      nodes_.push_back({value, Chain::kNone});
      return static_cast<std::uint32_t>(nodes_.size() - 1);
    }
    const std::uint32_t i = free_;
    free_ = nodes_[i].next;
    nodes_[i] = {value, Chain::kNone};
    return i;
  }
  T& at(std::uint32_t number) { return nodes_[number].value; }
  T release(std::uint32_t number) {
    nodes_[number].next = free_;
    free_ = number;
    return nodes_[number].value;
  }

 private:
  struct Node {
    T value;
    std::uint32_t next;
  };
  std::vector<Node> nodes_;
  std::uint32_t free_ = Chain::kNone;
};

}  // namespace arlab::simulator

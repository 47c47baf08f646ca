// ListPool: many first-in-first-out lists, most of them short or empty, in one pool of nodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace arlab::simulator {

struct List {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::uint32_t head = kNone, tail = kNone;
  bool empty() const { return head == kNone; }
};

template <class T>
class ListPool {
 public:
  /// Reserves memory for values, which is not touched before they are stored.
  void reserve(std::size_t values) { nodes_.reserve(values); }

  void append(List& list, const T& value) {
    const std::uint32_t i = allocate(value);
    (list.empty() ? list.head : nodes_[list.tail].next) = i;
    list.tail = i;
  }
  /// Stores the value behind all those that it is not before.
  template <class Before>
  void insert(List& list, const T& value, Before before) {
    if (list.empty() || !before(value, nodes_[list.tail].value)) return append(list, value);
    const std::uint32_t i = allocate(value);
    std::uint32_t* place = &list.head;
    while (!before(value, nodes_[*place].value)) place = &nodes_[*place].next;
    nodes_[i].next = *place;
    *place = i;
  }
  T& front(const List& list) { return nodes_[list.head].value; }
  const T& front(const List& list) const { return nodes_[list.head].value; }
  T take(List& list) {
    const std::uint32_t i = list.head;
    list.head = nodes_[i].next;
    return free(i);
  }

  /// Stores a single value. Returns its number, for at() and free().
  std::uint32_t allocate(const T& value) {
    if (free_ == List::kNone) {
      nodes_.push_back({value, List::kNone});
      return static_cast<std::uint32_t>(nodes_.size() - 1);
    }
    const std::uint32_t i = free_;
    free_ = nodes_[i].next;
    nodes_[i] = {value, List::kNone};
    return i;
  }
  T& at(std::uint32_t number) { return nodes_[number].value; }
  T free(std::uint32_t number) {
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
  std::uint32_t free_ = List::kNone;
};

}  // namespace arlab::simulator

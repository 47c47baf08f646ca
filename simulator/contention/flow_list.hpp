// FlowList: the flows on one link, in any order. Short lists are stored in place, with the link.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <utility>

namespace arlab::simulator {

class FlowList {
 public:
  using Flow = std::uint32_t;

  std::uint32_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const Flow* begin() const { return far_ ? far_.get() : near_.data(); }
  const Flow* end() const { return begin() + size_; }

  void push_back(Flow flow) {
    if (size_ == room_) grow();
    data()[size_++] = flow;
  }

  /// Replaces the flow at `place` by the last one, which it removes and returns.
  Flow remove(std::uint32_t place) { return data()[place] = data()[--size_]; }

 private:
  static constexpr std::uint32_t kNear = 6;

  Flow* data() { return far_ ? far_.get() : near_.data(); }

  void grow() {
    auto wider = std::make_unique<Flow[]>(std::size_t{2} * room_);
    std::copy(begin(), end(), wider.get());
    far_ = std::move(wider);
    room_ *= 2;
  }

  std::uint32_t size_ = 0, room_ = kNear;
  std::unique_ptr<Flow[]> far_;  // null: near_
  std::array<Flow, kNear> near_{};
};

}  // namespace arlab::simulator

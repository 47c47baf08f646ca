// WayChoice: how bytes get from one rank's memory to another's, by what each way has taken so far.
//
// Which way is the fastest depends on the size, and on how far apart two cores are: whether they share a cache, how
// fast one takes lines from the other, what a call of the system costs. None of that can be asked for, so every way
// is tried at times, the less often the longer the same one stays the fastest.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace arlab::collectives {

enum class Way : std::uint8_t {
  copied,    ///< stored as usual
  streamed,  ///< stored around the caches (stream_copy.hpp)
  read       ///< read from the other process's memory by the system
};

class WayChoice {
 public:
  struct Pick {
    Way way = Way::copied;
    bool measured = false;  ///< what it takes is to be told to learn()
  };

  /// may_read: whether Way::read is one of the ways.
  Pick pick(std::size_t bytes, bool may_read = false);
  /// What that many bytes have taken, in any unit of time.
  void learn(std::size_t bytes, Way way, double time);

 private:
  static constexpr std::size_t kWays = 3;
  static constexpr std::uint32_t kFirstTrials = 2;             // of each way, at the first size
  static constexpr std::uint32_t kOften = 16, kRarely = 1024;  // messages between trials

  struct Size {                           // of messages of up to twice the bytes
    std::array<double, kWays> cost{};     // of each way, per byte; 0: not known
    std::uint32_t picks = 0;              // so far
    std::uint32_t next_trial = kOften;    // as a number of picks
    std::uint32_t interval = 2 * kOften;  // to the trial after it
    std::size_t tried = 0;                // the latest
    bool is_known() const { return cost[0] > 0 && cost[1] > 0; }
    std::size_t cheapest(std::size_t ways) const;
  };

  Size& size_of(std::size_t bytes);

  std::array<Size, 64> sizes_;
};

}  // namespace arlab::collectives

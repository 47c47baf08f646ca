// WayChoice: how bytes get from one rank's memory to another's, by what each way has taken so far.
//
// Which way is the fastest depends on the size, and on how far apart two cores are: whether they
// share a cache, how fast one takes lines from the other, what a call of the system costs. None of
// that can be asked for, so every way is tried at times, the less often the longer the same one
// stays the fastest. A trial is a few messages, so that the caches, and a peer that does the same,
// get used to it.
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
  /// Messages of 2^k bytes up to twice as many are of class k.
  static constexpr std::size_t kClasses = 64;
  static std::size_t class_of(std::size_t bytes);

  struct Pick {
    Way way = Way::copied;
    bool measured = false;  ///< learn() is to be called with what it takes
  };

  /// may_read: whether Way::read is one of the ways.
  Pick pick(std::size_t bytes, bool may_read = false);
  /// What that many bytes have taken, in any unit of time.
  void learn(std::size_t bytes, Way way, double time);

 private:
  static constexpr std::size_t kWays = 3;
  static constexpr std::uint32_t kTrial = 3;  // messages, all but the first of them measured
  static constexpr std::uint32_t kOften = 16, kRarely = 1024;  // messages between trials

  struct Size {
    std::array<double, kWays> cost{};     // of each way, per byte; 0: not known
    std::array<bool, kWays> is_own{};     // measured at this size, not at half of it
    std::uint32_t picks = 0;              // so far, trials of several messages counted once
    std::uint32_t next_trial = kOften;    // as a number of picks
    std::uint32_t interval = 2 * kOften;  // to the trial after it
    std::uint32_t left = 0;               // of the trial in progress: messages
    std::size_t tried = 0;                // the way of the latest trial

    std::size_t cheapest(std::size_t ways) const;
    bool knows_all(std::size_t ways) const;
    template <class Suits>
    Pick begin_trial(std::size_t ways, Suits suits);
  };

  Size& size_of(std::size_t bytes);

  std::array<Size, kClasses> sizes_;
};

}  // namespace arlab::collectives

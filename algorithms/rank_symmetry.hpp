// RankSymmetry: which ranks of an algorithm behave alike, as shifts of all ranks.
//
// Ranks are numbers with digits of the given radices; the first digit varies fastest. A shift adds
// one number to all ranks, digit by digit and without carry. It maps the program of a rank onto the
// program of its image: the same rounds and sizes, with the peers shifted, too. One radix is a
// shift along a ring, two are shifts along a torus, and radices of 2 are an exclusive or.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "algorithms/problem.hpp"

namespace arlab {

class RankSymmetry {
 public:
  /// radices: their product, times `copies`, is the number of ranks. period: shifts change the
  /// first digit by its multiples only; it divides the first radix. copies: of the numbers, one
  /// after the other, which are shifted alike and keep apart.
  explicit RankSymmetry(const std::vector<Rank>& radices, Rank period = 1, Rank copies = 1)
      : copies_(copies) {
    for (const Rank radix : radices) digits_.push_back({radix, 1});
    if (!digits_.empty()) digits_.front().period = period;
    count();
  }

  /// Returns the shifts among these that change each digit by multiples of its period only. Each
  /// period is a multiple of the digit's period and divides its radix.
  RankSymmetry restricted(std::span<const Rank> periods) const {
    RankSymmetry some = *this;
    for (std::size_t d = 0; d < digits_.size(); ++d) some.digits_[d].period = periods[d];
    some.count();
    return some;
  }

  std::size_t digits() const { return digits_.size(); }
  Rank radix(std::size_t digit) const { return digits_[digit].radix; }
  Rank period(std::size_t digit) const { return digits_[digit].period; }
  Rank ranks() const { return size_ * copies_; }
  /// Returns the number of shifts, which is that of the ranks of each class.
  Rank shifts() const { return size_ / periods_; }

  Rank classes() const { return periods_ * copies_; }
  Rank class_of(Rank rank) const {
    Rank of_class = rank / size_ * periods_;
    if (periods_ == 1) return of_class;
    Rank stride = 1;
    rank %= size_;
    for (const Digit& digit : digits_) {
      of_class += stride * (rank % digit.radix % digit.period);
      stride *= digit.period;
      rank /= digit.radix;
    }
    return of_class;
  }
  /// Returns the rank that represents the class.
  Rank representative(Rank of_class) const {
    Rank rank = of_class / periods_ * size_, stride = 1;
    of_class %= periods_;
    for (const Digit& digit : digits_) {
      rank += stride * (of_class % digit.period);
      stride *= digit.radix;
      of_class /= digit.period;
    }
    return rank;
  }
  /// Returns the image of `rank` under the shift that maps `viewer` onto the rank of its class.
  Rank seen_from(Rank viewer, Rank rank) const {
    Rank image = rank / size_ * size_, stride = 1;
    rank %= size_;
    viewer %= size_;
    for (const Digit& digit : digits_) {
      const Rank at = digits_.size() == 1 ? viewer : viewer % digit.radix;
      const Rank by = at % digit.period - at;
      image +=
          stride * wrapped((digits_.size() == 1 ? rank : rank % digit.radix) + by, digit.radix);
      stride *= digit.radix;
      rank /= digit.radix;
      viewer /= digit.radix;
    }
    return image;
  }
  /// Returns the image of `rank` under the shift that adds `by`, below the radix, to one digit.
  Rank shifted(Rank rank, std::size_t digit, Rank by) const {
    Rank stride = 1;
    for (std::size_t d = 0; d < digit; ++d) stride *= digits_[d].radix;
    const Rank radix = digits_[digit].radix, at = rank % size_ / stride % radix;
    return rank + stride * (wrapped(at + by, radix) - at);
  }

 private:
  struct Digit {
    Rank radix = 1, period = 1;
  };

  static Rank wrapped(Rank digit, Rank radix) {
    return digit < 0 ? digit + radix : digit >= radix ? digit - radix : digit;
  }
  void count() {
    size_ = periods_ = 1;
    for (const Digit& digit : digits_) {
      size_ *= digit.radix;
      periods_ *= digit.period;
    }
  }

  std::vector<Digit> digits_;
  Rank copies_, size_ = 1, periods_ = 1;
};

/// The shifts along all ranks, in rings.
std::optional<RankSymmetry> shift_symmetry(const Problem& p);
/// The exclusive or of all ranks with any number; nothing unless their number is a power of two.
std::optional<RankSymmetry> exclusive_or_symmetry(const Problem& p);
/// The shifts of each digit to the base `radix`; nothing unless the ranks are a power of it.
std::optional<RankSymmetry> digit_symmetry(const Problem& p, Rank radix);
/// The same where ranks fold into the largest power of `radix` below (fold.hpp); nothing unless all
/// ranks of the core have as many guests.
std::optional<RankSymmetry> folded_digit_symmetry(const Problem& p, Rank radix);

}  // namespace arlab

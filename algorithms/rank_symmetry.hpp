// RankSymmetry: which ranks of an algorithm behave alike, as shifts of all ranks.
//
// Ranks are numbers with digits of the given radices; the first digit varies fastest. A shift adds one
// number to all ranks, digit by digit and without carry. It maps the program of a rank onto the
// program of its image: the same rounds and sizes, with the peers shifted, too. One radix is a shift
// along a ring, two are shifts along a torus, and radices of 2 are an exclusive or.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "algorithms/problem.hpp"

namespace arlab {

class RankSymmetry {
 public:
  /// radices: their product, times `copies`, is the number of ranks. period: shifts change the first
  /// digit by its multiples only; it divides the first radix. copies: of the numbers, one after the
  /// other, which are shifted alike and keep apart.
  explicit RankSymmetry(std::vector<Rank> radices, Rank period = 1, Rank copies = 1)
      : radices_(std::move(radices)), period_(period), copies_(copies) {
    for (const Rank radix : radices_) size_ *= radix;
  }

  Rank classes() const { return period_ * copies_; }
  Rank class_of(Rank rank) const {
    return rank / size_ * period_ + (period_ == 1 ? 0 : rank % radices_.front() % period_);
  }
  /// Returns the rank that represents the class.
  Rank representative(Rank of_class) const {
    return of_class / period_ * size_ + of_class % period_;
  }
  /// Returns the image of `rank` under the shift that maps `viewer` onto the rank of its class.
  Rank seen_from(Rank viewer, Rank rank) const {
    Rank image = rank / size_ * size_, kept = viewer % radices_.front() % period_;
    rank %= size_;
    viewer %= size_;
    if (radices_.size() == 1) return image + shifted(rank, viewer, radices_.front(), kept);
    Rank stride = 1;
    for (const Rank radix : radices_) {
      image += stride * shifted(rank / stride % radix, viewer / stride % radix, radix, kept);
      stride *= radix;
      kept = 0;
    }
    return image;
  }

 private:
  static Rank shifted(Rank digit, Rank viewer, Rank radix, Rank kept) {
    const Rank image = digit - viewer + kept;
    return image < 0 ? image + radix : image >= radix ? image - radix : image;
  }

  std::vector<Rank> radices_;
  Rank period_, copies_, size_ = 1;
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

#include "training/compressors/sparse/sparse_doubling.hpp"

#include <utility>

#include "algorithms/base/error.hpp"
#include "collectives/host/gatherv.hpp"

namespace arlab::training {
namespace {

constexpr Count kDense = -1;  // instead of the number of entries

class Doubling {
 public:
  Doubling(collectives::Communicator& communicator, SparseVector mine, Count n)
      : communicator_(communicator), n_(n) {
    sum_.entries = std::move(mine);
    switch_if_smaller();
  }

  SparseSum run() {
    const Rank ranks = communicator_.ranks(), me = communicator_.rank();
    const Rank half = Rank{1} << floor_log2(ranks), extras = ranks - half;
    if (me >= half) {  // an extra rank: its partner does the rest
      talk(me - half, true, false);
      return talk(me - half, false, true);
    }
    if (me < extras) add(talk(me + half, false, true));
    for (Rank distance = 1; distance < half; distance *= 2) add(talk(me ^ distance, true, true));
    if (me < extras) talk(me + half, true, false);
    return std::move(sum_);
  }

 private:
  /// Sends this rank's sum, receives the partner's, or both.
  SparseSum talk(Rank partner, bool sends, bool receives) {
    Count mine = sum_.is_dense ? kDense : static_cast<Count>(sum_.entries.size()), theirs = 0;
    messages(partner, sends ? as_bytes_of(mine) : Bytes{},
             receives ? as_bytes_of(theirs) : Bytes{});
    SparseSum other;
    other.is_dense = theirs == kDense;
    if (theirs < kDense || theirs > n_)
      fail(Blame::check, "a sparse sum has " + std::to_string(theirs) + " entries for vectors of " +
                             std::to_string(n_) + " elements: make the tensors equal on all ranks");
    if (other.is_dense)
      other.vector.resize(static_cast<std::size_t>(n_));
    else
      other.entries.resize(static_cast<std::size_t>(theirs));
    messages(partner, sends ? payload(sum_) : Bytes{}, receives ? payload(other) : Bytes{});
    return other;
  }

  void add(SparseSum other) {
    if (!sum_.is_dense && !other.is_dense) {
      merge(sum_.entries, other.entries, merged_);
      std::swap(sum_.entries, merged_);
      switch_if_smaller();
      return;
    }
    if (!sum_.is_dense) std::swap(sum_, other);
    if (!other.is_dense) return add_to(sum_.vector, other.entries);
    for (std::size_t i = 0; i < sum_.vector.size(); ++i) sum_.vector[i] += other.vector[i];
  }

  void switch_if_smaller() {
    if (sum_.is_dense || sum_.bytes() <= n_ * static_cast<Count>(sizeof(float))) return;
    sum_.vector.assign(static_cast<std::size_t>(n_), 0);
    add_to(sum_.vector, sum_.entries);
    sum_.entries.clear();
    sum_.is_dense = true;
  }

  using Bytes = std::span<std::byte>;
  static Bytes as_bytes_of(Count& x) { return std::as_writable_bytes(std::span(&x, 1)); }
  static Bytes payload(SparseSum& sum) {
    return sum.is_dense ? std::as_writable_bytes(std::span(sum.vector))
                        : std::as_writable_bytes(std::span(sum.entries));
  }
  void messages(Rank partner, Bytes out, Bytes in) {
    const collectives::ByteMessage both[] = {{ActionKind::send, partner, out},
                                             {ActionKind::replace, partner, in}};
    collectives::transmit(communicator_, both);
  }

  collectives::Communicator& communicator_;
  Count n_;
  SparseSum sum_;
  SparseVector merged_;
};

}  // namespace

SparseSum sum_by_doubling(collectives::Communicator& communicator, SparseVector mine, Count n) {
  return Doubling(communicator, std::move(mine), n).run();
}

}  // namespace arlab::training

// ChunkMap: how the chunks of a part of the ranks lie in the vector of all ranks.
//
// A level of two_levels.hpp runs an algorithm on a few ranks, which names chunks of its own. Its
// chunk j is a set of chunks of the whole problem.
#pragma once

#include "algorithms/base/error.hpp"
#include "algorithms/chunks.hpp"

namespace arlab {

class ChunkMap {
 public:
  /// Chunk j is the chunks [parts * j / count, parts * (j + 1) / count) of `parts`.
  static ChunkMap cut(Rank parts, Rank count) { return {Kind::cut, parts, count, 0, 1}; }
  /// Chunk j is chunk first + j stride, of `count` ones.
  static ChunkMap spaced(Rank parts, Rank count, Rank first, Rank stride) {
    return {Kind::spaced, parts, count, first, stride};
  }
  /// Chunk j is the chunks j, j + count, j + 2 count, ...
  static ChunkMap dealt(Rank parts, Rank count) { return {Kind::dealt, parts, count, 0, 1}; }

  /// Returns the chunks of the whole problem. Throws Error(check) for sets that no message can
  /// carry; can_map() of the level excludes them.
  Chunks operator()(const Chunks& c) const {
    if (kind_ != Kind::spaced && count_ == parts_) return c;
    if (kind_ != Kind::spaced && count_ == c.count) return {0, parts_, 1};
    switch (kind_) {
      case Kind::cut: {
        expects(c.stride == 1, "a cut of the vector holds consecutive chunks");
        const Count end = Count{c.first} + c.count;
        const Count length = end <= count_ ? begin(end) - begin(c.first)
                                           : parts_ - begin(c.first) + begin(end - count_);
        return {static_cast<Rank>(begin(c.first)), static_cast<Rank>(length), 1};
      }
      case Kind::dealt:
        expects(c.count == 1, "of a dealt vector a message carries one chunk");
        return {c.first, parts_ / count_, count_};
      case Kind::spaced:
        break;
    }
    const bool whole = Count{count_} * stride_ == parts_;  // then it may go around the end
    expects(whole || Count{c.first} + Count{c.count - 1} * c.stride < count_,
            "chunks within a block do not go around its end");
    return {first_ + c.first * stride_, c.count, c.count == 1 ? 1 : c.stride * stride_};
  }

 private:
  enum class Kind : std::uint8_t { cut, spaced, dealt };
  ChunkMap(Kind kind, Rank parts, Rank count, Rank first, Rank stride)
      : kind_(kind), parts_(parts), count_(count), first_(first), stride_(stride) {}
  Count begin(Count chunk) const { return parts_ * chunk / count_; }

  Kind kind_;
  Rank parts_, count_, first_, stride_;
};

}  // namespace arlab

#include "training/compressors/aggregate.hpp"

#include <algorithm>

#include "algorithms/base/error.hpp"
#include "collectives/host/execute.hpp"
#include "collectives/host/gatherv.hpp"
#include "collectives/reduce/reduce.hpp"

namespace arlab::training {
namespace {

void check(const collectives::Communicator& communicator, std::span<const float> gradient,
           Count elements, const EncodeContext& context) {
  if (static_cast<Count>(gradient.size()) != elements)
    fail(Blame::usage, "a gradient of " + std::to_string(gradient.size()) +
                           " elements, but the compressor expects " + std::to_string(elements));
  if (context.rank != communicator.rank() || context.ranks != communicator.ranks())
    fail(Blame::usage, "an encode context of rank " + std::to_string(context.rank) + " of " +
                           std::to_string(context.ranks) + " on rank " +
                           std::to_string(communicator.rank()) + " of " +
                           std::to_string(communicator.ranks()) +
                           ": use the communicator's rank and ranks");
}

void divide(std::span<float> x, Rank ranks) {
  collectives::scale(std::as_writable_bytes(x).data(), static_cast<Count>(x.size()),
                     collectives::DType::float32, ranks);
}

class ByAllreduce {
 public:
  ByAllreduce(const CompressorChoice& choice, const TensorShapes& layout, const Routes& routes)
      : elements_(elements(layout)),
        routes_(routes),
        compressor_(make_compressor(choice, layout, Aggregation::allreduce)) {}

  void run(collectives::Communicator& communicator, std::span<float> gradient,
           const EncodeContext& o) {
    check(communicator, gradient, elements_, o);
    auto code = compressor_->encode(gradient, o);
    for (int pass = 0;; code = compressor_->next(o)) {
      const collectives::Operand operand = compressor_->operand(pass);
      const Problem problem{
          .ranks = o.ranks,
          .elements = static_cast<Count>(code.size() / collectives::size_of(operand.dtype)),
          .root = routes_.root};
      collectives::execute(communicator, *routes_.allreduce, problem, code, operand);
      if (++pass == compressor_->passes()) break;
    }
    decode(*compressor_, code, gradient, o);
    divide(gradient, o.ranks);
    compressor_->finish(gradient, o);
  }
  void visit_state(const StateVisitor& visit) { compressor_->visit_state(visit); }

 private:
  Count elements_;
  Routes routes_;
  std::unique_ptr<Compressor> compressor_;
};

class ByAllGather {
 public:
  ByAllGather(const CompressorChoice& choice, const TensorShapes& layout, const Routes& routes)
      : choice_(choice),
        layout_(layout),
        elements_(elements(layout)),
        routes_(routes),
        compressor_(make_compressor(choice, layout, Aggregation::all_gather)) {}

  void run(collectives::Communicator& communicator, std::span<float> gradient,
           const EncodeContext& o) {
    check(communicator, gradient, elements_, o);
    const auto code = compressor_->encode(gradient, o);
    const auto begins =
        collectives::offsets(sizes(communicator, static_cast<Count>(code.size()), o.step));
    if (received_.size() < static_cast<std::size_t>(begins.back()))
      received_.resize(static_cast<std::size_t>(begins.back()));
    const std::span all(received_.data(), static_cast<std::size_t>(begins.back()));
    const auto part = [&](Rank rank) {
      const auto r = static_cast<std::size_t>(rank);
      return all.subspan(static_cast<std::size_t>(begins[r]),
                         static_cast<std::size_t>(begins[r + 1] - begins[r]));
    };
    std::copy(code.begin(), code.end(), part(o.rank).begin());
    collectives::gather_parts(communicator, *routes_.all_gather, begins, all);

    std::fill(gradient.begin(), gradient.end(), 0.0f);
    for (Rank rank = 0; rank < o.ranks; ++rank) {
      EncodeContext theirs = o;
      theirs.rank = rank;
      compressor_->decode_add(part(rank), gradient, 1, theirs);
    }
    divide(gradient, o.ranks);
    compressor_->finish(gradient, o);
  }
  void visit_state(const StateVisitor& visit) { compressor_->visit_state(visit); }

 private:
  std::vector<Count> sizes(collectives::Communicator& communicator, Count mine, Count step) const {
    const auto known = choice_.kind->packed(layout_, choice_, Aggregation::all_gather, step);
    if (!known) return collectives::gather_counts(communicator, *routes_.all_gather, mine);
    expects(*known == mine, "the code size differs from its closed form");
    return std::vector<Count>(static_cast<std::size_t>(communicator.ranks()), mine);
  }

  CompressorChoice choice_;
  TensorShapes layout_;
  Count elements_;
  Routes routes_;
  std::unique_ptr<Compressor> compressor_;
  std::vector<std::byte> received_;
};

/// Every rank has one compressor per chunk; the owner of a chunk has one more, for the reply.
class ByRequantizing {
 public:
  ByRequantizing(const CompressorChoice& choice, const TensorShapes& layout, Rank ranks, Rank me,
                 const Routes& routes)
      : choice_(choice),
        elements_(elements(layout)),
        chunks_(elements_, ranks),
        routes_(routes),
        reply_(make_reply(choice, flat(chunks_.size(me)))) {
    for (Rank chunk = 0; chunk < ranks; ++chunk)
      compressors_.push_back(
          make_compressor(choice, flat(chunks_.size(chunk)), Aggregation::requantize));
  }

  void run(collectives::Communicator& communicator, std::span<float> gradient,
           const EncodeContext& o) {
    check(communicator, gradient, elements_, o);
    const auto average = sum_own_chunk(communicator, gradient, o);
    divide(average, o.ranks);
    share_own_chunk(communicator, average, gradient, o);
    for (Rank chunk = 0; chunk < o.ranks; ++chunk)
      at(chunk).finish(part(gradient, chunk), of_chunk(o, chunk));
  }
  void visit_state(const StateVisitor& visit) {
    for (const auto& compressor : compressors_) compressor->visit_state(visit);
    reply_->visit_state(visit);
  }

 private:
  static constexpr Rank kOwner = -1;  // gives replies random numbers different from all ranks'

  Compressor& at(Rank chunk) { return *compressors_[static_cast<std::size_t>(chunk)]; }
  std::span<float> part(std::span<float> gradient, Rank chunk) const {
    return gradient.subspan(static_cast<std::size_t>(chunks_.begin(chunk)),
                            static_cast<std::size_t>(chunks_.size(chunk)));
  }
  EncodeContext of_chunk(EncodeContext o, Rank chunk) const {
    o.part = static_cast<std::uint32_t>(chunk) + 1;
    return o;
  }
  Count bytes(Rank chunk, Count step) const {
    return choice_.kind->packed(flat(chunks_.size(chunk)), choice_, Aggregation::requantize, step)
        .value();
  }

  /// Sends each chunk's code to its owner. Returns the sum of all ranks' codes of this rank's chunk,
  /// added in rank order.
  std::span<float> sum_own_chunk(collectives::Communicator& communicator, std::span<float> gradient,
                                 const EncodeContext& o) {
    const auto each = static_cast<std::size_t>(bytes(o.rank, o.step));
    received_.resize(each * static_cast<std::size_t>(o.ranks));
    const auto from = [&](Rank rank) {
      return std::span(received_).subspan(each * static_cast<std::size_t>(rank), each);
    };
    for (Rank s = 0; s < o.ranks; ++s) {
      const Rank to = (o.rank + s) % o.ranks, source = (o.rank - s + o.ranks) % o.ranks;
      const auto code = at(to).encode(part(gradient, to), of_chunk(o, to));
      expects(static_cast<Count>(code.size()) == bytes(to, o.step),
              "the code size differs from its closed form");
      if (s == 0) {
        std::copy(code.begin(), code.end(), from(o.rank).begin());
        continue;
      }
      const collectives::ByteMessage messages[] = {{ActionKind::send, to, code},
                                                   {ActionKind::replace, source, from(source)}};
      collectives::transmit(communicator, messages);
    }
    const auto sum = part(gradient, o.rank);
    std::fill(sum.begin(), sum.end(), 0.0f);
    for (Rank rank = 0; rank < o.ranks; ++rank) {
      EncodeContext theirs = of_chunk(o, o.rank);
      theirs.rank = rank;
      at(o.rank).decode_add(from(rank), sum, 1, theirs);
    }
    return sum;
  }

  void share_own_chunk(collectives::Communicator& communicator, std::span<const float> average,
                       std::span<float> gradient, const EncodeContext& o) {
    std::vector<Count> sizes;
    for (Rank chunk = 0; chunk < o.ranks; ++chunk) sizes.push_back(bytes(chunk, o.step));
    const auto begins = collectives::offsets(sizes);
    received_.resize(static_cast<std::size_t>(begins.back()));
    const auto of = [&](Rank chunk) {
      const auto c = static_cast<std::size_t>(chunk);
      return std::span(received_).subspan(static_cast<std::size_t>(begins[c]),
                                          static_cast<std::size_t>(sizes[c]));
    };
    const auto as_owner = [&](Rank chunk) {
      EncodeContext owners = of_chunk(o, chunk);
      owners.rank = kOwner;
      return owners;
    };
    const auto code = reply_->encode(average, as_owner(o.rank));
    expects(code.size() == of(o.rank).size(), "the reply size differs from its closed form");
    std::copy(code.begin(), code.end(), of(o.rank).begin());
    collectives::gather_parts(communicator, *routes_.all_gather, begins, received_);
    for (Rank chunk = 0; chunk < o.ranks; ++chunk)
      decode(at(chunk), of(chunk), part(gradient, chunk), as_owner(chunk));
  }

  CompressorChoice choice_;
  Count elements_;
  Blocks chunks_;
  Routes routes_;
  std::vector<std::unique_ptr<Compressor>> compressors_;  // by chunk
  std::unique_ptr<Compressor> reply_;                     // of this rank's chunk
  std::vector<std::byte> received_;
};

}  // namespace

Aggregator make_aggregator(const CompressorChoice& choice, const TensorShapes& layout,
                           Aggregation aggregation, Rank ranks, Rank me, const Routes& routes) {
  expects(ranks >= 1 && me >= 0 && me < ranks, "the rank is out of range");
  switch (aggregation) {
    case Aggregation::allreduce:
      return aggregator_of<ByAllreduce>(choice, layout, routes);
    case Aggregation::all_gather:
      return aggregator_of<ByAllGather>(choice, layout, routes);
    case Aggregation::requantize:
      return aggregator_of<ByRequantizing>(choice, layout, ranks, me, routes);
  }
  fail(Blame::check, "internal error, please report: the aggregation is out of range");
}

}  // namespace arlab::training

#include "training/compressors/aggregate.hpp"

#include <optional>

#include "algorithms/base/error.hpp"

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

/// What an aggregator has, whichever way codes are combined.
struct Common {
  CompressorChoice choice;
  TensorShapes layout;
  Routes routes;
  const CodeCarrier* carrier;  // null: the communicator's
  SharedVectorKernels kernels = kernels_of(choice);
  Count elements = training::elements(layout);

  std::unique_ptr<Compressor> make(Aggregation aggregation) const {
    return make_compressor(choice, layout, aggregation);
  }
  /// Calls use(carrier).
  template <class Use>
  void carry(collectives::Communicator& communicator, Use use) const {
    use(carrier ? *carrier : host_carrier(communicator, routes));
  }
  /// Where the parts of an all-gather begin.
  std::vector<Count> begins(std::span<const Count> sizes) const {
    return carrier ? carrier->begins(sizes) : collectives::offsets(sizes);
  }
  void clear(std::span<float> x) const { kernels->clear(x.data(), static_cast<Count>(x.size())); }
  void divide(std::span<float> x, Rank ranks) const {
    kernels->divide(x.data(), static_cast<Count>(x.size()), static_cast<float>(ranks));
  }
  void copy(std::span<const std::byte> from, std::span<std::byte> into) const {
    kernels->copy(into.data(), from.data(), from.size());
  }
  /// Makes room for that many bytes, which all ranks do together.
  void reserve(collectives::DeviceMemory& memory, Count bytes) const {
    if (memory.size() >= static_cast<std::size_t>(bytes)) return;
    memory = {};
    memory = kernels->allocate(static_cast<std::size_t>(bytes));
  }
};

class ByAllreduce {
 public:
  explicit ByAllreduce(Common common)
      : has_(std::move(common)), compressor_(has_.make(Aggregation::allreduce)) {}

  void run(collectives::Communicator& communicator, std::span<float> gradient,
           const EncodeContext& o) {
    check(communicator, gradient, has_.elements, o);
    auto code = compressor_->encode(gradient, o);
    for (int pass = 0;; code = compressor_->next(o)) {
      has_.carry(communicator, [&](const CodeCarrier& by) {
        by.allreduce(code, compressor_->operands().at(pass));
      });
      if (++pass == compressor_->passes()) break;
    }
    has_.clear(gradient);
    compressor_->decode_add(code, gradient, 1, o);
    has_.divide(gradient, o.ranks);
    compressor_->finish(gradient, o);
  }
  void visit_state(const StateVisitor& visit) { compressor_->visit_state(visit); }

 private:
  Common has_;
  std::unique_ptr<Compressor> compressor_;
};

class ByAllGather {
 public:
  ByAllGather(Common common, Rank ranks)
      : has_(std::move(common)), compressor_(has_.make(Aggregation::all_gather)) {
    if (const auto known = packed(0))
      has_.reserve(received_,
                   has_.begins(std::vector(static_cast<std::size_t>(ranks), *known)).back());
  }

  void run(collectives::Communicator& communicator, std::span<float> gradient,
           const EncodeContext& o) {
    check(communicator, gradient, has_.elements, o);
    const auto code = compressor_->encode(gradient, o);
    const auto sizes = sizes_of(communicator, static_cast<Count>(code.size()), o.step);
    const auto begins = has_.begins(sizes);
    has_.reserve(received_, begins.back());
    const std::span all(received_.data(), static_cast<std::size_t>(begins.back()));
    const auto part = [&](Rank rank) {
      const auto r = static_cast<std::size_t>(rank);
      return all.subspan(static_cast<std::size_t>(begins[r]), static_cast<std::size_t>(sizes[r]));
    };
    has_.copy(code, part(o.rank));
    has_.carry(communicator, [&](const CodeCarrier& by) { by.all_gather(begins, all); });

    has_.clear(gradient);
    for (Rank rank = 0; rank < o.ranks; ++rank) {
      EncodeContext theirs = o;
      theirs.rank = rank;
      compressor_->decode_add(part(rank), gradient, 1, theirs);
    }
    has_.divide(gradient, o.ranks);
    compressor_->finish(gradient, o);
  }
  void visit_state(const StateVisitor& visit) { compressor_->visit_state(visit); }

 private:
  std::optional<Count> packed(Count step) const {
    return has_.choice.kind->packed(has_.layout, has_.choice, Aggregation::all_gather, step);
  }
  std::vector<Count> sizes_of(collectives::Communicator& communicator, Count mine,
                              Count step) const {
    const auto known = packed(step);
    if (!known) return collectives::gather_counts(communicator, *has_.routes.all_gather, mine);
    expects(*known == mine, "the code size differs from its closed form");
    return std::vector<Count>(static_cast<std::size_t>(communicator.ranks()), mine);
  }

  Common has_;
  std::unique_ptr<Compressor> compressor_;
  collectives::DeviceMemory received_;
};

/// Every rank has one compressor per chunk; the owner of a chunk has one more, for the reply.
class ByRequantizing {
 public:
  ByRequantizing(Common common, Rank ranks, Rank me)
      : has_(std::move(common)),
        chunks_(has_.elements, ranks),
        reply_(make_reply(has_.choice, flat(chunks_.size(me)))) {
    for (Rank chunk = 0; chunk < ranks; ++chunk)
      compressors_.push_back(
          make_compressor(has_.choice, flat(chunks_.size(chunk)), Aggregation::requantize));
    has_.reserve(received_, begins_of_codes(me, ranks, 0).back());
    has_.reserve(replies_, begins_of_replies(ranks, 0).back());
  }

  void run(collectives::Communicator& communicator, std::span<float> gradient,
           const EncodeContext& o) {
    check(communicator, gradient, has_.elements, o);
    const auto average = sum_own_chunk(communicator, gradient, o);
    has_.divide(average, o.ranks);
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
    return has_.choice.kind
        ->packed(flat(chunks_.size(chunk)), has_.choice, Aggregation::requantize, step)
        .value();
  }
  /// Of all ranks' codes of a chunk.
  std::vector<Count> begins_of_codes(Rank chunk, Rank ranks, Count step) const {
    return has_.begins(std::vector(static_cast<std::size_t>(ranks), bytes(chunk, step)));
  }
  /// Of all chunks' codes.
  std::vector<Count> begins_of_replies(Rank ranks, Count step) const {
    std::vector<Count> sizes;
    for (Rank chunk = 0; chunk < ranks; ++chunk) sizes.push_back(bytes(chunk, step));
    return has_.begins(sizes);
  }

  /// Sends each chunk's code to its owner. Returns the sum of all ranks' codes of this rank's
  /// chunk, added in rank order.
  std::span<float> sum_own_chunk(collectives::Communicator& communicator, std::span<float> gradient,
                                 const EncodeContext& o) {
    const auto begins = begins_of_codes(o.rank, o.ranks, o.step);
    const auto each = static_cast<std::size_t>(bytes(o.rank, o.step));
    has_.reserve(received_, begins.back());
    const auto from = [&](Rank rank) {
      return std::span(received_.data() + begins[static_cast<std::size_t>(rank)], each);
    };
    for (Rank s = 0; s < o.ranks; ++s) {
      const Rank to = (o.rank + s) % o.ranks, source = (o.rank - s + o.ranks) % o.ranks;
      const auto code = at(to).encode(part(gradient, to), of_chunk(o, to));
      expects(static_cast<Count>(code.size()) == bytes(to, o.step),
              "the code size differs from its closed form");
      if (s == 0) {
        has_.copy(code, from(o.rank));
        continue;
      }
      const collectives::ByteMessage messages[] = {{ActionKind::send, to, code},
                                                   {ActionKind::replace, source, from(source)}};
      has_.carry(communicator, [&](const CodeCarrier& by) { by.exchange(messages); });
    }
    const auto sum = part(gradient, o.rank);
    has_.clear(sum);
    for (Rank rank = 0; rank < o.ranks; ++rank) {
      EncodeContext theirs = of_chunk(o, o.rank);
      theirs.rank = rank;
      at(o.rank).decode_add(from(rank), sum, 1, theirs);
    }
    return sum;
  }

  void share_own_chunk(collectives::Communicator& communicator, std::span<const float> average,
                       std::span<float> gradient, const EncodeContext& o) {
    const auto begins = begins_of_replies(o.ranks, o.step);
    has_.reserve(replies_, begins.back());
    const std::span all(replies_.data(), static_cast<std::size_t>(begins.back()));
    const auto of = [&](Rank chunk) {
      return all.subspan(static_cast<std::size_t>(begins[static_cast<std::size_t>(chunk)]),
                         static_cast<std::size_t>(bytes(chunk, o.step)));
    };
    const auto as_owner = [&](Rank chunk) {
      EncodeContext owners = of_chunk(o, chunk);
      owners.rank = kOwner;
      return owners;
    };
    const auto code = reply_->encode(average, as_owner(o.rank));
    expects(code.size() == of(o.rank).size(), "the reply size differs from its closed form");
    has_.copy(code, of(o.rank));
    has_.carry(communicator, [&](const CodeCarrier& by) { by.all_gather(begins, all); });
    has_.clear(gradient);
    for (Rank chunk = 0; chunk < o.ranks; ++chunk)
      at(chunk).decode_add(of(chunk), part(gradient, chunk), 1, as_owner(chunk));
  }

  Common has_;
  Blocks chunks_;
  std::vector<std::unique_ptr<Compressor>> compressors_;  // by chunk
  std::unique_ptr<Compressor> reply_;                     // of this rank's chunk
  collectives::DeviceMemory received_, replies_;
};

}  // namespace

Aggregator make_aggregator(const CompressorChoice& choice, const TensorShapes& layout,
                           Aggregation aggregation, Rank ranks, Rank me, const Routes& routes,
                           const CodeCarrier* carrier) {
  expects(ranks >= 1 && me >= 0 && me < ranks, "the rank is out of range");
  Common common{choice, layout, routes, carrier};
  expects((common.kernels->device != nullptr) == (carrier != nullptr),
          "codes travel from the memory in which they are made");
  switch (aggregation) {
    case Aggregation::allreduce:
      return aggregator_of<ByAllreduce>(std::move(common));
    case Aggregation::all_gather:
      return aggregator_of<ByAllGather>(std::move(common), ranks);
    case Aggregation::requantize:
      return aggregator_of<ByRequantizing>(std::move(common), ranks, me);
  }
  fail(Blame::check, "internal error, please report: the aggregation is out of range");
}

}  // namespace arlab::training

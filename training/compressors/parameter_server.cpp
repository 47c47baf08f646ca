#include "training/compressors/parameter_server.hpp"

#include <algorithm>

#include "algorithms/base/error.hpp"
#include "collectives/reduce/reduce.hpp"
#include "training/compressors/wire.hpp"

namespace arlab::training {

Aggregation server_aggregation(const CompressorChoice& choice) {
  const Aggregation last = choice.kind->aggregations.back();
  const Aggregation first = choice.kind->aggregations.front();
  if (first != Aggregation::allreduce) return first;
  if (last != Aggregation::allreduce) return last;
  if (make_compressor(choice, {}, Aggregation::allreduce)->passes() > 1)
    fail(Blame::usage, "codes of " + std::string(choice.kind->name) +
                           " need sums on their way: use an allreduce through a master instead of "
                           "a push to the server");
  return Aggregation::allreduce;
}

EncodeContext answer_of(EncodeContext push) {
  push.rank = -1;
  return push;
}

WorkerEnd::WorkerEnd(const CompressorChoice& choice, const TensorShapes& layout)
    : compressor_(make_compressor(choice, layout, server_aggregation(choice))),
      answers_(make_reply(choice, layout)) {}

std::span<std::byte> WorkerEnd::push(std::span<const float> gradient,
                                     const EncodeContext& occasion) {
  return compressor_->encode(gradient, occasion);
}

void WorkerEnd::pull(std::span<const std::byte> answer, std::span<float> result,
                     const EncodeContext& occasion) {
  decode(*answers_, answer, result, answer_of(occasion));
  compressor_->finish(result, occasion);
}

ServerEnd::ServerEnd(const CompressorChoice& choice, const TensorShapes& layout)
    : decoder_(make_compressor(choice, layout, server_aggregation(choice))),
      reply_(make_reply(choice, layout)),
      sum_(static_cast<std::size_t>(elements(layout))) {}

void ServerEnd::add(std::span<const std::byte> code, const EncodeContext& occasion) {
  if (added_++ == 0) std::fill(sum_.begin(), sum_.end(), 0.0f);
  decoder_->decode_add(code, sum_, 1, occasion);
}

std::span<std::byte> ServerEnd::answer(const EncodeContext& occasion) {
  if (added_ == 0)
    fail(Blame::usage, "a server's answer before any push: add a worker's code first");
  collectives::scale(std::as_writable_bytes(std::span(sum_)).data(),
                     static_cast<Count>(sum_.size()), collectives::DType::float32, added_);
  added_ = 0;
  return reply_->encode(sum_, answer_of(occasion));
}

namespace {

/// A message whose size the other end may not know: its length goes first.
void send(collectives::Communicator& communicator, Rank to, std::span<std::byte> bytes,
          bool known) {
  auto length = static_cast<Count>(bytes.size());
  const Parcel parcels[] = {{ActionKind::send, to, std::as_writable_bytes(std::span(&length, 1))},
                            {ActionKind::send, to, bytes}};
  if (!known) carry(communicator, std::span(parcels).first(1));
  carry(communicator, std::span(parcels).last(1));
}

constexpr Count kTold = -1;  // a length that the other end tells

std::vector<std::byte> receive(collectives::Communicator& communicator, Rank from, Count known) {
  Count length = known == kTold ? 0 : known;
  const Parcel first[] = {
      {ActionKind::replace, from, std::as_writable_bytes(std::span(&length, 1))}};
  if (known == kTold) carry(communicator, first);
  std::vector<std::byte> bytes(static_cast<std::size_t>(length));
  const Parcel second[] = {{ActionKind::replace, from, bytes}};
  carry(communicator, second);
  return bytes;
}

}  // namespace

void push_and_pull(collectives::Communicator& communicator, const CompressorChoice& choice,
                   const TensorShapes& layout, WorkerEnd& worker, ServerEnd* end, Rank server,
                   std::span<float> gradient, const EncodeContext& o) {
  expects((end != nullptr) == (o.rank == server), "the server's end is on another rank");
  const Count pushed =
      choice.kind->packed(layout, choice, server_aggregation(choice), o.step).value_or(kTold);
  const Count answered = choice.kind->reply_varies ? kTold : pushed;
  const auto code = worker.push(gradient, o);
  if (!end) {
    send(communicator, server, code, pushed != kTold);
    worker.pull(receive(communicator, server, answered), gradient, o);
    return;
  }
  for (Rank rank = 0; rank < o.ranks; ++rank) {
    EncodeContext theirs = o;
    theirs.rank = rank;
    if (rank == server)
      end->add(code, o);
    else
      end->add(receive(communicator, rank, pushed), theirs);
  }
  const auto answer = end->answer(o);
  for (Rank rank = 0; rank < o.ranks; ++rank)
    if (rank != server) send(communicator, rank, answer, answered != kTold);
  worker.pull(answer, gradient, o);
}

}  // namespace arlab::training

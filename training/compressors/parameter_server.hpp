// Compression towards a parameter server: workers push codes, the server decodes, averages and
// answers with a code of the average.
//
// Both ends are of no transport, for servers that do not wait for all; push_and_pull() is the
// synchronous exchange over a communicator. Li et al., OSDI 2014; residuals on both sides: Tang et
// al., DoubleSqueeze, ICML 2019.
#pragma once

#include <memory>
#include <vector>

#include "collectives/communicator.hpp"
#include "training/compressors/compressor.hpp"

namespace arlab::training {

/// How a kind's codes travel to a server: any but an allreduce that needs several passes. Throws
/// Error(usage) for those: let them travel by allreduce through a master (Routes) instead.
Aggregation server_aggregation(const CompressorChoice& choice);

/// A worker's end for one tensor or bucket.
class WorkerEnd {
 public:
  WorkerEnd(const CompressorChoice& choice, const TensorShapes& layout);

  /// What to push; valid until the next call.
  std::span<std::byte> push(std::span<const float> gradient, const EncodeContext& occasion);
  /// The answer to the push of this occasion, decoded into the result.
  void pull(std::span<const std::byte> answer, std::span<float> result,
            const EncodeContext& occasion);
  void visit_state(const Compressor::Visitor& visit) { compressor_->visit_state(visit); }

 private:
  std::unique_ptr<Compressor> compressor_, answers_;
};

/// The server's end for one tensor or bucket.
class ServerEnd {
 public:
  ServerEnd(const CompressorChoice& choice, const TensorShapes& layout);

  /// Adds a worker's push; `occasion` is that worker's.
  void add(std::span<const std::byte> code, const EncodeContext& occasion);
  /// The code of the average of what was added since the last answer; valid until the next call.
  /// All workers of a step must get the same answer, once: it leaves a residual here.
  std::span<std::byte> answer(const EncodeContext& occasion);
  void visit_state(const Compressor::Visitor& visit) { reply_->visit_state(visit); }

 private:
  std::unique_ptr<Compressor> decoder_, reply_;
  std::vector<float> sum_;
  Rank added_ = 0;
};

/// The occasion of the server's answer to all pushes of a step.
EncodeContext answer_of(EncodeContext push);

/// One step of synchronous training: every rank is a worker, rank `server` the server as well, and
/// has `end`; the others pass nullptr. In: this rank's gradient. Out: the result, the same bits on
/// every rank.
void push_and_pull(collectives::Communicator& communicator, const CompressorChoice& choice,
                   const TensorShapes& layout, WorkerEnd& worker, ServerEnd* end, Rank server,
                   std::span<float> gradient, const EncodeContext& occasion);

}  // namespace arlab::training

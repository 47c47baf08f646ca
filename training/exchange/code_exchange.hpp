// CodeExchange: how the codes of one compressor travel: the aggregation, its collectives, and the
// time that coding takes in simulated time.
//
// Codes that are made on a device travel from its memory if the backend joins the devices.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "collectives/counting_communicator.hpp"
#include "training/compressors/aggregate.hpp"
#include "training/exchange/collective_queue.hpp"
#include "training/exchange/gradient_options.hpp"

namespace arlab::training {

class CodeExchange {
 public:
  /// `options` has a compressor; `units` are the shapes of all codes. The exchange must outlive
  /// this. Throws Error(usage) if aggregation, compressor and route do not fit together.
  CodeExchange(Exchange& exchange, const GradientOptions& options,
               const std::vector<TensorShapes>& units);
  ~CodeExchange();
  CodeExchange(const CodeExchange&) = delete;
  CodeExchange& operator=(const CodeExchange&) = delete;

  /// Returns the state of tensors that travel as one code; this must outlive it. All ranks call it
  /// together.
  Aggregator make(const TensorShapes& layout, collectives::Communicator& c);

  /// Replaces the data by the average of all ranks' decoded codes. For Exchange::run() and start().
  void run(collectives::CountingCommunicator& c, Aggregator& aggregator, const CollectiveId& id,
           std::span<float> data);

  /// Those that make the codes.
  const VectorKernels& kernels() const { return *kernels_; }
  using Events = std::span<const collectives::DeviceEvent>;
  /// Makes the kernels of a device wait until the events are done.
  void wait_for(Events events) const;
  /// The same as run() on data in the device's memory, behind what its kernels do.
  void run_on_device(collectives::CountingCommunicator& c, Aggregator& aggregator,
                     const CollectiveId& id, std::span<float> there);

 private:
  void aggregate(collectives::CountingCommunicator& c, Aggregator& aggregator,
                 const CollectiveId& id, std::span<float> data) const;

  Exchange& exchange_;
  GradientOptions options_;
  std::string way_;  // as CodeRoute::way
  Routes routes_;
  SharedVectorKernels kernels_;
  std::optional<CodeCarrier> carrier_;      // of codes in a device's memory
  collectives::DeviceMemory here_, there_;  // vectors of the host on their way
};

/// Returns where codes of this choice are made and from where they travel by this way, such as "GPU
/// 0, sent from its memory", or "AVX2". `executor`: null if a communicator carries them.
std::string place_of_codes(const CompressorChoice& choice, const std::string& way,
                           collectives::Executor* executor);

/// Throws Error(usage) unless the exchange's route can run all of these collectives.
void expect_collectives(const Exchange& exchange, Rank ranks, const std::string& who,
                        std::initializer_list<Collective> needed);

}  // namespace arlab::training

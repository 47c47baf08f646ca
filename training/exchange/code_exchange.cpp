#include "training/exchange/code_exchange.hpp"

#include <algorithm>

#include "algorithms/base/error.hpp"
#include "collectives/gpu/device.hpp"
#include "training/compressors/sparse/sparse_aggregate.hpp"
#include "training/exchange/device_carriers.hpp"

namespace arlab::training {
namespace {

std::string algorithm_of(const Exchange& exchange) {
  return exchange.route().algorithm ? std::string(exchange.route().algorithm->name) : "native";
}

/// Whether codes travel from the memory of the executor's device.
bool are_on_its_device(const std::string& way, collectives::Executor* executor) {
  if (!executor || !executor->device()) return false;
  return find_aggregation(way) != Aggregation::requantize || executor->on_device()->exchanges();
}

double decodes_by(const std::string& way, Rank ranks) {
  const auto aggregation = find_aggregation(way);
  return aggregation == Aggregation::allreduce    ? 1
         : aggregation == Aggregation::requantize ? 2
                                                  : ranks;
}

}  // namespace

void expect_collectives(const Exchange& exchange, Rank ranks, const std::string& who,
                        std::initializer_list<Collective> needed) {
  for (const Collective collective : needed) {
    std::string why = "it supports only an allreduce of floats";
    if (const Algorithm* const algorithm = exchange.route().algorithm)
      why = unsupported(*algorithm, {.collective = collective, .ranks = ranks, .elements = ranks});
    if (!why.empty())
      fail(Blame::usage, who + " needs " + std::string(name(collective)) + ", which algorithm " +
                             algorithm_of(exchange) + " does not support: " + why +
                             "; use algorithm ring");
  }
}

CodeExchange::CodeExchange(Exchange& exchange, const GradientOptions& options,
                           const std::vector<TensorShapes>& units)
    : exchange_(exchange), options_(options), kernels_(kernels_of(*options.compressor)) {
  collectives::Communicator& c = exchange.communicator();
  way_ = code_route(options_, units, c.ranks()).way;
  if (way_ == "allreduce")
    expect_collectives(exchange, c.ranks(), "an allreduce of codes", {Collective::allreduce});
  else
    expect_collectives(exchange, c.ranks(), "an exchange of codes",
                       {Collective::all_gather, Collective::allreduce});
  if (const Algorithm* const algorithm = exchange.route().algorithm)
    routes_.allreduce = routes_.all_gather = algorithm;
  if (!kernels_->device) return;
  collectives::Executor* const executor = exchange.route().executor;
  if (are_on_its_device(way_, executor))
    carrier_ = device_carrier(*kernels_, *executor, routes_);
  else
    carrier_ = staged_carrier(*kernels_, c, routes_);
}

// Work may be in progress on memory that is about to be freed.
CodeExchange::~CodeExchange() { kernels_->settle(); }

Aggregator CodeExchange::make(const TensorShapes& layout, collectives::Communicator& c) {
  const auto aggregation = find_aggregation(way_);
  if (!aggregation)
    return make_sparse_aggregator(*options_.compressor, layout,
                                  way_ == "doubling" ? SparsePath::doubling : SparsePath::balanced,
                                  routes_);
  Aggregator made = make_aggregator(*options_.compressor, layout, *aggregation, c.ranks(), c.rank(),
                                    routes_, carrier_ ? &*carrier_ : nullptr);
  // A peer's stream may wait for this rank, which allocating may wait for.
  if (kernels_->device) c.barrier();
  return made;
}

void CodeExchange::aggregate(collectives::CountingCommunicator& c, Aggregator& aggregator,
                             const CollectiveId& id, std::span<float> data) const {
  const auto n = static_cast<double>(data.size());
  c.clock().begin_compute(
      n * (options_.codec.encode + decodes_by(way_, c.ranks()) * options_.codec.decode));
  c.clock().end_compute();  // the rest takes no simulated time
  aggregator.run(c, data,
                 {.seed = options_.seed,
                  .step = id.step,
                  .tensor = static_cast<std::uint32_t>(id.bucket * 65536 + id.slice),
                  .rank = c.rank(),
                  .ranks = c.ranks()});
}

void CodeExchange::wait_for(Events events) const {
  for (const collectives::DeviceEvent& event : events) kernels_->stream->wait(event);
}

void CodeExchange::run_on_device(collectives::CountingCommunicator& c, Aggregator& aggregator,
                                 const CollectiveId& id, std::span<float> there) {
  try {
    aggregate(c, aggregator, id, there);
    kernels_->wait();
  } catch (...) {  // the code that catches it may free the memory
    kernels_->settle();
    throw;
  }
  const CodeCarrier::Carried carried = carrier_->take_carried();
  c.add(carried.sent, carried.seconds);
}

void CodeExchange::run(collectives::CountingCommunicator& c, Aggregator& aggregator,
                       const CollectiveId& id, std::span<float> data) {
  if (!kernels_->device) return aggregate(c, aggregator, id, data);
  const std::span<std::byte> bytes = std::as_writable_bytes(data);
  if (here_.size() < bytes.size()) {
    here_ = {};
    there_ = {};
    here_ = kernels_->device->allocate(bytes.size(), collectives::MemoryKind::pinned);
    there_ = kernels_->allocate(bytes.size());
    c.barrier();  // as in make()
  }
  std::copy(bytes.begin(), bytes.end(), here_.data());
  kernels_->copy(there_.data(), here_.data(), bytes.size());
  const std::span<float> there(reinterpret_cast<float*>(there_.data()), data.size());
  run_on_device(c, aggregator, id, there);
  kernels_->copy(here_.data(), there_.data(), bytes.size());
  kernels_->wait();
  std::copy_n(here_.data(), bytes.size(), bytes.begin());
}

std::string place_of_codes(const CompressorChoice& choice, const std::string& way,
                           collectives::Executor* executor) {
  const SharedVectorKernels kernels = kernels_of(choice);
  if (!kernels->device) return kernels->where;
  return kernels->where +
         (are_on_its_device(way, executor) ? ", sent from its memory" : ", sent from host memory");
}

}  // namespace arlab::training

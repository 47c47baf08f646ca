#include "training/exchange/code_exchange.hpp"

#include "algorithms/base/error.hpp"
#include "training/compressors/sparse/sparse_aggregate.hpp"

namespace arlab::training {
namespace {

std::string algorithm_of(const Exchange& exchange) {
  return exchange.route().algorithm ? std::string(exchange.route().algorithm->name) : "native";
}

double decodes_by(const std::string& way, Rank ranks) {
  return way == "allreduce" ? 1 : way == "requantise" ? 2 : ranks;
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
                           std::span<const Variable> variables)
    : exchange_(exchange), options_(options) {
  const Rank ranks = exchange.communicator().ranks();
  way_ = code_route(options_, variables, ranks).way;
  if (way_ == "allreduce")
    expect_collectives(exchange, ranks, "an allreduce of codes", {Collective::allreduce});
  else
    expect_collectives(exchange, ranks, "an exchange of codes",
                       {Collective::all_gather, Collective::allreduce});
}

Aggregator CodeExchange::make(const TensorShapes& layout,
                              const collectives::Communicator& c) const {
  Routes routes;
  if (const Algorithm* const algorithm = exchange_.route().algorithm)
    routes.allreduce = routes.all_gather = algorithm;
  if (const auto aggregation = find_aggregation(way_))
    return make_aggregator(*options_.compressor, layout, *aggregation, c.ranks(), c.rank(), routes);
  return make_sparse_aggregator(*options_.compressor, layout,
                                way_ == "doubling" ? SparsePath::doubling : SparsePath::balanced,
                                routes);
}

void CodeExchange::run(collectives::Communicator& c, Aggregator& aggregator, const CollectiveId& id,
                       std::span<float> data) const {
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

}  // namespace arlab::training

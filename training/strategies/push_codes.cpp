#include "training/strategies/push_codes.hpp"

#include "algorithms/base/error.hpp"

namespace arlab::training {

namespace {

std::string needs_sums(const CompressorChoice& choice) {
  return "compressor " + std::string(choice.kind->name) +
         " needs sums over all workers between its passes, which a push to a server does not give: "
         "use a strategy with an allreduce, such as mirrored";
}

// By any aggregation except an allreduce of several passes; nothing if it has no other.
std::optional<Aggregation> find_push_aggregation(const CompressorChoice& choice) {
  const Aggregation first = choice.kind->aggregations.front();
  const Aggregation last = choice.kind->aggregations.back();
  if (first != Aggregation::allreduce) return first;
  if (last != Aggregation::allreduce) return last;
  if (make_compressor(choice, {}, Aggregation::allreduce)->passes() > 1) return {};
  return Aggregation::allreduce;
}

}  // namespace

Aggregation push_aggregation(const CompressorChoice& choice) {
  if (const auto found = find_push_aggregation(choice)) return *found;
  fail(Blame::usage, needs_sums(choice));
}

std::string PushCodes::unsupported_reason(const GradientOptions& options) {
  if (!options.compressor) return "";
  const CompressorKind& kind = *options.compressor->kind;
  const std::string who = "compressor " + std::string(kind.name) + " ";
  if (kind.optimizer != "any")
    return who +
           "contains part of the optimizer, which runs on the servers: use another compressor, "
           "or strategy mirrored";
  if (!kind.packed(flat(1), *options.compressor, kind.aggregations.front(), 0))
    return who +
           "makes codes whose size a server cannot know in advance: use topk, or "
           "strategy mirrored";
  return find_push_aggregation(*options.compressor) ? "" : needs_sums(*options.compressor);
}

PushCodes::PushCodes(const GradientOptions& options, std::span<const Variable> variables,
                     Rank workers)
    : options_(options), workers_(workers) {
  for (const Variable& v : variables) {
    const bool is_matrix = v.shape.size() >= 2 && v.shape[0] > 0;
    names_.push_back(v.name);
    layouts_.push_back(is_matrix ? TensorShapes{{v.shape[0], v.elements / v.shape[0]}}
                                 : flat(v.elements));
    compressors_.push_back(make_compressor(*options.compressor, layouts_.back(),
                                           push_aggregation(*options.compressor)));
  }
}

EncodeContext PushCodes::context(std::size_t variable, Rank worker, Count push) const {
  return {.seed = options_.seed,
          .step = push,
          .tensor = static_cast<std::uint32_t>(variable),
          .rank = worker,
          .ranks = workers_};
}

std::span<std::byte> PushCodes::encode(std::size_t variable, std::span<float> gradient, Rank worker,
                                       Count push) {
  for (float& x : gradient) x *= static_cast<float>(workers_);
  return compressors_[variable]->encode(gradient, context(variable, worker, push));
}

Count PushCodes::bytes(std::size_t variable, Count push) const {
  const CompressorChoice& choice = *options_.compressor;
  return choice.kind->packed(layouts_[variable], choice, push_aggregation(choice), push).value();
}

void PushCodes::decode(std::size_t variable, std::span<const std::byte> code,
                       std::span<float> gradient, Rank worker, Count push) {
  arlab::training::decode(*compressors_[variable], code, gradient, context(variable, worker, push));
  for (float& x : gradient) x /= static_cast<float>(workers_);
}

void PushCodes::finish(std::size_t variable, std::span<float> sum, Count push) {
  compressors_[variable]->finish(sum, context(variable, 0, push));
}

GradientExchange::State PushCodes::state() {
  GradientExchange::State all;
  for (std::size_t v = 0; v < compressors_.size(); ++v)
    all[names_[v] + "/0"] = save_state(state_of(*compressors_[v]));
  return all;
}

void PushCodes::restore(const GradientExchange::State& state) {
  for (std::size_t v = 0; v < compressors_.size(); ++v)
    if (const auto found = state.find(names_[v] + "/0"); found != state.end())
      restore_state(state_of(*compressors_[v]), found->second);
}

}  // namespace arlab::training

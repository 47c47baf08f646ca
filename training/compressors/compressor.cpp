#include "training/compressors/compressor.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "algorithms/base/error.hpp"
#include "training/compressors/error_feedback.hpp"

namespace arlab::training {

Count elements(const TensorShapes& layout) {
  Count sum = 0;
  for (const Matrix& m : layout) sum += m.elements();
  return sum;
}

std::string_view name(Aggregation aggregation) {
  constexpr std::array<std::string_view, std::size(kAggregations)> kNames{"allreduce", "all_gather",
                                                                          "requantize"};
  return kNames[static_cast<std::size_t>(aggregation)];
}

std::span<std::byte> Compressor::next(const EncodeContext&) {
  fail(Blame::check, "internal error, please report: the compressor has no next pass");
}

void decode(Compressor& compressor, std::span<const std::byte> code, std::span<float> into,
            const EncodeContext& context) {
  std::fill(into.begin(), into.end(), 0.0f);
  compressor.decode_add(code, into, 1, context);
}

std::vector<std::byte> save_state(const VisitState& visit_state) {
  std::vector<std::byte> state;
  visit_state([&](std::span<float> part) {
    const auto bytes = std::as_bytes(part);
    state.insert(state.end(), bytes.begin(), bytes.end());
  });
  return state;
}

void restore_state(const VisitState& visit_state, std::span<const std::byte> state) {
  std::size_t needed = 0;
  visit_state([&](std::span<float> part) { needed += part.size_bytes(); });
  if (needed != state.size())
    fail(Blame::usage, "the saved compressor state has " + std::to_string(state.size()) +
                           " bytes, but this compressor needs " + std::to_string(needed) +
                           ": use the same compressor, parameters, ranks and model");
  visit_state([&](std::span<float> part) {
    if (!part.empty()) std::memcpy(part.data(), state.data(), part.size_bytes());
    state = state.subspan(part.size_bytes());
  });
}

bool CompressorKind::can(Aggregation aggregation) const {
  return std::find(aggregations.begin(), aggregations.end(), aggregation) != aggregations.end();
}

namespace {

void check(const TensorShapes& layout) {
  constexpr Count kMax = std::numeric_limits<std::uint32_t>::max();  // positions have 32 bits
  Count sum = 0;
  for (const Matrix& m : layout) {
    if (m.rows < 0 || m.columns < 0 || (m.rows > 0 && m.columns > kMax / m.rows))
      fail(Blame::usage, "a tensor has " + std::to_string(m.rows) + " x " +
                             std::to_string(m.columns) + " elements: use 0 to " +
                             std::to_string(kMax));
    sum += m.elements();
  }
  if (sum > kMax)
    fail(Blame::usage, "a bucket has " + std::to_string(sum) +
                           " elements: use buckets of at most " + std::to_string(kMax));
}

}  // namespace

std::unique_ptr<Compressor> make_compressor(const CompressorChoice& choice,
                                            const TensorShapes& layout, Aggregation aggregation) {
  check(layout);
  if (!choice.kind->can(aggregation)) {
    std::string known;
    for (const Aggregation a : choice.kind->aggregations)
      known += (known.empty() ? "" : " or ") + std::string(name(a));
    fail(Blame::usage, "compressor " + std::string(choice.kind->name) +
                           " does not support aggregation " + std::string(name(aggregation)) +
                           ": use " + known);
  }
  auto made = choice.kind->make(layout, choice, aggregation);
  if (!choice.feedback) return made;
  return with_error_feedback(std::move(made), elements(layout), kernels_of(choice));
}

std::unique_ptr<Compressor> make_reply(const CompressorChoice& choice, const TensorShapes& layout) {
  check(layout);
  if (choice.kind->make_reply) return choice.kind->make_reply(layout, choice);
  auto made = choice.kind->make(layout, choice, choice.kind->aggregations.back());
  if (!choice.feedback) return made;
  return with_error_feedback(std::move(made), elements(layout), kernels_of(choice));
}

}  // namespace arlab::training

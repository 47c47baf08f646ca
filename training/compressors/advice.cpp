#include "training/compressors/advice.hpp"

#include <cmath>
#include <cstdio>

namespace arlab::training {
namespace {

constexpr Count kWarm = Count{1} << 40;  // later than every warm-up

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, value < 100 ? "%.3g" : "%.0f", value);
  return text;
}

using Units = std::vector<TensorShapes>;

Count elements_of(const Units& units) {
  Count all = 0;
  for (const TensorShapes& unit : units) all += elements(unit);
  return all;
}

// The sum over the units; nothing if any is unknown.
template <class Bytes>
std::optional<double> sum_of(const Units& units, Bytes bytes) {
  double all = 0;
  for (const TensorShapes& unit : units) {
    const auto its = bytes(unit);
    if (!its) return std::nullopt;
    all += static_cast<double>(*its);
  }
  return all;
}

std::string sentence(const CompressorChoice& choice, const Units& units, Rank ranks,
                     const Advice& advice) {
  const Count n = elements_of(units);
  const Count larger = warm_up_of(choice);
  const std::string later =
      larger > 0 ? "; in its first " + std::to_string(larger) + " steps codes are larger" : "";
  const std::string how =
      std::string(choice.kind->name) + " by " + std::string(name(advice.aggregation));
  if (!advice.received)
    return how +
           ": the code size depends on the gradient; it beats a dense ring while a rank's code has "
           "fewer than " +
           number(8.0 * static_cast<double>(n) / ranks) + " bytes (c P < 8n)" + later;
  if (ranks == 1) return how + ": one rank receives nothing";
  std::string words = how + ": each rank receives " + number(*advice.received) +
                      " bytes instead of " + number(advice.dense) + " of a dense ring: ";
  if (advice.fewer)
    words += number(advice.dense / *advice.received) + " times fewer";
  else
    words += number(*advice.received / advice.dense) + " times as many, so do not compress" +
             (has_sparse_sums(choice) ? ", or combine codes by doubling or balanced" : "");
  if (advice.aggregation == Aggregation::all_gather) {
    const double c = *sum_of(units, [&](const TensorShapes& unit) {
      return choice.kind->packed(unit, choice, advice.aggregation, kWarm);
    });
    words += " (c P = " + number(c * ranks) + (advice.fewer ? " is below" : " is not below") +
             " 8n = " + number(8.0 * static_cast<double>(n)) + ")";
  }
  return words + later;
}

}  // namespace

double dense_bytes(Count elements, Rank ranks) {
  return 8.0 * static_cast<double>(elements) * (ranks - 1) / ranks;
}

std::optional<double> received_bytes(const CompressorChoice& choice, const TensorShapes& layout,
                                     Aggregation aggregation, Rank ranks, Count step) {
  const CompressorKind& kind = *choice.kind;
  const double others = ranks - 1;
  if (aggregation == Aggregation::requantize) {
    const Blocks chunks(elements(layout), ranks);
    double all = 0;  // sizes of chunks differ by one element: computing two sizes suffices
    for (const bool longer : {true, false}) {
      const Count count = longer ? chunks.remainder : ranks - chunks.remainder;
      if (count == 0) continue;
      const auto each =
          kind.packed(flat(chunks.quotient + (longer ? 1 : 0)), choice, aggregation, step);
      if (!each) return std::nullopt;
      all += static_cast<double>(count) * static_cast<double>(*each);
    }
    return 2 * all * others / ranks;
  }
  const auto c = kind.packed(layout, choice, aggregation, step);
  if (!c) return std::nullopt;
  const double bytes = static_cast<double>(*c);
  return aggregation == Aggregation::all_gather ? bytes * others : 2 * bytes * others / ranks;
}

Advice choose_aggregation(const CompressorChoice& choice, const Units& units, Rank ranks) {
  Advice best;
  best.aggregation = choice.kind->aggregations.front();
  for (const Aggregation a : choice.kind->aggregations) {
    const auto received = sum_of(units, [&](const TensorShapes& unit) {
      return received_bytes(choice, unit, a, ranks, kWarm);
    });
    if (!received || (best.received && *best.received <= *received)) continue;
    best.aggregation = a;
    best.received = received;
  }
  best.dense = dense_bytes(elements_of(units), ranks);
  best.fewer = best.received && *best.received < best.dense;
  best.words = sentence(choice, units, ranks, best);
  return best;
}

}  // namespace arlab::training

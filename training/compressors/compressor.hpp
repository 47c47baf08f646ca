// Compressor: how one rank's gradient becomes fewer bytes, and how the ranks' codes come together.
//
// A Compressor is the state of one rank for one tensor or bucket: residuals, factors, and the
// storage that its codes lie in, so that a step allocates nothing. How codes travel is the
// Aggregator's business (aggregate.hpp); how they are made is a catalogue entry's.
//
// To add one, write training/compressors/catalog/<name>.cpp with `CompressorKind <name>()` in
// namespace arlab::training::compressor_catalog, and one test.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/base/parameters.hpp"
#include "algorithms/problem.hpp"
#include "collectives/reduce/dtype.hpp"

namespace arlab::training {

/// A tensor as a matrix: all dimensions but the first are columns. A vector is one row.
struct Matrix {
  Count rows = 1, columns = 0;
  Count elements() const { return rows * columns; }
  bool operator==(const Matrix&) const = default;
};

/// What a compressor works on: one tensor, or those of a bucket one after another.
using TensorShapes = std::vector<Matrix>;
Count elements(const TensorShapes& layout);
inline TensorShapes flat(Count elements) { return {{1, elements}}; }

/// Which encoding this is. Random choices depend on it alone, so that runs repeat bit for bit.
struct EncodeContext {
  std::uint64_t seed = 0;
  Count step = 0;            ///< from 0, one more at each encoding of the tensor
  std::uint32_t tensor = 0;  ///< tells tensors or buckets apart
  Rank rank = 0;
  Rank ranks = 1;
  std::uint32_t part = 0;  ///< the Aggregator's: which chunk, 0 for all
};

/// How codes come together: summed on their way; collected and decoded by everyone; or sent to the
/// owner of each chunk, who decodes, sums and encodes again for everyone (requantise).
enum class Aggregation : std::uint8_t { allreduce, all_gather, requantise };
inline constexpr Aggregation kAggregations[] = {Aggregation::allreduce, Aggregation::all_gather,
                                                Aggregation::requantise};
std::string_view name(Aggregation aggregation);

/// What has to survive from step to step, and be in a checkpoint.
class Stateful {
 public:
  using Visitor = std::function<void(std::span<float>)>;

  virtual ~Stateful() = default;
  /// Shows every such array.
  virtual void visit_state(const Visitor& /*visit*/) {}
};

/// What visit_state() shows, one after another.
std::vector<std::byte> save_state(Stateful& from);
/// Throws Error(usage) unless the state has the size of this one's.
void restore_state(Stateful& into, std::span<const std::byte> state);

class Compressor : public Stateful {
 public:
  /// The gradient's code; it lies here until the next call of encode() or next().
  virtual std::span<std::byte> encode(std::span<const float> gradient,
                                      const EncodeContext& occasion) = 0;

  /// into += weight times what the code of this occasion stands for. The code is this rank's, or
  /// that of another rank's compressor of the same kind. (Allreduce: also the sum of all codes.)
  virtual void decode_add(std::span<const std::byte> code, std::span<float> into, float weight,
                          const EncodeContext& occasion) = 0;

  /// For allreduce: the type and operation that sum the codes of a pass (from 0).
  virtual collectives::Operand operand(int pass) const;
  /// More than one where what is sent depends on a sum: each later pass's code comes from next(),
  /// called when the last code has been summed where it lies.
  virtual int passes() const { return 1; }
  virtual std::span<std::byte> next(const EncodeContext& occasion);

  /// Of the last code, an element that did not travel after all: it is lost again, and counts as
  /// such where losses are kept.
  virtual void give_back(std::uint32_t /*at*/, float /*value*/) {}

  /// The last touch on every rank: from the average of the decoded gradients to the result.
  virtual void finish(std::span<float> /*average*/, const EncodeContext& /*occasion*/) {}
};

/// into = what the code stands for.
void decode(Compressor& compressor, std::span<const std::byte> code, std::span<float> into,
            const EncodeContext& occasion);

/// Error feedback: what an encoding lost is added to the next gradient. Karimireddy et al., ICML
/// 2019.
enum class Feedback : std::uint8_t { off, on, built_in };

struct CompressorKind;

/// A compressor as chosen: what a tensor's is made from.
struct CompressorChoice {
  const CompressorKind* kind = nullptr;
  Values values;             ///< all of the kind's parameters
  bool feedback = false;     ///< in the wrapper
};

struct CompressorKind {
  std::string_view name;   ///< the file's stem and the command line's word
  std::string_view label;  ///< as plots print it
  std::string_view summary;
  std::string_view source;
  std::string_view size;  ///< closed form of packed(), as people write it: n elements
  std::string_view special_values;  ///< how it treats NaN, infinities and zeros
  std::vector<Parameter> parameters = {};
  std::vector<Aggregation> aggregations = {};  ///< what its codes can do
  Feedback feedback = Feedback::off;           ///< on: needed, as a wrapper, unless switched off
  bool unbiased = false;               ///< without feedback: the code's expectation is the gradient
  std::string_view optimiser = "any";  ///< what must follow, where it does more than compress

  /// Bytes that one rank's code of a step has, all passes together; nothing where only the gradient
  /// tells.
  std::optional<Count> (*packed)(const TensorShapes&, const CompressorChoice&, Aggregation,
                                 Count step) = nullptr;
  std::unique_ptr<Compressor> (*make)(const TensorShapes&, const CompressorChoice&,
                                      Aggregation) = nullptr;
  /// Optional: for vectors that are averages already, where that differs from make(). A kind that
  /// can requantise must decode these codes with what make() gives, too.
  std::unique_ptr<Compressor> (*make_reply)(const TensorShapes&, const CompressorChoice&) = nullptr;
  bool sparse = false;        ///< codes are positions and values (sparse_code.hpp)
  bool reply_varies = false;  ///< the size of such a code is not packed()

  bool can(Aggregation aggregation) const;
};

/// Every compressor of the catalogue, by name.
std::span<const CompressorKind> compressors();

/// Throws Error(usage) naming the nearest compressor when there is none of that name.
const CompressorKind& find_compressor(std::string_view name);

/// "topk:ratio=0.01,feedback=off": feedback is on where it is needed, and may be switched off, or
/// on where it is not built in. Throws Error(usage) that names the bad value.
CompressorChoice choose_compressor(std::string_view spec);
/// The same with values given. Throws the same errors.
CompressorChoice choose_compressor(const CompressorKind& kind, const Values& values,
                                   std::optional<bool> feedback = std::nullopt);
/// The spec with every parameter: what a record or a checkpoint should hold.
std::string text(const CompressorChoice& choice);

/// With error feedback where the choice says so. Throws Error(usage) for a layout with negative or
/// too many (2^32) elements, and for an aggregation that the kind cannot do.
std::unique_ptr<Compressor> make_compressor(const CompressorChoice& choice,
                                            const TensorShapes& layout, Aggregation aggregation);
/// For a sum on its way back: in requantise, and at a parameter server.
std::unique_ptr<Compressor> make_reply(const CompressorChoice& choice, const TensorShapes& layout);

}  // namespace arlab::training

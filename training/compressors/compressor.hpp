// Compressor: encodes one rank's gradient in fewer bytes, and decodes the codes of all ranks.
//
// A Compressor is the state of one rank for one tensor or bucket: residuals, factors, and the
// storage of its codes, so that a step allocates nothing. The Aggregator (aggregate.hpp) moves
// codes between ranks; the catalog's entries define how to make them.
//
// To add one, write training/compressors/catalog/<name>.cpp with `CompressorKind <name>()` in
// namespace arlab::training::compressor_catalog, and one test.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "algorithms/base/parameters.hpp"
#include "algorithms/problem.hpp"
#include "collectives/reduce/dtype.hpp"
#include "training/compressors/vector_kernels.hpp"

namespace arlab::training {

/// A tensor as a matrix; all dimensions except the first are columns. A vector is one row.
struct Matrix {
  Count rows = 1, columns = 0;
  Count elements() const { return rows * columns; }
  bool operator==(const Matrix&) const = default;
};

/// The tensors that a compressor works on: one tensor, or those of a bucket in order.
using TensorShapes = std::vector<Matrix>;
Count elements(const TensorShapes& layout);
inline TensorShapes flat(Count elements) { return {{1, elements}}; }

/// Identifies an encoding. Random choices depend on it alone, so that runs repeat bit for bit.
struct EncodeContext {
  std::uint64_t seed = 0;
  Count step = 0;            ///< counts the encodings of the tensor from 0
  std::uint32_t tensor = 0;  ///< identifies the tensor or bucket
  Rank rank = 0;
  Rank ranks = 1;
  std::uint32_t part = 0;  ///< set by the Aggregator: chunk + 1, or 0 for the whole tensor
};

/// How the ranks' codes are combined: summed by an allreduce; gathered and decoded by every rank;
/// or sent to the owner of each chunk, which decodes, sums and encodes the sum for all
/// (requantize).
enum class Aggregation : std::uint8_t { allreduce, all_gather, requantize };
inline constexpr Aggregation kAggregations[] = {Aggregation::allreduce, Aggregation::all_gather,
                                                Aggregation::requantize};
std::string_view name(Aggregation aggregation);

/// Called with each array that must survive from step to step and belongs in a checkpoint.
using StateVisitor = std::function<void(std::span<float>)>;
using VisitState = std::function<void(const StateVisitor&)>;

/// Returns all arrays that `visit_state` shows, one after another.
std::vector<std::byte> save_state(const VisitState& visit_state);
/// Throws Error(usage) unless the saved state has the size of the arrays that `visit_state` shows.
void restore_state(const VisitState& visit_state, std::span<const std::byte> state);

class Compressor {
 public:
  virtual ~Compressor() = default;

  /// Returns the gradient's code, which stays valid until the next call of encode() or next().
  virtual std::span<std::byte> encode(std::span<const float> gradient,
                                      const EncodeContext& context) = 0;

  /// Adds `weight` times the decoded code to `into`. The code comes from the same context on this
  /// rank or on another rank; with an allreduce it may be the sum of all codes.
  virtual void decode_add(std::span<const std::byte> code, std::span<float> into, float weight,
                          const EncodeContext& context) = 0;

  /// The type and operation that sum the codes of each pass in an allreduce; none if nothing sums
  /// them. More than one if a code depends on a sum: next() returns the code of each later pass,
  /// once the previous code has been summed in place.
  using Operands = std::vector<collectives::Operand>;
  const Operands& operands() const { return operands_; }
  int passes() const { return std::max(1, static_cast<int>(operands_.size())); }
  virtual std::span<std::byte> next(const EncodeContext& context);

  /// Returns an untransmitted element of the last code to the residual, where there is one.
  virtual void give_back(std::uint32_t /*at*/, float /*value*/) {}

  /// Turns the average of the decoded gradients into the result, on every rank.
  virtual void finish(std::span<float> /*average*/, const EncodeContext& /*occasion*/) {}

  /// Shows every array that must survive from step to step.
  virtual void visit_state(const StateVisitor& /*visit*/) {}

 protected:
  explicit Compressor(Operands operands = {}) : operands_(std::move(operands)) {}

 private:
  Operands operands_;
};

inline VisitState state_of(Compressor& compressor) {
  return [&compressor](const StateVisitor& visit) { compressor.visit_state(visit); };
}

/// Replaces `into` by the decoded code.
void decode(Compressor& compressor, std::span<const std::byte> code, std::span<float> into,
            const EncodeContext& context);

/// Error feedback: adds what an encoding lost to the next gradient. Karimireddy et al., ICML 2019.
enum class Feedback : std::uint8_t { off, on, built_in };

struct CompressorKind;

/// A compressor with its parameters, from which make_compressor() makes one for each tensor.
struct CompressorChoice {
  const CompressorKind* kind = nullptr;
  Values values;          ///< all of the kind's parameters
  bool feedback = false;  ///< wraps the compressor in error feedback
  /// Those with which the kinds that are `on_gpu` encode, on their memory; null: the processor's.
  SharedVectorKernels kernels = nullptr;
};

/// What a compressor does per element: bytes that it reads and writes in memory, and floating-point
/// operations, where they are many. To encode: all passes together; to decode: one code.
struct CodecWork {
  double encode = 0, decode = 0;
  double encode_operations = 0, decode_operations = 0;
};

struct CompressorKind {
  std::string_view name;   ///< the file's stem
  std::string_view label;  ///< for plots
  std::string_view summary;
  std::string_view source;
  std::string_view size;            ///< packed() as a formula in n, the number of elements
  std::string_view special_values;  ///< how NaN, infinities and zeros are encoded
  std::vector<Parameter> parameters = {};
  std::vector<Aggregation> aggregations = {};  ///< those that its codes support
  Feedback feedback = Feedback::off;           ///< on: wraps it by default
  /// When the expected code is the gradient: "yes", a condition such as "with clip=0", or "no".
  std::string_view unbiased = "no";
  std::string_view optimizer = "any";  ///< the optimizer that it requires
  std::string_view caution = "";       ///< what whoever trains with it must know

  /// Returns the bytes of one rank's code per step, all passes together, or nothing if they depend
  /// on the gradient.
  std::optional<Count> (*packed)(const TensorShapes&, const CompressorChoice&, Aggregation,
                                 Count step) = nullptr;
  /// Returns the work on a vector of so many elements. Error feedback is part of it only where it
  /// is built in (work_of adds it elsewhere).
  CodecWork (*work)(const CompressorChoice&, Count elements) = nullptr;
  std::unique_ptr<Compressor> (*make)(const TensorShapes&, const CompressorChoice&,
                                      Aggregation) = nullptr;
  /// Optional: makes the compressor of averages, if it differs from make(). For a kind that can
  /// requantize, the compressors of make() must decode these codes, too.
  std::unique_ptr<Compressor> (*make_reply)(const TensorShapes&, const CompressorChoice&) = nullptr;
  /// Optional: returns why its error feedback would diverge with these values, or "". Feedback
  /// needs a contraction: an expected squared error of less than the square of what is encoded.
  std::string (*no_feedback)(const Values&) = nullptr;
  /// Optional: returns the number of first steps in which codes are larger than later.
  Count (*warm_up)(const CompressorChoice&) = nullptr;
  bool matrices = false;    ///< works on each matrix by itself
  bool sparse = false;      ///< codes are positions and values (sparse_code.hpp)
  bool on_gpu = false;      ///< does everything with CompressorChoice::kernels, on their memory
  bool signs_only = false;  ///< results are 1, -1, or 0: the learning rate is their magnitude

  bool can(Aggregation aggregation) const;
};

/// Returns every compressor of the catalog, by name.
std::span<const CompressorKind> compressors();

/// Throws Error(usage) naming the nearest compressor if the name is unknown.
const CompressorKind& find_compressor(std::string_view name);

/// Parses a spec such as "topk:ratio=0.01,feedback=off". Feedback is on by default where it is
/// needed; a spec may switch it on or off unless it is built in or would diverge. Throws
/// Error(usage) naming the bad value.
CompressorChoice choose_compressor(std::string_view spec);
/// Does the same with given values, and throws the same errors.
CompressorChoice choose_compressor(const CompressorKind& kind, const Values& values,
                                   std::optional<bool> feedback = std::nullopt);
/// Returns the kernels with which the codes of a choice are made. The vectors and codes of its
/// compressors lie in their memory.
SharedVectorKernels kernels_of(const CompressorChoice& choice);

/// Returns the spec with every parameter, for records and checkpoints.
std::string text(const CompressorChoice& choice);

/// Returns the number of first steps in which codes are larger than later; 0 for most compressors.
Count warm_up_of(const CompressorChoice& choice);
/// Returns whether codes are positions and floats, which sparse allreduces can add.
bool has_sparse_sums(const CompressorChoice& choice);
/// Returns what whoever trains with the choice must know; empty for most compressors.
std::string caution_of(const CompressorChoice& choice);

/// Makes a compressor, with error feedback if the choice has it. Throws Error(usage) if the layout
/// has negative or more than 2^32 - 1 elements, or the kind does not support the aggregation.
std::unique_ptr<Compressor> make_compressor(const CompressorChoice& choice,
                                            const TensorShapes& layout, Aggregation aggregation);
/// Makes the compressor of averages, for the second half of requantize.
std::unique_ptr<Compressor> make_reply(const CompressorChoice& choice, const TensorShapes& layout);

}  // namespace arlab::training

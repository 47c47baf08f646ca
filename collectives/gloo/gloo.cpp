#include "collectives/gloo/gloo.hpp"

#include <gloo/allreduce.h>
#include <gloo/allreduce_halving_doubling.h>
#include <gloo/allreduce_ring_chunked.h>

#include <limits>
#include <map>
#include <memory>
#include <tuple>
#include <type_traits>

#include "algorithms/base/error.hpp"
#include "algorithms/base/names.hpp"
#include "algorithms/base/text.hpp"
#include "collectives/gloo/gloo_mesh.hpp"
#include "collectives/reduce/dispatch_dtype.hpp"
#include "collectives/reduce/reduce.hpp"

namespace arlab::collectives {
namespace {

// Gloo has functions, which make their buffers in each call, and classes, which keep them for a
// vector.
enum class Kind { ring, bcube, ring_chunked, halving_doubling };

struct Named {
  std::string_view name;
  Kind kind;
};
constexpr Named kAlgorithms[] = {{"ring", Kind::ring},
                                 {"bcube", Kind::bcube},
                                 {"ring_chunked", Kind::ring_chunked},
                                 {"halving_doubling", Kind::halving_doubling}};

// Gloo's type for ours; void if it has none.
template <class T>
using GlooType =
    std::conditional_t<std::is_arithmetic_v<T>, T,
                       std::conditional_t<std::is_same_v<T, Float16>, gloo::float16, void>>;

std::string why_not(DType dtype) {
  return dispatch_dtype(dtype, [&]<class T>(std::type_identity<T>) {
    return std::is_void_v<GlooType<T>> ? concat("Gloo has no arithmetic for ", name(dtype)) : "";
  });
}

template <class T>
gloo::AllreduceOptions::Func function_of(Op op) {
  using Function = void (*)(void*, const void*, const void*, std::size_t);
  const Function function = op == Op::prod  ? Function{&gloo::product<T>}
                            : op == Op::min ? Function{&gloo::min<T>}
                            : op == Op::max ? Function{&gloo::max<T>}
                                            : Function{&gloo::sum<T>};
  return function;
}

template <class T>
const gloo::ReductionFunction<T>* reduction_of(Op op) {
  using Reduction = gloo::ReductionFunction<T>;
  return op == Op::prod  ? Reduction::product
         : op == Op::min ? Reduction::min
         : op == Op::max ? Reduction::max
                         : Reduction::sum;
}

class GlooBaseline final : public Baseline {
 public:
  GlooBaseline(Communicator& control, double patience) : mesh_(gloo_mesh(control, patience)) {}

  std::string name_of(const Problem& problem) const override {
    return problem.collective == Collective::allreduce ? "Gloo" : "";
  }
  std::vector<std::string> algorithms() override {
    std::vector<std::string> all;
    for (const Named& one : kAlgorithms) all.push_back(concat(kGlooPrefix, one.name));
    return all;
  }
  void use(const std::string& algorithm) override {
    if (algorithm.empty())
      kept_.clear();
    else
      used_ = &find_named(kAlgorithms, bare(algorithm), "algorithm of Gloo");
  }
  std::string label(const std::string& algorithm) const override {
    return concat("Gloo:", bare(algorithm), " (TCP)");
  }
  std::string unsupported(const std::string&, Operand operand) override {
    return why_not(operand.dtype);
  }

  void run(const Problem& problem, const std::byte* from, std::byte* into,
           Operand operand) override {
    if (problem.collective != Collective::allreduce || !used_)
      return Baseline::run(problem, from, into, operand);
    copy_vector(problem, from, into, operand);
    allreduce(*used_, into, problem.elements, operand);
  }

 private:
  static std::string_view bare(std::string_view algorithm) {
    return algorithm.substr(std::string_view(kGlooPrefix).size());
  }

  void allreduce(const Named& algorithm, std::byte* data, Count elements, Operand operand) {
    if (const std::string why = why_not(operand.dtype); !why.empty()) fail(Blame::usage, why);
    if (elements == 0) return;
    divide_before(data, elements, operand, mesh_->size);
    try {
      dispatch_dtype(operand.dtype, [&]<class T>(std::type_identity<T>) {
        if constexpr (!std::is_void_v<GlooType<T>>)
          run_typed(algorithm.kind, reinterpret_cast<GlooType<T>*>(data), elements, operand);
      });
    } catch (const std::exception& error) {
      if (dynamic_cast<const Error*>(&error)) throw;
      fail(Blame::environment, concat("Gloo's ", algorithm.name, " failed: ", error.what()));
    }
    divide_after(data, elements, operand, mesh_->size);
  }

  template <class T>
  void run_typed(Kind kind, T* data, Count elements, Operand operand) {
    if (kind == Kind::ring || kind == Kind::bcube) {
      gloo::AllreduceOptions options(mesh_);
      options.setAlgorithm(kind == Kind::ring ? gloo::AllreduceOptions::Algorithm::RING
                                              : gloo::AllreduceOptions::Algorithm::BCUBE);
      options.setOutput(data, static_cast<std::size_t>(elements));
      options.setReduceFunction(function_of<T>(operand.op));
      gloo::allreduce(options);
      return;
    }
    auto& kept = kept_[{kind, data, elements, operand.dtype, operand.op}];
    if (!kept) kept = made(kind, data, elements, operand.op);
    kept->run();
  }

  template <class T>
  std::unique_ptr<gloo::Algorithm> made(Kind kind, T* data, Count elements, Op op) {
    const auto bytes = elements * static_cast<Count>(sizeof(T));
    if (bytes > std::numeric_limits<int>::max())
      fail(Blame::usage, concat("a vector of ", std::to_string(bytes),
                                " bytes: this algorithm of Gloo counts at most 2147483647, use "
                                "gloo:ring or gloo:bcube"));
    const std::vector<T*> vectors{data};
    const auto count = static_cast<int>(elements);
    if (kind == Kind::ring_chunked)
      return std::make_unique<gloo::AllreduceRingChunked<T>>(mesh_, vectors, count,
                                                             reduction_of<T>(op));
    return std::make_unique<gloo::AllreduceHalvingDoubling<T>>(mesh_, vectors, count,
                                                               reduction_of<T>(op));
  }

  using Key = std::tuple<Kind, void*, Count, DType, Op>;
  std::shared_ptr<gloo::Context> mesh_;
  std::map<Key, std::unique_ptr<gloo::Algorithm>> kept_;  // by vector
  const Named* used_ = nullptr;
};

}  // namespace

std::unique_ptr<Baseline> gloo_baseline(Communicator& control, double patience) {
  return std::make_unique<GlooBaseline>(control, patience);
}

}  // namespace arlab::collectives

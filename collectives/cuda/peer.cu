#include <algorithm>
#include <string>

#include "collectives/cuda/combine.cuh"
#include "collectives/cuda/peer.hpp"
#include "collectives/cuda/peer_memory.cuh"

namespace arlab::collectives::cuda {
namespace {

constexpr int kMostThreads = 512, kFewestThreads = 32;

/// One wait of a thread, which looks now and then whether to give it up.
class Waiting {
 public:
  __device__ Waiting(const PeerPlan& plan, long long cycles) : plan_(plan), cycles_(cycles) {}

  /// Called between two looks at memory; false if it is in vain.
  __device__ bool continues() {
    constexpr int kLooks = 256;  // between two looks at the clock
    if (++looks_ % kLooks != 0) return true;
    if (DeviceAtomic<std::uint32_t>(plan_.control->abandoned).load(::cuda::memory_order_relaxed) !=
        0)
      return false;
    const long long now = clock64();
    if (looks_ == kLooks) start_ = now;
    return cycles_ == 0 || now - start_ < cycles_;
  }
  /// Leaves word of the device's first wait that was given up.
  __device__ void give_up(Rank rank, Rank peer, std::uint32_t step) const {
    if (DeviceAtomic<std::uint32_t>(plan_.control->abandoned)
            .exchange(1, ::cuda::memory_order_relaxed) == 0)
      *plan_.stall = {1, step, rank, peer};
  }

 private:
  const PeerPlan& plan_;
  long long cycles_, start_ = 0;
  long long looks_ = 0;
};

/// What a thread knows of where it is.
struct Place {
  const PeerPlan& plan;
  const PeerRank& rank;
  int block;
  std::uint64_t run;
  long long cycles;
};

/// Waits for the flags of a step, with all threads of the block; false if that was in vain.
__device__ bool wait_for_flags(const Place& here, const PeerStep& step, std::uint32_t number) {
  for (std::uint32_t w = 0; w < step.waits; ++w) {
    const PeerWait& wait = here.plan.waits[step.first_wait + w];
    const PeerFlag progress = here.run << 32 | wait.progress;
    const int first = wait.all_blocks ? 0 : here.block;
    const int last = wait.all_blocks ? here.plan.blocks : here.block + 1;
    for (int b = first + static_cast<int>(threadIdx.x); b < last;
         b += static_cast<int>(blockDim.x)) {
      Waiting waiting(here.plan, here.cycles);
      while (!is_published(wait.flags[b], progress)) {
        if (waiting.continues()) continue;
        waiting.give_up(here.rank.rank, wait.rank, number);
        return false;
      }
    }
  }
  return true;
}

template <class T>
struct Bits;
template <class T>
requires(sizeof(T) == 1) struct Bits<T> {
  using Type = std::uint8_t;
};
template <class T>
requires(sizeof(T) == 2) struct Bits<T> {
  using Type = std::uint16_t;
};
template <class T>
requires(sizeof(T) == 4) struct Bits<T> {
  using Type = std::uint32_t;
};
template <class T>
requires(sizeof(T) == 8) struct Bits<T> {
  using Type = std::uint64_t;
};

/// 8 bytes of elements, as they travel in two words.
template <class T>
struct Unit {
  static constexpr int kElements = 8 / static_cast<int>(sizeof(T));

  __device__ static T element(std::uint64_t unit, int e) {
    return __builtin_bit_cast(
        T, static_cast<typename Bits<T>::Type>(unit >> (8 * static_cast<int>(sizeof(T)) * e)));
  }
  __device__ static std::uint64_t with(std::uint64_t unit, int e, T value) {
    return unit | static_cast<std::uint64_t>(__builtin_bit_cast(typename Bits<T>::Type, value))
                      << (8 * static_cast<int>(sizeof(T)) * e);
  }
};

/// The slice of one block, in elements.
struct Sliced {
  PeerSlice slice;

  template <class T>
  __device__ T* in(const std::byte* data) const {
    return reinterpret_cast<T*>(const_cast<std::byte*>(data)) + slice.first;
  }
  template <class T>
  __device__ std::uint64_t* words_in(const std::byte* data) const {
    return reinterpret_cast<std::uint64_t*>(const_cast<std::byte*>(data)) +
           slice.first / Unit<T>::kElements * 2;
  }
  /// Calls use(unit, its first element, how many it has) for this thread's units.
  template <class T, class Use>
  __device__ bool each_unit(Use use) const {
    constexpr Count kElements = Unit<T>::kElements;
    for (Count u = threadIdx.x; u * kElements < slice.elements; u += blockDim.x) {
      const Count left = slice.elements - u * kElements;
      if (!use(u, u * kElements, static_cast<int>(left < kElements ? left : kElements)))
        return false;
    }
    return true;
  }
};

template <class T>
__device__ void push(const Place& here, const PeerStep& step, const Sliced& part) {
  const T* const from = part.in<const T>(here.plan.sources[step.first_source]);
  std::uint64_t* const words = part.words_in<T>(step.into);
  part.each_unit<T>([&](Count u, Count first, int count) {
    std::uint64_t unit = 0;
    for (int e = 0; e < count; ++e) unit = Unit<T>::with(unit, e, from[first + e]);
    const auto run = static_cast<std::uint32_t>(here.run);
    send_word(words[2 * u], static_cast<std::uint32_t>(unit), run);
    send_word(words[2 * u + 1], static_cast<std::uint32_t>(unit >> 32), run);
    return true;
  });
}

/// Waits for a word; false if that was in vain.
__device__ bool receive_word(const Place& here, std::uint64_t& word, std::uint32_t& data,
                             Rank sender, std::uint32_t number) {
  Waiting waiting(here.plan, here.cycles);
  for (;;) {
    const std::uint64_t now = look_at_word(word);
    data = static_cast<std::uint32_t>(now);
    if (now >> 32 == (here.run & 0xffffffffu)) return true;
    if (waiting.continues()) continue;
    waiting.give_up(here.rank.rank, sender, number);
    return false;
  }
}

template <class T, class Step, bool kReduces>
__device__ bool pull(const Place& here, const PeerStep& step, const Sliced& part,
                     std::uint32_t number) {
  T* const into = part.in<T>(step.into);
  return part.each_unit<T>([&](Count u, Count first, int count) {
    T result[Unit<T>::kElements] = {};
    if constexpr (kReduces)
      for (int e = 0; e < count; ++e) result[e] = into[first + e];
    for (std::uint32_t k = step.first_source; k < step.first_source + step.sources; ++k) {
      std::uint64_t* const words = part.words_in<T>(here.plan.sources[k]);
      std::uint32_t low = 0, high = 0;
      if (!receive_word(here, words[2 * u], low, here.plan.senders[k], number) ||
          !receive_word(here, words[2 * u + 1], high, here.plan.senders[k], number))
        return false;
      const std::uint64_t unit = std::uint64_t{high} << 32 | low;
      for (int e = 0; e < count; ++e) {
        const T its = Unit<T>::element(unit, e);
        if constexpr (kReduces)
          result[e] = Step{}(result[e], its);
        else
          result[e] = its;
      }
    }
    for (int e = 0; e < count; ++e) into[first + e] = result[e];
    return true;
  });
}

/// Does this block's slice of a step; false if a wait was in vain.
template <class T, class Step>
__device__ bool perform(const Place& here, const PeerStep& step, std::uint32_t number) {
  const Sliced part{slice_of(step.elements, here.plan.granule, here.plan.blocks, here.block)};
  const Count elements = part.slice.elements;
  if (elements == 0) return true;
  const Share mine{static_cast<Count>(threadIdx.x), static_cast<Count>(blockDim.x)};
  const auto from = [&](int k) {
    return part.in<const T>(here.plan.sources[step.first_source + static_cast<std::uint32_t>(k)]);
  };
  T* const into = part.in<T>(step.into);
  switch (step.kind) {
    case PeerKind::mark:
      return true;
    case PeerKind::copy:
      map_share(
          mine, into, cut(into, from(0), elements, sizeof(T)), [](T x) { return x; }, from(0));
      return true;
    case PeerKind::reduce: {
      const int senders = static_cast<int>(step.sources);
      Cut shared = cut(into, into, elements, sizeof(T));
      for (int k = 0; k < senders; ++k)
        if (cut(into, from(k), elements, sizeof(T)).packs != shared.packs)
          shared = {elements, 0, 0};  // not all are equally far from a boundary
      combine_share<T, Step>(mine, into, from, senders, shared);
      return true;
    }
    case PeerKind::push:
      push<T>(here, step, part);
      return true;
    case PeerKind::pull:
      return pull<T, Step, false>(here, step, part, number);
    case PeerKind::pull_reduce:
      return pull<T, Step, true>(here, step, part, number);
    case PeerKind::divide:
      if constexpr (std::is_same_v<Step, Widened<T, Sum>>)  // averages are sums
        divide_share(mine, into, static_cast<DividedIn<T>>(step.divisor),
                     cut(into, into, elements, sizeof(T)));
      return true;
  }
  return true;
}

/// The last block to end prepares the device for the next run.
__device__ void leave(PeerControl& control) {
  if (DeviceAtomic<std::uint32_t>(control.finished).fetch_add(1, ::cuda::memory_order_acq_rel) + 1 <
      gridDim.x)
    return;
  control.finished = 0;
  control.abandoned = 0;
  ++control.runs;
}

template <class T, class Step>
__global__ void __launch_bounds__(kMostThreads, 1)
    run_steps(const __grid_constant__ PeerPlan plan, long long cycles) {
  const auto blocks = static_cast<unsigned>(plan.blocks);
  const PeerRank& rank = plan.ranks[blockIdx.x / blocks];
  const int block = static_cast<int>(blockIdx.x % blocks);
  const Place here{plan, rank, block, plan.control->runs + 1, cycles};
  for (std::uint32_t number = 0; number < rank.steps; ++number) {
    const PeerStep& step = plan.steps[rank.first_step + number];
    if (step.waits > 0) {
      const bool arrived = wait_for_flags(here, step, number);
      if (__syncthreads_or(arrived ? 0 : 1) != 0) break;
    }
    const bool done = perform<T, Step>(here, step, number);
    if (__syncthreads_or(done ? 0 : 1) != 0) break;
    if (step.publishes && threadIdx.x == 0)
      publish(rank.flags[block], here.run << 32 | (number + 1));
  }
  if (threadIdx.x == 0) leave(*plan.control);
}

using Kernel = void (*)(PeerPlan, long long);

Kernel kernel_of(Operand operand) {
  if (operand.dtype == DType::byte) operand = {DType::uint8, Op::sum};  // it is only copied
  Kernel kernel = nullptr;
  dispatch_step(operand, [&]<class T, class Step>() { kernel = run_steps<T, Step>; });
  return kernel;
}

int attribute(cudaDeviceAttr which, int index) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, which, index), "cudaDeviceGetAttribute");
  return value;
}

}  // namespace

// Large blocks where every rank has several of them.
PeerGrid peer_grid(int index, Rank ranks, Operand operand) {
  const std::string gpu = "GPU " + std::to_string(index);
  if (attribute(cudaDevAttrCooperativeLaunch, index) == 0)
    fail(Blame::environment, gpu + " has no cooperative launches, which a plan needs: use cuda");
  const int multiprocessors = attribute(cudaDevAttrMultiProcessorCount, index);
  for (int threads = kMostThreads; threads >= kFewestThreads; threads /= 2) {
    int resident = 0;
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel_of(operand), threads, 0),
          "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
    const int blocks = resident * multiprocessors / static_cast<int>(ranks);
    if (blocks >= 2 || (blocks == 1 && threads == kFewestThreads)) return {blocks, threads};
  }
  fail(Blame::environment, gpu + " has no room for one block of each of " + std::to_string(ranks) +
                               " ranks at once: use fewer ranks");
}

void load_peer_kernels() {
  for (const DType dtype : kDTypes)
    for (const Op op : kOps) {
      cudaFuncAttributes attributes;
      check(cudaFuncGetAttributes(&attributes, kernel_of({dtype, op})), "loading a kernel");
    }
}

void run_plan(const PeerPlan& plan, int threads, Operand operand, long long cycles,
              cudaStream_t stream) {
  cudaLaunchAttribute cooperative{};
  cooperative.id = cudaLaunchAttributeCooperative;
  cooperative.val.cooperative = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(plan.ranks_here * plan.blocks));
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.stream = stream;
  config.attrs = &cooperative;
  config.numAttrs = 1;
  check(cudaLaunchKernelEx(&config, kernel_of(operand), plan, cycles), "a plan's launch");
}

}  // namespace arlab::collectives::cuda

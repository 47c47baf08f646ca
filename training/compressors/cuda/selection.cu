#include "training/compressors/cuda/codes.hpp"
#include "training/compressors/cuda/groups.cuh"

namespace arlab::training::cuda {
namespace {

constexpr int kMostBins = 1 << (31 - 20);  // see histogram()

// Counts in shared memory first, because most magnitudes of a gradient fall into few bins.
__global__ void __launch_bounds__(kThreads, kBlocksPerMultiprocessor)
    count_bins(std::uint32_t* bins, int shift, const float* x, Count n) {
  __shared__ std::uint32_t mine[kMostBins];
  const unsigned count = 1u << (31 - shift);
  for (unsigned b = threadIdx.x; b < count; b += blockDim.x) mine[b] = 0;
  __syncthreads();
  each_of(grid_share(), x, n, [&](float v) { atomicAdd(mine + (magnitude(v) >> shift), 1u); });
  __syncthreads();
  for (unsigned b = threadIdx.x; b < count; b += blockDim.x)
    if (mine[b] != 0) atomicAdd(bins + b, mine[b]);
}

// Selection processes one contiguous part per block, which begins at a multiple of 4 elements: it
// counts the elements of each part, computes where each part begins, and then writes the positions.
constexpr unsigned kSelectBlocks = kSelectScratch / sizeof(std::uint32_t);

struct Part {
  Count begin, end;
};
__device__ Part part_of_block(Count n) {
  const Count a_block = (n + Count{4} * gridDim.x - 1) / (Count{4} * gridDim.x) * 4;
  const Count begin = a_block * blockIdx.x;
  return {begin < n ? begin : n, begin + a_block < n ? begin + a_block : n};
}

__global__ void __launch_bounds__(kThreads, kBlocksPerMultiprocessor)
    count_part(std::uint32_t* counts, const float* x, Count n, std::uint32_t min) {
  __shared__ std::uint32_t all;
  if (threadIdx.x == 0) all = 0;
  __syncthreads();
  const Part part = part_of_block(n);
  std::uint32_t mine = 0;
  const Share share{static_cast<Count>(threadIdx.x), static_cast<Count>(blockDim.x)};
  each_of(share, x + part.begin, part.end - part.begin,
          [&](float v) { mine += magnitude(v) >= min ? 1 : 0; });
  if (mine != 0) atomicAdd(&all, mine);
  __syncthreads();
  if (threadIdx.x == 0) counts[blockIdx.x] = all;
}

// One block: each thread adds the counts of a few neighboring parts, and all threads' sums are
// added up in ever larger steps.
__global__ void __launch_bounds__(kThreads, kBlocksPerMultiprocessor)
    begins_of_parts(std::uint32_t* counts, unsigned parts, std::uint32_t* found) {
  constexpr unsigned kEach = kSelectBlocks / kThreads;
  __shared__ std::uint32_t sums[kThreads];
  const unsigned me = threadIdx.x, first = me * kEach;
  std::uint32_t own[kEach], all = 0;
  for (unsigned k = 0; k < kEach; ++k) {
    own[k] = first + k < parts ? counts[first + k] : 0;
    all += own[k];
  }
  sums[me] = all;
  __syncthreads();
  for (unsigned step = 1; step < kThreads; step *= 2) {
    const std::uint32_t before = me >= step ? sums[me - step] : 0;
    __syncthreads();
    sums[me] += before;
    __syncthreads();
  }
  std::uint32_t begin = sums[me] - all;
  for (unsigned k = 0; k < kEach && first + k < parts; ++k) {
    counts[first + k] = begin;
    begin += own[k];
  }
  if (me == kThreads - 1) *found = begin;
}

// A thread has 4 elements a turn. Turns alternate between two arrays of counts, so that one barrier
// is enough.
__global__ void __launch_bounds__(kThreads, kBlocksPerMultiprocessor)
    positions(std::uint32_t* at, const std::uint32_t* begins, const float* x, Count n,
              std::uint32_t min, bool in_groups) {
  __shared__ std::uint32_t in_warp[2][kThreads / kWarp];
  const unsigned warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp, below = (1u << lane) - 1;
  const Part part = part_of_block(n);
  std::uint32_t begin = begins[blockIdx.x];
  unsigned turn = 0;
  for (Count first = part.begin; first < part.end; first += Count{4} * blockDim.x, turn ^= 1) {
    const Count i = first + Count{4} * threadIdx.x;
    bool chosen[4];
    if (in_groups && i + 4 <= part.end) {
      const auto& mine = group_at<float, 4>(x + i);
      for (int e = 0; e < 4; ++e) chosen[e] = magnitude(mine.at[e]) >= min;
    } else {
      for (int e = 0; e < 4; ++e) chosen[e] = i + e < part.end && magnitude(x[i + e]) >= min;
    }
    std::uint32_t before = 0, of_warp = 0;
    for (int e = 0; e < 4; ++e) {
      const unsigned vote = __ballot_sync(kAllLanes, chosen[e]);
      before += static_cast<std::uint32_t>(__popc(vote & below));
      of_warp += static_cast<std::uint32_t>(__popc(vote));
    }
    if (lane == 0) in_warp[turn][warp] = of_warp;
    __syncthreads();
    std::uint32_t all = 0;
    for (unsigned w = 0; w < kThreads / kWarp; ++w) {
      before += w < warp ? in_warp[turn][w] : 0;
      all += in_warp[turn][w];
    }
    for (int e = 0; e < 4; ++e)
      if (chosen[e]) at[begin + before++] = static_cast<std::uint32_t>(i + e);
    begin += all;
  }
}

}  // namespace

void histogram(std::uint32_t* bins, int shift, const float* x, Count n, const Launch& launch) {
  if (n == 0) return;
  launch_threads(count_bins, (n + 3) / 4, launch, bins, shift, x, n);
}

void select(std::uint32_t* at, std::uint32_t* found, const float* x, Count n, std::uint32_t min,
            std::byte* scratch, const Launch& launch) {
  auto* const counts = reinterpret_cast<std::uint32_t*>(scratch);
  const unsigned wanted = blocks_for((n + 3) / 4, launch);
  const unsigned blocks = wanted < kSelectBlocks ? wanted : kSelectBlocks;
  launch_blocks(count_part, blocks, launch, counts, x, n, min);
  launch_blocks(begins_of_parts, 1, launch, counts, blocks, found);
  launch_blocks(positions, blocks, launch, at, counts, x, n, min, begins_group<float, 4>(x));
}

}  // namespace arlab::training::cuda

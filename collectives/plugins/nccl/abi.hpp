// The interface between NCCL and a tuner plugin, versions 4 and 5, in our words: NCCL 2.24 to 2.30.
//
// nccl.h does not have it; source: ext-tuner/ and src/include/plugin/tuner/ of NCCL 2.28.
#pragma once

#include <cstddef>
#include <cstdint>

namespace arlab::collectives::nccl_abi {

enum class Result : int { success = 0, invalid_argument = 4 };
enum class LogLevel : int { warn = 2, info = 3 };
inline constexpr unsigned long kTuning = 64;  ///< the subsystem of NCCL_DEBUG_SUBSYS=TUNING

using Logger = void (*)(LogLevel level, unsigned long subsystem, const char* file, int line,
                        const char* format, ...);

enum class Function : int { broadcast, reduce, all_gather, reduce_scatter, all_reduce };

inline constexpr const char* kAlgorithms[] = {
    "tree", "ring", "collnet_direct", "collnet_chain", "nvls", "nvls_tree", "pat"};
inline constexpr const char* kProtocols[] = {"ll", "ll128", "simple"};

/// `costs` points to algorithms x protocols times in microseconds, negative where NCCL forbids a
/// pair; it takes the least. `channels` is 0 for NCCL's own choice.
using GetCollInfo = Result (*)(void* context, Function function, std::size_t bytes, int pipe_ops,
                               float** costs, int algorithms, int protocols, int registered,
                               int* channels);

struct TunerV4 {
  const char* name;
  Result (*init)(std::size_t ranks, std::size_t nodes, Logger log, void** context);
  GetCollInfo get_coll_info;
  Result (*destroy)(void* context);
};

struct TunerV5 {
  const char* name;
  Result (*init)(void** context, std::uint64_t communicator, std::size_t ranks, std::size_t nodes,
                 Logger log, void* nvlink_domains, void* constants);
  GetCollInfo get_coll_info;
  Result (*finalize)(void* context);
};

}  // namespace arlab::collectives::nccl_abi

// Names of GPUs, in logs and in public tables.
#pragma once

#include <string>
#include <string_view>

namespace arlab::bench {

/// Whether the text, "NVIDIA H100 80GB HBM3", names the GPU: "GB200" does not name B200.
bool names_gpu(std::string_view text, std::string_view gpu);

/// Whether the text names a GPU of Hopper or newer on NVSwitch, which adds there.
bool has_nvls(std::string_view text);

/// Returns "H100" of "p5"; empty if no public machine is called so.
std::string gpu_of_machine(std::string_view machine);

}  // namespace arlab::bench

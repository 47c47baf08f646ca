#include "bench/study/expected/gpu_names.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <utility>

namespace arlab::bench {

bool names_gpu(std::string_view text, std::string_view gpu) {
  const auto ends = [&](std::size_t at) {
    return at >= text.size() || std::isalnum(static_cast<unsigned char>(text[at])) == 0;
  };
  for (std::size_t at = text.find(gpu); at != std::string_view::npos; at = text.find(gpu, at + 1))
    if ((at == 0 || ends(at - 1)) && ends(at + gpu.size())) return true;
  return false;
}

bool has_nvls(std::string_view text) {
  const bool is_card = text.find("PCIe") != text.npos || text.find(" NVL") != text.npos;
  if (is_card) return false;
  constexpr std::string_view kWithNvls[] = {"H20",  "H100", "H200", "H800",  "GH200",
                                            "B100", "B200", "B300", "GB200", "GB300"};
  return std::any_of(std::begin(kWithNvls), std::end(kWithNvls),
                     [&](std::string_view one) { return names_gpu(text, one); });
}

std::string gpu_of_machine(std::string_view machine) {
  constexpr std::pair<std::string_view, std::string_view> kGpus[] = {
      {"h100", "H100"},     {"p5", "H100"},     {"oci-h100", "H100"}, {"a100", "A100"},
      {"dgx-a100", "A100"}, {"abci-a", "A100"}, {"abci-v", "V100"},   {"v100", "V100"},
      {"b200", "B200"},     {"gb200", "GB200"}, {"l40s", "L40S"}};
  for (const auto& [name, gpu] : kGpus)
    if (name == machine) return std::string(gpu);
  return "";
}

}  // namespace arlab::bench

#include "bench/study/expected/gpu_names.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "bench/text/words.hpp"

namespace arlab::bench {

bool names_gpu(std::string_view text, std::string_view gpu) { return has_words(text, gpu); }

bool has_nvls(std::string_view text) {
  const bool is_card = text.find("PCIe") != text.npos || text.find("PCIE") != text.npos ||
                       has_words(text, "NVL");  // not NVL72, which has NVSwitches
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

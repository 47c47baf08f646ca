#include "bench/validation/calibrated/node_sheet.hpp"

#include <utility>

namespace arlab::simulator {
namespace {

// Channels times their rate, the processors' last level of cache, network cards.
constexpr std::pair<std::string_view, NodeSheet> kNodeSheets[] = {
    // LUMI-G: EPYC 7A53, 8 x DDR4-3200, 4 Slingshot cards (docs.lumi-supercomputer.eu/hardware)
    {"lumi", {.memory_gb_per_s = 204.8, .cache_mb = 256, .cards = 4}},
    // Leonardo Booster: Xeon 8358, 8 x DDR4-3200, 2 dual-port HDR100 cards (Turisini et al., 2023)
    {"leonardo", {.memory_gb_per_s = 204.8, .cache_mb = 48, .cards = 2}},
    // MareNostrum 5 ACC: 2 Xeon 8460Y+, 16 x DDR5-4800, 4 NDR200 cards (bsc.es)
    {"mare_nostrum", {.memory_gb_per_s = 614.4, .cache_mb = 210, .cards = 4}},
};

}  // namespace

NodeSheet node_sheet(std::string_view system) {
  for (const auto& [name, sheet] : kNodeSheets)
    if (name == system) return sheet;
  return {};
}

}  // namespace arlab::simulator

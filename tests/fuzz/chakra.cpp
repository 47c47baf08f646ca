// Fuzzes Chakra's traces: any bytes are a profile or an Error.
#include "tests/fuzz/fuzz.hpp"
#include "training/io/protobuf.hpp"
#include "training/profiles/chakra_trace.hpp"

void arlab::fuzz::chakra(std::string_view input) {
  if (!training::has_protobuf()) return;
  accepted([&] {
    const auto nodes = training::read_chakra(input, "fuzzed.et");
    constexpr std::size_t kMostNodes = 1000;
    if (nodes.size() > kMostNodes) return;
    const training::ModelProfile profile = training::import_chakra_trace(nodes, "fuzzed.et");
    demand(profile.parameters() > 0 && !profile.layers.empty(), "a profile without gradients");
  });
}

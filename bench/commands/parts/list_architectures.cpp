// arlab list architectures: prints the models to train. Part of arlab-train, which can build them.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "algorithms/base/time.hpp"
#include "bench/commands/commands.hpp"
#include "bench/text/listing.hpp"
#include "bench/text/units.hpp"
#include "training/models/architecture.hpp"

namespace arlab::bench {

void hand_over_to_train(const std::vector<std::string>&) {}

void list_architectures(const Listing& listing) {
  std::vector<std::vector<std::string>> rows;
  for (const training::Architecture& a : training::architectures())
    rows.push_back({std::string(a.name), std::string(a.summary),
                    fmt::format("{} x {} x {}", a.channels, a.height, a.width),
                    std::to_string(a.classes), show_count(a.parameters),
                    show_bytes(a.parameters * static_cast<Count>(sizeof(float))),
                    std::string(a.source)});
  listing.table({"architecture", "idea", "images", "classes", "parameters", "gradients", "source"},
                rows);
  listing.note("\nExamples: arlab train -m cnn, or several: -m mlp,cnn\n");
}

}  // namespace arlab::bench

// Fuzzes the readers of image files: any bytes are either a data set with readable samples or a
// usage Error. The first byte is the position at which a pair of IDX files is split; 255 selects
// CIFAR-10.
#include <algorithm>
#include <cstdint>
#include <string>

#include "tests/fuzz/fuzz.hpp"
#include "training/data/cifar10.hpp"
#include "training/data/idx.hpp"

namespace {

using namespace arlab::training;

Dataset parsed(unsigned char first, const std::string& text) {
  if (first == 255) return parse_cifar10({{"fuzzed", text}});
  const std::size_t cut = std::min<std::size_t>(first, text.size());
  return parse_idx(text.substr(cut), "I", text.substr(0, cut), "L");
}

}  // namespace

void arlab::fuzz::images(std::string_view input) {
  if (input.empty()) return;
  const auto first = static_cast<unsigned char>(input[0]);
  const std::string text(input.substr(1));
  accepted([&] {
    const Dataset d = parsed(first, text);
    std::vector<float> values(static_cast<std::size_t>(d.shape.values()));
    for (Count i = 0; i < d.samples; ++i) {
      const int label = d.sample(i, values);
      demand(label >= 0 && label < d.classes, "a label without a class");
      for (const float value : values) demand(value >= 0 && value <= 1, "a pixel beyond 0 to 1");
    }
  });
}

// Fuzzes the readers of image files: any bytes are either a data set with readable samples or a usage
// Error. The first byte is the position at which a pair of IDX files is split; 255 selects CIFAR-10.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "algorithms/base/error.hpp"
#include "training/data/cifar10.hpp"
#include "training/data/idx.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace arlab;
  using namespace arlab::simulator;
  using namespace arlab::collectives;
  using namespace arlab::training;
  if (size == 0) return 0;
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t cut = std::min<std::size_t>(data[0], text.size());
  try {
    const Dataset d = data[0] == 255 ? parse_cifar10({{"fuzzed", text}})
                                     : parse_idx(text.substr(cut), "I", text.substr(0, cut), "L");
    std::vector<float> values(static_cast<std::size_t>(d.shape.values()));
    for (Count i = 0; i < d.samples; ++i)
      if (const int label = d.sample(i, values); label < 0 || label >= d.classes) std::abort();
  } catch (const Error& error) {
    if (error.blame() != Blame::usage) std::abort();
  }
  return 0;
}

#include "training/compressors/codes.hpp"

namespace arlab {

Random random_of(const Occasion& o) {
  const std::uint64_t whose = std::uint64_t{o.part} << 32 | static_cast<std::uint32_t>(o.rank);
  return Random(o.seed).of(o.tensor).of(static_cast<std::uint64_t>(o.step)).of(whose);
}

}  // namespace arlab

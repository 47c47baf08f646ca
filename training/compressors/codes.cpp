#include "training/compressors/codes.hpp"

namespace arlab::training {

Random random_of(const EncodeContext& o) {
  const std::uint64_t whose = std::uint64_t{o.part} << 32 | static_cast<std::uint32_t>(o.rank);
  return Random(o.seed).of(o.tensor).of(static_cast<std::uint64_t>(o.step)).of(whose);
}

}  // namespace arlab::training

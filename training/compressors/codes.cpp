#include "training/compressors/codes.hpp"

#include "algorithms/error.hpp"

namespace arlab {

RandomWords::RandomWords(const Occasion& o) : key_(philox_key(o.seed)) {
  expects(o.part < (1u << 16) && o.rank >= 0 && o.rank < (1 << 16), "a rank or part beyond 65535");
  counter_.word[1] = o.part << 16 | static_cast<std::uint32_t>(o.rank);
  counter_.word[2] = static_cast<std::uint32_t>(o.step);
  counter_.word[3] = o.tensor;
}

}  // namespace arlab

#include "collectives/nccl/float8_support.hpp"

#include "algorithms/base/text.hpp"

namespace arlab::collectives {
namespace {

constexpr int kHasFloat8 = 22400;
constexpr int kReducesFloat8 = 90;

std::string older(const char* what, int version) {
  return concat(what, " NCCL ", version / 10000, ".", version / 100 % 100,
                ", and 8-bit floats came with 2.24: use a newer one, or an algorithm of ours");
}

}  // namespace

std::string why_no_float8(int built, int linked, int capability) {
  if (built < kHasFloat8) return older("this program was built with", built);
  if (linked < kHasFloat8) return older("this is", linked);
  if (capability < kReducesFloat8)
    return concat("NCCL reduces 8-bit floats from compute capability 9.0 on, and a GPU here has ",
                  capability / 10, ".", capability % 10, ": use an algorithm of ours");
  return "";
}

}  // namespace arlab::collectives

#include "training/profiles/coded_tensor.hpp"

namespace arlab::training {

Matrix shape_of(Count elements, const CompressorKind& kind) {
  if (!kind.matrices) return {1, elements};
  Count rows = 1;
  while ((rows + 1) * (rows + 1) <= elements) ++rows;
  return {rows, (elements + rows - 1) / rows};
}

}  // namespace arlab::training

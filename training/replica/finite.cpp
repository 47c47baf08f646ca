#include "training/replica/finite.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "algorithms/base/error.hpp"

namespace arlab::training {

void expect_finite(std::span<const Variable> variables, Count first, std::span<const float> part,
                   Count step, bool kept) {
  // x * 0 is 0, or NaN if x is not finite; the compiler vectorizes this loop.
  float zero = 0;
  for (const float x : part) zero += x * 0;
  if (zero == 0) return;
  const auto bad =
      std::find_if(part.begin(), part.end(), [](float x) { return !std::isfinite(x); });
  const Count where = first + (bad - part.begin());
  for (const Variable& v : variables)
    if (where >= v.offset && where < v.offset + v.elements)
      fail(Blame::check, "the gradient of " + v.name + " is " +
                             std::string(std::isnan(*bad) ? "NaN" : "infinite") + " at step " +
                             std::to_string(step) + ": " +
                             (kept ? "the weights of the previous step are kept; " : "") +
                             "use a smaller learning rate or a longer warm-up, or look for such "
                             "values in the data");
}

}  // namespace arlab::training

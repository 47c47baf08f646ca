#include "training/replica/finite.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "algorithms/base/error.hpp"

namespace arlab::training {

void expect_finite(std::span<const Variable> variables, Count first, std::span<const float> part,
                   Count step, bool kept) {
  // A product with 0 is 0, or NaN where the number is not finite; this is vectorised.
  float zero = 0;
  for (const float x : part) zero += x * 0;
  if (zero == 0) return;
  const auto bad =
      std::find_if(part.begin(), part.end(), [](float x) { return !std::isfinite(x); });
  const Count where = first + (bad - part.begin());
  for (const Variable& v : variables)
    if (where >= v.offset && where < v.offset + v.elements)
      fail(Blame::check, "the gradient of " + v.name + " is " +
                             std::string(std::isnan(*bad) ? "no number" : "infinite") +
                             " at step " + std::to_string(step) + ": " +
                             (kept ? "the weights of the step before are kept; " : "") +
                             "use a smaller --lr, --warmup, or look for such numbers in the data");
}

}  // namespace arlab::training

#include "bench/validation/calibrated/torus_axis.hpp"

namespace arlab::simulator {
namespace {

constexpr Rank kAxisX = 24, kAxisY = 23;

// Up Y, back beside it, on the four rows that B and C make.
TorusAxis on_y(Rank size) { return {{size / 4, 2, 2}, false}; }

// A rectangle of Z and X as near to a square as powers of two allow, row by row, and back on the
// other side of A.
TorusAxis on_z_and_x(Rank size) {
  Rank z = 1;
  while (z * z * 4 <= size / 2) z *= 2;
  return {{z, size / 2 / z, 2}, false};
}

}  // namespace

std::vector<Rank> TorusAxis::place(Rank number) const {
  std::vector<Rank> at;
  for (const Rank size : sizes_) {
    const Rank digit = number % size;
    number /= size;
    at.push_back(number % 2 == 0 ? digit : size - 1 - digit);  // back after forth
  }
  return at;
}

Rank TorusAxis::number(const std::vector<Rank>& place) const {
  Rank sum = 0;
  for (std::size_t j = place.size(); j-- > 0;) sum = sum * sizes_[j] + place[j];
  return sum;
}

std::vector<TorusAxis> torus_axes(const RankGrid& grid) {
  bool y_is_free = true;
  std::vector<TorusAxis> axes;
  for (int d = 0; d < grid.dimensions(); ++d) {
    const Rank size = grid.size(d);
    if (size <= 2 * kAxisX || size > 2 * kAxisX * kAxisX) {
      axes.push_back({{size}, true});
    } else if (y_is_free && size <= 4 * kAxisY) {
      axes.push_back(on_y(size));
      y_is_free = false;
    } else {
      axes.push_back(on_z_and_x(size));
    }
  }
  return axes;
}

}  // namespace arlab::simulator

#include "collectives/patience.hpp"

#include <algorithm>
#include <cstdio>

namespace arlab::collectives {

double start_patience(double seconds) { return seconds > 0 ? std::max(60.0, seconds) : seconds; }

std::string seconds_text(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g s", seconds);
  return text;
}

}  // namespace arlab::collectives

#include "collectives/patience.hpp"

#include <cstdio>

namespace arlab::collectives {

std::string seconds_text(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g s", seconds);
  return text;
}

}  // namespace arlab::collectives

// contains(text): matches messages with this text in them.
#pragma once

#include <string>

#include "tests/support/catch.hpp"

namespace arlab::collectives {

inline auto contains(const std::string& text) { return Catch::Contains(text); }

}  // namespace arlab::collectives

// contains(text): matches messages with this text in them, under Catch2 2 and 3.
#pragma once

#include <string>

#include "tests/support/catch.hpp"

namespace arlab::collectives {

inline auto contains(const std::string& text) {
#if __has_include(<catch2/catch_all.hpp>)
  return Catch::Matchers::ContainsSubstring(text);
#else
  return Catch::Contains(text);
#endif
}

}  // namespace arlab::collectives

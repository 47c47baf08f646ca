// The place of the checkout, in one unit: all others are the same in every checkout, and so are
// found in the compiler's cache.
#pragma once

#include <string>
#include <string_view>

namespace arlab {

/// Returns the path of a file or folder of the checkout, such as "tests/validation".
std::string source_file(std::string_view below);

}  // namespace arlab

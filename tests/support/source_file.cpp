#include "tests/support/source_file.hpp"

namespace arlab {

std::string source_file(std::string_view below) { return ARLAB_SOURCE "/" + std::string(below); }

}  // namespace arlab

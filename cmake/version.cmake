# Runs at build time: writes the version, the commit, the compiler and the build type to OUTPUT.
execute_process(COMMAND git describe --always --dirty --abbrev=9
                WORKING_DIRECTORY ${SOURCE_DIR} OUTPUT_VARIABLE commit
                OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT commit) # no repository: a source archive has the commit in a file
  file(STRINGS ${SOURCE_DIR}/cmake/commit.txt commit REGEX "^[0-9a-f]+$")
endif()
if(NOT commit)
  set(commit "unknown")
endif()
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT [[
#include "bench/results/version.hpp"

namespace arlab::bench {
const char* const kVersion = "@VERSION@";
const char* const kCommit = "@commit@";
const char* const kCompiler = "@COMPILER@";
const char* const kBuildType = "@BUILD_TYPE@";
}  // namespace arlab::bench
]])

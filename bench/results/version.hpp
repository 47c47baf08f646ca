// The version, commit and compiler of this binary; version.cpp is generated at build time.
#pragma once

namespace arlab::bench {

extern const char* const kVersion;
extern const char* const kCommit;
extern const char* const kCompiler;
extern const char* const kBuildType;

}  // namespace arlab::bench

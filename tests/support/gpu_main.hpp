// The main of a test program that needs a GPU: exits 77, which ctest shows as skipped, and says why
// where there is none. One file of a program includes it.
#pragma once

#include <cstdio>

#include "collectives/cuda/device.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/run_tests.hpp"

int main(int argc, char** argv) {
  constexpr int kSkipped = 77;
  if (const std::string why = arlab::collectives::cuda::unavailable(); !why.empty()) {
    std::printf("skipped: %s\n", why.c_str());
    return kSkipped;
  }
  return run_tests(argc, argv);
}

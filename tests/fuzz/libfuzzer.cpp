// The entry that libFuzzer calls. ARLAB_FUZZER is the fuzzer's function.
#include "tests/fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  arlab::fuzz::ARLAB_FUZZER({reinterpret_cast<const char*>(data), size});
  return 0;
}

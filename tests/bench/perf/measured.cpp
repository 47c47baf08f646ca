// What the library cannot reduce: an error of a type that was named, and no row of all types.
#include "bench/perf/measured.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/failure.hpp"
#include "tests/support/library.hpp"

using namespace arlab;
using namespace arlab::bench;
using namespace arlab::collectives;

TEST_CASE("perf: a type that the library cannot reduce is left out of all, and else refused") {
  Library library;
  PerfOptions options;
  options.dtype = "all";
  CHECK(library_takes(options, library, {DType::float32, Op::sum}));
  CHECK_FALSE(library_takes(options, library, {DType::float8_e4m3, Op::sum}));
  options.dtype = "f8e4m3";
  CHECK(failure([&] {
          library_takes(options, library, {DType::float8_e4m3, Op::sum});
        }) == "3: no 8-bit floats");
}

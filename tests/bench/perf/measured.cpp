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

TEST_CASE("perf: rows of all types leave out those that the library cannot reduce") {
  Library library;
  PerfOptions options;
  options.program.name = "all_reduce_perf";
  options.dtype = "all";
  options.min_bytes = options.max_bytes = 64;
  std::string what;
  std::vector<std::string> types;
  const PerfSink sink{[&](const std::vector<PerfDevice>&, const std::string& text) { what = text; },
                      [&](const PerfRow& row) { types.push_back(row.type); }};
  const auto measured = [&](const char* algorithm, Collective collective) {
    types.clear();
    options.algorithm = algorithm;
    options.program.collective = collective;
    measure_perf(options, library, find_backend("threads"), 1, sink);
    return types;
  };
  std::vector<std::string> all, reduced;
  for (const DType dtype : options.dtypes()) {
    all.push_back(perf_name(dtype));
    if (dtype != DType::float8_e4m3) reduced.push_back(perf_name(dtype));
  }
  REQUIRE(all.size() == reduced.size() + 1);
  CHECK(measured("", Collective::allreduce) == reduced);
  CHECK(what == "all_reduce on threads");
  CHECK(measured("ring", Collective::allreduce) == all);  // which our kernels add
  CHECK(measured("", Collective::broadcast) == all);
  CHECK(what == "tree on threads");
}

// Rows of a library's own algorithms: "all" of them, refused names, and those that it cannot run.
#include "bench/run/library_rows.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/failure.hpp"
#include "tests/support/library.hpp"

using namespace arlab;
using namespace arlab::bench;
using namespace arlab::collectives;

namespace {

Config native(const std::string& name, DType dtype = DType::float32) {
  Config config;
  config.operand = {dtype, Op::sum};
  config.native = name;
  return config;
}

std::string names_of_rows(const std::vector<Config>& configs) {
  Library library;
  std::string text;
  for (const Config& config : checked_library_rows(configs, library))
    text += row_name(config, library.baseline().name_of_allreduce()) + " ";
  return text;
}

}  // namespace

TEST_CASE("the library's rows: all stands for each, and each is one row") {
  CHECK(names_of_rows({native("all")}) == "all_reduce:ring all_reduce:nvls ");
  CHECK(names_of_rows({native("nvls"), native("ring:proto=ll"), native("all"), native("")}) ==
        "all_reduce:nvls all_reduce:ring:proto=ll all_reduce:ring all_reduce ");
  CHECK(refusal([] {
          names_of_rows({native("rign:proto=ll")});
        }).starts_with("unknown algorithm of the library 'rign', did you mean 'ring'?"));
}

TEST_CASE("the library's rows: those of Gloo are named apart") {
  CHECK(names_of_rows({native("gloo:all"), native("all"), native("gloo:ring")}) ==
        "gloo:ring gloo:bcube all_reduce:ring all_reduce:nvls ");
  CHECK(refusal([] {
          names_of_rows({native("gloo:nvls")});
        }).starts_with("unknown algorithm of the library 'gloo:nvls'"));
  SweepOptions sweep;
  sweep.algorithms = {"ring,gloo:all", "gloo:bcube"};
  const LibraryNames names = take_library_names(sweep);
  CHECK(names.other == std::vector<std::string>{"gloo:all", "gloo:bcube"});
  CHECK(names.native.empty());
  CHECK(names.any());
  CHECK(!names.alone);
  CHECK(sweep.algorithms == std::vector<std::string>{"ring"});
  sweep.algorithms = {"gloo"};
  CHECK(refusal([&] { take_library_names(sweep); }) ==
        "gloo: give gloo:all, or one, such as gloo:ring");
  CHECK(refusal([] {
          refuse_other_library({"ring,gloo:ring"}, "tune");
        }).starts_with("gloo:ring: tune knows the algorithms of the MPI library only"));
  refuse_other_library({"ring,native:all"}, "tune");
}

TEST_CASE("the library's rows: what it cannot run has its reason") {
  Library library;
  CHECK(library_refusal(native("nvls"), library).empty());
  CHECK(library_refusal(native("nvls", DType::float64), library) == "not for these");
  CHECK(library_refusal(native("", DType::float64), library).empty());
  Config eight = native("", DType::float8_e4m3);
  CHECK(library_refusal(eight, library) == "no 8-bit floats");
  eight.problem.collective = Collective::all_gather;  // only moves them
  CHECK(library_refusal(eight, library).empty());
  Config ours = native("nvls", DType::float64);
  ours.algorithm = &find_algorithm("ring");
  CHECK(library_refusal(ours, library).empty());
}

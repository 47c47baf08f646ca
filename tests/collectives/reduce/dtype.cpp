#include "collectives/reduce/dtype.hpp"

#include "algorithms/base/error.hpp"
#include "algorithms/base/names.hpp"
#include "tests/support/catch.hpp"

using arlab::find_named;
using arlab::collectives::kDTypes;
using arlab::collectives::kOps;

TEST_CASE("every type and operation is found by its name") {
  for (const arlab::collectives::DType dtype : arlab::collectives::kDTypes)
    CHECK(find_named(kDTypes, arlab::collectives::name(dtype), "dtype") == dtype);
  for (const arlab::collectives::Op op : arlab::collectives::kOps)
    CHECK(find_named(kOps, arlab::collectives::name(op), "op") == op);
  CHECK_THROWS_AS(find_named(kDTypes, "float", "dtype"), arlab::Error);
  CHECK_THROWS_AS(find_named(kOps, "", "op"), arlab::Error);
  CHECK(arlab::collectives::size_of(arlab::collectives::DType::bfloat16) == 2);
  CHECK(arlab::collectives::size_of(arlab::collectives::DType::int64) == 8);
  CHECK(arlab::collectives::size_of(arlab::collectives::DType::float8_e5m2) == 1);
}

TEST_CASE("small floats are those of 16 and 8 bits") {
  std::string names;
  for (const arlab::collectives::DType dtype : arlab::collectives::kDTypes)
    if (arlab::collectives::is_small_float(dtype))
      names += std::string(arlab::collectives::name(dtype)) + " ";
  CHECK(names == "float16 bfloat16 float8_e4m3 float8_e5m2 ");
  CHECK_FALSE(arlab::collectives::is_small_float(arlab::collectives::DType::byte));
}

TEST_CASE("bytes can be sent, but not reduced") {
  CHECK(arlab::collectives::size_of(arlab::collectives::DType::byte) == 1);
  CHECK(arlab::collectives::name(arlab::collectives::DType::byte) == "byte");
  CHECK_THROWS_AS(find_named(kDTypes, "byte", "dtype"), arlab::Error);
}

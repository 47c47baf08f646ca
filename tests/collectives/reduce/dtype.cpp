#include "collectives/reduce/dtype.hpp"

#include "tests/support/catch.hpp"

TEST_CASE("every type and operation is found by its name") {
  for (const arlab::DType dtype : arlab::kDTypes)
    CHECK(arlab::dtype_named(arlab::name(dtype)) == dtype);
  for (const arlab::Op op : arlab::kOps) CHECK(arlab::op_named(arlab::name(op)) == op);
  CHECK_FALSE(arlab::dtype_named("float"));
  CHECK_FALSE(arlab::op_named(""));
  CHECK(arlab::size_of(arlab::DType::bfloat16) == 2);
  CHECK(arlab::size_of(arlab::DType::int64) == 8);
}

TEST_CASE("bytes travel, but are no type to reduce") {
  CHECK(arlab::size_of(arlab::DType::byte) == 1);
  CHECK(arlab::name(arlab::DType::byte) == "byte");
  CHECK_FALSE(arlab::dtype_named("byte"));
}

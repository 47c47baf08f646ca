#include "collectives/reduce/dtype.hpp"

#include "tests/support/catch.hpp"

TEST_CASE("every type and operation is found by its name") {
  for (const arlab::collectives::DType dtype : arlab::collectives::kDTypes)
    CHECK(arlab::collectives::dtype_named(arlab::collectives::name(dtype)) == dtype);
  for (const arlab::collectives::Op op : arlab::collectives::kOps)
    CHECK(arlab::collectives::op_named(arlab::collectives::name(op)) == op);
  CHECK_FALSE(arlab::collectives::dtype_named("float"));
  CHECK_FALSE(arlab::collectives::op_named(""));
  CHECK(arlab::collectives::size_of(arlab::collectives::DType::bfloat16) == 2);
  CHECK(arlab::collectives::size_of(arlab::collectives::DType::int64) == 8);
}

TEST_CASE("bytes can be sent, but not reduced") {
  CHECK(arlab::collectives::size_of(arlab::collectives::DType::byte) == 1);
  CHECK(arlab::collectives::name(arlab::collectives::DType::byte) == "byte");
  CHECK_FALSE(arlab::collectives::dtype_named("byte"));
}

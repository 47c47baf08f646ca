#include "bench/measure/binding.hpp"

#include <thread>

#include "collectives/host/host_executor.hpp"
#include "collectives/threads/threads.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/failure.hpp"

using namespace arlab;
using namespace arlab::collectives;
using namespace arlab::bench;

TEST_CASE("binding: processors are read as lists and ranges") {
  CHECK(parse_binding("none").empty());
  CHECK(parse_binding("3") == std::vector<int>{3});
  CHECK(parse_binding("0,2,4-7") == std::vector<int>{0, 2, 4, 5, 6, 7});
  CHECK_FALSE(parse_binding("core").empty());
  CHECK(failure([] { parse_binding(""); }).find("core, none") != std::string::npos);
  CHECK(failure([] { parse_binding("5-2"); }).find("smaller processor first") != std::string::npos);
  CHECK(failure([] { parse_binding("99999"); }).find("give 0 to") != std::string::npos);
}

TEST_CASE("binding: ranks take the processors in turn, and all of them are reported") {
  const std::vector<int> allowed = parse_binding("core");
  const std::vector<int> two{allowed.front(), allowed.back()};
  std::string bound, free;
  on_threads(3, [&](Communicator& c) {
    HostExecutor executor(c);
    std::string before = binding_of_all(executor);
    bind_rank(executor, two);
    std::string after = binding_of_all(executor);
    if (c.rank() == 0) free = std::move(before), bound = std::move(after);
  });
  const std::string a = std::to_string(two[0]), b = std::to_string(two[1]);
  CHECK(bound == (a == b ? a + " x3" : a + "|" + b + "|" + a));
  CHECK(free.ends_with(" x3"));
}

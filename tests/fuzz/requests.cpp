// Fuzzes the requests of the explorer's page: the answer is JSON, the same again, or an Error.
#include <nlohmann/json.hpp>

#include "plots/explorer/engine/answer.hpp"
#include "tests/fuzz/fuzz.hpp"

void arlab::fuzz::requests(std::string_view input) {
  accepted([&] {
    const std::string answer = explorer::answer(input);
    demand(nlohmann::json::accept(answer), "an answer that is not JSON");
    demand(explorer::answer(input) == answer, "another answer to the same request");
  });
}

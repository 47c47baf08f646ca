// Fuzzes schedule files, JSON and MSCCL XML: any text is a schedule that is proved correct, or an
// Error. What is accepted must cost what is claimed.
#include <memory>

#include "algorithms/verify/count.hpp"
#include "algorithms/verify/verify.hpp"
#include "bench/formats/schedule_file.hpp"
#include "tests/fuzz/fuzz.hpp"

void arlab::fuzz::schedule_files(std::string_view input) {
  accepted([&] {
    const auto script =
        std::make_shared<const Script>(bench::parse_schedule(std::string(input), "fuzzed"));
    const Algorithm algorithm = algorithm_of(script);
    const Problem problem{.collective = script->collective,
                          .ranks = script->ranks,
                          .elements = 5,
                          .root = script->root};
    demand(static_cast<bool>(verify(algorithm, problem)), "accepted, but wrong");
    demand(count(algorithm, problem).all == predicted_cost(algorithm, problem),
           "counted is not claimed");
  });
}

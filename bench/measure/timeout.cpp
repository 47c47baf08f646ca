#include "bench/measure/timeout.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "algorithms/base/error.hpp"
#include "algorithms/base/quantities.hpp"
#include "bench/text/say.hpp"

namespace arlab::bench {

void add_timeout(CLI::App& command, collectives::Patience& patience) {
  patience.note = [](const std::string& text) { say("\nnote: {}\n", Message{text}); };
  const auto parse = [&patience](const std::string& text) {
    const double seconds = parse_time(text, "--timeout") / 1e12;
    if (seconds != 0 && seconds < 1)
      fail(Blame::usage,
           fmt::format("--timeout is {}: give at least 1s, or 0 to wait forever", text));
    patience.seconds = seconds;
  };
  command
      .add_option_function<std::string>(
          "--timeout", parse,
          "Give up when a rank has not responded, or no rank has made progress, for this time: "
          "300s (default); 0: never. A slow rank that runs is not given up; MPI and NCCL have at "
          "least 60 s to start")
      ->type_name("TIME");
}

}  // namespace arlab::bench

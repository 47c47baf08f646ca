#include "bench/formats/hunt_file.hpp"

#include <fmt/format.h>

#include <utility>

#include "algorithms/base/error.hpp"
#include "bench/results/result_file.hpp"

namespace arlab::bench {

HuntFile read_hunt(const std::string& path) {
  Results results = read_results(path);
  HuntFile hunt{.path = path};
  for (Json& record : results.records)
    if (record.value("kind", Json()) == "hunt") hunt.record = std::move(record);
  if (hunt.record.is_null())
    fail(Blame::usage,
         fmt::format("{} has no record of a hunt: write one with `arlab hunt --json {}`", path,
                     path));
  if (const Json context = hunt.record.value("context", Json()); context.is_number())
    hunt.date = results.contexts[context.get<std::size_t>()].value("date", "");
  const std::string verdict = hunt.record.at("verdict").get<std::string>();
  if (verdict == "few")
    fail(Blame::usage, fmt::format("the hunt in {} had too few ranks to tell what is slow: hunt "
                                   "again with more",
                                   path));
  if (verdict == "noisy")
    fail(Blame::usage, fmt::format("the hunt in {} was too noisy to tell what is slow: hunt again "
                                   "while the hosts are quiet",
                                   path));
  return hunt;
}

}  // namespace arlab::bench

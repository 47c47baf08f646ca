#include <string>

#include "algorithms/base/error.hpp"
#include "plots/explorer/engine/answer.hpp"
#include "plots/explorer/engine/page.hpp"
#include "plots/explorer/engine/request.hpp"

namespace arlab::explorer {

std::string page_of_schedule(std::string_view schedule, Rank ranks) {
  // Any number of ranks runs all_alike algorithms; the schedule takes the place of its program.
  std::string_view stand_in;
  for (const Algorithm& a : algorithms())
    if (a.all_alike) stand_in = a.name;
  const Json request{{"ask", "run"},
                     {"algorithm", stand_in},
                     {"ranks", ranks},
                     {"schedule", Json::parse(schedule)}};
  constexpr std::string_view kPlace = "/*ARLAB_RUN*/null/*END*/";
  std::string page(kNotebook);
  const std::size_t at = page.find(kPlace);
  expects(at != std::string::npos, "the page for notebooks has no place for its run");
  return page.replace(at, kPlace.size(), script_safe(answer(request.dump())));
}

}  // namespace arlab::explorer

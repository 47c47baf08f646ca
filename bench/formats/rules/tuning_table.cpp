#include "bench/formats/rules/tuning_table.hpp"

#include "bench/text/read_file.hpp"

namespace arlab::bench {

TuningTable read_tuning_table(const std::string& path) {
  return parse_tuning_table(read_file(path, "give a table that `arlab tune --table` wrote"), path);
}

}  // namespace arlab::bench

// The catalogs, as data.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace arlab::bench::python {

/// Returns a list of objects. `what`: algorithms, topologies, models, compressors, schedulers,
/// strategies, backends, or types. Throws Error(usage) for another word.
nlohmann::ordered_json catalog(const std::string& what);

}  // namespace arlab::bench::python

// The compiled module of the Python package: arlab._arlab. The package's own files (arlab/) wrap
// it; its answers are JSON texts.
#include <pybind11/functional.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "algorithms/base/error.hpp"
#include "algorithms/base/stop.hpp"
#include "bench/options/caller.hpp"
#include "bench/python/answers.hpp"
#include "bench/python/call.hpp"
#include "bench/python/catalogs.hpp"
#include "bench/python/generators.hpp"
#include "bench/python/signals.hpp"
#include "bench/results/result_file.hpp"
#include "bench/results/version.hpp"
#include "collectives/backends/job.hpp"
#include "plots/explorer/engine/page.hpp"

namespace arlab::bench::python {
namespace {

namespace py = pybind11;
using Json = nlohmann::ordered_json;

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Computes without the interpreter's lock. An interrupt ends it with Python's exception.
template <class Compute>
auto unlocked(const Compute& compute) {
  const InterruptGuard guard;
  try {
    const py::gil_scoped_release release;
    return compute();
  } catch (const Stopped&) {
    if (PyErr_CheckSignals() == 0) PyErr_SetNone(PyExc_KeyboardInterrupt);
    throw py::error_already_set();
  }
}

// Throws in the calling thread, where Python handles signals.
std::function<void(std::size_t, std::size_t)> progress_of(const py::object& progress) {
  if (progress.is_none()) return {};
  return [&progress](std::size_t done, std::size_t steps) {
    const py::gil_scoped_acquire lock;
    progress(done, steps);
  };
}

using OwnByName = std::map<std::string, std::shared_ptr<Generators>>;

py::tuple call_command(const std::vector<std::string>& words, const OwnByName& own,
                       const py::object& progress) {
  const auto caller = std::make_shared<Caller>();
  for (const auto& [name, generators] : own) caller->algorithms[name] = generators->algorithm();
  caller->progress = progress_of(progress);
  int wrong = 0;
  const std::string records = unlocked([&] {
    wrong = call(words, caller);
    return text_of(Json(caller->records));
  });
  return py::make_tuple(wrong, records, caller->text);
}

std::string topology_text(const std::string& spec, Rank ranks, const std::string& placement,
                          const std::vector<std::string>& faults) {
  TopologyOptions usual;
  usual.placement = placement;
  usual.faults = faults;
  return unlocked([&] { return text_of(network_of(topology_options(spec, usual), ranks)); });
}

std::string results_text(const std::string& path) {
  return unlocked([&] {
    const Results results = read_results(path);
    return text_of({{"contexts", results.contexts},
                    {"records", results.records},
                    {"cut_short", results.cut_short}});
  });
}

// Python's exceptions for ours: arlab._errors.of(blame, text).
void translate(std::exception_ptr thrown) {
  try {
    if (thrown) std::rethrow_exception(thrown);
  } catch (const Error& error) {
    const py::object made = py::module_::import("arlab._errors")
                                .attr("of")(static_cast<int>(error.blame()), error.what());
    PyErr_SetObject(py::type::handle_of(made).ptr(), made.ptr());
  }
}

}  // namespace

PYBIND11_MODULE(_arlab, module) {
  module.doc() = "What Allreduce Lab computes in C++; use the package arlab.";
  module.attr("version") = std::string(kVersion);
  module.attr("commit") = std::string(kCommit);
  py::register_exception_translator(translate);
  py::class_<Generators, std::shared_ptr<Generators>>(module, "Generators")
      .def(py::init<const py::dict&, py::object, py::object, py::object, py::object, py::object>())
      .def("prove", &Generators::prove);
  module.def("call", call_command);
  module.def("catalog", [](const std::string& what) { return text_of(catalog(what)); });
  module.def("topology", topology_text);
  module.def("choices", [](const std::string& records, const std::string& origin) {
    return text_of(choices_of(Json::parse(records), origin));
  });
  module.def("read_results", results_text);
  module.def("player", explorer::page_of_schedule);
  module.def("keep_mpi", collectives::keep_mpi);
  module.def("end_mpi", collectives::end_mpi);
}

}  // namespace arlab::bench::python

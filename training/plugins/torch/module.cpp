// The Python module _arlab: registers the backend "arlab" of torch.distributed.
#include <ATen/core/ivalue.h>  // first: clang needs the type before ATen's lists of it
#include <pybind11/chrono.h>
#include <torch/csrc/utils/pybind.h>

#include <chrono>
#include <memory>
#include <stdexcept>

#include "training/plugins/torch/process_group.hpp"

namespace {

using arlab::training::Engine;
using arlab::training::ProcessGroupArlab;

std::unique_ptr<Engine> engine;  // of this process, from the first group to the end

c10::intrusive_ptr<c10d::ProcessGroup> create(const c10::intrusive_ptr<c10d::Store>& store,
                                              int rank, int size,
                                              const std::chrono::duration<float>& timeout) {
  const pybind11::gil_scoped_release others_run;
  try {
    if (!engine) engine = std::make_unique<Engine>(timeout.count());
    return c10::make_intrusive<ProcessGroupArlab>(*engine, store, rank, size);
  } catch (const std::exception& error) {
    throw std::runtime_error(std::string("arlab: ") + error.what());
  }
}

// At exit: a future's continuation may need Python's lock.
void shut_down() {
  const pybind11::gil_scoped_release others_run;
  engine.reset();
}

}  // namespace

PYBIND11_MODULE(_arlab, module) {
  module.doc() = "Collectives of Allreduce Lab for torch.distributed";
  module.def("create", &create);
  pybind11::module::import("torch.distributed")
      .attr("Backend")
      .attr("register_backend")("arlab", module.attr("create"));
  pybind11::module::import("atexit").attr("register")(pybind11::cpp_function(&shut_down));
}

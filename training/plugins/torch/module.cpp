// The Python module arlab.torch._torch: the backend "arlab" of torch.distributed.
#include <ATen/core/ivalue.h>  // first: clang needs the type before ATen's lists of it
#include <pybind11/chrono.h>
#include <torch/csrc/utils/pybind.h>

#include <chrono>
#include <memory>
#include <stdexcept>

#include "algorithms/base/error.hpp"
#include "training/plugins/torch/process_group.hpp"

namespace {

using arlab::training::BucketAverages;
using arlab::training::Engine;
using arlab::training::ProcessGroupArlab;
using arlab::training::TorchBackend;

using Group = c10::intrusive_ptr<c10d::ProcessGroup>;

Engine* engine = nullptr;  // of this process, from the first group on: it is never freed

c10::intrusive_ptr<TorchBackend> create(const c10::intrusive_ptr<c10d::Store>& store, int rank,
                                        int size, const std::chrono::duration<float>& timeout) {
  const pybind11::gil_scoped_release others_run;
  try {
    if (!engine) engine = new Engine(rank, size);
    return c10::make_intrusive<ProcessGroupArlab>(*engine, store, rank, size, timeout.count());
  } catch (const std::exception& error) {
    throw std::runtime_error(std::string("arlab: ") + error.what());
  }
}

// At exit: a future's continuation may need Python's lock.
void shut_down() {
  const pybind11::gil_scoped_release others_run;
  if (engine) engine->end();
}

std::shared_ptr<BucketAverages> averages_of(const std::string& spec, std::uint64_t seed) {
  try {
    return std::make_shared<BucketAverages>(spec, seed);
  } catch (const arlab::Error& error) {
    throw pybind11::value_error(error.what());
  }
}

ProcessGroupArlab& ours(const Group& group, const char* what) {
  const auto backend = arlab::training::backend_of(group);
  if (auto* const found = dynamic_cast<ProcessGroupArlab*>(backend.get())) return *found;
  throw pybind11::value_error(std::string("arlab: ") + what +
                              " needs a group of the backend arlab, not of " +
                              backend->getBackendName() + ": start with arlab.init()");
}

c10::intrusive_ptr<c10d::Work> average(const std::shared_ptr<BucketAverages>& averages,
                                       const Group& group, const c10d::GradBucket& bucket) {
  return ours(group, "arlab.compress()")
      .average(averages,
               {bucket.getIndex(), bucket.isLast(), bucket.getBuffer(), bucket.getGradients()});
}

c10::intrusive_ptr<c10d::Work> average_of(const std::shared_ptr<BucketAverages>& averages,
                                          const Group& group, std::size_t index, bool last,
                                          const at::Tensor& gradients,
                                          const std::vector<at::Tensor>& tensors) {
  return ours(group, "a compressor").average(averages, {index, last, gradients, tensors});
}

int join(const Group& group) {
  ProcessGroupArlab& its = ours(group, "join()");
  const pybind11::gil_scoped_release others_run;
  return its.join();
}

std::int64_t bytes_sent(const Group& group) {
  ProcessGroupArlab& its = ours(group, "arlab.bytes_sent()");
  const pybind11::gil_scoped_release others_run;
  return its.bytes_sent();
}

}  // namespace

PYBIND11_MODULE(_torch, module) {
  module.doc() = "Collectives of Allreduce Lab for torch.distributed";
  module.def("create", &create);
  pybind11::class_<BucketAverages, std::shared_ptr<BucketAverages>>(module, "BucketAverages")
      .def(pybind11::init(&averages_of), pybind11::arg("spec"), pybind11::arg("seed"))
      .def_property_readonly("spec", &BucketAverages::spec);
  module.def("average", &average, pybind11::arg("averages"), pybind11::arg("group"),
             pybind11::arg("bucket"));
  module.def("average_of", &average_of, pybind11::arg("averages"), pybind11::arg("group"),
             pybind11::arg("index"), pybind11::arg("last"), pybind11::arg("gradients"),
             pybind11::arg("tensors"));
  module.def("join", &join, pybind11::arg("group"));
  module.def("bytes_sent", &bytes_sent, pybind11::arg("group"));
  pybind11::module::import("atexit").attr("register")(pybind11::cpp_function(&shut_down));
}

// ArlabWork: what PyTorch waits for. A thread of the engine completes it.
#pragma once

#include <ATen/core/ivalue.h>  // first: clang needs the type before ATen's lists of it

#include <torch/csrc/distributed/c10d/Work.hpp>
#include <utility>
#include <vector>

#include "algorithms/base/error.hpp"
#include "algorithms/base/text.hpp"

namespace arlab::training {

class ArlabWork final : public c10d::Work {
 public:
  ArlabWork(c10d::OpType type, const char* name, std::vector<at::Tensor> results)
      : Work(-1, type, name),
        results_(std::move(results)),
        future_(c10::make_intrusive<c10::ivalue::Future>(
            c10::ListType::create(c10::TensorType::get()))) {}

  std::vector<at::Tensor> result() override { return results_; }
  c10::intrusive_ptr<c10::ivalue::Future> getFuture() override { return future_; }
  int sourceRank() const override { return source_; }

  /// `source`: of a message, who sent it.
  void complete(std::exception_ptr error, int source = -1) {
    source_ = source;
    const std::exception_ptr shown = for_python(error);
    if (shown)
      future_->setError(shown);
    else
      future_->markCompleted(at::IValue(results_));
    finish(shown);
  }

 private:
  // Python shows std::runtime_error with its text.
  static std::exception_ptr for_python(const std::exception_ptr& error) {
    if (!error) return nullptr;
    try {
      std::rethrow_exception(error);
    } catch (const Error& e) {
      return std::make_exception_ptr(std::runtime_error(concat("arlab: ", e.what())));
    } catch (...) {
      return error;
    }
  }

  std::vector<at::Tensor> results_;
  c10::intrusive_ptr<c10::ivalue::Future> future_;
  int source_ = -1;
};

}  // namespace arlab::training

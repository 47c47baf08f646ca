// Library: an executor whose library refuses some of its own rows, and runs nothing.
#pragma once

#include "collectives/alone.hpp"
#include "collectives/executor.hpp"

namespace arlab::collectives {

/// A library that has two algorithms beside two of Gloo, of which it runs "nvls" for float32 only, and adds no 8-bit floats.
class Library final : public Executor {
 public:
  Communicator& control() override { return alone_; }
  Cost execute(const Algorithm&, const Problem&, std::span<std::byte>, Operand, int, int) override {
    return {};
  }
  std::string native_name() const override { return "all_reduce"; }
  void native_allreduce(std::span<std::byte>, Operand) override {}
  std::vector<std::string> native_algorithms() override { return {"ring", "nvls"}; }
  std::vector<std::string> other_algorithms() override { return {"gloo:ring", "gloo:bcube"}; }
  std::string native_unsupported(const std::string& spec, Operand operand) override {
    if (spec.empty() && operand.dtype == DType::float8_e4m3) return "no 8-bit floats";
    return spec == "nvls" && operand.dtype != DType::float32 ? "not for these" : "";
  }
  void load_input(const Problem&, Operand) override {}
  CheckedRun run_checked(const RunRequest&) override { return {}; }

 private:
  Alone alone_;
};

}  // namespace arlab::collectives

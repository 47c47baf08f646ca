// Library: an executor whose library refuses some of its own rows, and runs nothing.
#pragma once

#include "collectives/alone.hpp"
#include "collectives/executor.hpp"

namespace arlab::collectives {

/// A library that has two algorithms beside two of Gloo, of which it runs "nvls" for float32 only,
/// and adds no 8-bit floats.
class Library final : public Executor, private Workload {
 public:
  Library() : Executor({.control = &alone_, .workload = this, .baseline = &own_}) {}
  Baseline& other_baseline() override { return gloo_; }

 private:
  struct Own final : Baseline {
    std::string name_of(const Problem& p) const override {
      return p.collective == Collective::allreduce ? "all_reduce" : "";
    }
    std::vector<std::string> algorithms() override { return {"ring", "nvls"}; }
    std::string unsupported(const std::string& spec, Operand operand) override {
      if (spec.empty() && operand.dtype == DType::float8_e4m3) return "no 8-bit floats";
      return spec == "nvls" && operand.dtype != DType::float32 ? "not for these" : "";
    }
  };
  struct OfGloo final : Baseline {
    std::vector<std::string> algorithms() override { return {"gloo:ring", "gloo:bcube"}; }
  };

  Cost run_in_place(const Algorithm*, const Problem&, std::span<std::byte>, Operand, int,
                    int) override {
    return {};
  }
  void load(const Problem&, Operand) override {}
  void reset(const RunRequest&) override {}
  double run(const RunRequest&, int) override { return 0; }
  Result check() override { return {}; }

  Alone alone_;
  Own own_;
  OfGloo gloo_;
};

}  // namespace arlab::collectives

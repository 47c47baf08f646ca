#include "bench/measure/target.hpp"

#include <chrono>
#include <cstring>
#include <vector>

#include "collectives/host/execute.hpp"
#include "collectives/verifiable_input.hpp"

namespace arlab::bench {
namespace {

class RankSubject final : public BenchmarkTarget {
 public:
  explicit RankSubject(collectives::Communicator& communicator) : communicator_(communicator) {}

  bool is_first() const override { return communicator_.rank() == 0; }
  double max(double value) override { return communicator_.max(value); }
  Count sum(Count value) override { return communicator_.sum(value); }
  std::string native_name() const override { return communicator_.native_name(); }

  void prepare(const Problem& problem, collectives::Operand operand) override {
    problem_ = problem;
    operand_ = operand;
    input_.resize(static_cast<std::size_t>(problem.elements) * collectives::size_of(operand.dtype));
    data_.resize(input_.size());
    collectives::fill(input_, operand_, problem_, communicator_.rank());
  }

  Run run(const Config& config) override {
    using Clock = std::chrono::steady_clock;
    Run result;
    if (!input_.empty()) std::memcpy(data_.data(), input_.data(), input_.size());
    communicator_.barrier();
    const Clock::time_point start = Clock::now();
    if (config.algorithm)
      result.sent = collectives::execute(communicator_, *config.algorithm, problem_, data_,
                                         operand_, config.segments);
    else
      communicator_.native_allreduce(data_.data(), problem_.elements, operand_);
    const std::chrono::duration<double, std::micro> took = Clock::now() - start;
    result.wrong = collectives::wrong_elements(data_, operand_, problem_, communicator_.rank());
    result.us = communicator_.max(took.count());
    return result;
  }

 private:
  collectives::Communicator& communicator_;
  Problem problem_;
  collectives::Operand operand_;
  std::vector<std::byte> input_, data_;
};

}  // namespace

std::unique_ptr<BenchmarkTarget> subject_of(collectives::Communicator& communicator) {
  return std::make_unique<RankSubject>(communicator);
}

}  // namespace arlab::bench

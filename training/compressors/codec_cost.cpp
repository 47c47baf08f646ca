#include "training/compressors/codec_cost.hpp"

#include <algorithm>
#include <array>

#include "algorithms/base/random.hpp"
#include "collectives/clock.hpp"
#include "training/compressors/codec_work.hpp"

namespace arlab::training {
namespace {

constexpr int kRepeats = 5;

double median(std::array<double, kRepeats> times) {
  std::sort(times.begin(), times.end());
  return times[kRepeats / 2];
}

}  // namespace

CodecCost measured_codec_cost(const CompressorChoice& choice, Count elements) {
  // Nearly square, like weights, for compressors that work on matrices.
  Count rows = 1;
  while (rows * rows * 4 <= elements) rows *= 2;
  const TensorShapes layout{{rows, elements / rows}, {1, elements % rows}};
  const auto compressor = make_compressor(choice, layout, choice.kind->aggregations.front());
  const Random random(1);
  std::vector<float> gradient(static_cast<std::size_t>(elements)), sum(gradient.size());
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    float x = -6;  // Irwin and Hall: the sum of twelve uniform numbers is nearly normal
    for (std::uint64_t k = 0; k < 12; ++k)
      x += static_cast<float>(random(i * 12 + k) >> 40) / 16777216.0F;
    gradient[i] = x;
  }
  collectives::Clock& clock = collectives::machine_clock();
  std::array<double, kRepeats> encode{}, decode{};
  for (int r = 0; r < kRepeats; ++r) {
    const EncodeContext context{.seed = 1, .step = 1'000'000 + r};  // later than every warm-up
    const auto at = static_cast<std::size_t>(r);
    const double begin = clock.now();
    auto code = compressor->encode(gradient, context);
    for (int pass = 1; pass < compressor->passes(); ++pass) code = compressor->next(context);
    const double made = clock.now();
    compressor->decode_add(code, sum, 1, context);
    encode[at] = made - begin;
    decode[at] = clock.now() - made;
  }
  const auto n = static_cast<double>(elements);
  return {median(encode) / n, median(decode) / n};
}

CodecWork work_of(const CompressorChoice& choice, Count elements) {
  const CodecWork work = choice.kind->work(choice, elements);
  const bool wrapped = choice.feedback && choice.kind->feedback != Feedback::built_in;
  return wrapped ? with_feedback(work) : work;
}

CodecCost counted_codec_cost(const CompressorChoice& choice, Count elements,
                             const DeviceRates& device) {
  const CodecWork work = work_of(choice, elements);
  const auto seconds = [&device](double bytes, double operations) {
    return bytes / (kReachedRate * device.memory) + operations / (kReachedRate * device.arithmetic);
  };
  return {seconds(work.encode, work.encode_operations),
          seconds(work.decode, work.decode_operations)};
}

}  // namespace arlab::training

#include "training/gpus/gpu.hpp"

#include <array>
#include <utility>

#include "algorithms/base/error.hpp"
#include "algorithms/base/names.hpp"

namespace arlab::training {
namespace {

bool is_letter_or_digit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

// A1000 is no A100, and GH200 no H200.
bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_letter_or_digit(text[at - 1])) &&
        (end == text.size() || !is_letter_or_digit(text[end])))
      return true;
  }
  return false;
}

}  // namespace

std::string_view name(Precision precision) {
  constexpr std::string_view kNames[] = {"float32", "tf32", "mixed"};
  return kNames[static_cast<std::size_t>(precision)];
}

const GpuKind& find_gpu(std::string_view name) { return find_named(gpus(), name, "GPU"); }

Precision find_precision(std::string_view name) {
  return find_named(kPrecisions, name, "precision");
}

const GpuRate& find_rate(const GpuKind& gpu, Precision precision) {
  std::string known;
  for (const GpuRate& rate : gpu.rates) {
    if (rate.precision == precision) return rate;
    known += (known.empty() ? "" : " or ") + std::string(name(rate.precision));
  }
  fail(Blame::usage, "no public measurement of training on " + std::string(gpu.label) + " in " +
                         std::string(name(precision)) + ": give " + known);
}

NamedDevice named_device(std::string_view text) {
  NamedDevice device;
  for (const GpuKind& gpu : gpus())
    if (has_word(text, gpu.word)) device.gpu = &gpu;
  constexpr std::pair<std::string_view, Precision> kWords[] = {
      {"float32", Precision::float32}, {"tf32", Precision::tf32},     {"TF32", Precision::tf32},
      {"bfloat16", Precision::mixed},  {"float16", Precision::mixed}, {"mixed", Precision::mixed}};
  for (const auto& [word, precision] : kWords)
    if (has_word(text, word)) device.precision = precision;
  return device;
}

}  // namespace arlab::training

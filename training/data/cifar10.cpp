#include "training/data/cifar10.hpp"

#include <filesystem>
#include <memory>

#include "algorithms/base/error.hpp"
#include "training/io/files.hpp"

namespace arlab::training {
namespace {

constexpr Shape kShape{3, 32, 32};
constexpr std::size_t kRecord = 1 + 3 * 32 * 32;

void check(const NamedText& file) {
  const auto wrong = [&](const std::string& what) { fail(Blame::usage, file.name + ' ' + what); };
  if (file.text.starts_with("\x1f\x8b"))
    wrong("is compressed: unpack it with tar -xzf and use the folder with the .bin files");
  if (file.text.empty()) wrong("is empty: download it again");
  if (file.text.size() % kRecord != 0)
    wrong("has " + std::to_string(file.text.size()) + " bytes, which is not a multiple of the " +
          std::to_string(kRecord) +
          " of a record: it is truncated or not CIFAR-10's binary version");
  for (std::size_t i = 0; i < file.text.size(); i += kRecord)
    if (const int label = static_cast<unsigned char>(file.text[i]); label > 9)
      wrong("has the label " + std::to_string(label) + " at sample " + std::to_string(i / kRecord) +
            ", beyond the classes 0 to 9: use CIFAR-10's binary version");
}

}  // namespace

Dataset parse_cifar10(std::vector<NamedText> files) {
  Dataset dataset;
  dataset.name = "CIFAR-10";
  dataset.shape = kShape;
  auto records = std::make_shared<std::string>();
  for (NamedText& file : files) {
    check(file);
    dataset.files.push_back(static_cast<Count>(file.text.size() / kRecord));
    dataset.samples += dataset.files.back();
    if (records->empty())
      *records = std::move(file.text);
    else
      *records += file.text;
    file.text = {};
  }
  dataset.sample = [records](Count index, std::span<float> values) {
    const char* record = records->data() + static_cast<std::size_t>(index) * kRecord;
    for (std::size_t v = 0; v + 1 < kRecord; ++v)
      values[v] = static_cast<float>(static_cast<unsigned char>(record[v + 1])) / 255.0f;
    return static_cast<int>(static_cast<unsigned char>(record[0]));
  };
  return dataset;
}

Dataset read_cifar10(const std::string& folder, bool training) {
  std::vector<NamedText> files;
  for (int i = 1; i <= (training ? 5 : 1); ++i) {
    const std::string name =
        training ? "data_batch_" + std::to_string(i) + ".bin" : std::string("test_batch.bin");
    const std::string path = (std::filesystem::path(folder) / name).string();
    files.push_back({path, read_whole(path,
                                      "download CIFAR-10's binary version and unpack it there, "
                                      "or use synthetic data")});
  }
  return parse_cifar10(std::move(files));
}

}  // namespace arlab::training

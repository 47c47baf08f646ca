#include "training/data/idx.hpp"

#include <filesystem>
#include <memory>

#include "algorithms/base/error.hpp"
#include "training/io/files.hpp"

namespace arlab::training {
namespace {

namespace fs = std::filesystem;

// Dimensions and values of one file.
struct Idx {
  std::vector<Count> sides;
  std::size_t begin = 0;  // offset of the values
};

unsigned byte(std::string_view text, std::size_t at) {
  return static_cast<unsigned char>(text[at]);
}

std::string hex(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    const auto b = static_cast<unsigned char>(c);
    text += text.empty() ? "" : " ";
    text += {kDigits[b >> 4], kDigits[b & 15]};
  }
  return text;
}

[[noreturn]] void wrong(const std::string& name, const std::string& what) {
  fail(Blame::usage, name + ' ' + what);
}

std::string kind(std::size_t dimensions) {
  return dimensions == 1   ? "labels (1 dimension)"
         : dimensions == 3 ? "images (3 dimensions)"
                           : "values of " + std::to_string(dimensions) + " dimensions";
}

Idx parse(std::string_view text, const std::string& name, std::size_t dimensions) {
  if (text.substr(0, 2) == "\x1f\x8b")
    wrong(name, "is compressed: unpack it with gunzip and use the unpacked file");
  if (text.size() < 4)
    wrong(name, "is truncated: " + std::to_string(text.size()) + " bytes are not an IDX file");
  if (byte(text, 0) != 0 || byte(text, 1) != 0)
    wrong(name, "is not an IDX file: it starts with the bytes " + hex(text.substr(0, 4)) +
                    ", not with 00 00 08");
  if (byte(text, 2) != 8)
    wrong(name, "holds values of type 0x" + hex(text.substr(2, 1)) +
                    ": use a file of unsigned bytes (0x08)");
  if (byte(text, 3) != dimensions)
    wrong(name, "holds " + kind(byte(text, 3)) + " instead of " + kind(dimensions) +
                    ": check whether the two files are swapped");
  Idx idx;
  idx.begin = 4 + 4 * dimensions;
  if (text.size() < idx.begin) wrong(name, "is truncated: its header is incomplete");
  const std::size_t have = text.size() - idx.begin;
  std::string product;
  std::size_t values = 1;
  bool enough = true;  // stops before a product that exceeds the file's length might overflow
  for (std::size_t d = 0; d < dimensions; ++d) {
    const std::size_t at = 4 + 4 * d;
    const Count side = static_cast<Count>(byte(text, at) << 24 | byte(text, at + 1) << 16 |
                                          byte(text, at + 2) << 8 | byte(text, at + 3));
    product += (d ? " x " : "") + std::to_string(side);
    if (side == 0) wrong(name, "is empty: its header says " + product);
    enough = enough && static_cast<std::size_t>(side) <= have / values;
    if (enough) values *= static_cast<std::size_t>(side);
    idx.sides.push_back(side);
  }
  const std::string sizes =
      "its header says " + product + " bytes, but there are " + std::to_string(have);
  if (!enough) wrong(name, "is truncated: " + sizes + ": download it again");
  if (values != have) wrong(name, "is too long: " + sizes + ": download it again");
  return idx;
}

// Returns the existing path among the names that a file may have.
std::string path_of(const fs::path& folder, const std::string& stem, const std::string& ending) {
  std::error_code ignored;
  for (const char* joint : {"-", "."})
    if (const fs::path path = folder / (stem + joint + ending); fs::exists(path, ignored))
      return path.string();
  const fs::path wanted = folder / (stem + "-" + ending);
  if (fs::exists(wanted.string() + ".gz", ignored))
    fail(Blame::environment,
         wanted.string() + ".gz is compressed: run gunzip " + wanted.string() + ".gz");
  fail(Blame::environment, wanted.string() +
                               " does not exist: download MNIST or Fashion-MNIST into " +
                               folder.string() + " and unpack it, or use synthetic data");
}

}  // namespace

Dataset parse_idx(std::string images, const std::string& images_name, std::string labels,
                  const std::string& labels_name, int classes) {
  const Idx pictures = parse(images, images_name, 3);
  const Idx names = parse(labels, labels_name, 1);
  if (pictures.sides[0] != names.sides[0])
    wrong(labels_name, "has " + std::to_string(names.sides[0]) + " labels for the " +
                           std::to_string(pictures.sides[0]) + " images of " + images_name +
                           ": use two files of the same set");
  constexpr Count kLongestSide = 1 << 14;
  if (pictures.sides[1] > kLongestSide || pictures.sides[2] > kLongestSide)
    wrong(images_name, "has images of " + std::to_string(pictures.sides[1]) + " x " +
                           std::to_string(pictures.sides[2]) + ", more than " +
                           std::to_string(kLongestSide) + " per side");
  for (std::size_t i = names.begin; i < labels.size(); ++i)
    if (byte(labels, i) >= static_cast<unsigned>(classes))
      wrong(labels_name, "has the label " + std::to_string(byte(labels, i)) + " at sample " +
                             std::to_string(i - names.begin) + ", beyond the classes 0 to " +
                             std::to_string(classes - 1));
  Dataset dataset;
  dataset.name = fs::path(images_name).filename().string();
  dataset.shape = {1, static_cast<int>(pictures.sides[1]), static_cast<int>(pictures.sides[2])};
  dataset.classes = classes;
  dataset.samples = pictures.sides[0];
  dataset.files = {dataset.samples};
  const auto pixels = std::make_shared<const std::string>(std::move(images));
  const auto marks = std::make_shared<const std::string>(std::move(labels));
  const auto size = static_cast<std::size_t>(dataset.shape.values());
  dataset.sample = [=, at = pictures.begin, first = names.begin](Count index,
                                                                 std::span<float> values) {
    const auto i = static_cast<std::size_t>(index);
    for (std::size_t v = 0; v < size; ++v)
      values[v] = static_cast<float>(byte(*pixels, at + i * size + v)) / 255.0f;
    return static_cast<int>(byte(*marks, first + i));
  };
  return dataset;
}

Dataset read_idx(const std::string& folder, bool training) {
  const std::string set = training ? "train" : "t10k";
  const std::string images = path_of(folder, set + "-images", "idx3-ubyte");
  const std::string labels = path_of(folder, set + "-labels", "idx1-ubyte");
  return parse_idx(read_whole(images), images, read_whole(labels), labels);
}

}  // namespace arlab::training

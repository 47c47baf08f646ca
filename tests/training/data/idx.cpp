#include "training/data/idx.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/failure.hpp"
#include "tests/support/folder.hpp"
#include "tests/support/samples.hpp"

using namespace arlab;
using namespace arlab::training;

namespace {

std::string big_endian(std::uint32_t n) {
  return {static_cast<char>(n >> 24), static_cast<char>(n >> 16), static_cast<char>(n >> 8),
          static_cast<char>(n)};
}

std::string images(std::uint32_t n, std::uint32_t rows, std::uint32_t columns,
                   const std::string& pixels) {
  return std::string("\0\0\x08\x03", 4) + big_endian(n) + big_endian(rows) + big_endian(columns) +
         pixels;
}

std::string labels(std::uint32_t n, const std::string& marks) {
  return std::string("\0\0\x08\x01", 4) + big_endian(n) + marks;
}

const std::string kTwoImages = images(2, 2, 3,
                                      std::string("\0\x33\x66\x99\xcc\xff"
                                                  "abcdef",
                                                  12));
const std::string kTwoLabels = labels(2, std::string("\x09\0", 2));

std::string said(const std::string& pictures, const std::string& marks) {
  return failure([&] { parse_idx(pictures, "I", marks, "L"); });
}

}  // namespace

TEST_CASE("an IDX pair becomes images from 0 to 1 with their labels") {
  const Dataset d = parse_idx(kTwoImages, "I", kTwoLabels, "L");
  CHECK(d.shape == Shape{1, 2, 3});
  CHECK(d.samples == 2);
  std::vector<float> values(6);
  CHECK(d.sample(0, values) == 9);
  CHECK(values == std::vector<float>{0, 0.2f, 0.4f, 0.6f, 0.8f, 1});
  CHECK(d.sample(1, values) == 0);
  CHECK(values[5] == 102.0f / 255.0f);
}

TEST_CASE("rejects invalid IDX files by name") {
  CHECK(said("", kTwoLabels) == "2: I is truncated: 0 bytes are not an IDX file");
  CHECK(said("PK\x03\x04 zip", kTwoLabels) ==
        "2: I is not an IDX file: it starts with the bytes 50 4b 03 04, not with 00 00 08");
  CHECK(said("\x1f\x8b\x08 packed", kTwoLabels) ==
        "2: I is compressed: unpack it with gunzip and use the unpacked file");
  CHECK(said(std::string("\0\0\x0d\x03", 4), kTwoLabels) ==
        "2: I holds values of type 0x0d: use a file of unsigned bytes (0x08)");
  CHECK(said(kTwoLabels, kTwoImages) ==
        "2: I holds labels (1 dimension) instead of images (3 dimensions): check whether the "
        "two files are swapped");
  CHECK(said(kTwoImages.substr(0, 11), kTwoLabels) ==
        "2: I is truncated: its header is incomplete");
  CHECK(said(images(0, 28, 28, ""), labels(0, "")) == "2: I is empty: its header says 0");
}

TEST_CASE("rejects IDX files whose length differs from their header") {
  CHECK(said(kTwoImages.substr(0, kTwoImages.size() - 1), kTwoLabels) ==
        "2: I is truncated: its header says 2 x 2 x 3 bytes, but there are 11: download it again");
  CHECK(said(kTwoImages + "x", kTwoLabels) ==
        "2: I is too long: its header says 2 x 2 x 3 bytes, but there are 13: download it again");
  CHECK(said(kTwoImages, labels(3, "abc").substr(0, 10)) ==
        "2: L is truncated: its header says 3 bytes, but there are 2: download it again");
  const std::uint32_t huge = 0xffffffff;  // the product of three of these needs 96 bits
  CHECK(said(images(huge, huge, huge, "abc"), kTwoLabels) ==
        "2: I is truncated: its header says 4294967295 x 4294967295 x 4294967295 bytes, but there "
        "are 3: download it again");
  CHECK(said(images(1, 1u << 31, 1u << 31, ""), kTwoLabels).find("is truncated") !=
        std::string::npos);
}

TEST_CASE("rejects IDX labels that differ in number from images or exceed the classes") {
  CHECK(said(kTwoImages, labels(3, std::string(3, '\1'))) ==
        "2: L has 3 labels for the 2 images of I: use two files of the same set");
  CHECK(said(kTwoImages, labels(2, "\x03\x0a")) ==
        "2: L has the label 10 at sample 1, beyond the classes 0 to 9");
  CHECK(parse_idx(kTwoImages, "I", labels(2, "\x03\x0a"), "L", 47).classes == 47);  // EMNIST
}

TEST_CASE("reads a folder of MNIST under both official names, and names missing files") {
  const Folder folder;
  const std::string path = folder.file("");
  CHECK(failure([&] {
          read_idx(path, true);
        }).starts_with("3: " + path + "train-images-idx3-ubyte does not exist: download MNIST"));
  folder.with("train-images-idx3-ubyte.gz", "");
  CHECK(failure([&] { read_idx(path, true); }) ==
        "3: " + path + "train-images-idx3-ubyte.gz is compressed: run gunzip " + path +
            "train-images-idx3-ubyte.gz");
  folder.with("train-images-idx3-ubyte", kTwoImages);
  folder.with("train-labels.idx1-ubyte", kTwoLabels);
  CHECK(read_idx(path, true).samples == 2);
  CHECK(failure([&] { read_idx(path, false); }).find("t10k-images-idx3-ubyte") !=
        std::string::npos);
}

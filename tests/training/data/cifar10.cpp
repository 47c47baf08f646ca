#include "training/data/cifar10.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/failure.hpp"
#include "tests/support/folder.hpp"

using namespace arlab;
using namespace arlab::training;

namespace {

std::string record(char label, char red, char green, char blue) {
  return std::string(1, label) + std::string(1024, red) + std::string(1024, green) +
         std::string(1024, blue);
}

std::string said(std::vector<NamedText> files) {
  return failure([&] { parse_cifar10(std::move(files)); });
}

}  // namespace

TEST_CASE("reads CIFAR-10 files as one data set, plane by plane") {
  const Dataset d = parse_cifar10({{"a", record(3, '\0', '\x33', '\x66') + record(9, 1, 2, 3)},
                                   {"b", record(0, '\xff', '\0', '\0')}});
  CHECK(d.shape == Shape{3, 32, 32});
  CHECK(d.samples == 3);
  CHECK(d.files == std::vector<Count>{2, 1});
  std::vector<float> values(3072);
  CHECK(d.sample(0, values) == 3);
  CHECK(values[0] == 0);
  CHECK(values[1023] == 0);
  CHECK(values[1024] == 0.2f);
  CHECK(values[3071] == 0.4f);
  CHECK(d.sample(1, values) == 9);
  CHECK(d.sample(2, values) == 0);
  CHECK(values[0] == 1);
}

TEST_CASE("rejects invalid CIFAR-10 files by name") {
  const std::string good = record(1, 1, 1, 1);
  CHECK(said({{"a", good}, {"b", ""}}) == "2: b is empty: download it again");
  CHECK(said({{"a", good.substr(1)}}) ==
        "2: a has 3072 bytes, which is not a multiple of the 3073 of a record: it is truncated or "
        "not CIFAR-10's binary version");
  CHECK(said({{"a", good + record(10, 1, 1, 1)}}) ==
        "2: a has the label 10 at sample 1, beyond the classes 0 to 9: use CIFAR-10's "
        "binary version");
  CHECK(said({{"a", record('\xff', 1, 1, 1)}}).find("the label 255 at sample 0") !=
        std::string::npos);
  CHECK(said({{"a", "\x1f\x8b\x08"}}).find("is compressed") != std::string::npos);
}

TEST_CASE("a folder of CIFAR-10 needs all of its files") {
  const Folder folder;
  for (int i = 1; i <= 4; ++i)
    folder.with("data_batch_" + std::to_string(i) + ".bin", record(1, 1, 1, 1));
  const std::string missing = failure([&] { read_cifar10(folder.file(""), true); });
  CHECK(
      missing.starts_with("3: cannot read " + folder.file("data_batch_5.bin") + " (No such file"));
  folder.with("data_batch_5.bin", record(5, 1, 1, 1));
  CHECK(read_cifar10(folder.file(""), true).files.size() == 5);
  folder.with("test_batch.bin", record(7, 1, 1, 1));
  CHECK(read_cifar10(folder.file(""), false).samples == 1);
}

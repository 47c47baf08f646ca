#include "training/io/files.hpp"

#include <unistd.h>

#include <filesystem>

#include "tests/support/catch.hpp"
#include "tests/support/failure.hpp"
#include "tests/support/file_limit.hpp"
#include "tests/support/folder.hpp"

using namespace arlab;
using namespace arlab::training;

namespace {

void write(const std::string& path, std::string_view text) { write_atomically(path, {&text, 1}); }

std::size_t files_in(const std::string& folder) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

}  // namespace

TEST_CASE("writes files, creates folders and leaves no temporary files") {
  const Folder folder;
  const std::string path = folder.file("a/b/file"), big(3'000'000, 'x');
  const std::string_view pieces[] = {"one ", "", "two ", big};
  write_atomically(path, pieces);
  CHECK(read_whole(path) == "one two " + big);
  write(path, "");
  CHECK(read_whole(path).empty());
  CHECK(files_in(folder.file("a/b")) == 1);
}

TEST_CASE("sources read any part of a file or of memory, and name a file that shrinks") {
  const Folder folder;
  const std::string path = folder.with("file", "0123456789");
  const ByteSource sources[] = {open_source(path), in_memory("0123456789")};
  for (const ByteSource& source : sources) {
    CHECK(source.size == 10);
    std::string part(4, '?'), none;
    source.read(6, part);
    CHECK(part == "6789");
    source.read(10, none);
    source.read(0, part);
    CHECK(part == "0123");
  }
  std::filesystem::resize_file(path, 5);
  std::string part(4, '?');
  CHECK(failure([&] { sources[0].read(4, part); }) ==
        "3: cannot read " + path + " (Input/output error): use a readable file");
  CHECK(failure([&] {
          open_source(folder.file("none"), "look elsewhere");
        }).ends_with("(No such file or directory): look elsewhere"));
  CHECK(failure([&] { open_source("/dev/zero"); }) ==
        "3: cannot read /dev/zero (it is no file): use a readable file");
}

TEST_CASE("a write that fails leaves the old file and nothing else") {
  const Folder folder;
  const std::string path = folder.with("file", "old");
  const std::string text(100'000, 'x');
  std::string said;
  {
    const FileLimit limit(50'000);
    said = failure([&] { write(path, text); });
  }
  CHECK(said == "3: cannot write " + path +
                    " (File too large): free some space or write to another folder");
  CHECK(read_whole(path) == "old");
  CHECK(files_in(folder.file("")) == 1);
}

TEST_CASE("errors name the file and the reason") {
  const Folder folder;
  CHECK(failure([&] { read_whole(folder.file("none"), "look elsewhere"); }) ==
        "3: cannot read " + folder.file("none") + " (No such file or directory): look elsewhere");
  CHECK(failure([&] { read_whole(folder.file("")); }).find("Is a directory") != std::string::npos);
  folder.with("file", "");
  CHECK(failure([&] { write(folder.file("file/inside"), "x"); }) ==
        "3: cannot write " + folder.file("file/inside") +
            " (Not a directory): use a writable folder");
}

TEST_CASE("reads files of unknown size to their end, but no devices, which may have none") {
  CHECK(read_whole("/proc/self/status").find("Name:") == 0);
  CHECK(failure([] { read_whole("/dev/zero"); }).find("/dev/zero (it is a device)") !=
        std::string::npos);
}

TEST_CASE("recognizes temporary files of a killed process") {
  CHECK(is_left_over("step-3.ckpt.writing-4711"));
  CHECK_FALSE(is_left_over("step-3.ckpt"));
  CHECK_FALSE(is_left_over("x.writing-"));
  CHECK_FALSE(is_left_over("x.writing-4a"));
}

#include "training/io/files.hpp"

#include <filesystem>

#include "tests/support/catch.hpp"
#include "tests/support/failure.hpp"
#include "tests/support/folder.hpp"

using namespace arlab;
using namespace arlab::training;

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

TEST_CASE("errors name the file and the reason") {
  const Folder folder;
  CHECK(failure([&] { read_whole(folder.file("none"), "look elsewhere"); }) ==
        "3: cannot read " + folder.file("none") + " (No such file or directory): look elsewhere");
  CHECK(failure([&] { read_whole(folder.file("")); }).find("Is a directory") != std::string::npos);
}

TEST_CASE("reads files of unknown size to their end, but no devices, which may have none") {
  CHECK(read_whole("/proc/self/status").find("Name:") == 0);
  CHECK(failure([] { read_whole("/dev/zero"); }).find("/dev/zero (it is a device)") !=
        std::string::npos);
}

#include "collectives/files/output_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <thread>

#include "tests/support/catch.hpp"
#include "tests/support/failure.hpp"
#include "tests/support/file_limit.hpp"
#include "tests/support/folder.hpp"

using namespace arlab;
using namespace arlab::collectives;
namespace fs = std::filesystem;

namespace {

void write(const std::string& path, std::string_view text) { write_atomically(path, {&text, 1}); }

std::size_t files_in(const std::string& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), {}));
}

}  // namespace

TEST_CASE("writes files, creates folders and leaves no temporary files") {
  const Folder folder;
  const std::string path = folder.file("a/b/file"), big(3'000'000, 'x');
  const std::string_view pieces[] = {"one ", "", "two ", big};
  write_atomically(path, pieces);
  CHECK(text_of(path) == "one two " + big);
  write(path, "");
  CHECK(text_of(path).empty());
  CHECK(files_in(folder.file("a/b")) == 1);
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
  CHECK(said == "3: cannot write " + path + " (File too large): make room or write somewhere else");
  CHECK(text_of(path) == "old");
  CHECK(files_in(folder.file("")) == 1);
}

TEST_CASE("errors name the output and the reason") {
  const Folder folder;
  folder.with("file", "");
  for (const std::string name : {"file/inside", "file/deeper/inside"})
    CHECK(failure([&] { write(folder.file(name), "x"); }) ==
          "3: cannot write " + folder.file(name) +
              " (Not a directory): name a file that can be written");
  CHECK(failure([&] { write(folder.file(""), "x"); }).find("Is a directory") != std::string::npos);
  CHECK(failure([&] { write(folder.file("new/"), "x"); }).find("Is a directory") !=
        std::string::npos);
  CHECK(failure([] { write("/dev/full", "x"); }) ==
        "3: cannot write /dev/full (No space left on device): make room or write somewhere else");
  const std::string long_name(256, 'n');
  CHECK(failure([&] { write(folder.file(long_name), "x"); }).find("File name too long") !=
        std::string::npos);
}

TEST_CASE("the old file is there until the new one is complete") {
  const Folder folder;
  const std::string path = folder.with("file", "old");
  {
    const OutputFile file(path);
    file.write("half");
    CHECK(text_of(path) == "old");
  }
  CHECK(text_of(path) == "old");
  CHECK(files_in(folder.file("")) == 1);
  OutputFile one(path), two(path);  // of one process, at once
  one.write("one");
  two.write("two");
  two.commit();
  CHECK(text_of(path) == "two");
  one.commit();
  CHECK(text_of(path) == "one");
  CHECK(files_in(folder.file("")) == 1);
}

TEST_CASE("a name that may be a trap is not opened") {
  const Folder folder;
  const std::string path = folder.file("file"),
                    trap = path + ".writing-" + std::to_string(::getpid()),
                    victim = folder.with("victim", "precious");
  fs::create_symlink(victim, trap);
  write(path, "text");
  CHECK(text_of(path) == "text");
  CHECK(text_of(victim) == "precious");
  CHECK(fs::is_symlink(trap));
}

TEST_CASE("a file keeps its mode, and a symbolic link what it names") {
  const Folder folder;
  const std::string path = folder.with("file", "old"), link = folder.file("link"),
                    dangling = folder.file("dangling");
  ::chmod(path.c_str(), 0640);
  fs::create_symlink("file", link);
  write(link, "new");
  CHECK(fs::is_symlink(link));
  CHECK(text_of(path) == "new");
  CHECK(static_cast<int>(fs::status(path).permissions()) == 0640);
  fs::create_symlink("later", dangling);
  write(dangling, "x");
  CHECK(fs::is_symlink(dangling));
  CHECK(text_of(folder.file("later")) == "x");
  const std::string longest = folder.file(std::string(255, 'n'));
  write(longest, "x");
  CHECK(text_of(longest) == "x");
}

TEST_CASE("pipes and descriptors are written themselves") {
  const Folder folder;
  const std::string pipe = folder.file("pipe");
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  check_can_write(pipe);  // without a reader, for which opening would wait
  std::string got;
  std::thread reader([&] { got = text_of(pipe); });
  write(pipe, "through");
  reader.join();
  CHECK(got == "through");
  CHECK(fs::is_fifo(pipe));

  const std::string path = folder.file("open");
  std::FILE* const file = std::fopen(path.c_str(), "w");
  std::fputs("before ", file);
  std::fflush(file);
  const std::string descriptor = "/proc/self/fd/" + std::to_string(fileno(file));
  check_can_write(descriptor);
  write(descriptor, "between ");
  std::fputs("after", file);
  std::fclose(file);
  CHECK(text_of(path) == "before between after");
  CHECK(files_in(folder.file("")) == 2);
}

TEST_CASE("what cannot be written is known before, and nothing changes") {
  const Folder folder;
  const std::string path = folder.with("file", "old");
  check_can_write(path);
  check_can_write(folder.file("new"));
  CHECK(text_of(path) == "old");
  CHECK(files_in(folder.file("")) == 1);
  CHECK(failure([&] { check_can_write(folder.file("file/inside")); }).find("Not a directory") !=
        std::string::npos);
  CHECK(failure([&] { check_can_write(folder.file("")); }).find("Is a directory") !=
        std::string::npos);
}

TEST_CASE("recognizes temporary files of a killed process") {
  CHECK(is_left_over("step-3.ckpt.writing-4711"));
  CHECK(is_left_over("step-3.ckpt.writing-4711-2"));
  CHECK_FALSE(is_left_over("step-3.ckpt"));
  CHECK_FALSE(is_left_over("x.writing-"));
  CHECK_FALSE(is_left_over("x.writing--1"));
  CHECK_FALSE(is_left_over("x.writing-4a"));
}

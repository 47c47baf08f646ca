#include "collectives/files/lock_file.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <optional>

#include "tests/support/catch.hpp"
#include "tests/support/folder.hpp"

using namespace arlab::collectives;
using When = LockFile::When;

TEST_CASE("a lock is held by one at a time, who is named") {
  const arlab::Folder folder;
  const std::string path = folder.file("new/lock");
  {
    const LockFile first(path, When::now), second(path, When::now);
    CHECK(first.state() == Locked::here);
    CHECK(second.state() == Locked::by_another);
    CHECK(second.holder().starts_with("process " + std::to_string(::getpid()) + " on "));
  }
  CHECK_FALSE(std::filesystem::exists(path));
  CHECK(LockFile(path, When::now).state() == Locked::here);
}

TEST_CASE("the lock of a killed process is no obstacle") {
  const arlab::Folder folder;
  const std::string path = folder.file("lock");
  int ready[2];
  REQUIRE(::pipe(ready) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const LockFile held(path, When::now);
    static_cast<void>(!::write(ready[1], "x", 1));
    ::pause();
    ::_exit(0);
  }
  char byte = 0;
  REQUIRE(::read(ready[0], &byte, 1) == 1);
  CHECK(LockFile(path, When::now).state() == Locked::by_another);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  CHECK(std::filesystem::exists(path));
  CHECK(LockFile(path, When::now).state() == Locked::here);
  ::close(ready[0]);
  ::close(ready[1]);
}

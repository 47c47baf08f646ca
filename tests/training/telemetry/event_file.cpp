#include "training/telemetry/event_file.hpp"

#include <cstdlib>
#include <filesystem>

#include "tests/support/catch.hpp"
#include "tests/support/failure.hpp"
#include "tests/support/folder.hpp"
#include "tests/support/source_file.hpp"
#include "training/io/protobuf.hpp"

using namespace arlab;
using namespace arlab::training;

TEST_CASE("an independent reader can read event files") {
  if (!has_protobuf()) {
    CHECK(
        failure([] { EventFile("/tmp"); }).starts_with("3: this arlab was built without protobuf"));
    return;
  }
  const Folder folder;
  std::string path;
  {
    EventFile events(folder.file("logs"));
    path = events.path();
    events.scalar("loss", 0.5, 1);
    events.scalar("loss", -1e-3, 3'000'000'000);
    const std::vector<float> values{-1, 0, 0.25f, 0.25f, std::strtof("nan", nullptr)};
    events.histogram("gradients/layer 1", values, 2);
    events.graph({{"input", "Placeholder", {}, {1, 784}},
                  {"1_Linear/weight", "Parameter", {}, {10, 784}},
                  {"1_Linear/Addmm", "Addmm", {"input", "1_Linear/weight"}, {1, 10}}});
  }
  CHECK(std::filesystem::path(path).filename().string().starts_with("events.out.tfevents."));
#ifdef ARLAB_PYTHON
  const std::string out = folder.file("out");
  const std::string command = std::string(ARLAB_PYTHON) + " -B '" +
                              source_file("tests/training/telemetry/read_events.py") + "' '" +
                              path + "' > '" + out + "' 2>&1";
  CHECK(std::system(command.c_str()) == 0);
  CHECK(text_of(out) ==
        "step 0 version brain.Event:2\n"
        "step 1 scalar loss 0.5\n"
        "step 3000000000 scalar loss -0.001\n"
        "step 2 histogram gradients/layer 1 min -1.0 max 0.25 num 4 sum -0.5 sum_squares 1.125 "
        "counts [1, 1, 2]\n"
        "step 2 scalar gradients/layer 1/not_finite 1.0\n"
        "node input Placeholder [] [1, 784]\n"
        "node 1_Linear/weight Parameter [] [10, 784]\n"
        "node 1_Linear/Addmm Addmm ['input', '1_Linear/weight'] [1, 10]\n");
#endif
}

TEST_CASE("event files in one folder do not overwrite each other") {
  if (!has_protobuf()) return;
  const Folder folder;
  EventFile one(folder.file("")), two(folder.file(""));
  CHECK(one.path() != two.path());
}

TEST_CASE("an event is in the file as soon as it is added") {
  if (!has_protobuf()) return;
  const Folder folder;
  EventFile events(folder.file(""));
  const auto before = std::filesystem::file_size(events.path());
  events.scalar("x", 1, 1);
  CHECK(std::filesystem::file_size(events.path()) > before + 16);
}

TEST_CASE("an unwritable folder is named in the error") {
  if (!has_protobuf()) return;
  const Folder folder;
  folder.with("file", "");
  CHECK(failure([&] { EventFile(folder.file("file")); }).find("Not a directory") !=
        std::string::npos);
}

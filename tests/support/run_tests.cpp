// Catch2's implementation: a single unit, because it takes long to compile.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_session.hpp>
#include <catch2/reporters/catch_reporter_event_listener.hpp>
#include <catch2/reporters/catch_reporter_registrars.hpp>
using Listener = Catch::EventListenerBase;
#else
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
using Listener = Catch::TestEventListenerBase;
#endif
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "tests/support/run_tests.hpp"

namespace {

// Catch2's assertions are for one thread: two at a time lose some, or end the program.
class OneThread final : public Listener {
 public:
  using Listener::Listener;

  void testCaseStarting(const Catch::TestCaseInfo&) override {
    thread_ = std::this_thread::get_id();
  }

  void assertionStarting(const Catch::AssertionInfo& info) override {
    if (std::this_thread::get_id() == thread_) return;
    std::fprintf(stderr, "%s:%zu: an assertion in another thread than the test case's\n",
                 info.lineInfo.file, info.lineInfo.line);
    std::abort();
  }

 private:
  std::thread::id thread_;
};
CATCH_REGISTER_LISTENER(OneThread)

}  // namespace

int run_tests(int argc, char** argv) { return Catch::Session().run(argc, argv); }

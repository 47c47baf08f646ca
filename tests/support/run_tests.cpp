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
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "tests/support/run_tests.hpp"

namespace {

// Threads that have asserted and have not ended, but for the test case's own.
std::atomic<int> asserting{0};

struct Asserting {
  ~Asserting() { asserting -= counted; }
  int counted = 0;
};
thread_local Asserting of_thread;

// Catch2's assertions are for one thread at a time: two lose some, or end the program.
class OneAtATime final : public Listener {
 public:
  using Listener::Listener;

  void testCaseStarting(const Catch::TestCaseInfo&) override {
    thread_ = std::this_thread::get_id();
  }

  void assertionStarting(const Catch::AssertionInfo& info) override {
    if (std::this_thread::get_id() == thread_ || of_thread.counted > 0) return;
    of_thread.counted = 1;
    if (++asserting == 1) return;
    std::fprintf(stderr, "%s:%zu: assertions in several threads of a test case at a time\n",
                 info.lineInfo.file, info.lineInfo.line);
    std::abort();
  }

 private:
  std::thread::id thread_;
};
CATCH_REGISTER_LISTENER(OneAtATime)

}  // namespace

int run_tests(int argc, char** argv) { return Catch::Session().run(argc, argv); }

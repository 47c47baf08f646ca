#include "collectives/mpi/library/message_counter.hpp"

#include <dlfcn.h>

#include <cstdlib>

#include "algorithms/base/error.hpp"

namespace arlab::collectives {

namespace {

constexpr const char* kMessages = "pml_monitoring_messages_count";
constexpr const char* kBytes = "pml_monitoring_messages_size";

// Open MPI 4 closes the component that it has just put in front of the others, which removes its
// variables from the list. The component's own function lists them again.
void list_counters() {
  int index = 0;
  if (MPI_T_pvar_get_index(kMessages, MPI_T_PVAR_CLASS_SIZE, &index) == MPI_SUCCESS) return;
  void* const list = dlsym(RTLD_DEFAULT, "mca_common_monitoring_register");
  if (list) reinterpret_cast<void (*)(void*)>(list)(nullptr);
}

ToolVariables& with_counters(ToolVariables& tools) {
  list_counters();
  return tools;
}

}  // namespace

MessageCounter::MessageCounter(Rank ranks)
    : messages_(with_counters(tools_), kMessages, ranks), bytes_(tools_, kBytes, ranks) {}

// 1 counts all messages alike; other values hide those of collectives from MPI_T.
void MessageCounter::prepare() { setenv("OMPI_MCA_pml_monitoring_enable", "1", 0); }

SentMessages MessageCounter::read() const {
  if (!messages_.counts() || !bytes_.counts())
    fail(Blame::environment,
         "the MPI library does not count its messages: use an Open MPI with the component "
         "monitoring "
         "(`ompi_info | grep monitoring`), started with `mpirun --mca pml_monitoring_enable 1`");
  return {messages_.read(), bytes_.read()};
}

}  // namespace arlab::collectives

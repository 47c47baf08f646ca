#include "collectives/mpi/library/message_counter.hpp"

#include <cstdlib>

#include "algorithms/base/error.hpp"

namespace arlab::collectives {

MessageCounter::MessageCounter(Rank ranks)
    : messages_(tools_, "pml_monitoring_messages_count", ranks),
      bytes_(tools_, "pml_monitoring_messages_size", ranks) {}

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

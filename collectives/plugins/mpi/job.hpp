// What the ranks of a job do together: when MPI starts, they compare their settings; when it ends,
// they gather texts.
#pragma once

#include <string>
#include <vector>

namespace arlab::collectives {

/// Returns if all ranks of MPI_COMM_WORLD call this with the same settings: lines such as
/// "ARLAB_ALGORITHM=ring". Ends the job with a message otherwise, also if a rank does not call it
/// within a minute: ranks that decide differently would wait for one another, or overwrite each
/// other's memory. Call it right after MPI_Init.
void compare_settings(const std::string& lines);

/// Returns the texts of all ranks of MPI_COMM_WORLD on rank 0, nothing on the others. All ranks
/// call it.
std::vector<std::string> gather_texts(const std::string& mine);

}  // namespace arlab::collectives

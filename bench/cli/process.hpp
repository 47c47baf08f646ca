// What the program settles about its process before it does anything.
#pragma once

namespace arlab::bench {

/// Opens standard files that are closed, so that a result file cannot take their place and receive
/// tables. Reading stdin and writing stdout then fail, and messages are lost. A file that reaches its size limit becomes a failed
/// write instead of a signal.
void prepare_process();

}  // namespace arlab::bench

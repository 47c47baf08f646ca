// What programs settle about their process before they do anything. Not in the library: what a
// program does before its libraries are initialized cannot be part of a shared module.
#pragma once

namespace arlab::bench {

/// Opens standard files that are closed, so that a result file cannot take their place and receive
/// tables. Reading stdin and writing stdout then fail, and messages are lost. A file
/// that reaches its size limit becomes a failed write instead of a signal, and memory that ends
/// where nothing can be thrown ends the process with a message and status 3. A terminal that closes
/// ends the process, though UCX takes that signal while it is loaded.
void prepare_process();

}  // namespace arlab::bench

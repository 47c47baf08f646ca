// What the explorer's page asks, and what it is answered, as JSON text: the one door between the
// page and the programs.
//
// The same C++ answers in the browser (wasm.cpp) and in `arlab explore`, which puts answers into
// the page where no WebAssembly could be built. A request is {"ask": WHAT, ...}: catalogue, run,
// explain (run.cpp), simulate, curve (simulate.cpp), network or train.
#pragma once

#include <string>
#include <string_view>

namespace arlab::explorer {

/// Throws Error(usage) that names what is wrong in the request.
std::string answer(std::string_view request);

}  // namespace arlab::explorer

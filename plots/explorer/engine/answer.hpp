// The interface between the explorer's page and the engine: JSON requests and answers.
//
// The same C++ code answers in the browser (wasm.cpp) and in `arlab explore`, which precomputes
// answers if it was built without WebAssembly. A request is {"ask": WHAT, ...}: catalog, run,
// explain (run.cpp), simulate, curve (simulate.cpp), network or train.
#pragma once

#include <string>
#include <string_view>

namespace arlab::explorer {

/// Returns the answer to a request. Throws Error(usage) that names the invalid part of the request.
std::string answer(std::string_view request);

}  // namespace arlab::explorer

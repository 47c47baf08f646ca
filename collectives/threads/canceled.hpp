// Canceled: the exception that ends a rank because another one has failed.
#pragma once

namespace arlab::collectives {

struct Canceled {};

}  // namespace arlab::collectives

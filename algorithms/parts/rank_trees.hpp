// Trees for ranks whose links are not equally fast.
#pragma once

#include <span>

#include "algorithms/forest.hpp"

namespace arlab {

/// Returns trees of weight 1 in which a rank has more neighbors, over all trees, the faster it is.
/// With T trees that carry 1/T of the vector each way, a rank of d neighbors sends and receives d/T
/// of the vector. At best d/T is c = max(1, t rate), where t is such that the sum over all ranks is
/// 2 (P - 1); no allreduce is done before t, nor before 1 / the lowest rate. d is c T, rounded;
/// there are enough trees that rounding costs 1% at most, or twice as many as ranks. Equal ranks
/// are the centers of stars. Few trees are higher than 2. Rates are relative, and above 0.
Forest trees_for(std::span<const double> rates);

/// Returns t: how long ranks are busy that carry more than the vector itself, at rate 1 and with
/// ideal trees; 0 if there are none.
double least_busy_time(std::span<const double> rates);

}  // namespace arlab

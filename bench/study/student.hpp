// Student's t distribution: how far means of few values may be apart by chance.
#pragma once

namespace arlab::bench {

/// Returns the two-sided p-value of a distance of so many standard errors, which were estimated
/// with that many degrees of freedom; infinite: they are known (the normal distribution).
double student_p(double standard_errors, double freedom);

/// Returns the distance whose p-value is `p`.
double student_distance(double p, double freedom);

}  // namespace arlab::bench

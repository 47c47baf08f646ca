#include "bench/study/student.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

namespace arlab::bench {
namespace {

// In double: long double is another type on each kind of machine.
using Policy = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
using Student = boost::math::students_t_distribution<double, Policy>;

}  // namespace

double student_p(double standard_errors, double freedom) {
  return std::min(1.0,
                  2 * boost::math::cdf(boost::math::complement(Student(freedom), standard_errors)));
}

double student_distance(double p, double freedom) {
  return boost::math::quantile(boost::math::complement(Student(freedom), p / 2));
}

}  // namespace arlab::bench

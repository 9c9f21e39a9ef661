// SPDX-License-Identifier: Apache-2.0
#include "reports/statistics/student.h"

#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/distributions/non_central_t.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/tools/roots.hpp>
#include <cmath>

#include "reports/statistics/sample.h"

namespace pippin {

namespace bm = boost::math;

namespace {

// Boost would work in long double, which takes ten times as long for a last digit that nobody sees.
using Plain = bm::policies::policy<bm::policies::promote_double<false>>;
using StudentT = bm::students_t_distribution<double, Plain>;
using NonCentralT = bm::non_central_t_distribution<double, Plain>;
using ChiSquared = bm::chi_squared_distribution<double, Plain>;
using FisherF = bm::fisher_f_distribution<double, Plain>;

}  // namespace

double t_quantile(double p, double df) { return bm::quantile(StudentT(df), p); }

double t_point(double df) {
  constexpr double kUpper = 0.975;
  return t_quantile(kUpper, df);
}

double t_above(double t, double df) {
  if (std::isnan(t) || !(df > 0)) return 1;
  if (std::isinf(t)) return t > 0 ? 0 : 1;
  return bm::cdf(bm::complement(StudentT(df), t));
}

SdInterval sd_interval(double sd, double df) {
  constexpr double kOutside = 0.025;
  const ChiSquared squares(df);
  return {sd * std::sqrt(df / bm::quantile(bm::complement(squares, kOutside))),
          sd * std::sqrt(df / bm::quantile(squares, kOutside))};
}

double f_above(double f, double df1, double df2) {
  if (std::isnan(f) || !(df1 > 0) || !(df2 > 0)) return 1;
  if (std::isinf(f)) return 0;
  return bm::cdf(bm::complement(FisherF(df1, df2), f));
}

namespace {

/// The power of a test whose difference is `shift` true standard errors.
double power_at(double shift, double point, double df) {
  return bm::cdf(bm::complement(NonCentralT(df, shift), point));
}

/// Where a growing function crosses zero, from a guess above 0; so many bits of it.
template <typename Function>
double root_of(const Function& function, double guess, int bits) {
  std::uintmax_t steps = 200;
  const auto found = bm::tools::bracket_and_solve_root(
      function, guess, 1.5, true, bm::tools::eps_tolerance<double>(static_cast<unsigned>(bits)),
      steps);
  return (found.first + found.second) / 2;
}

}  // namespace

double t_detectable(double df, double level, double power) {
  const double point = t_quantile(1 - level / 2, df);
  return root_of([&](double shift) { return power_at(shift, point, df) - power; }, point + 1, 45);
}

double t_detectable_as_estimated(double df, double level, double power) {
  constexpr int kEstimates = 16;  // quantiles of an estimated error that stand for all
  const double point = t_quantile(1 - level / 2, df);
  std::vector<double> errors;
  for (int i = 0; i < kEstimates; ++i) {
    const double share = (i + 0.5) / kEstimates;
    errors.push_back(std::sqrt(bm::quantile(ChiSquared(df), share) / df));
  }
  const auto average = [&](double shift) {
    double sum = 0;
    for (const double error : errors) sum += power_at(shift * error, point, df);
    return sum / kEstimates;
  };
  return root_of([&](double shift) { return average(shift) - power; }, point + 1, 14);
}

double t_half_width(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  return t_point(n - 1) * sd_of(values) / std::sqrt(n);
}

}  // namespace pippin

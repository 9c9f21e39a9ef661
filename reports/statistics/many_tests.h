// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace pippin {

/// The p values of several tests, raised so that what stays below a level is found as rarely by
/// chance as one test would be: at that level the expected share of false finds (the first), or the
/// probability of any (the second). A p that is no number stays so, and does not count as a test.
/// Shape: one for each of `p`, in its order, at most 1.
/// Source: Benjamini and Hochberg, "Controlling the False Discovery Rate", 1995; Holm, "A Simple
/// Sequentially Rejective Multiple Test Procedure", 1979.
std::vector<double> benjamini_hochberg(const std::vector<double>& p);
std::vector<double> holm(const std::vector<double>& p);

/// That not one of several tests finds anything; 1 of none. Requires numbers.
/// Source: Simes, "An improved Bonferroni procedure for multiple tests of significance", 1986.
double simes(std::vector<double> p);

}  // namespace pippin

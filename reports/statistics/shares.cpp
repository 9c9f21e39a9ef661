// SPDX-License-Identifier: Apache-2.0
#include "reports/statistics/shares.h"

namespace pippin {

namespace {

double factorial(std::size_t n) { return n < 2 ? 1 : static_cast<double>(n) * factorial(n - 1); }

std::size_t members(std::size_t set) {
  std::size_t count = 0;
  for (; set != 0; set &= set - 1) ++count;
  return count;
}

}  // namespace

std::optional<Shares> variance_shares(const std::vector<double>& values,
                                      const std::vector<std::size_t>& configurations,
                                      const Columns& covariates) {
  // A set of covariates is the bits of its number.
  const std::size_t count = covariates.size(), sets = std::size_t{1} << count;
  std::vector<double> squares;
  for (std::size_t set = 0; set < sets; ++set) {
    Columns columns;
    for (std::size_t i = 0; i < count; ++i) {
      if ((set >> i & 1) != 0) columns.push_back(covariates[i]);
    }
    const auto fit = least_squares_within(columns, values, configurations);
    if (!fit) return std::nullopt;
    squares.push_back(fit->squares);
  }
  if (squares[0] <= 0) return std::nullopt;
  Shares shares;
  shares.unexplained = squares[sets - 1] / squares[0];
  for (std::size_t i = 0; i < count; ++i) {
    double share = 0;
    for (std::size_t set = 0; set < sets; ++set) {
      if ((set >> i & 1) != 0) continue;
      const double orders = factorial(members(set)) * factorial(count - 1 - members(set));
      share += orders / factorial(count) * (squares[set] - squares[set | std::size_t{1} << i]);
    }
    shares.explained.push_back(share / squares[0]);
  }
  return shares;
}

}  // namespace pippin

// SPDX-License-Identifier: Apache-2.0
// Bootstraps of R's boot package, and why pippin has t intervals instead.
#include "tests/reports/statistics/resampling.h"

#include <cmath>
#include <fmt/format.h>
#include <map>

#include "reports/statistics/sample.h"
#include "reports/statistics/student.h"
#include "tests/reports/statistics/reference.h"
#include "tests/reports/statistics/series.h"

using namespace pippin;
using test::near;
using test::reference;

namespace {

void check_ends(const test::Ends& found, const nlohmann::json& r) {
  CHECK(found.low == near(r.at(0)));
  CHECK(found.high == near(r.at(1)));
}

/// But for the chance of both sides' draws.
void check_ends(const test::Ends& found, const nlohmann::json& r, double margin) {
  CHECK(found.low == test::about(r.at(0), margin));
  CHECK(found.high == test::about(r.at(1), margin));
}

std::vector<double> means_of_allocations() {
  return allocation_means(nest(test::runs_of("nested_balanced.csv")));
}

std::vector<double> medians(const std::vector<double>& values, const test::Draws& draws) {
  std::vector<double> result;
  for (const auto& draw : draws) {
    std::vector<double> drawn;
    for (const std::size_t index : draw) drawn.push_back(values[index]);
    result.push_back(median_of(drawn));
  }
  return result;
}

using Runs = std::vector<std::vector<double>>;

/// As many of them, each drawn from all.
template <typename T>
std::vector<T> drawn_again(const std::vector<T>& items, Random& random) {
  std::vector<T> result;
  for (std::size_t i = 0; i < items.size(); ++i)
    result.push_back(items[random.below(items.size())]);
  return result;
}

/// The plain mean of means of allocations, of runs, of iterations.
double mean_of_allocations(const std::vector<Runs>& allocations) {
  std::vector<double> means;
  for (const Runs& runs : allocations) {
    std::vector<double> of_runs;
    for (const auto& run : runs) of_runs.push_back(mean_of(run));
    means.push_back(mean_of(of_runs));
  }
  return mean_of(means);
}

}  // namespace

TEST_CASE("all resamples of a few values spread as R enumerates them") {
  for (const auto& [name, r] : reference().at("bootstrap_enumerated").items()) {
    CAPTURE(name);
    const auto values = test::series_of("small_vectors.csv", name);
    const auto means = test::drawn_means(values, test::all_draws(values.size()));
    CHECK(means.size() == r.at("n_resamples").get<std::size_t>());
    const auto count = static_cast<double>(means.size());
    CHECK(std::sqrt(squares_of(means) / count) == near(r.at("sd_of_means")));
    check_ends(test::percentile(means), r.at("percentile_95_type7"));
    check_ends({test::quantile_of_type(means, 0.025, 1), test::quantile_of_type(means, 0.975, 1)},
               r.at("percentile_95_type1"));
  }
}

TEST_CASE("over the same resamples every bootstrap interval is R's") {
  const auto& r = reference().at("bootstrap_fixed_indices");
  const auto values = means_of_allocations();
  for (std::size_t i = 0; i < values.size(); ++i) {
    CHECK(values[i] == near(r.at("allocation_means").at(i)));
    const std::string name = fmt::format("D{}A{}", i / 3 + 1, i % 3 + 1);
    CHECK(r.at("allocation_order").at(i).get<std::string>() == name);
  }
  const auto draws = test::drawn_in("boot_indices_n12.csv");
  const auto means = test::drawn_means(values, draws);
  const double mean = mean_of(values);
  CHECK(mean == near(r.at("t0")));
  CHECK(sd_of(means) == near(r.at("se")));
  CHECK(mean_of(means) - mean == Approx(r.at("bias").get<double>()).epsilon(1e-9));
  check_ends(test::percentile(means), r.at("percentile_95_type7"));
  check_ends(test::percentile(medians(values, draws)), r.at("percentile_95_type7_median"));
  check_ends(test::basic(mean, means), r.at("basic_95"));
  const auto& bca = r.at("bca");
  const auto found = test::accelerated(values, means);
  CHECK(found.z0 == near(bca.at("z0")));
  CHECK(found.a == near(bca.at("a")));
  check_ends(found.probabilities, bca.at("adj_probs"));
  check_ends(found.ends, bca.at("ci_type7"));
  // What pippin would say of allocations is wider than any of them.
  check_ends({mean - t_half_width(values), mean + t_half_width(values)}, r.at("t_ci"));
  CHECK(2 * t_half_width(values) > found.ends.high - found.ends.low);
}

TEST_CASE("over draws of our own bootstrap intervals are R's but for chance") {
  const auto& r = reference().at("bootstrap_monte_carlo");
  const auto values = means_of_allocations();
  Random random(201);
  constexpr std::size_t kDraws = 400'000;  // R drew 99999
  const auto means = test::drawn_means(values, test::drawn(kDraws, values.size(), random));
  const double margin = r.at("mc_tol_ms");
  check_ends(test::percentile(means), r.at("percent"), margin);
  check_ends(test::basic(mean_of(values), means), r.at("basic"), margin);
  check_ends(test::accelerated(values, means).ends, r.at("bca"), margin);
  // The margin is meant as 4 standard errors of the mean, three times over.
  CHECK(12 * sd_of(means) / std::sqrt(99999.0) == Approx(margin).epsilon(0.01));
}

TEST_CASE("to draw within allocations, too, changes little of R's interval") {
  const auto& r = reference().at("bootstrap_hierarchical_unbalanced");
  std::map<std::string, Runs> by_name;
  for (const auto& run : test::run_times_of("nested_unbalanced.csv"))
    by_name[run.allocation].push_back(run.values);
  std::vector<Runs> allocations;
  std::vector<double> allocation_means;
  for (const auto& entry : by_name) {
    allocations.push_back(entry.second);
    allocation_means.push_back(mean_of_allocations({entry.second}));
  }
  CHECK(mean_of_allocations(allocations) == near(r.at("t0")));
  constexpr std::size_t kDraws = 20000;
  constexpr double kMargin = 0.5;  // ms
  Random random(202);
  const auto clusters =
      test::drawn_means(allocation_means, test::drawn(kDraws, allocations.size(), random));
  check_ends(test::percentile(clusters), r.at("cluster_95"), kMargin);
  std::vector<double> nested;
  for (std::size_t i = 0; i < kDraws; ++i) {
    auto drawn = drawn_again(allocations, random);
    for (Runs& runs : drawn) {
      runs = drawn_again(runs, random);
      for (auto& run : runs) run = drawn_again(run, random);
    }
    nested.push_back(mean_of_allocations(drawn));
  }
  check_ends(test::percentile(nested), r.at("nested_95"), kMargin);
}

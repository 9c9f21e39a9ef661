// SPDX-License-Identifier: Apache-2.0
// slow_node.csv: whom other ways than pippin's would blame.
#include "tests/reports/statistics/slow_nodes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "core/base/text.h"
#include "reports/statistics/difference.h"
#include "reports/statistics/many_tests.h"
#include "reports/statistics/sample.h"
#include "reports/statistics/student.h"
#include "tests/reports/statistics/dense.h"
#include "tests/reports/statistics/ranks.h"
#include "tests/reports/statistics/reference.h"

using namespace pippin;
using test::near;
using test::within;

namespace {

using Names = std::set<std::string>;

const nlohmann::json& answers(const char* key) { return test::reference().at("slow_node").at(key); }

Names below(const std::vector<double>& adjusted) {
  Names found;
  for (std::size_t node = 0; node < adjusted.size(); ++node) {
    if (adjusted[node] <= 0.05) found.insert(test::node_name(node));
  }
  return found;
}

void check_nodes(const std::vector<double>& found, const nlohmann::json& r,
                 double relative = 1e-9) {
  CHECK(r.size() == found.size());
  for (std::size_t node = 0; node < found.size(); ++node) {
    CAPTURE(node);
    CHECK(found[node] == within(r.at(test::node_name(node)), relative));
  }
}

/// The values of the allocations that have a node, and of those that have not.
std::pair<std::vector<double>, std::vector<double>> sides_of(std::size_t node) {
  const auto data = test::slow_nodes();
  std::pair<std::vector<double>, std::vector<double>> sides;
  for (std::size_t i = 0; i < data.presence.values.size(); ++i) {
    const auto& members = data.presence.members[i];
    const bool with = std::find(members.begin(), members.end(), node) != members.end();
    (with ? sides.first : sides.second).push_back(data.presence.values[i]);
  }
  return sides;
}

/// Nodes whose predicted effect stands out; all numbers are checked against R's.
Names outstanding(const test::Presence& presence, const nlohmann::json& r) {
  constexpr double kRemlVariance = 1e-5;
  constexpr double kNormal = std::numeric_limits<double>::infinity();  // degrees of freedom
  const auto found = test::membership_fit(presence);
  CHECK(found.node_variance == within(r.at("var_node"), kRemlVariance));
  CHECK(found.residual_variance == within(r.at("var_resid"), kRemlVariance));
  CHECK(found.reml == test::about(r.at("criterion"), 1e-6));
  CHECK(found.coefficients[0] == within(r.at("fixef").at("(Intercept)"), kRemlVariance));
  if (found.coefficients.size() > 1)
    CHECK(found.coefficients[1] == within(r.at("fixef").at("lar"), kRemlVariance));
  check_nodes(found.effects, r.at("blup_log"), 1e-4);
  check_nodes(found.z, r.at("z"), 1e-4);
  std::vector<double> p;
  for (const double z : found.z) p.push_back(t_above(z, kNormal));
  check_nodes(p, r.at("p_one_sided"), 1e-4);
  check_nodes(benjamini_hochberg(p), r.at("BH"), 1e-4);
  return below(benjamini_hochberg(p));
}

}  // namespace

TEST_CASE("with a node against without it blames one that was often beside a slow one, as in R") {
  std::vector<double> welch, by_ranks;
  for (std::size_t node = 0; node < 16; ++node) {
    const auto& r = answers("screening").at(test::node_name(node));
    CAPTURE(node);
    const auto [with, without] = sides_of(node);
    CHECK(with.size() == r.at("n_with").get<std::size_t>());
    const auto found = unpaired_difference(without, with);
    CHECK(std::exp(found->estimate) == near(r.at("ratio_with_over_without")));
    welch.push_back(found->p());
    by_ranks.push_back(test::permutation_p(with, without));
    CHECK(welch.back() == within(r.at("p_welch")));
    CHECK(by_ranks.back() == within(r.at("p_mwu")));
  }
  check_nodes(benjamini_hochberg(welch), answers("BH_welch"));
  check_nodes(benjamini_hochberg(by_ranks), answers("BH_mwu"));
  CHECK(below(benjamini_hochberg(welch)) == Names{"n07", "n08", "n12"});  // n08 is healthy
}

TEST_CASE("predicted effects of nodes are R's, and less sharp than leaving one out") {
  auto data = test::slow_nodes();
  CHECK(outstanding(data.presence, answers("multi_membership")).empty());  // there are two
  auto given = data.presence;
  given.covariates = {data.all_reduce};
  CHECK(outstanding(given, answers("multi_membership_given_allreduce")) == Names{"n07"});
  data.presence.values = data.all_reduce;
  CHECK(outstanding(data.presence, answers("allreduce_multi_membership")) == Names{"n12"});
}

TEST_CASE("the canary of every node's products shows the slow processor, as in R") {
  std::map<std::string, std::vector<double>> logs;
  for (const auto& row : test::csv_rows("slow_node_canary.csv"))
    logs[row.at(1)].push_back(std::log(parse_number(row.at(2)).value()));
  std::vector<double> medians, z;
  for (const auto& entry : logs) medians.push_back(median_of(entry.second));
  Names far;
  for (const double median : medians) {
    z.push_back((median - median_of(medians)) / mad_of(medians));
    if (z.back() > 5) far.insert(test::node_name(z.size() - 1));
  }
  check_nodes(medians, answers("gemm_canary").at("node_log_median"));
  check_nodes(z, answers("gemm_canary").at("robust_z"));
  CHECK(far == Names{"n07"});
  // Who is slow by truth: a processor and a network.
  CHECK(answers("truth").size() == 2);
  CHECK(answers("truth").contains("n07"));
  CHECK(answers("truth").contains("n12"));
}

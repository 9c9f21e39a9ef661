// SPDX-License-Identifier: Apache-2.0
// Runs within allocations within days, as lme4, lmerTest and pbkrtest see them.
#include <cmath>
#include <functional>
#include <map>
#include <numeric>

#include "reports/statistics/mixed.h"
#include "reports/statistics/reml.h"
#include "reports/statistics/student.h"
#include "tests/reports/statistics/dense.h"
#include "tests/reports/statistics/reference.h"

using namespace pippin;
using test::about;
using test::within;

namespace {

constexpr double kRemlVariance = 1e-5, kRemlCriterion = 1e-6, kDegrees = 1e-3;

/// A file and what R answers of it.
struct Data {
  std::string key;
  std::vector<test::RunTimes> runs;
  Nesting nesting;
  const nlohmann::json* r;  ///< of lme4
};

std::vector<Data> all_data() {
  std::vector<Data> all;
  const auto& r = test::reference();
  const auto add = [&](const std::string& key, const std::string& file, const nlohmann::json& at) {
    auto runs = test::run_times_of(file);
    if (key == "nested_unbalanced_log") {
      for (auto& run : runs) run.values = test::logs_of(run.values);
    }
    auto nesting = nest(test::moments_of(runs));
    all.push_back({key, std::move(runs), std::move(nesting), &at});
  };
  for (const std::string key : {"nested_balanced", "nested_unbalanced"})
    add(key, key + ".csv", r.at(key));
  add("nested_unbalanced_log", "nested_unbalanced.csv", r.at("nested_unbalanced_log"));
  add("nested_negative", "nested_negative.csv", r.at("nested_negative").at("lme"));
  return all;
}

/// By the names that R gives them, one of which is short at times.
Level level_named(const std::string& name) {
  static const std::map<std::string, Level> kLevelNames{{"iter", kIteration},
                                                        {"run", kRun},
                                                        {"allocation", kAllocation},
                                                        {"alloc", kAllocation},
                                                        {"day", kDay}};
  return kLevelNames.at(name);
}

Variances variances_of(const nlohmann::json& named) {
  Variances variances{};
  for (const auto& [name, value] : named.items()) variances[level_named(name)] = value;
  return variances;
}

/// In the order of levels: iterations, runs, allocations and, of several, days.
std::vector<Level> levels_of(const Nesting& nesting) {
  std::vector<Level> levels{kIteration, kRun, kAllocation};
  if (nesting.days > 1) levels.push_back(kDay);
  return levels;
}

void check_variances(const Variances& found, const nlohmann::json& named) {
  const auto expected = variances_of(named);
  for (std::size_t level = 0; level < kLevels; ++level) {
    CAPTURE(level);
    // Where there is none, R's second way says 1e-16.
    if (expected[level] < 1e-15)
      CHECK(found[level] == 0);
    else
      CHECK(found[level] == within(expected[level], kRemlVariance));
  }
}

/// The variances above 0 of `found` at which `criterion` is least.
Variances least(const Variances& found, const std::function<double(const Variances&)>& criterion) {
  std::vector<std::size_t> levels;
  std::vector<double> logs;
  for (std::size_t level = 0; level < kLevels; ++level) {
    if (found[level] == 0) continue;
    levels.push_back(level);
    logs.push_back(std::log(found[level]));
  }
  const auto variances = [&](const std::vector<double>& at) {
    Variances result{};
    for (std::size_t i = 0; i < levels.size(); ++i) result[levels[i]] = std::exp(at[i]);
    return result;
  };
  return variances(
      test::minimum_of([&](const auto& at) { return criterion(variances(at)); }, logs).at);
}

}  // namespace

TEST_CASE("variances, mean and degrees of freedom are those of lme4 and lmerTest") {
  for (const auto& data : all_data()) {
    CAPTURE(data.key);
    const auto& r = data.r->at("REML");
    const auto found = components_of(data.nesting);
    check_variances(found.variances, r.at("variance"));
    CHECK(found.fit.reml == about(r.at("criterion_m2ll"), kRemlCriterion));
    CHECK(found.fit.mean == within(r.at("intercept"), 1e-7));
    CHECK(found.fit.se == within(r.at("intercept_se"), kRemlVariance));
    bool some_zero = false;
    for (const auto& component : found.components) some_zero = some_zero || component.variance == 0;
    CHECK(some_zero == r.at("singular").get<bool>());
    REQUIRE(found.df);
    CHECK(*found.df == within(data.r->at("satterthwaite_df"), kDegrees));
    const auto& second = data.r->at("recursion_optimum");
    check_variances(found.variances, second.at("variance"));
    CHECK(found.fit.reml == about(second.at("m2ll"), kRemlCriterion));
    CHECK(std::abs(second.at("lme4_minus_recursion_criterion").get<double>()) < kRemlCriterion);
  }
}

TEST_CASE("the criterion at given variances is R's, and that of a dense matrix") {
  for (const auto& data : all_data()) {
    CAPTURE(data.key);
    const auto& r = data.r->at("objective_check");
    Variances variances{};
    for (std::size_t i = 0; i < r.at("variances").size(); ++i)
      variances[i] = r.at("variances").at(i);
    const NestedFit fit = fit_of(data.nesting, variances);
    CHECK(fit.reml == within(r.at("reml_m2ll")));
    CHECK(fit.mean == within(r.at("gls_mean")));
    CHECK(fit.se == within(r.at("gls_se")));
    CHECK(MixedModel(data.nesting).fit(variances).ml == within(r.at("ml_m2ll")));
    const auto dense = test::dense_fit(data.runs, variances, levels_of(data.nesting));
    CHECK(dense.reml - fit.reml == about(r.at("dense_minus_recursion"), 1e-9));
    CHECK(dense.mean == within(fit.mean));
    CHECK(dense.se == within(fit.se));
  }
}

TEST_CASE("where the likelihood itself is greatest is where lme4 finds it") {
  for (const auto& data : all_data()) {
    CAPTURE(data.key);
    const auto& r = data.r->at("ML");
    const auto variances = least(components_of(data.nesting).variances, [&](const Variances& at) {
      return MixedModel(data.nesting).fit(at).ml;
    });
    check_variances(variances, r.at("variance"));
    CHECK(MixedModel(data.nesting).fit(variances).ml ==
          about(r.at("criterion_m2ll"), kRemlCriterion));
    const auto fit = fit_of(data.nesting, variances);
    CHECK(fit.mean == within(r.at("intercept"), 1e-7));
    CHECK(fit.se == within(r.at("intercept_se"), kRemlVariance));
    CHECK((variances[kRun] == 0) == r.at("singular").get<bool>());
  }
}

TEST_CASE("effects of units are predicted, and their mean is adjusted, as R does from the same") {
  for (const auto& data : all_data()) {
    CAPTURE(data.key);
    const auto found = components_of(data.nesting);
    const auto fit = test::dense_fit(data.runs, found.variances, levels_of(data.nesting));
    const auto& adjusted = data.r->at("kenward_roger");
    CHECK(fit.adjusted_se == within(adjusted.at("se"), kRemlVariance));
    CHECK(fit.adjusted_df == within(adjusted.at("df"), kDegrees));
    const auto& r = data.r->at("blup");
    CHECK(r.size() == levels_of(data.nesting).size() - 1);
    for (const auto& [name, effects] : r.items()) {
      const Level level = level_named(name);
      CHECK(effects.size() == fit.predictions[level].size());
      const double margin = kRemlVariance * std::sqrt(found.variances[level]);
      for (const auto& [unit, effect] : effects.items()) {
        CAPTURE(unit);
        CHECK(fit.predictions[level].at(unit) ==
              Approx(effect.get<double>()).epsilon(kRemlVariance).margin(margin));
      }
    }
  }
}

TEST_CASE("shares of the variance and correlations within units are those of R's components") {
  for (const auto& data : all_data()) {
    CAPTURE(data.key);
    if (!data.r->contains("icc_reml")) continue;
    const auto& r = data.r->at("icc_reml");
    const auto v = components_of(data.nesting).variances;
    const double all = std::accumulate(v.begin(), v.end(), 0.0);
    const auto& shares = r.at("share");
    CHECK(v[kIteration] / all == within(shares.at("iter"), kRemlVariance));
    CHECK(v[kRun] / all == within(shares.at("run"), kRemlVariance));
    CHECK(v[kAllocation] / all == within(shares.at("alloc"), kRemlVariance));
    CHECK(v[kDay] / all == within(shares.at("day"), kRemlVariance));
    CHECK((all - v[kIteration]) / all == within(r.at("icc_same_run"), kRemlVariance));
    CHECK((v[kAllocation] + v[kDay]) / all == within(r.at("icc_same_alloc"), kRemlVariance));
    CHECK(v[kDay] / all == within(r.at("icc_same_day"), kRemlVariance));
  }
}

TEST_CASE("sds lie within the profile likelihood's intervals of lme4, and so does the mean") {
  const Nesting nesting = nest(test::runs_of("nested_balanced.csv"));
  const auto found = components_of(nesting);
  const auto intervals = sd_intervals(nesting, found);
  const auto& r = test::reference().at("nested_balanced").at("profile_likelihood_ci_sd_scale");
  const std::vector<std::string> names{"sigma", "sd_(Intercept)|run", "sd_(Intercept)|allocation",
                                       "sd_(Intercept)|day"};
  REQUIRE(intervals.size() == names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    CAPTURE(names[i]);
    // R interpolates its profile.
    CHECK(intervals[i].low ==
          Approx(r.at(names[i]).at(0).get<double>()).epsilon(2e-3).margin(1e-9));
    CHECK(intervals[i].high == Approx(r.at(names[i]).at(1).get<double>()).epsilon(2e-3));
  }
  // A mean that lies off costs the square of its distance in standard errors.
  const auto profile = [&](double mean) {
    const auto criterion = [&](const Variances& at) {
      const auto fit = fit_of(nesting, at);
      return MixedModel(nesting).fit(at).ml + std::pow((fit.mean - mean) / fit.se, 2);
    };
    return criterion(least(found.variances, criterion));
  };
  const double best = profile(found.fit.mean);
  constexpr double kChiSquare = 3.841458820694124;  // of one degree of freedom, 95 %
  for (const auto& end : r.at("(Intercept)"))
    CHECK(profile(end) - best == Approx(kChiSquare).epsilon(2e-3));
}

#include "reports/statistics/reml.h"

#include <cmath>
#include <map>

#include "core/base/text.h"
#include "reports/statistics/mixed.h"
#include "tests/reports/statistics/reference.h"
#include "tests/reports/statistics/series.h"
#include "tests/support/catch.h"

using namespace pippin;

namespace {

Approx near(double value, double relative) { return Approx(value).epsilon(relative).margin(0); }

/// What lme4's REML fit and lmerTest's Satterthwaite give for a file.
struct Reference {
  std::string file;
  std::vector<Component> components;
  double reml, mean, se, df;
};

const std::vector<Reference> kReferences{
    {"nested_balanced.csv",
     {{"iteration", kIteration, 217.343632566374},
      {"run", kRun, 163.735580982109},
      {"allocation", kAllocation, 739.351885732778},
      {"day", kDay, 1043.54476423839}},
     3064.62722507586,
     1012.6951,
     18.1011267908867,
     3.00000842646755},
    {"nested_unbalanced.csv",
     {{"iteration", kIteration, 324.812220730881},
      {"run", kRun, 125.754388217135},
      {"allocation", kAllocation, 690.671323626229},
      {"day", kDay, 164.156007980277}},
     1752.58824294699,
     873.528317143223,
     10.1766242760656,
     4.42143166549972},
    {"nested_negative.csv",
     {{"iteration", kIteration, 342.813776307429},
      {"run", kRun, 0},
      {"allocation", kAllocation, 870.403707357104}},
     794.909235996912,
     496.050055555557,
     12.2014887009124,
     4.99999964943653},
};

}  // namespace

TEST_CASE("the criterion at given variances is the dense one") {
  // -2 log likelihood from R's recursion, checked there against the dense matrix.
  struct Check {
    std::string file;
    Variances variances;
    double reml, mean, se;
  };
  const std::vector<Check> checks{
      {"nested_balanced.csv", {225, 100, 900, 400}, 3067.98537654047, 1012.6951, 13.3567502700986},
      {"nested_unbalanced.csv",
       {225, 100, 900, 400},
       1766.81696659869,
       874.869978502893,
       13.0432340870136},
      {"nested_negative.csv",
       {225, 100, 900, 0},
       808.415129744653,
       496.050055555556,
       12.5720147770974},
  };
  for (const auto& check : checks) {
    INFO(check.file);
    const NestedFit fit = fit_of(nest(test::runs_of(check.file)), check.variances);
    CHECK(fit.reml == near(check.reml, 1e-9));
    CHECK(fit.mean == near(check.mean, 1e-9));
    CHECK(fit.se == near(check.se, 1e-9));
  }
}

TEST_CASE("variance components are those of lme4") {
  for (const auto& reference : kReferences) {
    INFO(reference.file);
    const auto found = components_of(nest(test::runs_of(reference.file)));
    REQUIRE(found.components.size() == reference.components.size());
    for (std::size_t i = 0; i < found.components.size(); ++i) {
      CHECK(found.components[i].levels == reference.components[i].levels);
      CHECK(found.components[i].variance == near(reference.components[i].variance, 1e-5));
    }
    CHECK(found.fit.reml == Approx(reference.reml).epsilon(0).margin(1e-6));
    CHECK(found.fit.mean == near(reference.mean, 1e-7));
    CHECK(found.fit.se == near(reference.se, 1e-5));
    REQUIRE(found.df);
    CHECK(*found.df == near(reference.df, 1e-3));
  }
}

TEST_CASE("a variance that is not there is exactly zero") {
  const auto found = components_of(nest(test::runs_of("nested_negative.csv")));
  CHECK(found.variances[kRun] == 0);
}

TEST_CASE("levels that the data cannot tell apart are one component") {
  const auto found = components_of(nest(test::runs_of("nested_single_repeat.csv")));
  REQUIRE(found.components.size() == 3);
  CHECK(found.components[1].levels == "allocation and run");
  CHECK(found.components[1].variance == near(525.270294661097, 1e-5));
  CHECK(found.components[2].levels == "day");
  CHECK(found.components[2].variance == 0);
  CHECK(found.fit.reml == Approx(428.109925284558).epsilon(0).margin(1e-6));
  CHECK(found.fit.se == near(9.76308125616082, 1e-5));
}

TEST_CASE("one iteration per run leaves one component") {
  const auto found =
      components_of(nest({test::moments_of("", "a", {1.0}), test::moments_of("", "b", {2.0}),
                          test::moments_of("", "c", {4.0})}));
  REQUIRE(found.components.size() == 1);
  CHECK(found.components[0].variance == near(7.0 / 3, 1e-9));
  REQUIRE(found.df);
  CHECK(*found.df == near(2, 1e-3));
}

TEST_CASE("data without spread inside its runs still has a mean") {
  const auto found =
      components_of(nest({test::moments_of("", "a", {1.0, 1.0}), test::moments_of("", "b", {2.0}),
                          test::moments_of("", "c", {3.0, 3.0, 3.0})}));
  CHECK(found.fit.mean == near(2, 1e-6));
}

TEST_CASE("an allocation over midnight belongs to one day") {
  const auto nesting =
      nest({test::moments_of("2024-05-02", "a", {1.0}), test::moments_of("2024-05-01", "a", {1.0}),
            test::moments_of("", "a", {1.0}), test::moments_of("2024-05-02", "b", {1.0})});
  CHECK(nesting.allocations() == 2);
  CHECK(nesting.days == 2);
}

namespace {

RunMoments run_in(const std::string& day, const std::string& allocation,
                  const std::vector<double>& values) {
  return test::moments_of(day, allocation, values);
}

}  // namespace

TEST_CASE("runs are grouped by allocation and these by the earliest day that is known") {
  const Nesting nesting =
      nest({run_in("d2", "b", {1, 3}), run_in("d1", "a", {5}), run_in("d1", "b", {7}),
            run_in("", "c", {9}), run_in("d3", "c", {9, 9, 9}), run_in("", "d", {1})});
  CHECK(nesting.runs.size() == 6);
  CHECK(nesting.iterations() == 9);
  CHECK(nesting.allocations() == 4);
  CHECK(nesting.days == 3);
  CHECK(nesting.allocation_of_run[0] == nesting.allocation_of_run[2]);
  CHECK(nesting.allocation_of_run[3] == nesting.allocation_of_run[4]);
  CHECK(nesting.allocation_of_run[0] != nesting.allocation_of_run[1]);
  const auto day = [&](std::size_t run) {
    return nesting.day_of_allocation[nesting.allocation_of_run[run]];
  };
  CHECK(day(0) == day(1));  // of d1 and d2 the earlier
  CHECK(day(0) != day(4));
  CHECK(day(5) != day(4));
  CHECK(day(5) != day(0));
}

TEST_CASE("means of a level are plain means of the level below") {
  const Nesting nesting = nest({run_in("d1", "a", {1, 3}), run_in("d1", "a", {6}),
                                run_in("d1", "b", {8}), run_in("d2", "c", {9, 11})});
  CHECK(run_means(nesting) == std::vector<double>{2, 6, 8, 10});
  CHECK(allocation_means(nesting) == std::vector<double>{4, 8, 10});
  CHECK(day_means(nesting) == std::vector<double>{6, 10});
}

TEST_CASE("repeats are balanced where every level has as many of the one below") {
  const auto of = [](const std::vector<RunMoments>& runs) { return balanced(nest(runs)); };
  CHECK(of({run_in("d1", "a", {1, 2}), run_in("d2", "b", {1, 2})}));
  CHECK(of({run_in("d1", "a", {1})}));
  CHECK_FALSE(of({run_in("d1", "a", {1, 2}), run_in("d2", "b", {1})}));
  CHECK_FALSE(of({run_in("d1", "a", {1}), run_in("d1", "a", {1}), run_in("d2", "b", {1})}));
  CHECK_FALSE(of({run_in("d1", "a", {1}), run_in("d1", "b", {1}), run_in("d2", "c", {1})}));
  CHECK(of({run_in("d1", "a", {1}), run_in("d1", "b", {1}), run_in("d2", "c", {1}),
            run_in("d2", "d", {1})}));
}

namespace {

/// two_day.csv on logarithms: a configuration is a pair of configuration and day.
Nesting two_days() {
  std::map<std::pair<std::string, std::string>, std::vector<double>> cells;
  std::map<std::string, std::size_t> configurations;
  for (const auto& row : test::csv_rows("two_day.csv"))
    cells[{row.at(0) + row.at(1), row.at(0) + row.at(2)}].push_back(
        std::log(parse_number(row.at(4)).value()));
  std::vector<RunMoments> runs;
  for (const auto& [names, values] : cells) {
    runs.push_back(test::moments_of("", names.first, values));
    runs.back().configuration =
        configurations.try_emplace(names.second, configurations.size()).first->second;
  }
  return nest(runs);
}

}  // namespace

TEST_CASE("components beside the means of configurations are those of lme4") {
  const auto& r = test::reference().at("two_day").at("lmm");
  const Nesting nesting = two_days();
  CHECK(nesting.configurations == 24);
  const auto found = components_of(nesting);
  REQUIRE(found.components.size() == 3);
  CHECK(found.components[0].variance == near(r.at("variance").at("iter"), 1e-5));
  CHECK(found.components[1].variance == near(r.at("variance").at("cell"), 1e-4));
  CHECK(found.components[2].variance == near(r.at("variance").at("allocation"), 1e-5));
  CHECK(MixedModel(nesting).fit(found.variances).reml ==
        Approx(r.at("criterion_m2ll").get<double>()).epsilon(0).margin(1e-6));
}

TEST_CASE("means of configurations and effects of units go out in either order") {
  Random random(1);
  std::vector<RunMoments> runs;
  for (int i = 0; i < 200; ++i) {
    const auto allocation = random.below(30);
    std::vector<double> values;
    for (std::uint64_t n = 0; n < 1 + random.below(5); ++n) values.push_back(normal(random));
    runs.push_back(test::moments_of("d" + std::to_string(allocation % 4),
                                    "a" + std::to_string(allocation), values));
    runs.back().configuration = i < 20 ? static_cast<std::size_t>(i) : random.below(20);
  }
  const Nesting nesting = nest(runs);
  for (const Variances& variances :
       {Variances{1, 0.5, 2, 3}, Variances{0.1, 0.01, 0, 1}, Variances{2, 0, 0.3, 0}}) {
    const MixedFit one = MixedModel(nesting, MixedModel::Way::kByConfigurations).fit(variances);
    const MixedFit other = MixedModel(nesting, MixedModel::Way::kByUnits).fit(variances);
    CHECK(one.reml == near(other.reml, 1e-10));
    CHECK(one.ml == near(other.ml, 1e-10));
  }
}

TEST_CASE("with one configuration both passes are the same") {
  const Nesting nesting = nest(test::runs_of("nested_unbalanced.csv"));
  const auto& r = test::reference().at("nested_unbalanced").at("objective_check");
  const MixedFit fit = MixedModel(nesting).fit({225, 100, 900, 400});
  CHECK(fit.reml == near(r.at("reml_m2ll"), 1e-9));
  CHECK(fit.ml == near(r.at("ml_m2ll"), 1e-9));
}

TEST_CASE("sds lie within the profile likelihood's intervals of lme4") {
  const Nesting nesting = nest(test::runs_of("nested_balanced.csv"));
  const auto intervals = sd_intervals(nesting, components_of(nesting));
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
}

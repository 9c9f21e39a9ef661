// SPDX-License-Identifier: Apache-2.0
#include "reports/statistics/time_of_day.h"

#include <cmath>
#include <numbers>

#include "core/base/text.h"
#include "reports/statistics/difference.h"
#include "reports/statistics/linear.h"
#include "reports/statistics/student.h"
#include "tests/reports/statistics/reference.h"
#include "tests/reports/statistics/series.h"

using namespace pippin;
using test::indicators;
using test::near;
using test::within;

namespace {

double number(const std::string& text) { return parse_number(text).value(); }

/// time_of_day_confounded.csv: A by night, B in the afternoon.
struct Confounded {
  std::vector<double> logs, hours;
  std::vector<std::size_t> configurations;  ///< A 0, B 1

  std::vector<double> of(std::size_t configuration) const {
    std::vector<double> values;
    for (std::size_t i = 0; i < logs.size(); ++i) {
      if (configurations[i] == configuration) values.push_back(logs[i]);
    }
    return values;
  }
};

Confounded confounded() {
  Confounded data;
  for (const auto& row : test::csv_rows("time_of_day_confounded.csv")) {
    data.configurations.push_back(row.at(1) == "B" ? 1 : 0);
    data.hours.push_back(number(row.at(3)));
    data.logs.push_back(std::log(number(row.at(4))));
  }
  return data;
}

}  // namespace

TEST_CASE("hours that go with configurations are refused, with R's inflation") {
  const auto data = confounded();
  const auto found = time_of_day(data.logs, data.hours, data.configurations);
  CHECK(found.refused == "configurations ran at different hours: either could be the cause");
  CHECK(found.inflation == near(test::reference().at("time_of_day_confounded").at("vif_configB")));
}

TEST_CASE("who does not refuse is sure of the wrong answer, or knows nothing, as R computes it") {
  const auto& r = test::reference().at("time_of_day_confounded");
  const auto data = confounded();
  const auto naive = unpaired_difference(data.of(0), data.of(1));
  CHECK(std::exp(naive->estimate) == near(r.at("naive_ratio_B_over_A")));
  CHECK(std::exp(naive->low(0.95)) == near(r.at("naive_ci").at(0)));
  CHECK(std::exp(naive->high(0.95)) == near(r.at("naive_ci").at(1)));
  CHECK(naive->p() == within(r.at("naive_p")));
  CHECK(std::exp(naive->low(0.95)) > std::exp(r.at("truth_log_effect_B").get<double>()));
  const auto cycle = test::cycle_of(data.hours);
  const auto flat = least_squares({cycle[0], indicators(data.configurations)[0]}, data.logs);
  const auto fit =
      least_squares({cycle[0], indicators(data.configurations)[0], cycle[1], cycle[2]}, data.logs);
  const std::vector<std::string> names{"(Intercept)", "configB", "cos(2 * pi * hour/24)",
                                       "sin(2 * pi * hour/24)"};
  for (std::size_t i = 0; i < names.size(); ++i)
    CHECK(fit->coefficients[i] == within(r.at("harmonic_coef").at(names[i])));
  const double half_width = t_point(fit->df) * fit->errors[1];
  CHECK(fit->coefficients[1] - half_width == within(r.at("harmonic_B_ci").at(0)));
  CHECK(fit->coefficients[1] + half_width == within(r.at("harmonic_B_ci").at(1)));
  const double f = (flat->squares - fit->squares) / 2 / (fit->squares / fit->df);
  CHECK(f == within(r.at("harmonic_F")));
  CHECK(p_of_more(*flat, *fit) == within(r.at("harmonic_F_p")));
}

TEST_CASE("slow nodes at all hours are no daily cycle, as in R") {
  std::vector<double> logs, hours;
  for (const auto& row : test::csv_rows("slow_node.csv")) {
    hours.push_back(number(row.at(2)));
    logs.push_back(std::log(number(row.at(4))));
  }
  const auto found = time_of_day(logs, hours, std::vector<std::size_t>(logs.size(), 0));
  CHECK(found.refused.empty());
  CHECK(found.p == near(test::reference().at("slow_node").at("time_of_day").at("F_p")));
}

TEST_CASE("a cycle needs runs, and hours that are apart") {
  CHECK(time_of_day({1, 2, 3}, {1, 9, 17}, {0, 0, 0}).refused == "3 times of day are too few");
  CHECK(time_of_day({1}, {1}, {0}).refused == "one time of day is too few");
  const std::vector<std::size_t> same(10, 0);
  const std::vector<double> values{1, 2, 1, 2, 1, 2, 1, 2, 1, 2};
  CHECK(time_of_day(values, {23, 23.5, 0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5}, same).refused ==
        "all lie within 4.5 hours of the day");
}

TEST_CASE("whichever configuration is first, and rare, a cycle is the same") {
  const std::vector<std::size_t> counts{3, 60, 60};
  const auto cycle_of = [&](const std::vector<std::size_t>& numbers) {
    std::vector<double> values, hours;
    std::vector<std::size_t> configurations;
    for (std::size_t design = 0; design < counts.size(); ++design) {
      for (std::size_t i = 0; i < counts[design]; ++i) {
        hours.push_back(static_cast<double>((7 * i + 5 * design) % 24));
        values.push_back(0.1 * std::cos((hours.back() - 15) * std::numbers::pi / 12) +
                         0.2 * static_cast<double>(design) + 0.001 * static_cast<double>(i % 5));
        configurations.push_back(numbers[design]);
      }
    }
    return time_of_day(values, hours, configurations);
  };
  for (const auto& numbers : std::vector<std::vector<std::size_t>>{{0, 1, 2}, {2, 1, 0}}) {
    const auto found = cycle_of(numbers);
    CHECK(found.refused.empty());
    CHECK(found.amplitude == Approx(0.1).epsilon(0.02));
    CHECK(found.peak_hour == Approx(15).margin(0.2));
    CHECK(found.inflation < 1.1);
    CHECK(found.p < 1e-9);
  }
}

TEST_CASE("two times of the day are no cycle") {
  for (const double jitter : {0.0, 0.02, 0.2}) {
    std::vector<double> values, hours;
    for (int i = 0; i < 20; ++i) {
      hours.push_back((i % 2 == 0 ? 3 : 15) + jitter * (i % 7));
      values.push_back(i % 3);
    }
    CHECK(time_of_day(values, hours, std::vector<std::size_t>(20, 0)).refused ==
          "all lie near two times of the day");
  }
}

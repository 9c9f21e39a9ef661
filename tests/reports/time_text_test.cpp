// SPDX-License-Identifier: Apache-2.0
#include "reports/time_text.h"

#include "reports/summarize.h"
#include "tests/reports/samples.h"
#include "tests/support/catch.h"

using namespace pippin;

namespace {

std::string text_of(const Summary& row, std::optional<int> decimals = {}) {
  return time_text(row, time_style_for(std::vector<Summary>{row}, decimals, false), decimals);
}

Summary with_interval(double mean, double low, double high) {
  Summary row = test::row_52b("a", mean);
  row.step_time_s->low = low;
  row.step_time_s->high = high;
  return row;
}

/// A row of times that were written down by hand.
Summary noted_row(const std::vector<double>& times_ms) {
  PointSamples samples;
  samples.point = test::point_52b(4, 256);
  samples.point.trainer = kNotedTrainer;
  for (const double time : times_ms) {
    RunSamples run = test::run_of("notes.md:" + std::to_string(samples.runs.size()), {time});
    run.iterations[0].flags = kNoted;
    run.iterations[0].number = 0;
    samples.runs.push_back(std::move(run));
  }
  return test::summarize({samples}, {}).at(0);
}

}  // namespace

TEST_CASE("a time is a mean and half its interval with the digits that mean something") {
  CHECK(text_of(test::row_52b("a", 1.42734)) == "1.43 s");
  CHECK(text_of(with_interval(1.42734, 1.4153, 1.43938)) == "1.427 s ± 0.012");
  CHECK(text_of(with_interval(1.42734, 1.4153, 1.43938), 1) == "1.4 s ± 0.0");
  CHECK(text_of(with_interval(1.42734, 1.4153, 1.43938), 4) == "1.4273 s ± 0.0120");
  // Cut at zero below: the larger side is shown.
  CHECK(text_of(with_interval(1, 0, 3.5)) == "1.00 s ± 2.50");
  CHECK(text_of(Summary{}).empty());
}

TEST_CASE("times are in milliseconds where every one is short") {
  const Summary shorter = test::row_52b("a", 0.0414), longer = test::row_52b("b", 0.1);
  CHECK(text_of(shorter) == "41.4 ms");
  CHECK(text_of(longer) == "0.100 s");
  CHECK(time_text(shorter,
                  time_style_for(std::vector<Summary>{shorter, longer, Summary{}}, {}, false),
                  {}) == "0.0414 s");
  CHECK(time_text(shorter, time_style_for(std::vector<Summary>{shorter, Summary{}}, {}, false),
                  {}) == "41.4 ms");
}

TEST_CASE("marks say what a mean is made of") {
  Summary row = test::row_52b("a", 1.5);
  row.clean = false;
  CHECK(text_of(row) == "1.50 s *");
  row.slowdowns = 1;
  CHECK(text_of(row) == "1.50 s *~");
  row.clean = true;
  CHECK(text_of(row) == "1.50 s ~");
  row.slowdowns = 0;
  row.unsteady = 2;
  CHECK(text_of(row) == "1.50 s ~");
}

TEST_CASE("the parts of times stand below one another where they are to") {
  const std::vector<Summary> rows{with_interval(129.3, 124.8, 133.8), test::row_52b("b", 9.5),
                                  with_interval(10.25, 10.24, 10.26)};
  const TimeStyle style = time_style_for(rows, {}, true);
  CHECK(time_text(rows[0], style, {}) == " 129.3 s ±   4.5");
  CHECK(time_text(rows[1], style, {}) == "  9.50 s");
  CHECK(time_text(rows[2], style, {}) == "10.250 s ± 0.010");
}

TEST_CASE("a time that was noted keeps its digits") {
  const std::vector<std::pair<double, std::string>> cases{
      {661, "0.661 s"},  {1381, "1.381 s"},     {89000, "89 s"},   {126607, "126.607 s"},
      {90500, "90.5 s"}, {104.25, "0.10425 s"}, {61.2, "61.2 ms"}, {7, "7 ms"}};
  for (const auto& [ms, text] : cases) {
    const Summary row = noted_row({ms});
    CHECK(text_of(row) == text);
    CHECK(row.noted);
    CHECK(row.clean);
  }
  CHECK(text_of(noted_row({1381}), 1) == "1.4 s");
}

TEST_CASE(
    "several noted times of a point are a mean without an interval, and show where they lie") {
  const Summary row = noted_row({1381, 1399, 1400});
  CHECK(text_of(row) == "1.39 s (3: 1.381–1.4)");
  CHECK(row.runs == 3);
  CHECK_FALSE(row.step_time_s->low);
  CHECK(row.step_time_s->remark == "noted by hand, in brackets how often and from where to where");
  CHECK(row.step_time_s->mean == Approx((1.381 + 1.399 + 1.4) / 3));
}

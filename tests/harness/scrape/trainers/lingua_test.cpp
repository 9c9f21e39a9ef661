// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/scrape.h"
#include "tests/harness/scrape/trainers/excerpt.h"
#include "tests/support/catch.h"

using namespace pippin;
using namespace pippin::test;

TEST_CASE("lingua's words a second of a GPU are times by its clock") {
  const LogRun run = only_run(excerpt("lingua.log"));
  CHECK(run.point.trainer == "lingua");
  CHECK(steps_of(run) == std::vector<std::int64_t>{10, 20, 30, 40});
  CHECK(times_of(run)[1] == Approx(8192.0 / 12200 * 1000));
  CHECK(intervals_of(run) == std::vector<std::int64_t>{10, 10, 10, 10});
  CHECK(flags_of(run) == std::vector<unsigned>{kFirst | kIntervalMean, kIntervalMean,
                                               kIntervalMean | kAfterSave, kIntervalMean});
  CHECK(run.iterations.at(0).lm_loss == 10.5773);
  CHECK(run.nan_from == 30);
  CHECK(find_value(run.iterations.at(0).other, "power W")->number == 590.123);
  CHECK(run.started_at == 1737367802);
  CHECK_FALSE(run.point.layout.gpus);
}

TEST_CASE("without a clock lingua's rates are no times") {
  const std::string log =
      "step: 10  acc: 0  loss: 10.5773  grad: 1.25e+00  flops: 2.10e+14  wps: 6.12e+03  iter:  "
      "0.6631  data: 0.0012  lr: 1.20e-05  mem: 80%  pow: 590.123 W\n";
  const Scraped found = scrape_parts([&](const auto& take) { take(log); });
  CHECK(found.runs.empty());
  REQUIRE(found.problems.size() == 1);
  CHECK(found.problems.front() ==
        "looks like a log of lingua, but it says tokens a second and GPU, but not how many a GPU "
        "has in a step (gbs, seq and gpus)");
}

TEST_CASE("of a short log of lingua both intervals count") {
  const LogRun run = only_run(
      "0: INFO    24-10-19 18:47:38.013923 - 0:00:49 - step: 1  acc: 0  loss: 12.2087  grad: "
      "1.06e+01  flops: 4.25e+12  wps: 3.95e+02  iter:  8.2273  data: 33.1016  lr: 0.00e+00  mem: "
      "51%  pow: 96.192 W\n"
      "0: INFO    24-10-19 18:47:38.911112 - 0:00:50 - step: 2  acc: 0  loss: 12.2032  grad: "
      "1.08e+01  flops: 1.97e+14  wps: 1.83e+04  iter:  0.8907  data: 0.0015  lr: 6.00e-07  mem: "
      "59%  pow: 398.257 W\n"
      "0: INFO    24-10-19 18:47:39.823625 - 0:00:51 - step: 3  acc: 0  loss: 12.1798  grad: "
      "1.00e+01  flops: 1.96e+14  wps: 1.82e+04  iter:   0.898  data: 0.0014  lr: 1.20e-06  mem: "
      "59%  pow: 391.807 W\n");
  CHECK(times_of(run)[1] == Approx(16384.0 / 18300 * 1000));
}

TEST_CASE("a rate in words is lingua's where its FLOP/s stand before, though the line is cut") {
  const std::string log =
      "0: INFO    24-10-19 18:47:38.013923 - 0:00:49 - step: 1  acc: 0  loss: 12.2087  grad: "
      "1.06e+01  flops: 4.25e+12  wps: 3.95e+02  iter:  8.2273\n"
      "0: INFO    24-10-19 18:47:38.911112 - 0:00:50 - step: 2  acc: 0  loss: 12.2032  grad: "
      "1.08e+01  flops: 1.97e+14  wps: 1.83e+04  it";
  CHECK(only_run(log).point.trainer == "lingua");
  const std::string others =
      "2024-06-13 12:53:42,562 - step: 10  loss: 10.7798  memory: 41.18GiB(43.33%)  wps: 2,792\n"
      "2024-06-13 12:54:04,065 - step: 20  loss: 9.1087  memory: 41.18GiB(43.33%)  wps: 3,812\n";
  CHECK(only_run(others).point.trainer == "torchtitan");
}

#include "reports/plan.h"

#include <catch2/catch.hpp>
#include <sstream>

#include "harness/base/text.h"
#include "tests/reports/golden.h"
#include "tests/reports/samples.h"

using namespace pippin;

namespace {

std::string text_of(const std::string& format, const Sweep& sweep,
                    const std::vector<PlannedJob>& jobs) {
  std::ostringstream out;
  plan_format_named(format).write({sweep, jobs}, out);
  return out.str();
}

}  // namespace

TEST_CASE("plans are as committed in every format") {
  const Sweep sweep = test::planned_sweep();
  const auto jobs = test::planned_jobs();
  CHECK(text_of("terminal", sweep, jobs) == test::golden("plan.txt"));
  CHECK(text_of("csv", sweep, jobs) == test::golden("plan.csv.txt"));
  CHECK(text_of("json", sweep, jobs) == test::golden("plan.json.txt"));
}

TEST_CASE("GPU-hours are unknown without a time limit") {
  Sweep sweep = test::planned_sweep();
  const auto jobs = test::planned_jobs();
  CHECK(most_gpu_hours({sweep, jobs}) == Approx(3 * 64 / 3.0));
  sweep.cluster.scheduler_options.clear();
  CHECK_FALSE(most_gpu_hours({sweep, jobs}));
  CHECK(text_of("terminal", sweep, jobs).find("GPU-hours: unknown") != std::string::npos);
}

TEST_CASE("a job on nodes of any size holds as many GPUs as its largest point") {
  Sweep sweep = test::planned_sweep();
  sweep.cluster.gpus_per_node = 0;
  sweep.points[1].layout.gpus = 128;
  const auto jobs = test::planned_jobs();
  CHECK(gpus_of_jobs({sweep, jobs}) == std::vector<Count>(3, Count(128)));
}

TEST_CASE("a plan of nothing but dropped points still renders") {
  Sweep sweep = test::planned_sweep();
  sweep.points.clear();
  const std::string text = text_of("terminal", sweep, {});
  CHECK(text.find("0 points") != std::string::npos);
  CHECK(text.find("3 points dropped") != std::string::npos);
  CHECK(split(text_of("csv", sweep, {}), '\n').size() == 5);
}

TEST_CASE("bytes that are no UTF-8 do not break JSON") {
  Sweep sweep = test::planned_sweep();
  sweep.points[0].name = "\xff";
  CHECK(text_of("json", sweep, {}).find("\xEF\xBF\xBD") != std::string::npos);
}

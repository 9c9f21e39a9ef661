// SPDX-License-Identifier: Apache-2.0
// Logs of jobs whose ranks print into files of their own.
#include <fmt/format.h>

#include "tests/harness/cli/pippin.h"
#include "tests/harness/scrape/sample_log.h"
#include "tests/support/catch.h"

using namespace pippin;
using Catch::Contains;
using test::Workplace;

namespace {

const std::vector<double> kTimes{5000, 412, 420, 409, 433, 407, 410, 452, 409, 404, 411, 430};

std::string rows(double factor, std::size_t count = 100) {
  std::string text;
  for (std::size_t i = 0; i < std::min(count, kTimes.size()); ++i)
    text += test::row(static_cast<int>(i) + 1, kTimes[i] * factor, 0, 20);
  return text;
}

/// What rank R of four prints.
std::string log_of(int rank, std::size_t count = 100) {
  return test::dump() + rows(1 + 0.002 * rank, count);
}

void write_ranks(const Workplace& here, const std::string& name, std::size_t count = 100) {
  for (int rank = 0; rank < 4; ++rank)
    here.write(fmt::format(fmt::runtime(name), rank), log_of(rank, count));
}

std::string runs(const Workplace& here) {
  return here.sql(
      "SELECT count(DISTINCT runs.id) || ' runs, ' || count(*) || ' lines, ' || max(step_time_ms) "
      "FROM runs LEFT JOIN iterations ON iterations.run = runs.id");
}

constexpr const char* kOneRun = "1 runs, 12 lines, 5030.0";

}  // namespace

TEST_CASE("files that are numbered by rank and agree in their steps are one run") {
  const Workplace here;
  write_ranks(here, "logs/out.{}");
  const auto call = here.pippin("collect logs");
  CHECK_THAT(call.err, Contains("1 log, 1 run, 12 iterations added") &&
                           Contains("logs/out.{rank}: 4 files, taken for the ranks of one job"));
  CHECK(runs(here) == kOneRun);
  CHECK(here.sql("SELECT count(*) FROM other_values WHERE name = 'ranks' AND number = 4") == "12");
}

TEST_CASE("files of a job that are collected again add what came") {
  const Workplace here;
  write_ranks(here, "logs/out.{}", 4);
  CHECK_THAT(here.pippin("collect logs").err, Contains("1 run, 4 iterations"));
  CHECK_THAT(here.pippin("collect logs").err, Contains("nothing added"));
  write_ranks(here, "logs/out.{}");
  CHECK_THAT(here.pippin("collect logs").err, Contains("8 iterations added"));
  CHECK(runs(here) == kOneRun);
}

TEST_CASE("files of a job that become old are known together") {
  const Workplace here;
  write_ranks(here, "logs/out.{}", 4);
  here.shell("touch -d '1 hour ago' logs/out.*");
  here.pippin("collect logs");
  CHECK_THAT(here.pippin("collect logs").err, Contains("nothing added; 4 logs known already"));
  here.write("logs/out.2", log_of(2, 6));
  CHECK_THAT(here.pippin("collect logs").err, Contains("2 iterations added"));
  CHECK(here.sql("SELECT count(*) FROM runs") == "1");
}

TEST_CASE("the first rank's header and the last one's lines are one run") {
  const Workplace here;
  here.write("logs/out.0", test::dump());
  for (int rank = 1; rank < 3; ++rank)
    here.write(fmt::format("logs/out.{}", rank), "hello\nworld\n");
  here.write("logs/out.3", rows(1));
  CHECK_THAT(here.pippin("collect logs").err, Contains("1 log, 1 run, 12 iterations added"));
  CHECK(here.sql("SELECT gpus || ' ' || tp FROM points") == "4 2");
}

TEST_CASE("files that were stored alone become one run as the others come") {
  const Workplace here;
  write_ranks(here, "logs/rank{}.log");
  here.pippin("collect logs/rank0.log");
  here.pippin("collect logs/rank1.log");
  CHECK(here.sql("SELECT count(*) FROM runs") == "2");
  here.pippin("collect logs");
  CHECK(runs(here) == kOneRun);
  CHECK(here.sql("SELECT count(*) FROM logs") == "1");
  CHECK(here.sql("SELECT count(*) FROM points") == "1");
}

TEST_CASE("repeats that are numbered from 0 stay repeats") {
  const Workplace here;
  for (int repeat = 0; repeat < 4; ++repeat) {
    std::string text = test::dump();
    for (int i = 1; i <= 12; ++i)
      text += test::row(i, (i == 1 ? 5000 : 400) + (i * 7919 + repeat * 104729) % 83, 0, 20);
    here.write(fmt::format("logs/run-{}.log", repeat), text);
  }
  const auto call = here.pippin("collect logs");
  CHECK_THAT(call.err, Contains("4 logs, 4 runs, 48 iterations added") && !Contains("ranks"));
}

TEST_CASE("torchrun's folders are one run, whichever stream has the lines") {
  const Workplace here;
  for (int rank = 0; rank < 4; ++rank) {
    const std::string folder = fmt::format("logs/none_ab/attempt_0/{}", rank);
    here.write(folder + "/stdout.log", rank == 0 ? "hello\n" : "");
    here.write(folder + "/stderr.log", log_of(rank));
  }
  CHECK_THAT(here.pippin("collect logs").err, Contains("1 log, 1 run, 12 iterations added"));
  CHECK(runs(here) == kOneRun);
}

TEST_CASE("a rank whose own file says that memory ran out ends its job") {
  const Workplace here;
  write_ranks(here, "logs/rank{}.out", 3);
  here.write("logs/rank2.out", "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried\n");
  here.pippin("collect logs");
  CHECK(here.sql("SELECT group_concat(state) FROM runs") == "oom");
}

TEST_CASE("a person says which files are of one job, or that none are") {
  const Workplace here;
  for (const char* node : {"n1", "n2"}) {
    for (int rank = 0; rank < 2; ++rank)
      here.write(fmt::format("logs/7.{}.{}.txt", node, rank), log_of(rank));
  }
  CHECK_THAT(here.pippin("collect --ranks '{job}.{node}.{rank}.txt' logs").err,
             Contains("1 log, 1 run, 12 iterations added"));
  const Workplace apart;
  write_ranks(apart, "logs/out.{}");
  CHECK_THAT(apart.pippin("collect --ranks none logs").err, Contains("4 logs, 4 runs"));
  CHECK_THAT(apart.pippin("collect --ranks 'out.{rank}' logs").err, Contains("nothing added"));
  CHECK(runs(apart) == kOneRun);
  const auto unfit = here.pippin("collect --ranks 'output.{rank}' logs");
  CHECK(unfit.exit_code == 2);
  CHECK_THAT(unfit.err, Contains("--ranks 'output.{rank}': fits none of the files"));
  const auto wrong = here.pippin("collect --ranks 'out.*' logs");
  CHECK(wrong.exit_code == 2);
  CHECK_THAT(wrong.err, Contains("it has no {rank}"));
}

TEST_CASE("files whose names say rank and which contradict each other stay logs") {
  const Workplace here;
  here.write("logs/rank0.log", log_of(0));
  std::string other = log_of(1);
  other.replace(other.find(" 64\n"), 4, " 32\n");
  here.write("logs/rank1.log", other);
  const auto call = here.pippin("collect logs");
  CHECK_THAT(call.err, Contains("2 logs, 2 runs") &&
                           Contains("logs/rank{rank}.log: by their names the 2 files are of one"));
}

TEST_CASE("a file of a rank that cannot be read takes nothing from the others") {
  const Workplace here;
  write_ranks(here, "logs/rank{}.log");
  here.shell("gzip <logs/rank1.log | head -c 300 >cut; mv cut logs/rank1.log");
  CHECK_THAT(here.pippin("collect logs").err, Contains("rank1.log"));
  CHECK(runs(here) == kOneRun);
}

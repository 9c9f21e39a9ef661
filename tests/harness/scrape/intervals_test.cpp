// SPDX-License-Identifier: Apache-2.0
#include "tests/harness/scrape/sample_log.h"
#include "tests/harness/scrape/trainers/excerpt.h"
#include "tests/support/catch.h"

using namespace pippin;
using test::argument;
using test::dump;
using test::flags_of;
using test::intervals_of;
using test::only_run;
using test::row;

TEST_CASE("the first and the skipped iterations are flagged") {
  CHECK(flags_of(only_run(dump() + row(1, 100, 1) + row(2, 90) + row(3, 91, 1))) ==
        std::vector<unsigned>{kFirst | kSkippedStep, 0, kSkippedStep});
}

TEST_CASE("the iteration after a save or an evaluation is flagged") {
  const auto run = only_run(
      dump() + row(1, 100) + "saving checkpoint at iteration       2 to /x\n" + row(2, 90) +
      "  successfully saved checkpoint at iteration       2 to /x\n" + row(3, 200) +
      " validation loss at iteration 3 | lm loss value: 7.4E+00 | lm loss PPL: 1.7E+03 | \n" +
      row(4, 150) + row(5, 91) + "time (ms) | save-checkpoint: 57514.53\n" + row(6, 91));
  CHECK(flags_of(run) ==
        std::vector<unsigned>{kFirst, 0, kAfterSave, kAfterEvaluation, 0, kAfterSave});
}

TEST_CASE("an evaluation on a task is one as that on the validation set is") {
  const auto run = only_run(dump() + row(1, 100) + row(2, 90) +
                            " validation results on LAMBADA | number correct: 3.5650E+03 | total "
                            "examples: 5.1530E+03 | avg accuracy: 6.9183E-01\n" +
                            row(3, 900));
  CHECK(flags_of(run) == std::vector<unsigned>{kFirst, 0, kAfterEvaluation});
}

TEST_CASE("an evaluation that reports late still flags the iteration that held it") {
  const auto run = only_run(dump() + row(1, 100) + row(2, 90) + row(3, 91) +
                            " validation loss at iteration 1 | lm loss value: 7.4E+00 |\n");
  CHECK(flags_of(run) == std::vector<unsigned>{kFirst, kAfterEvaluation, 0});
}

TEST_CASE("means over an interval are flagged with its length") {
  const auto run =
      only_run(dump(argument("log_interval", "10")) + row(10, 100) + row(20, 90) + row(40, 90));
  CHECK(intervals_of(run) == std::vector<std::int64_t>{10, 10, 10});
  CHECK(flags_of(run) ==
        std::vector<unsigned>{kFirst | kIntervalMean, kIntervalMean, kIntervalMean});
}

TEST_CASE("without log_interval the numbers tell the interval") {
  const auto run = only_run(dump() + row(5, 100) + row(10, 90) + row(20, 90));
  CHECK(intervals_of(run) == std::vector<std::int64_t>{5, 5, 5});
}

TEST_CASE("a lone line of which nothing tells the interval may be a mean") {
  const auto flags = [](const std::string& text) { return flags_of(only_run(text)); };
  CHECK(flags(row(7, 100)) == std::vector<unsigned>{kIntervalMean});
  CHECK(intervals_of(only_run(dump() + row(7, 100))) == std::vector<std::int64_t>{1});
  CHECK(flags(dump() + row(1, 100)) == std::vector<unsigned>{kFirst});
  CHECK(flags(dump(argument("log_interval", "1")) + row(7, 100)) == std::vector<unsigned>{kFirst});
}

TEST_CASE("a launch that goes on off its grid is read by the grid") {
  for (const int first : {16, 17}) {
    CAPTURE(first);
    const auto run = only_run(dump() + row(first, 900) + row(20, 100) + row(30, 90) + row(40, 91));
    CHECK(intervals_of(run) == std::vector<std::int64_t>{10, 20 - first, 10, 10});
    CHECK((run.iterations.at(2).flags & kIntervalMean) != 0);
  }
}

TEST_CASE("a lone line is the mean of all iterations where the clock says so") {
  const auto begun = [](int second) {
    return fmt::format(
        "[before the start of training step] datetime: 2025-08-28 16:33:{:02}\n"
        " [2025-08-28 16:34:06] iteration       20/     128 | elapsed time per iteration (ms): "
        "659.7 | global batch size:     8 |\n",
        second);
  };
  const auto mean = only_run(begun(53));
  CHECK(intervals_of(mean) == std::vector<std::int64_t>{20});
  CHECK(flags_of(mean) == std::vector<unsigned>{kFirst | kIntervalMean});
  CHECK(intervals_of(only_run(begun(3))) == std::vector<std::int64_t>{1});
}

TEST_CASE("today's second line still contains the first iteration") {
  const auto dated = [](int number) { return " [2024-04-06 03:02:12]" + row(number, 100); };
  const auto each = only_run(dump(argument("log_interval", "1")) + dated(1) + dated(2) + dated(3));
  CHECK(flags_of(each) == std::vector<unsigned>{kFirst, kFirst | kIntervalMean, 0});
  CHECK(intervals_of(each) == std::vector<std::int64_t>{1, 2, 1});
  const auto tenth =
      only_run(dump(argument("log_interval", "10")) + dated(1) + dated(10) + dated(20));
  CHECK(intervals_of(tenth) == std::vector<std::int64_t>{1, 10, 10});
  CHECK(flags_of(tenth) == std::vector<unsigned>{kFirst, kFirst | kIntervalMean, kIntervalMean});
  const auto grid = only_run(dump(argument("log_interval", "10")) + dated(10) + dated(20));
  CHECK(flags_of(grid) == std::vector<unsigned>{kFirst | kIntervalMean, kIntervalMean});
  CHECK(tenth.started_at == 1712372532);
}

TEST_CASE("by their clock a second line may be of the second iteration alone") {
  const auto line = [](const std::string& at, int number, double time_ms) {
    return fmt::format(
        " [2025-08-01 {}] iteration {:8}/ 5000 | elapsed time per iteration (ms): {:.1f} |\n", at,
        number, time_ms);
  };
  const auto alone = only_run(line("07:19:37", 1, 19138.8) + line("07:19:50", 2, 12936.1) +
                              line("07:20:03", 3, 12978.1));
  CHECK(intervals_of(alone) == std::vector<std::int64_t>{1, 1, 1});
  CHECK(flags_of(alone) == std::vector<unsigned>{kFirst, 0, 0});
  const auto mean = only_run(line("13:08:16", 1, 30497.4) + line("13:08:17", 2, 15624.7) +
                             line("13:08:18", 3, 729.5));
  CHECK(intervals_of(mean) == std::vector<std::int64_t>{1, 2, 1});
  // With the first iteration it would be longer, whatever the clock says.
  const auto shorter = only_run(line("06:22:40", 1, 21648.3) + line("06:29:43", 2, 3156.5) +
                                line("06:29:47", 3, 3115.0));
  CHECK(intervals_of(shorter) == std::vector<std::int64_t>{1, 1, 1});
  // Whole seconds do not tell of so little.
  const auto unclear = only_run(line("07:19:37", 1, 1100.0) + line("07:19:38", 2, 1000.0));
  CHECK(intervals_of(unclear) == std::vector<std::int64_t>{1, 2});
}

TEST_CASE("without an interval of the dump what divides the numbers of lines is it") {
  const auto log = [](std::initializer_list<int> numbers) {
    std::string lines;
    for (int number : numbers)
      lines += fmt::format(" iteration {}/ 99 | elapsed time per iteration (ms): 5.0 |\n", number);
    return only_run(lines);
  };
  CHECK(intervals_of(log({10, 20, 40, 50})) == std::vector<std::int64_t>{10, 10, 10, 10});
  CHECK(intervals_of(log({20, 40, 50})) == std::vector<std::int64_t>{10, 10, 10});
  CHECK(intervals_of(log({7})) == std::vector<std::int64_t>{1});
  // Lines are left out of what people quote.
  CHECK(intervals_of(log({200, 1000})) == std::vector<std::int64_t>{200, 200});
  CHECK(intervals_of(log({7000, 7010, 7220})) == std::vector<std::int64_t>{10, 10, 10});
  CHECK(flags_of(log({10, 20})) == std::vector<unsigned>{kFirst | kIntervalMean, kIntervalMean});
  CHECK(flags_of(log({30, 40})) == std::vector<unsigned>{kIntervalMean, kIntervalMean});
  CHECK(flags_of(log({1, 2})) == std::vector<unsigned>{kFirst, 0});
  CHECK(flags_of(log({2, 3})) == std::vector<unsigned>{0, 0});
}

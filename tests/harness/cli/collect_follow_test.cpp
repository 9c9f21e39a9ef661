// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "core/base/text.h"
#include "tests/harness/cli/pippin.h"
#include "tests/harness/scrape/sample_log.h"
#include "tests/support/catch.h"

using namespace pippin;
using Catch::Contains;
using test::Workplace;

namespace {

/// A shell that follows some logs: `wait_for TEXT` until its output holds that often enough.
std::string following(const std::string& paths, const std::string& then) {
  return "\"$PIPPIN\" --db t.db collect --follow " + paths +
         " >out 2>&1 & pid=$!\n"
         "wait_for() { until grep -q \"$1\" out; do kill -0 $pid || exit 99; sleep 0.02; done; }\n"
         "wait_for following\n" +
         then + "kill -INT $pid; wait $pid; echo \"code $?\"; cat out\n";
}

std::string rows(int from, int to) {
  std::string text;
  for (int i = from; i <= to; ++i) text += test::row(i, 1000 + i);
  return text;
}

}  // namespace

TEST_CASE("collect --follow reads what comes to a log, as one reading at the end does") {
  const Workplace here;
  const std::string cut = test::row(13, 1013);
  here.write("a", test::dump() + rows(1, 4));
  here.write("b", rows(5, 12) + cut.substr(0, 90));
  here.write("c", cut.substr(90) + rows(14, 14) + "torch.OutOfMemoryError: CUDA out of memory.\n");
  const auto call =
      here.shell("cat a >train.log; cp c later\n" +
                 following("train.log",
                           "wait_for '1 log, 1 run, 4 iterations added'\n"
                           "cat b >>train.log; wait_for '0 runs, 8 iterations added'\n"
                           "cat c >>train.log; wait_for '0 runs, 2 iterations added'\n"));
  CHECK_THAT(call.out, Contains("code 0"));
  CHECK(here.shell("\"$PIPPIN\" --db whole.db collect train.log").exit_code == 0);
  const std::string dump =
      "for db in t whole; do sqlite3 $db.db 'SELECT * FROM iterations; SELECT state, evidence, "
      "last_iteration FROM runs; SELECT size_bytes, content_hash FROM logs' >$db.txt; done\n"
      "cmp t.txt whole.txt && wc -l <t.txt";
  const auto same = here.shell(dump);
  CHECK(same.exit_code == 0);
  CHECK(trim(same.out) == "16");
}

TEST_CASE("collect --follow waits for logs that are not there yet, and says so once") {
  const Workplace here;
  here.write("a", test::dump() + rows(1, 4));
  const auto call = here.shell(
      "mkdir logs\n" + following("train.log logs",
                                 "wait_for 'train.log: cannot read'\n"
                                 "cp a logs/other.log; wait_for '1 log, 1 run, 4 iterations'\n"
                                 "{ cat a; tail -n 1 a | sed 's/ 4/ 5/'; } >train.log\n"
                                 "wait_for '0 logs, 0 runs, 1 iteration added'\n"));
  CHECK_THAT(call.out, Contains("code 0"));
  CHECK(here.shell("grep -c 'cannot read: No such' out").out == "1\n");
}

TEST_CASE("collect --follow reads a pipe once, and goes on with the logs beside it") {
  const Workplace here;
  here.write("a", test::dump() + rows(1, 4));
  const auto call = here.shell(
      "mkfifo pipe; cat a >pipe & { cat a; tail -n 1 a | sed 's/ 4/ 5/'; } >train.log\n" +
      following("pipe train.log",
                "tail -n 1 train.log | sed 's/ 5/ 6/' >>train.log\n"
                "wait_for '0 logs, 0 runs, 1 iteration added'\n"));
  CHECK_THAT(call.out, Contains("code 0"));
}

TEST_CASE("collect --follow ends with an error where a file that was named is no log") {
  const Workplace here;
  const auto call = here.shell("echo hello >train.log\n" + following("train.log", ""));
  CHECK_THAT(call.out, Contains("code 2"));
  CHECK_THAT(call.out, Contains("train.log: holds no iterations"));
}

// SPDX-License-Identifier: Apache-2.0
// What collect makes of logs that do not say what ran, and what people say of them.
#include <fmt/format.h>

#include "core/base/text.h"
#include "tests/harness/cli/pippin.h"
#include "tests/harness/scrape/sample_log.h"
#include "tests/support/catch.h"

using namespace pippin;
using Catch::Contains;
using test::Workplace;

namespace {

std::string log_of(double ms) {
  std::string text;
  for (int i = 1; i <= 5; ++i) text += test::row(i, ms + i);
  return text;
}

/// Three logs whose names alone say what ran.
void write_logs(const Workplace& here) {
  here.write("logs/52B-mbs-4-pp8.log", log_of(1000));
  here.write("logs/52B-mbs-4-pp16.log", log_of(2000));
  here.write("logs/40B-mbs-2-pp8.log", log_of(3000));
}

std::string points(const Workplace& here) {
  return here.sql(
      "SELECT group_concat(size || '/' || mbs || '/' || pp, ' ') FROM (SELECT * FROM "
      "points ORDER BY size, mbs, pp)");
}

std::string told(const Workplace& here) {
  return here.sql(
      "SELECT group_concat(pair, ' ') FROM (SELECT json_extract(value, '\\$[0]') || '=' || "
      "json_extract(value, '\\$[1]') AS pair FROM logs, json_each(told) ORDER BY pair)");
}

}  // namespace

TEST_CASE("logs that do not say what ran are a point each, however often they are read") {
  const Workplace here;
  write_logs(here);
  here.pippin("collect logs");
  here.pippin("collect logs");
  CHECK(here.sql("SELECT count(*) FROM points") == "3");
  CHECK(here.sql("SELECT count(DISTINCT point) FROM runs") == "3");
  here.write("logs/40B-mbs-2-pp8.log", log_of(3000) + test::row(6, 3006));
  here.pippin("collect logs");
  CHECK(here.sql("SELECT count(*) FROM points") == "3");
  CHECK_THAT(here.pippin("report --format csv --columns log,step_time").out,
             Contains("40B-mbs-2-pp8"));
}

TEST_CASE("two logs of one name that do not say what ran stay apart when databases are merged") {
  const Workplace here;
  here.write("a/main.log", log_of(1000));
  here.write("b/main.log", log_of(2000));
  here.pippin("collect a");
  here.shell("$PIPPIN --db other.db collect b");
  here.pippin("merge other.db");
  CHECK(here.sql("SELECT count(DISTINCT point) FROM runs") == "2");
}

TEST_CASE("the names of logs say what ran, also of logs that are known") {
  const Workplace here;
  write_logs(here);
  here.pippin("collect logs");
  CHECK(here.pippin("collect --from-name '{size}B-mbs-{mbs}-pp{pp}' logs").exit_code == 0);
  CHECK(points(here) == "40B/2/8 52B/4/8 52B/4/16");
  here.write("logs/52B-mbs-4-pp8.again.log", log_of(1010));
  here.pippin("collect --from-name '{size}B-mbs-{mbs}-pp{pp}' logs");
  CHECK(here.sql("SELECT count(*) FROM points") == "3");  // a repeat
  here.write("logs/40B-mbs-2-pp8.log", log_of(3000) + test::row(6, 3006));
  here.pippin("collect logs");  // what was said stays
  CHECK(points(here) == "40B/2/8 52B/4/8 52B/4/16");
}

TEST_CASE("options and files beside logs say what ran, and the nearest counts") {
  const Workplace here;
  here.write("logs/a.log", log_of(1000));
  here.write("logs/b.log", log_of(2000));
  here.write("logs/logs.pippin.yaml", "size: 52B\ntp: 4\nmbs: 1\npp: 1\n");
  here.write("logs/b.log.pippin.yaml", "mbs: 2\n");
  here.pippin("collect --set pp=16 logs");
  CHECK(points(here) == "52B/1/16 52B/2/16");
  CHECK(here.sql("SELECT min(tp) || max(tp) FROM points") == "44");
}

TEST_CASE("what cannot be said of a log is refused in one line") {
  const Workplace here;
  write_logs(here);
  const auto call = here.pippin("collect --set tp logs");
  CHECK(call.exit_code == 2);
  CHECK_THAT(call.err, Contains("--set 'tp': is not like tp=4"));
  CHECK_THAT(here.pippin("collect --set tp=x logs/40B-mbs-2-pp8.log").err,
             Contains("tp: 'x' is no whole number above 0"));
  CHECK_THAT(here.pippin("collect --from-name 'run' logs").err, Contains("has no field"));
  CHECK_THAT(here.pippin("collect --from-name 'x{tp}x' logs").err,
             Contains("--from-name does not fit its name"));
}

TEST_CASE("what was said of a log counts until something else is said, or it is taken back") {
  const Workplace here;
  here.write("a.log", log_of(1000));
  here.pippin("collect --set tp=8 --set size=7B a.log");
  const auto more = here.pippin("collect --set accelerator=h100 a.log");
  CHECK_THAT(more.err, Contains("nothing added; 1 log described anew"));
  CHECK(told(here) == "accelerator=h100 size=7B tp=8");
  CHECK(here.sql("SELECT size || tp FROM points") == "7B8");
  here.pippin("collect --set tp=4 --set size= a.log");
  CHECK(told(here) == "accelerator=h100 tp=4");
  CHECK_THAT(here.pippin("collect --set tp=4 a.log").err, Contains("1 log known already"));
  here.write("a.log", log_of(1000) + test::row(6, 1006));
  here.shell("mkdir elsewhere && cd elsewhere && $PIPPIN --db ../t.db collect ..");
  CHECK(told(here) == "accelerator=h100 tp=4");
  CHECK(here.sql("SELECT tp || count(*) FROM points") == "41");
  here.pippin("collect --set tp= --set accelerator= a.log");
  CHECK(here.sql("SELECT count(told) FROM logs") == "0");
  CHECK(here.sql("SELECT tp IS NULL FROM points") == "1");
}

TEST_CASE("what was said of a log is found by what it is, wherever it lies") {
  for (const char* move : {"mv a.log b.log", "cp a.log b.log", "gzip a.log && mv a.log.gz b.log"}) {
    CAPTURE(move);
    const Workplace here;
    here.write("a.log", log_of(1000));
    here.pippin("collect --set tp=8 --set gpus=64 a.log");
    here.shell(move);
    CHECK_THAT(here.pippin("collect --set queue=fast b.log").err, Contains("1 log described anew"));
    CHECK(told(here) == "gpus=64 queue=fast tp=8");
    CHECK(here.sql("SELECT tp || ' ' || dp FROM points") == "8 8");
    here.pippin("collect --set tp= b.log");
    CHECK(told(here) == "gpus=64 queue=fast");
  }
}

TEST_CASE("another log at the place of one of which something was said has nothing of it") {
  const Workplace here;
  std::string begin;
  for (int i = 1; i <= 40; ++i) begin += test::row(i, 1000 + i);  // beyond the head
  REQUIRE(begin.size() > 4096);
  here.write("a.log", begin + test::row(41, 1000));
  here.pippin("collect --set queue=fast a.log");
  here.write("a.log", begin + test::row(41, 2000));
  here.pippin("collect a.log");
  CHECK(here.sql("SELECT count(*), count(told) FROM logs") == "2|1");
}

TEST_CASE("a file beside logs takes back what it says no value of, and the last --set counts") {
  const Workplace here;
  here.write("logs/a.log", log_of(1000));
  here.write("logs/logs.pippin.yaml", "tp: 4\nqueue: fast\n");
  here.pippin("collect logs");
  here.write("logs/logs.pippin.yaml", "tp: 4\nqueue:\n");
  here.pippin("collect logs");
  CHECK(told(here) == "tp=4");
  here.pippin("collect --set tp=2 --set tp=8 logs");
  CHECK(told(here) == "tp=8");
}

TEST_CASE("what a later launch of a log says otherwise is named, too") {
  const Workplace here;
  std::string first = test::dump();
  first.replace(first.find(" 32\n"), 4, " 64\n");
  here.write("a.log", first + log_of(1000) + test::dump() + log_of(1000));
  CHECK_THAT(here.pippin("collect --set seq=64 a.log").err,
             Contains("it says seq 32; what you say counts"));
}

TEST_CASE("what is said beside a log's own words stays as the log grows, wherever it lies") {
  const Workplace here;
  here.write("a.log", test::dump() + log_of(1000));
  here.pippin("collect --set queue=fast a.log");
  here.shell("mv a.log b.log");
  here.write("b.log", test::dump() + log_of(1000) + test::row(6, 1006));
  here.pippin("collect b.log");
  CHECK(here.sql("SELECT count(*) FROM runs") == "1");
  CHECK(here.sql("SELECT text FROM point_axes WHERE name = 'queue'") == "fast");
}

TEST_CASE("what is said of a log and contradicts it, or itself, is named") {
  const Workplace here;
  here.write("logs/a.log", log_of(1000));
  const auto odd = here.pippin("collect --set gpus=7 --set tp=4 logs");
  CHECK(odd.exit_code == 2);
  CHECK_THAT(odd.err, Contains("logs/a.log: gpus 7 is no multiple of tp 4"));
  here.pippin("collect --set tp=2 --set dp=4 --set pp=1 --set cp=1 logs");
  CHECK_THAT(here.pippin("collect --set gpus=16 logs").err,
             Contains("gpus 16 is not tp 2 x pp 1 x cp 1 x dp 4"));
  CHECK_THAT(here.pippin("collect --set gpu=8 logs").err,
             Contains("'gpu' is taken for an axis of your own; if gpus was meant"));
  here.write("said.log", test::dump() + log_of(1000));
  CHECK_THAT(here.pippin("collect --set tp=1 said.log").err,
             Contains("it says tp 2; what you say counts"));
}

TEST_CASE("collect --explain says of each line what it gives, and stores nothing") {
  const Workplace here;
  here.write("run.log", test::dump() + log_of(1000) + "note: iteration 5 was fine, time 3 s\n");
  const auto call = here.pippin("collect --explain run.log");
  CHECK(call.exit_code == 0);
  CHECK_THAT(call.out, Contains("iteration 5: 1005 ms"));
  CHECK_THAT(call.out, Contains("a launch begins"));
  CHECK_THAT(call.out, Contains("a launch of megatron: 5 lines"));
  CHECK_FALSE(fs::exists(here.path() / "pippin.db"));
  here.write("odd.log", "train step 5 took time 3.1 s, loss 2\nnothing here\n");
  const auto odd = here.pippin("collect --explain odd.log");
  CHECK(odd.exit_code == 2);
  CHECK_THAT(odd.out, Contains("look most like a step's") && Contains("train step 5 took"));
}

// SPDX-License-Identifier: Apache-2.0
// Which kinds of files collect reads: compressed, of other characters, with holes, from pipes.
#include <fmt/format.h>

#include "core/base/text.h"
#include "tests/harness/cli/pippin.h"
#include "tests/harness/scrape/sample_log.h"
#include "tests/support/catch.h"
#include "tests/support/compress.h"
#include "tests/support/skip.h"

using namespace pippin;
using Catch::Contains;
using test::Workplace;

namespace {

std::string rows(int from, int to) {
  std::string text;
  for (int i = from; i <= to; ++i) text += test::row(i, 1000 + i);
  return text;
}

std::string utf16(const std::string& text, bool big) {
  std::string wide = big ? "\xfe\xff" : "\xff\xfe";
  for (const char c : text) wide += big ? std::string{'\0', c} : std::string{c, '\0'};
  return wide;
}

/// What collecting a file says, without the newline.
std::string collected(const Workplace& here, const std::string& words) {
  return std::string(trim(here.pippin("collect " + words).err));
}

std::string times(const Workplace& here) {
  return here.sql("SELECT group_concat(iteration || ':' || step_time_ms, ' ') FROM iterations");
}

}  // namespace

TEST_CASE("a log and its compressed copy are one log, and one that grew before goes on") {
  for (const auto& program : test::compressors()) {
    CAPTURE(program);
    const Workplace here;
    const std::string first = test::dump() + rows(1, 20), whole = first + rows(21, 50);
    here.write("run.log", first);
    CHECK(collected(here, "run.log") == "1 log, 1 run, 20 iterations added");
    test::compress(program, first, here.path() / "run.log.z");
    CHECK(collected(here, "run.log.z") == "nothing added; 1 log known already");
    fs::remove(here.path() / "run.log");
    test::compress(program, whole, here.path() / "run.log.1.z");
    CHECK(collected(here, "run.log.1.z") == "0 logs, 0 runs, 30 iterations added");
    here.write("run.log", whole + rows(51, 51));
    CHECK(collected(here, "run.log") == "0 logs, 0 runs, 1 iteration added");
    CHECK(here.sql("SELECT count(*) FROM logs") == "1");
    CHECK(here.sql("SELECT size_bytes FROM logs") ==
          std::to_string(whole.size() + rows(51, 51).size()));
  }
}

TEST_CASE("a compressed log of many parts is the one that was read as it was") {
  const Workplace here;
  const std::string filler(3'000'000, '.');
  test::compress("gzip", test::dump() + rows(1, 3) + filler + "\n" + rows(4, 9),
                 here.path() / "main.log.gz");
  CHECK(collected(here, "main.log.gz") == "1 log, 1 run, 9 iterations added");
  CHECK(here.sql("SELECT name FROM runs") == "main");
  here.write("main.log", test::dump() + rows(1, 3) + filler + "\n" + rows(4, 9) + rows(10, 10));
  CHECK(collected(here, "main.log") == "0 logs, 0 runs, 1 iteration added");
  CHECK(collected(here, "main.log.gz") == "nothing added; 1 log known already");
}

TEST_CASE("a torn compressed log is refused by its place, and the others are read") {
  const Workplace here;
  test::compress("gzip", test::dump() + rows(1, 300), here.path() / "a.log.gz");
  here.write("b.log", test::dump() + rows(1, 4));
  fs::resize_file(here.path() / "a.log.gz", 1000);
  const auto call = here.pippin("collect a.log.gz b.log");
  CHECK(call.exit_code == 2);
  CHECK_THAT(call.err,
             Contains("pippin: a.log.gz: is cut off: it ends at byte 1000 in the midst") &&
                 Contains("'gzip -dc'") && Contains("1 log, 1 run, 4 iterations added"));
}

TEST_CASE("UTF-16, as Windows writes it, and a mark in front are read as any log") {
  const std::string text = test::dump() + rows(1, 20);
  for (const auto& bytes : {utf16(text, false), utf16(text, true), "\xef\xbb\xbf" + text}) {
    const Workplace here;
    here.write("run.log", bytes);
    CHECK(collected(here, "run.log") == "1 log, 1 run, 20 iterations added");
    here.write("plain.log", text);
    CHECK(collected(here, "plain.log") == "nothing added; 1 log known already");
  }
}

TEST_CASE("a log with a hole is read but for the lines that the hole has cut") {
  const std::string row = test::row(3, 12345.6), hole(100'000, '\0');
  const auto place = row.find("12345.6") + 2;
  const std::string cut = row.substr(0, place) + hole + row.substr(place);
  for (const std::string& log :
       {test::dump() + rows(1, 2) + cut + rows(4, 5),
        hole + row.substr(place) + test::dump() + rows(1, 2) + rows(4, 5) + hole}) {
    const Workplace here;
    here.write("run.log", log);
    CHECK(collected(here, "run.log") == "1 log, 1 run, 4 iterations added");
    CHECK(times(here) == "1:1001.0 2:1002.0 4:1004.0 5:1005.0");
    here.write("run.log", log + "\n" + test::row(6, 1006));
    CHECK_THAT(collected(here, "run.log"), Contains("0 logs, 0 runs, 1 iteration added"));
  }
}

TEST_CASE("standard input is a log: -, /dev/stdin, a process") {
  const Workplace here;
  test::compress("gzip", test::dump() + rows(1, 4), here.path() / "run.log.gz");
  const auto code = [&](const std::string& db, const std::string& command) {
    const auto call = here.shell("export P=\"$PIPPIN --db " + db + " collect\"; " + command);
    CHECK(call.err == "1 log, 1 run, 4 iterations added\n");
    return call.exit_code;
  };
  CHECK(code("1.db", "gzip -dc run.log.gz | $P -") == 0);
  CHECK(code("2.db", "gzip -dc run.log.gz | $P /dev/stdin") == 0);
  CHECK(code("3.db", "$P <(gzip -dc run.log.gz)") == 0);
  CHECK(code("4.db", "$P - <run.log.gz") == 0);
  CHECK(code("5.db", "cat run.log.gz | $P -") == 0);
  // A file is a file, by whatever way it came.
  CHECK(here.shell("sqlite3 4.db 'SELECT path FROM logs'").out ==
        fs::canonical(here.path() / "run.log.gz").string() + "\n");
  const auto empty = here.shell("\"$PIPPIN\" --db 6.db collect - </dev/null");
  CHECK(empty.exit_code == 2);
  CHECK(empty.err == "pippin: /dev/stdin: is empty\n");
}

TEST_CASE("what is no file is refused in one line, and holds nobody up") {
  const Workplace here;
  here.write("run.log", test::dump() + rows(1, 4));
  const auto call =
      here.shell("mkfifo fifo; timeout 20 \"$PIPPIN\" --db t.db collect fifo /dev/zero run.log");
  CHECK(call.exit_code == 2);
  CHECK_THAT(call.err, Contains("pippin: fifo: is a FIFO that nobody writes to") &&
                           Contains("pippin: /dev/zero: is a device, not a file") &&
                           Contains("1 log, 1 run, 4 iterations added; 2 files cannot be read"));
}

TEST_CASE("collect --follow reads compressed logs once, and those of other characters") {
  const Workplace here;
  test::compress("gzip", test::dump() + rows(1, 4), here.path() / "old.log.gz");
  here.write("wide.log", utf16(test::dump() + rows(11, 13), false));
  here.write("more", utf16(rows(14, 15), false).substr(2));
  const auto call = here.shell(
      "\"$PIPPIN\" --db t.db collect --follow old.log.gz wide.log >out 2>&1 & pid=$!\n"
      "wait_for() { until grep -q \"$1\" out; do kill -0 $pid || exit 99; sleep 0.02; done; }\n"
      "wait_for '2 logs, 2 runs, 7 iterations added'; wait_for following\n"
      "cat more >>wide.log; wait_for '0 logs, 0 runs, 2 iterations added'\n"
      "kill -INT $pid; wait $pid; echo \"code $?\"; cat out\n");
  CHECK_THAT(call.out, Contains("code 0"));
}

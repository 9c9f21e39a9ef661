// SPDX-License-Identifier: Apache-2.0
// What collect says of files in folders that look like logs and gave nothing.
#include <algorithm>
#include <fmt/format.h>

#include "tests/harness/cli/pippin.h"
#include "tests/harness/scrape/sample_log.h"
#include "tests/support/catch.h"
#include "tests/support/temporary.h"

using namespace pippin;
using Catch::Contains;
using test::Workplace;

namespace {

std::string words(int lines) {
  std::string text;
  for (int i = 0; i < lines; ++i) text += fmt::format("word {}\n", i);
  return text;
}

/// Lets all files be as old as those that are known again.
void age(const Workplace& here) { here.shell("find in -exec touch -h -d '1 hour ago' {} +"); }

auto lines_of(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

}  // namespace

TEST_CASE("a folder's files that look like logs and gave nothing are named, and once") {
  const Workplace here;
  for (const char* name : {"in/a.log", "in/b.out", "in/c.err", "in/d.txt", "in/job.o123456"})
    here.write(name, words(20));
  here.write("in/e.log", "a word\n");
  here.write("in/f.py", words(20));
  here.write("in/job.options", words(20));
  here.write("in/g.log", std::string("\x7f"
                                     "ELF\0\0",
                                     6) +
                             words(20));
  here.shell("mkfifo in/pipe");
  age(here);
  const auto first = here.pippin("collect in");
  CHECK(first.exit_code == 0);
  CHECK(lines_of(first.err) == 7);
  CHECK_THAT(first.err, Contains("in/a.log: holds no iterations") && Contains("in/b.out: ") &&
                            Contains("in/c.err: ") && Contains("in/d.txt: ") &&
                            Contains("in/job.o123456: ") &&
                            Contains("in/pipe: is a FIFO, not a file, and was not opened") &&
                            Contains("nothing added; 10 files are no logs"));
  CHECK(here.pippin("collect in").err == "nothing added; 10 files are no logs\n");
  CHECK(here.pippin("--quiet collect in --verbose").err.empty());
  CHECK(here.pippin("collect --verbose in").err == first.err);
}

TEST_CASE("of many files the first ones are named, and --verbose names all") {
  const Workplace here;
  for (int i = 10; i < 57; ++i) here.write(fmt::format("in/{}.log", i), words(20));
  age(here);
  const auto first = here.pippin("collect in");
  CHECK(lines_of(first.err) == 12);
  CHECK_THAT(first.err, Contains("in/19.log: ") && !Contains("in/20.log") &&
                            Contains("\nand 37 more: collect --verbose names them\n"));
  const auto all = here.pippin("collect in --verbose");
  CHECK(lines_of(all.err) == 48);
  CHECK_THAT(all.err, Contains("in/56.log: ") && !Contains("more:"));
}

TEST_CASE("a log of a known trainer that gave nothing says why, whatever its name") {
  const Workplace here;
  const std::string line =
      "step: {}  loss:  3.24405  memory:  9.46GiB(64.99%)  tps: 7,282  mfu: 20.8%\n";
  std::string text;
  for (int i = 1; i < 9; ++i) text += fmt::format(fmt::runtime(line), i);
  here.write("in/titan", text);
  const auto folder = here.pippin("collect in");
  CHECK(folder.exit_code == 0);
  CHECK_THAT(folder.err, Contains("in/titan: looks like a log of torchtitan, but ") &&
                             Contains("nothing added; 1 file is no log"));
  const auto named = here.pippin("collect in/titan");
  CHECK(named.exit_code == 2);
  CHECK_THAT(named.err, Contains("pippin: in/titan: looks like a log of torchtitan, but "));
  CHECK(lines_of(named.err) == 1);
}

TEST_CASE("lines that could not be used are one remark on a file that gave runs") {
  const Workplace here;
  std::string log = read_input(test::source_directory() / "tests/data/trainers/torchtitan.log");
  const std::string bad = "step: 99  loss:  3.2  memory:  9.4GiB(64.9%)  tps: 0  mfu: 0%\n";
  here.write("in/titan.log", log + bad + bad);
  age(here);
  const auto call = here.pippin("collect in");
  CHECK(call.exit_code == 0);
  CHECK_THAT(call.err, Contains("in/titan.log: 2 lines could not be used: its tps is not above 0; "
                                "the first: ") &&
                           Contains("step: 99") && Contains("1 log, 1 run, "));
  CHECK(lines_of(call.err) == 2);
  CHECK(here.pippin("collect in").err == "nothing added; 1 log known already\n");
}

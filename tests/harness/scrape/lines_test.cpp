// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/lines.h"

#include <vector>

#include "core/base/random.h"
#include "tests/support/catch.h"

using namespace pippin;

namespace {

std::vector<std::string> lines_of(std::string_view log) {
  std::vector<std::string> lines;
  Lines reader(log);
  for (std::string_view line; reader.next(line);) lines.emplace_back(line);
  return lines;
}

}  // namespace

TEST_CASE("lines end at newlines and carriage returns") {
  CHECK(lines_of("a\nb") == std::vector<std::string>{"a", "b"});
  CHECK(lines_of("  1%|\r 50%|\r100%|\nb\n") ==
        std::vector<std::string>{"  1%|", " 50%|", "100%|", "b"});
  CHECK(lines_of("a\r\nb\r\n") == std::vector<std::string>{"a", "", "b", ""});
  CHECK(lines_of("").empty());
}

TEST_CASE("a last line without its end is known as such") {
  Lines lines("a\nb");
  std::string_view line;
  CHECK((lines.next(line) && lines.terminated()));
  CHECK((lines.next(line) && !lines.terminated()));
  CHECK_FALSE(lines.next(line));
}

TEST_CASE("escape sequences go") {
  CHECK(without_escapes("\x1b[32mgreen\x1b[0m") == "green");
  CHECK(without_escapes("\x1b[H\x1b[2J\x1b[3J+ srun") == "+ srun");
  CHECK(without_escapes("\x1b"
                        "creset") == "reset");
  CHECK(without_escapes("\x1b]0;title\atext") == "text");
  CHECK(without_escapes("torn \x1b[3") == "torn ");
  CHECK(without_escapes("torn \x1b") == "torn ");
}

TEST_CASE("rank tags go and what only looks like one stays") {
  for (const char* tag :
       {"[default7]:", "[rank0]:", "[0]", "[12]:", "[1,7]<stdout>:", "   [1,7]<stderr>:",
        "[1,mpirank:7,algo-1]<stdout>:", "0: ", " 12: ", "[rank0]:[default7]:"}) {
    CAPTURE(tag);
    CHECK(without_tags(std::string(tag) + "  text") == "  text");
  }
  for (const char* line : {"[Rank 51] (after 20 iterations)", "[2024-04-06 03:02:12] iteration",
                           "12:30:45 up", "[", "[]", "7:", "srun: error: x", "  key ..... 1: 2"}) {
    CAPTURE(line);
    CHECK(without_tags(line) == line);
  }
}

TEST_CASE("the host that a parallel shell names goes and what only looks like one stays") {
  for (const char* tag :
       {"v100x16-1: ", "10.0.0.7: ", "localhost: ", "node3: [default7]:", "0: sd-1: "}) {
    CAPTURE(tag);
    CHECK(lines_of(std::string(tag) + "  text") == std::vector<std::string>{"  text"});
  }
  for (const char* line :
       {"RuntimeError: x", "srun: error: x", "node3:x", "node3:", "epoch 3: x", "-: x"}) {
    CAPTURE(line);
    CHECK(lines_of(line) == std::vector<std::string>{line});
  }
}

TEST_CASE("a logger's prefix goes whatever its digits") {
  LoggerPrefix prefix;
  CHECK(prefix.strip("  text") == "  text");
  prefix.learn("2021-06-10 20:47:54,123 ");
  CHECK(prefix.strip("2021-06-11 00:00:00,999   text") == "  text");
  CHECK(prefix.strip("2021-06-11 00:00:00.999   text") == "2021-06-11 00:00:00.999   text");
  CHECK(prefix.strip("2021") == "2021");
}

TEST_CASE("hosts have letters of either case, digits, dots, dashes and underscores") {
  for (const char* host : {"A1", "Z9", "a0", "z1", "n-1", "n_1", "n.1", "0", "9"})
    CHECK(lines_of(std::string(host) + ": text") == std::vector<std::string>{"text"});
  for (const char* host : {"n/1", "n@1", "n[1", "n`1", "n{1", "nodex", "localhosts"}) {
    const std::string line = std::string(host) + ": text";
    CHECK(lines_of(line) == std::vector<std::string>{line});
  }
  // Behind the host there may be another tag.
  CHECK(lines_of("[0]:n1: [default1]: text") == std::vector<std::string>{" text"});
}

TEST_CASE("an escape sequence ends with its last character") {
  CHECK(without_escapes("\x1b[@a") == "a");
  CHECK(without_escapes("\x1b[~a") == "a");
  CHECK(without_escapes("\x1b[1;2Aa") == "a");
  CHECK(without_escapes("a\x1b]0;x\x1b\\b") == "ab");
  CHECK(without_escapes("\x1b]torn").empty());
  CHECK(without_escapes("\x1bM\x1bMx") == "x");
}

TEST_CASE("a tag is whole or none") {
  for (const char* line : {"[1", "[rank]", "[x7]", "[,7]", "7:x", "7", "7: ", "x 7: y"}) {
    CAPTURE(line);
    CHECK(without_tags(line) == (std::string(line) == "7: " ? "" : line));
  }
  CHECK(without_tags("[1,2]<stderr>:x") == "x");
  CHECK(without_tags("[1,2]<stdin>:x") == "<stdin>:x");
  CHECK(without_tags("[1,2]x") == "x");
  CHECK(without_tags("[7]").empty());
  CHECK(without_tags(" 0: 9: x") == "x");
}

TEST_CASE("a prefix that is all of a line leaves nothing") {
  LoggerPrefix prefix;
  prefix.learn("10:20 ");
  CHECK(prefix.strip("09:59 ").empty());
  CHECK(prefix.strip("09:59") == "09:59");
  CHECK(prefix.strip("x9:59 a") == "x9:59 a");
}

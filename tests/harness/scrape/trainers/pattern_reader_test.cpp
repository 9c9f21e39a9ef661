// SPDX-License-Identifier: Apache-2.0
// Logs that are read by a person's patterns.
#include "harness/scrape/pattern_reader.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "harness/scrape/scrape.h"
#include "tests/harness/scrape/trainers/excerpt.h"
#include "tests/support/catch.h"

using namespace pippin;
using Catch::Contains;
using test::steps_of;
using test::times_of;

namespace {

using Words = std::vector<std::pair<std::string, std::string>>;
using Steps = std::vector<std::int64_t>;
using Times = std::vector<double>;

NamedValues patterns(const Words& words) {
  NamedValues values;
  for (const auto& [name, text] : words) values.emplace_back("scrape." + name, value_of(text));
  return values;
}

Scraped read(const std::string& log, const NamedValues& told, std::size_t part = 1 << 16) {
  return scrape_parts(
      [&](const auto& take) {
        for (std::size_t at = 0; at < log.size(); at += part)
          take(std::string_view(log).substr(at, part));
      },
      {told, {}});
}

LogRun only(const std::string& log, const Words& words) {
  const Scraped found = read(log, patterns(words));
  CAPTURE(found.problems);
  REQUIRE(found.runs.size() == 1);
  return found.runs.front();
}

std::string problem(const std::string& log, const Words& words) {
  const Scraped found = read(log, patterns(words));
  CHECK(found.runs.empty());
  return join(found.problems, "; ");
}

std::string mistake(const Words& words) {
  try {
    patterns_in(patterns(words));
  } catch (const std::exception& error) {
    return error.what();
  }
  return {};
}

const Words kMs{{"step", "step (\\d+)"}, {"step_time", "took ([0-9.]+) ms"}};
const std::string kLog = "step 1 took 900.5 ms\nstep 2 took 400 ms\nstep 3 took 402.25 ms\n";

std::string gave(const std::string& log, const Words& words) {
  std::string text;
  explain_lines([&](const auto& take) { take(log); },
                [&](const ExplainedLine& line) {
                  text += fmt::format("{}:{}{}\n", line.number, line.gave,
                                      line.why.empty() ? "" : "(" + line.why + ")");
                },
                {patterns(words), {}});
  return text;
}

}  // namespace

TEST_CASE("patterns read the steps of any trainer") {
  const LogRun run = only(kLog, kMs);
  CHECK(steps_of(run) == Steps{1, 2, 3});
  CHECK(times_of(run) == Times{900.5, 400, 402.25});
  CHECK(run.point.trainer == "own");
  CHECK(run.format == "patterns");
  CHECK_FALSE(run.configured);
}

TEST_CASE("a time's unit is said by its name, or stands behind the group") {
  const auto first = [](const Words& words, const std::string& line) {
    return times_of(only(line + "\n", words)).at(0);
  };
  CHECK(first({{"step_time_s", "t=([0-9.]+)"}}, "t=1.5") == 1500);
  CHECK(first({{"step_time_us", "t=([0-9.]+)"}}, "t=1500") == 1.5);
  CHECK(first({{"step_time_min", "t=([0-9.]+)"}}, "t=0.5") == 30000);
  CHECK(first({{"step_time", "t=([0-9.]+)\\s*s\\b"}}, "t=1.5 s") == 1500);
  CHECK(first({{"step_time", "t=([0-9.]+)us"}}, "t=1500us") == 1.5);
  CHECK(first({{"step_time", "t=([0-9.]+) min"}}, "t=2 min") == 120000);
  CHECK(mistake({{"step_time", "t=([0-9.]+)"}}) ==
        "scrape: step_time has no unit: say step_time_ms or step_time_s, or write the unit behind "
        "the group");
  CHECK_THAT(mistake({{"step_time", "t=([0-9.]+) seconds"}}), Contains("step_time has no unit"));
  CHECK_THAT(mistake({{"step_time", "t=([0-9.]+) msg"}}), Contains("step_time has no unit"));
}

TEST_CASE("rates become times by the batch") {
  const std::string log = "it 1: 20 samples/s\nit 2: 40 samples/s\n";
  const Words words{{"step", "it (\\d+)"}, {"samples_per_s", "([0-9.]+) samples/s"}};
  NamedValues told = patterns(words);
  told.emplace_back("gbs", value_of("80"));
  const Scraped found = read(log, told);
  REQUIRE(found.runs.size() == 1);
  CHECK(times_of(found.runs[0]) == Times{4000, 2000});
  CHECK(found.runs[0].point.layout.gbs == 80);
  CHECK_THAT(problem(log, words), Contains("has lines that patterns fit, but"));

  const LogRun tokens = only("global batch 8\nstep 1 1024.0 tok/s, seq 0\n",
                             {{"gbs", "global batch (\\d+)"}, {"steps_per_s", "([0-9.]+) tok/s"}});
  CHECK(tokens.point.layout.gbs == 8);
  CHECK(times_of(tokens).at(0) == Approx(1000 / 1024.0));
}

TEST_CASE("one pattern may name all its groups") {
  const LogRun run = only("INFO [12] 0.5s loss=2.25 mem=3.5\nINFO [13] 0.25s loss=nan mem=4\n",
                          {{"line",
                            "\\[(?P<step>\\d+)\\] (?P<step_time_s>[0-9.]+)s loss=(?P<loss>\\S+) "
                            "mem=(?P<memory_gib>[0-9.]+)"}});
  CHECK(steps_of(run) == Steps{12, 13});
  CHECK(times_of(run) == Times{500, 250});
  CHECK(run.iterations[0].lm_loss == 2.25);
  CHECK(run.nan_from == 13);
  REQUIRE(run.memory.size() == 1);
  CHECK(run.memory.front().max_allocated_mib == 4096);
}

TEST_CASE("what stands in lines before a time belongs to its step") {
  const LogRun run = only(
      "epoch 0 batch 7\n  loss: 3.5\n  elapsed: 20 ms\nbatch 8\n  loss: 3.25\n  elapsed: 21 ms\n",
      {{"step", "batch (\\d+)"}, {"loss", "loss: (\\S+)"}, {"step_time", "elapsed: ([0-9.]+) ms"}});
  CHECK(steps_of(run) == Steps{7, 8});
  CHECK(run.iterations[1].lm_loss == 3.25);
}

TEST_CASE("without a number steps are counted") {
  const LogRun run = only("took 5 ms\nother\ntook 6 ms\n", {{"step_time", "took ([0-9.]+) ms"}});
  CHECK(steps_of(run) == Steps{1, 2});
}

TEST_CASE("a mean has no step of its own") {
  const std::string log = "step 10 took 5 ms\nstep 20 took 6 ms\n";
  Words words = kMs;
  words.emplace_back("kind", "mean 10");
  CHECK(test::intervals_of(only(log, words)) == Steps{10, 10});
  words.back().second = "mean";
  CHECK(test::intervals_of(only(log, words)) == Steps{10, 10});
  words.back().second = "median";
  CHECK(mistake(words) ==
        "scrape: kind 'median' is none of step, mean, mean N, window, cumulative, total");
  words.back().second = "mean 0";
  CHECK_THAT(mistake(words), Contains("'mean 0' is none of"));
}

TEST_CASE("of times since the beginning the differences count") {
  const std::string log = "step 10 at 5.0 s\nstep 20 at 6.0 s\nstep 40 at 10.0 s\n";
  const Words words{
      {"step", "step (\\d+)"}, {"step_time", "at ([0-9.]+) s"}, {"kind", "cumulative"}};
  const LogRun run = only(log, words);
  CHECK(steps_of(run) == Steps{20, 40});
  CHECK(times_of(run) == Times{100, 200});
  CHECK(test::intervals_of(run) == Steps{10, 20});
  CHECK(mistake({{"step_time", "at ([0-9.]+) s"}, {"kind", "cumulative"}}) ==
        "scrape: of kind cumulative the step must be said, too");
  CHECK(mistake({{"step", "step (\\d+)"}, {"steps_per_s", "(\\d+)"}, {"kind", "total"}}) ==
        "scrape: of kind cumulative and total are times, and steps_per_s is a rate");
}

TEST_CASE("a total is divided by the steps") {
  const LogRun run = only(
      "done: 50 steps in 100 s\n",
      {{"all", "done: (?P<step>\\d+) steps in (?P<step_time_s>[0-9.]+) s"}, {"kind", "total"}});
  CHECK(times_of(run) == Times{2000});
  CHECK(test::intervals_of(run) == Steps{50});
}

TEST_CASE("a step that ranks print alike is one, and the slowest counts") {
  const auto log_of = [](const char* before, const char* behind) {
    std::string log;
    for (int step = 1; step <= 3; ++step) {
      for (int rank = 0; rank < 4; ++rank)
        log += fmt::format("{}{}{} step {} took {} ms\n", before, rank, behind, step,
                           100 * step + rank);
    }
    return log;
  };
  const std::string log = log_of("[rank", "]");
  const LogRun run = only(log, kMs);
  CHECK(steps_of(run) == Steps{1, 2, 3});
  CHECK(times_of(run) == Times{103, 203, 303});
  CHECK(times_of(only(log_of("", ":"), kMs)) == times_of(run));
  const LogRun counted = only(log, {{"step_time", "took ([0-9.]+) ms"}});
  CHECK(times_of(counted) == times_of(run));
}

TEST_CASE("numbers that go back begin a new run") {
  const Scraped found =
      read(kLog + "step 4 took 400 ms\nstep 1 took 901 ms\nstep 2 took 401 ms\n", patterns(kMs));
  REQUIRE(found.runs.size() == 2);
  CHECK(times_of(found.runs[1]) == Times{901, 401});
}

TEST_CASE("a line may say that a run has failed") {
  Words words = kMs;
  words.emplace_back("failed", "^GAVE UP");
  const LogRun run = only(kLog + "GAVE UP at last\n", words);
  CHECK(run.end == RunState::kFailed);
  CHECK(run.evidence == "GAVE UP at last");
  CHECK(only(kLog, words).end != RunState::kFailed);
  const LogRun early = only("GAVE UP early\n", words);
  CHECK(early.end == RunState::kFailed);
  CHECK(early.iterations.empty());
}

TEST_CASE("what ended a job is known to patterns, too") {
  const LogRun run = only(
      kLog + "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB\n", kMs);
  CHECK(run.end == RunState::kOom);
}

TEST_CASE("patterns that fit nothing are named") {
  CHECK(problem("hello\n", kMs) ==
        "has no line that fits step 'step (\\d+)'; has no line that fits step_time 'took "
        "([0-9.]+) ms'");
  CHECK(problem("step 5\n", kMs) == "has no line that fits step_time 'took ([0-9.]+) ms'");
}

TEST_CASE("lines whose numbers are none are counted with the first") {
  const Scraped found = read(kLog + "step 4 took 0 ms\nstep 5 took ... ms\n", patterns(kMs));
  REQUIRE(found.runs.size() == 1);
  CHECK(found.runs[0].iterations.size() == 3);
  REQUIRE(found.unused.size() == 2);
  CHECK(found.unused[0].reason == "step_time_ms is not above 0");
  CHECK(found.unused[0].first == "step 4 took 0 ms");
  CHECK(found.unused[1].reason == "step_time_ms is no number");
}

TEST_CASE("a mistake in patterns is said in one line") {
  CHECK(mistake({{"step_time_ms", "took ("}}) ==
        "scrape: step_time_ms: 'took (' is no regular expression: missing ): took (");
  CHECK(mistake({{"step_time_ms", "took"}}) ==
        "scrape: step_time_ms 'took' has 0 groups; it takes one, around the number");
  CHECK(mistake({{"step_time_ms", "(a) (b)"}}) ==
        "scrape: step_time_ms '(a) (b)' has 2 groups; it takes one, around the number");
  CHECK_THAT(mistake({{"speed", "(\\d+)"}}), Contains("scrape: 'speed' is none of step_time_ms"));
  CHECK(mistake({{"loss", "(\\d+)"}}) ==
        "scrape: nothing says how long a step takes: step_time_ms (_us, _s, _min), steps_per_s, "
        "samples_per_s, tokens_per_s, tokens_per_gpu_s");
  CHECK(mistake({{"line", "(?P<speed>\\d+)"}}) == mistake({{"speed", "(\\d+)"}}));
  CHECK_THAT(mistake({{"kind", "mean"}}), Contains("nothing says how long a step takes"));
  CHECK(mistake({}).empty());
}

TEST_CASE("prefixes of launchers and loggers do not stand in the way of patterns") {
  const LogRun plain = only(kLog, kMs);
  for (const char* prefix : {"[default0]:", "0: ", "[1,0]<stdout>:", "(train pid=12) ",
                             "2026-01-02 03:04:05,678 INFO main: ", "node-1: "}) {
    INFO(prefix);
    std::string log;
    for (const auto line : split(trim(kLog), '\n')) log += fmt::format("{}{}\r\n", prefix, line);
    const LogRun run = only(log, kMs);
    CHECK(steps_of(run) == steps_of(plain));
    CHECK(times_of(run) == times_of(plain));
  }
}

TEST_CASE("a label that a pattern reads is a step, not a rank") {
  const LogRun run = only("[1] took 5 ms\n[2] took 6 ms\n[3] took 7 ms\n[4] took 7 ms\n",
                          {{"step", "^\\[(\\d+)\\]"}, {"step_time", "took ([0-9.]+) ms"}});
  CHECK(steps_of(run) == Steps{1, 2, 3, 4});
}

TEST_CASE("a log that patterns read gives the same however it is cut, and as it grows") {
  Words words = kMs;
  words.emplace_back("failed", "GAVE UP");
  const std::string log = "0: begin\n" + kLog + "1: step 3 took 500 ms\nGAVE UP\nend\n";
  const LogRun whole = only(log, words);
  for (std::size_t part = 1; part < log.size(); part += 3) {
    const Scraped found = read(log, patterns(words), part);
    REQUIRE(found.runs.size() == 1);
    CHECK(times_of(found.runs[0]) == times_of(whole));
    CHECK(found.runs[0].end == whole.end);
  }
  GrowingLog growing({patterns(words), {}});
  for (const char c : log) growing.add(std::string_view(&c, 1));
  CHECK_FALSE(growing.must_begin_again());
  const auto grown = growing.so_far();
  REQUIRE(grown);
  REQUIRE(grown->runs.size() == 1);
  CHECK(times_of(grown->runs[0]) == times_of(whole));
}

TEST_CASE("explain says what patterns made of each line") {
  CHECK(gave("hello\nstep 1 took 5 ms\nstep 2 took 0 ms\n", kMs) ==
        "1:\n2:step 1, step_time_ms 5\n3:(step_time_ms is not above 0)\n");
}

TEST_CASE("a counted step that each rank prints without a name is no step of its own") {
  CHECK_THAT(
      problem("0: took 5 ms\n1: took 6 ms\n2: took 7 ms\n", {{"step_time", "took ([0-9.]+) ms"}}),
      Contains("say which step it is"));
}

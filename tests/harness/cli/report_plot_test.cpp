// SPDX-License-Identifier: Apache-2.0
// report --plot: pictures on the terminal.
#include <algorithm>
#include <fmt/format.h>

#include "core/base/text.h"
#include "reports/display_text.h"
#include "tests/harness/cli/pippin.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"

using namespace pippin;
using Catch::Contains;
using Catch::EndsWith;
using test::Call;
using test::Workplace;

namespace {

/// Two campaigns of a sweep over GPUs and MBS with an axis of its own; one point fails, one cannot
/// run.
class Laboratory : public Workplace {
 public:
  Laboratory() {
    write("s.yaml",
          "sweep: s\nprobe: replay\ngrid: {gpus: [4, 8, 16], tp: [1, 2], mbs: [1, 2]}\n"
          "derive: {step_time_ms: 400 * mbs * (1 + gpus / 40), fail_at: (tp == 2 && gpus == 16) * "
          "2}\n"
          "env: {X: '{fail_at}'}\n"
          "fixed: {sleep_factor: 0.0005}\niterations: 4\n"
          "repeats: {allocations: 2, runs: 1}\n");
    REQUIRE(pippin("run s.yaml --quiet").exit_code == 1);
    REQUIRE(pippin("run s.yaml --again --quiet").exit_code == 1);
  }
};

std::string refusal(const Workplace& here, const std::string& options) {
  const Call call = here.pippin("report " + options);
  INFO(options);
  CHECK(call.exit_code == 2);
  CHECK(call.out.empty());
  CHECK(std::count(call.err.begin(), call.err.end(), '\n') == 1);
  return call.err;
}

std::size_t widest_of(const std::string& text) {
  std::size_t widest = 0;
  for (const auto line : split(text, '\n')) widest = std::max(widest, display_width(line));
  return widest;
}

/// What a terminal of that size shows.
std::string on_terminal(const Workplace& here, const std::string& size,
                        const std::string& arguments) {
  here.shell("env -u NO_COLOR TERM=xterm script -qec \"stty " + size +
             "; '$PIPPIN' --db t.db report " + arguments +
             "\" typescript </dev/null | tr -d '\\r' >seen");
  return here.text("seen");
}

std::string without_colours(std::string text) {
  for (std::size_t at; (at = text.find('\033')) != std::string::npos;)
    text.erase(at, text.find('m', at) + 1 - at);
  return text;
}

}  // namespace

TEST_CASE("report draws runs over time, scaling and any axis") {
  const Laboratory here;
  const Call time = here.pippin("report --plot time");
  CHECK(time.exit_code == 0);
  CHECK_THAT(time.out, Contains("step time (s)") && Contains("× 4 failed") &&
                           Contains("24 runs of 10 configurations"));
  const Call both = here.pippin("report s --pool --plot time");
  CHECK_THAT(both.out, Contains("┌s/1") && Contains("48 runs of 10 configurations") &&
                           Contains("× 8 failed"));
  const Call scaling = here.pippin("report --plot scaling");
  CHECK_THAT(scaling.out, Contains("samples per second") && Contains("GPUs") &&
                              Contains("● TP 1, MBS 1") && Contains("% of ideal scaling"));
  const Call axis = here.pippin("report --plot mbs:gpus");
  CHECK_THAT(axis.out, Contains("● GPUs 4   ■ GPUs 8   ▲ GPUs 16") &&
                           Contains("10 rows against MBS (1, 2)") &&
                           EndsWith("at the foot: 2 failed\n"));
  CHECK_THAT(here.pippin("report --plot step_time_ms").out, Contains("against step_time_ms"));
}

TEST_CASE("a picture is of the rows that the other options choose") {
  const Laboratory here;
  CHECK_THAT(here.pippin("report --plot gpus --where 'mbs == 2 && tp == 1'").out,
             Contains("3 rows against GPUs"));
  CHECK_THAT(here.pippin("report s --by campaign --plot gpus --where 'mbs == 2 && tp == 1'").out,
             Contains("● s/1   ■ s/2"));
  CHECK_THAT(here.pippin("report --plot mbs --columns samples_per_s").out,
             Contains("samples per second"));
  CHECK_THAT(here.pippin("report --plot time --where 'tp > 5'").out, Contains("no points"));
  here.pippin("drop 1 2 3 --because 'wrong image'");
  CHECK_THAT(here.pippin("report s --pool --plot time").out,
             Contains("45 runs") && Contains("wrong image"));
  CHECK_THAT(here.pippin("report s --dropped --plot time").out, Contains("3 runs"));
  CHECK(here.pippin("report --plot mbs -o picture.txt").out.empty());
  CHECK(here.text("picture.txt") == here.pippin("report --plot mbs").out);
}

TEST_CASE("a picture that there cannot be is refused in one line that says what there can") {
  const Laboratory here;
  const std::string all = "there is time, scaling, gpus, tp, dp, mbs, gbs, step_time_ms, fail_at";
  CHECK(refusal(here, "--plot") == "pippin: --plot: say what: " + all + "\n");
  CHECK(refusal(here, "s --plot") == "pippin: --plot: say what: " + all + "\n");
  CHECK(refusal(here, "--plot msb") == "pippin: --plot msb: " + all + ", did you mean 'mbs'?\n");
  CHECK_THAT(refusal(here, "--plot pp"), Contains("PP does not differ between these rows"));
  CHECK_THAT(refusal(here, "--plot scaling --where 'gpus == 4'"), Contains("all have 4 GPUs"));
  CHECK_THAT(refusal(here, "--plot time --where 'gpus == 16 && tp == 2'"),
             Contains("of 4 runs none has a step time: 4 failed"));
  CHECK_THAT(refusal(here, "--plot time --format csv"), Contains("--format html has plots, too"));
  CHECK_THAT(refusal(here, "--plot time --by day"), Contains("leave --by out"));
  CHECK_THAT(refusal(here, "--plot time --columns gpus"), Contains("one of step_time, tflops"));
  for (const char* other : {"--methods", "--vs first", "--preset 3d", "--limit 3", "--checkpoints",
                            "--collectives", "--against-model"})
    CHECK_THAT(refusal(here, "--plot time " + std::string(other)),
               Contains("excludes --plot") || Contains("--plot excludes"));
}

TEST_CASE("a picture fits its terminal and has colours there alone") {
  const Laboratory here;
  if (here.shell("script -qec true /dev/null </dev/null").exit_code != 0)
    return test::skip("there is no script(1) here");
  for (std::size_t columns : {40, 72, 100, 200, 300}) {
    for (const char* kind : {"time", "scaling", "mbs"}) {
      const std::string seen =
          on_terminal(here, fmt::format("cols {} rows 24", columns), std::string("--plot ") + kind);
      CAPTURE(columns, kind);
      CHECK_THAT(seen, Contains("\033[38;5;32m"));
      CHECK(widest_of(without_colours(seen)) <= std::min<std::size_t>(columns, 200));
    }
  }
  CHECK(widest_of(without_colours(on_terminal(here, "cols 300 rows 24", "--plot mbs"))) == 200);
  const auto lines_on = [&](const std::string& size) {
    const std::string seen = on_terminal(here, size, "--plot mbs:tp");
    return std::count(seen.begin(), seen.end(), '\n');
  };
  CHECK(lines_on("cols 80 rows 60") - lines_on("cols 80 rows 20") == 8);
  const Call plain = here.pippin("report --plot scaling");
  CHECK(plain.out.find('\033') == std::string::npos);
  CHECK(widest_of(plain.out) <= 80);
}

TEST_CASE("a picture in ASCII has no other byte and the same places") {
  const Laboratory here;
  for (const char* kind : {"time", "scaling", "mbs", "mbs:gpus"}) {
    const Call call =
        here.shell("LC_ALL=C \"$PIPPIN\" --db t.db report --plot " + std::string(kind));
    CHECK(call.exit_code == 0);
    CHECK(std::all_of(call.out.begin(), call.out.end(), [](char c) { return (c & 0x80) == 0; }));
    CHECK_THAT(call.out, Contains("a ") && Contains("+--"));
  }
}

TEST_CASE("names that would steer a terminal are shown in a picture, not done") {
  const Workplace here;
  here.write("s.yaml",
             "sweep: s\nprobe: replay\n"
             "grid: {own: [\"\\e[2J one\", \"two\\nlines\", \"\\u202e three\"], tp: [1, 2]}\n"
             "fixed: {step_time_ms: 500, sleep_factor: 0.001}\niterations: 3\nenv: {X: '{own}'}\n");
  REQUIRE(here.pippin("run s.yaml --quiet").exit_code == 0);
  for (const char* kind : {"time", "own", "tp", "tp:own"}) {
    const std::string out = here.pippin("report --plot " + std::string(kind)).out;
    CAPTURE(kind, out);
    CHECK(out.find('\033') == std::string::npos);
    CHECK(out.find("\u202e") == std::string::npos);
    CHECK_THAT(out, Contains("\\n"));
    CHECK(widest_of(out) <= 80);
  }
}

// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "tests/harness/cli/pippin.h"
#include "tests/support/catch.h"

using namespace pippin;
using Catch::Contains;
using Catch::StartsWith;
using test::Call;
using test::Workplace;

namespace {

/// Two campaigns of a sweep of five points, in the second of which one is a tenth slower.
class TwoCampaigns : public Workplace {
 public:
  TwoCampaigns() {
    write("s.yaml", sweep("500"));
    REQUIRE(pippin("run s.yaml --quiet").exit_code == 0);
    write("s.yaml", sweep("500 + (mbs == 4) * 50"));
    REQUIRE(pippin("run s.yaml --quiet --again").exit_code == 0);
  }
  nlohmann::json compared(const std::string& words) const {
    const Call call = pippin("compare --format json " + words);
    REQUIRE(call.exit_code == 0);
    return nlohmann::json::parse(call.out);
  }

 private:
  /// The time reaches the probe by its environment, and so the points keep their names.
  static std::string sweep(const std::string& step_time_ms) {
    return "sweep: s\nprobe: replay\ngrid: {mbs: [1, 2, 3, 4, 5]}\n"
           "derive: {step_time_ms: '" +
           step_time_ms +
           "'}\nfixed: {sleep_factor: 0, iteration_sd: 1%, allocation_sd: 2%}\niterations: 12\n"
           "repeats: {allocations: 4}\n";
  }
};

std::string verdicts(const nlohmann::json& comparison) {
  std::string text;
  for (const auto& row : comparison.at("rows")) text += row.at("verdict").get<std::string>() + " ";
  return text;
}

}  // namespace

TEST_CASE("the newest campaign is compared with the one before") {
  const TwoCampaigns here;
  const auto found = here.compared("");
  CHECK(found.at("base") == "s/1");
  CHECK(found.at("new") == "s/2");
  REQUIRE(found.at("rows").size() == 5);
  const auto& changed = found.at("rows").at(3);
  CHECK(changed.at("verdict") == "slower");
  CHECK(changed.at("ratio").get<double>() == Approx(1.1).epsilon(0.02));
  CHECK(changed.at("low").get<double>() < changed.at("ratio").get<double>());
  CHECK_THAT(changed.at("remark").get<std::string>(),
             Contains("matched by name: step_time_ms differs"));
  for (const std::size_t i : {0u, 1u, 2u, 4u}) {
    const std::string verdict = found.at("rows").at(i).at("verdict");
    CHECK((verdict == "equivalent" || verdict == "undetermined"));
  }
  CHECK(found.at("common_mode").at("of") == 5);
  CHECK(found.at("only_base").empty());
  // However it is said.
  REQUIRE(here.pippin("tag s/1 before").exit_code == 0);
  for (const char* words : {"s", "s/1", "s/1 s/2", "before", "before s"})
    CHECK(verdicts(here.compared(words)) == verdicts(found));
}

TEST_CASE("compare ends with 1 where it is told to fail on what it finds") {
  const TwoCampaigns here;
  CHECK(here.pippin("compare").exit_code == 0);
  CHECK(here.pippin("compare --fail-on slower").exit_code == 1);
  CHECK(here.pippin("compare --fail-on changed").exit_code == 1);
  CHECK(here.pippin("compare s/2 s/1 --fail-on slower").exit_code == 0);
  CHECK(here.pippin("compare s/2 s/1 --fail-on changed").exit_code == 1);
  CHECK(here.pippin("compare s/1 s/1 --fail-on changed").exit_code == 0);
  CHECK(here.pippin("compare --fail-on slower --margin 50%").exit_code == 0);
}

TEST_CASE("a gate does not open where the new side failed, or has nothing to be compared") {
  const Workplace here;
  const auto pippin = [&](const std::string& words) {
    return here.shell("export PIPPIN; \"$PIPPIN\" --db t.db " + words);
  };
  here.write("s.yaml",
             "sweep: s\ngrid: {mbs: [1, 2]}\ncommand: '! [ -e broken-{mbs} ] && "
             "\"${PIPPIN%/*}/probes/replay\" --mbs {mbs} --step-time-ms 500 --sleep-factor 0'\n");
  REQUIRE(pippin("run s.yaml --quiet").exit_code == 0);
  here.write("broken-2", "");
  CHECK(pippin("run s.yaml --quiet --again").exit_code == 1);
  CHECK(pippin("compare").exit_code == 0);
  const Call one = pippin("compare --fail-on slower");
  CHECK(one.exit_code == 1);
  CHECK_THAT(one.out, Contains("only in s/1: ") && Contains("s/2: failed"));
  here.write("broken-1", "");
  CHECK(pippin("run s.yaml --quiet --again").exit_code == 1);
  const Call none = pippin("compare s/2 s/3 --fail-on slower");
  CHECK(none.exit_code == 1);
  CHECK_THAT(none.out, Contains("no point was measured on both sides") &&
                           Contains("measured on neither side: ") && Contains("; s/3: failed"));
}

TEST_CASE("points, days and other databases are sides, too") {
  const TwoCampaigns here;
  const auto points = here.compared("tiny-tp1-pp1-dp1-mbs1-gas1 tiny-tp1-pp1-dp1-mbs2-gas1");
  CHECK(points.at("rows").size() == 1);
  CHECK(points.at("rows").at(0).at("paired") == true);
  REQUIRE(here.shell("cp t.db other.db").exit_code == 0);
  CHECK(verdicts(here.compared("other.db:s/1 s/2")) == verdicts(here.compared("s/1 s/2")));
  // The copy's jobs are not this file's.
  CHECK(here.compared("other.db t.db").at("rows").at(0).at("paired") == false);
  CHECK(here.compared("t.db t.db").at("rows").at(0).at("paired") == true);
  // The runs are of today, unless it became midnight meanwhile.
  const auto date = [&](const std::string& of) { return here.sql("SELECT date('now'" + of + ")"); };
  const auto weekday = [&](const std::string& of) {
    return std::string(trim(here.shell("LC_ALL=C date -u -d '" + of + "' +%A").out));
  };
  CHECK(here.compared("-1d..today s").at("base") == date(", '-1 day'") + ".." + date(""));
  CHECK(here.compared(weekday("today") + " s").at("base") == date(""));
  CHECK(here.pippin("compare " + lower(weekday("3 days ago")) + " s").err ==
        "pippin: t.db: '" + date(", '-3 days'") + "' has no runs\n");
  CHECK(here.pippin("compare 2001-01-01..2001-12-31 s").err ==
        "pippin: t.db: '2001-01-01..2001-12-31' has no runs\n");
}

TEST_CASE("what cannot be compared is refused in one line") {
  const Workplace here;
  CHECK(here.pippin("compare").exit_code == 2);
  here.write(
      "s.yaml",
      "sweep: s\nprobe: replay\ngrid: {mbs: [1]}\nfixed: {sleep_factor: 0}\niterations: 3\n");
  REQUIRE(here.pippin("run s.yaml --quiet").exit_code == 0);
  CHECK(here.pippin("compare").err ==
        "pippin: t.db: s/1 is the only campaign of its sweep; name BASE and NEW, or begin "
        "another: pippin run … --again\n");
  CHECK_THAT(here.pippin("compare t s").err,
             StartsWith("pippin: t.db: no sweep, campaign, tag, point or day is named 't'"));
  for (const char* words :
       {"s s --margin 0", "s s --margin x", "s s --margin 100", "s s --fail-on no",
        "s s --format xml", "2026-02-30 s", "yesterday..-2d s"}) {
    CAPTURE(words);
    const Call call = here.pippin(std::string("compare ") + words);
    CHECK(call.exit_code == 2);
    CHECK(call.out.empty());
    CHECK(std::count(call.err.begin(), call.err.end(), '\n') == 1);
  }
  // One allocation of three lines has a ratio, and no more.
  const Call call = here.pippin("compare s s");
  CHECK(call.exit_code == 0);
  CHECK_THAT(call.out, Contains("undetermined") && Contains("one allocation of s/1: no interval"));
}

TEST_CASE("runs that fail on one side are told of, and the rest is compared") {
  const Workplace here;
  const auto sweep = [](const char* fail_at) {
    return std::string("sweep: s\nprobe: replay\ngrid: {mbs: [1, 2]}\nderive: {fail_at: '") +
           fail_at + "'}\nfixed: {sleep_factor: 0, fail_with: oom}\niterations: 6\n";
  };
  here.write("s.yaml", sweep("0"));
  REQUIRE(here.pippin("run s.yaml --quiet").exit_code == 0);
  here.write("s.yaml", sweep("(mbs == 2) * 3"));
  REQUIRE(here.pippin("run s.yaml --quiet --again").exit_code == 1);
  const Call call = here.pippin("compare");
  CHECK(call.exit_code == 0);
  CHECK_THAT(call.out, Contains("only in s/1: tiny-tp1-pp1-dp1-mbs2-gas1 (s/2: oom"));
}

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "core/base/text.h"
#include "tests/harness/cli/pippin.h"
#include "tests/support/catch.h"

using namespace pippin;
using Catch::Contains;
using Catch::StartsWith;
using test::Call;
using test::Workplace;

namespace {

/// Two sweeps that share their points; of the first a campaign more, one point infeasible and one
/// that fails.
class Laboratory : public Workplace {
 public:
  Laboratory() {
    write("one.yaml", sweep("one", ""));
    write("two.yaml", sweep("two", "where: [tp < 4]\n"));
    REQUIRE(pippin("run one.yaml --quiet").exit_code == 1);
    REQUIRE(pippin("run one.yaml --again --quiet").exit_code == 1);
    REQUIRE(pippin("run two.yaml --quiet").exit_code == 1);
  }

 private:
  static std::string sweep(const std::string& name, const std::string& more) {
    return "sweep: " + name +
           "\nprobe: replay\ngrid: {tp: [1, 2, 4], pp: [1, 2]}\ngpus: 4\n"
           "derive: {fail_at: (tp == 2 && pp == 2) * 1}\nenv: {X: '{fail_at}'}\n"
           "fixed: {step_time_ms: 500, sleep_factor: 0.001}\niterations: 4\n" +
           more;
  }
};

/// What sqlite3 reads out of a CSV file that it imports.
std::string imported(const Workplace& here, const std::string& query) {
  const Call call = here.shell(
      "rm -f x.db && sqlite3 x.db '.import --csv r.csv r' && sqlite3 x.db \"" + query + "\"");
  CHECK(call.err.empty());
  return std::string(trim(call.out));
}

/// Whether numbers that are none stand in a text.
bool has_no_number(const std::string& text) {
  const std::string words = lower(text);
  for (const char* bad : {"nan", "inf,", "inf ", "inf\n", ":inf", "-inf"}) {
    if (words.find(bad) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("CSV comes whole through sqlite3 whatever names hold") {
  const Workplace here;
  here.write(
      "s.yaml",
      "sweep: \"a, \\\"b\\\" c\"\nprobe: replay\n"
      "grid: {own: [\"x,y\", \"say \\\"hi\\\"\", \"two\\nlines\", \"cr\\rlf\", \" blank \"]}\n"
      "fixed: {step_time_ms: 500, sleep_factor: 0.002}\niterations: 3\nenv: {X: '{own}'}\n");
  REQUIRE(here.pippin("run s.yaml --quiet").exit_code == 0);
  here.pippin("note 1 'a \"quoted\", note'");
  here.shell("\"$PIPPIN\" --db t.db report --format csv >r.csv");
  CHECK(imported(here,
                 "SELECT count(*), count(DISTINCT own), min(sweep) = 'a, \\\"b\\\" c' FROM r") ==
        "5|5|1");
  CHECK(imported(here,
                 "SELECT count(*) FROM r WHERE own IN ('x,y', 'say \\\"hi\\\"', 'two' || "
                 "char(10) || 'lines', 'cr' || char(13) || 'lf', ' blank ')") == "5");
  CHECK(imported(here, "SELECT count(*) FROM r WHERE notes = 'a \\\"quoted\\\", note'") == "1");
  CHECK(imported(here,
                 "SELECT count(*) FROM r WHERE abs(step_time_s - 0.5) < 0.2 AND iterations > 1") ==
        "5");
  here.shell("\"$PIPPIN\" --db t.db report --format csv --columns '\"B\"=own,own,state' >r.csv");
  CHECK(imported(here, "SELECT count(*) FROM r WHERE own = 'x,y'") == "1");
}

TEST_CASE("what a report is of can be a sweep, a campaign or a tag that moves") {
  const Laboratory here;
  const auto lines = [&](const std::string& arguments) {
    const Call call =
        here.pippin("report " + arguments + " --format csv --columns point,runs,state");
    CHECK(call.err.empty());
    return call.out;
  };
  CHECK_THAT(lines("one --pool"), Contains("tp1-pp1") && Contains(",2,ok\n"));
  CHECK_THAT(lines("one/2"), Contains(",1,ok\n") && !Contains(",2,ok\n"));
  CHECK(lines("one") == lines("one/2"));
  CHECK(here.pippin("tag one/1 before").exit_code == 0);
  CHECK(lines("before") == lines("one/1"));
  CHECK(here.pippin("tag two before").exit_code == 0);
  CHECK(lines("before") == lines("two/1"));
  for (const char* wrong : {"one/3", "one/0", "one/", "/1", "befor", "three", "one/1/1", "''/1"}) {
    CAPTURE(wrong);
    const Call call = here.pippin(std::string("report ") + wrong);
    CHECK(call.exit_code == 2);
    CHECK_THAT(call.err, Contains("no sweep, campaign or tag"));
  }
  CHECK_THAT(here.pippin("report befor").err, Contains("did you mean 'before'?"));
  for (const auto& [arguments, message] : std::vector<std::pair<std::string, std::string>>{
           {"one two", "'two' is the name of a sweep"},
           {"one a/b", "a tag is a word without '/'"},
           {"one ''", "a tag is a word"},
           {"one ' '", "a tag is a word"},
           {"one/9 x", "no sweep, campaign or tag is named 'one/9'"},
           {"nix x", "no sweep, campaign or tag is named 'nix'"}}) {
    CAPTURE(arguments);
    const Call call = here.pippin("tag " + arguments);
    CHECK(call.exit_code == 2);
    CHECK_THAT(call.err, Contains(message));
  }
}

TEST_CASE("one set of names sorts rows, chooses them and is their columns") {
  const Laboratory here;
  const auto csv = [&](const std::string& words) {
    return here.pippin("report one/1 --format csv --columns tp,pp " + words);
  };
  const std::string by_vs = csv("--vs first --sort vs").out;
  CHECK(by_vs == csv("--vs first --sort=-vs").out);
  CHECK(by_vs != csv("--vs first --sort +vs").out);
  CHECK(csv("--sort tflops").out == csv("--sort=-tflops").out);
  CHECK(csv("--vs first --where 'vs >= 1'").out != csv("--vs first").out);
  CHECK(csv("--where 'Speed < 1s'").out == csv("--where 'step_time_s < 1000ms'").out);
  for (const auto& [words, message] : std::vector<std::pair<std::string, std::string>>{
           {"--sort vs", "--sort: no row of this table has 'vs'; --vs ROW compares"},
           {"--where 'vs > 1.5'", "--where: no row of this table has 'vs'"},
           {"--where \"run != 'x'\"", "no row of this table has 'run'; --by run shows runs"},
           {"--limit -1", "--limit: '-1' is no whole number from 0 to"}}) {
    const Call call = csv(words);
    CAPTURE(words);
    CHECK(call.exit_code == 2);
    CHECK_THAT(call.err, Contains(message));
  }
}

TEST_CASE("a table shows the numbers that runs are called by") {
  const Laboratory here;
  const std::string number =
      here.pippin(
              "report two --by run --where \"state == 'ok'\" --format csv --columns number | "
              "tail -n 1")
          .out;
  const std::string sweep = here.pippin("report " + std::string(trim(number)) +
                                        " --format csv --columns sweep | tail -n 1")
                                .out;
  CHECK(sweep == "two\n");
  CHECK_THAT(here.pippin("status " + std::string(trim(number))).out, Contains("two campaign 1"));
  CHECK(here.pippin("tail " + std::string(trim(number))).exit_code == 0);
  CHECK_THAT(here.pippin("status two.yaml").out, Contains("two campaign 1"));
  CHECK_THAT(here.pippin("report two.yaml --format csv --columns sweep | tail -n 1").out,
             Contains("two"));
  CHECK_THAT(here.pippin("note two.yaml 'new switch'").err, Contains("runs of two/1: new switch"));
  CHECK(here.pippin("tag two.yaml switched").exit_code == 0);
  CHECK_THAT(here.pippin("tail two").err, Contains("t.db.runs/two/"));
}

TEST_CASE("a table shows why rows failed, and what is known of their runs") {
  const Laboratory here;
  const auto csv = [&](const std::string& more) {
    here.write("r.csv", here.pippin("report one/1 --format csv " + more).out);
  };
  csv("--columns point,reason,log,median,p99,started");
  CHECK_THAT(imported(here, "SELECT reason FROM r WHERE point LIKE '%tp2-pp2%'"),
             StartsWith("RuntimeError: "));
  CHECK(imported(here, "SELECT count(*) FROM r WHERE log LIKE '%one%' AND started <> ''") == "5");
  CHECK(imported(here, "SELECT count(*) FROM r WHERE 0.1 < median_s AND median_s <= p99_s") == "4");
  // Named in a clause or a key alone, they are fetched as well.
  csv("--where 'log != \"x\"' --sort=-median");
  CHECK(imported(here, "SELECT count(*) FROM r") == "5");
}

TEST_CASE("rows of an edited command differ in a column, and those that left the file are apart") {
  const Workplace here;
  const auto sweep = [&](const std::string& tp, const std::string& more) {
    here.write("s.yaml", "sweep: edited\ngrid: {tp: [" + tp +
                             "]}\ngpus: 2\niterations: 3\ncommand: |\n"
                             "  for i in 1 2 3; do echo \" iteration $i/ 3 | elapsed time per "
                             "iteration (ms): 10$i |\"; done # {tp} --foo " +
                             more + "\n");
  };
  sweep("1, 2", "1");
  REQUIRE(here.pippin("run s.yaml --quiet").exit_code == 0);
  sweep("2", "2 --bar");
  REQUIRE(here.pippin("run s.yaml --quiet").exit_code == 0);
  const auto report = here.pippin("report --format csv --columns tp,difference");
  CHECK(report.out == "tp,difference\n2,--foo 2 --bar\n1,\n2,--foo 1\n");
  CHECK_THAT(here.pippin("report").out,
             Contains("no longer in the sweep's file: not ranked: model-tp1-"));
  CHECK(here.sql("SELECT count(*) FROM campaign_points WHERE has_left") == "2");
}

TEST_CASE("a trainer that restarts itself is judged by how it went on") {
  const Workplace here;
  here.write(
      "s.yaml",
      "sweep: restarts\ngrid: {bad: [1, 0]}\ngpus: 1\niterations: 4\ncommand: |\n"
      "  line() { echo \" iteration $1/ 4 | elapsed time per iteration (ms): 10$1 | lm loss: $2 "
      "|\"; }\n"
      "  line 1 2.5; line 2 nan; line 3 nan\n"
      "  line 2 nan; line 3 $([ {bad} = 1 ] && echo nan || echo 2.0); line 4 "
      "$([ {bad} = 1 ] && echo nan || echo 1.5)\n");
  REQUIRE(here.pippin("run s.yaml --quiet").exit_code == 0);
  CHECK(here.sql("SELECT group_concat(a.text || ':' || ifnull(nan_from, '-') || ':' || "
                 "last_iteration || '/' || planned_iterations) FROM (SELECT * FROM point_axes "
                 "ORDER BY text) AS a JOIN runs USING (point)") == "0:-:4/4,1:2:4/4");
}

TEST_CASE("a report without a name shows the newest campaign and says what there is") {
  const Laboratory here;
  CHECK_THAT(here.pippin("report").out,
             StartsWith("two/1, the newest of 3 campaigns of 2 sweeps (two, one); "));
  CHECK_THAT(here.pippin("report").out, Contains("pippin list what there is"));
}

TEST_CASE("a table has as many rows as asked and says how many are behind them") {
  const Laboratory here;
  const Call two = here.pippin("report one/1 --limit 2 --where \"state == 'ok'\"");
  CHECK_THAT(two.out, Contains("rows behind these (--limit)"));
  CHECK(here.pippin("report one/1 --limit 2 --format csv | wc -l").out == "3\n");
}

TEST_CASE("LC_ALL=C prints plain ASCII") {
  const Laboratory here;
  for (const char* words : {"report one", "noise one", "compare one/1 one/2", "status",
                            "plan one.yaml", "report one --methods"}) {
    CAPTURE(words);
    const std::string call = std::string("LC_ALL=C \"$PIPPIN\" --db t.db ") + words;
    CHECK(here.shell(call + " | LC_ALL=C grep -c -P '[^\\x00-\\x7F]'").out == "0\n");
  }
  CHECK_THAT(here.pippin("report one --vs first").out, Contains("×"));
}

TEST_CASE("points in several sweeps and points that failed are rows of every format") {
  const Laboratory here;
  CHECK(here.sql("SELECT count(DISTINCT point) < count(*) FROM campaign_points JOIN campaigns ON "
                 "campaigns.id = campaign WHERE number = 1") == "1");
  for (const char* by : {"point", "day", "allocation", "run"}) {
    for (const char* format : {"terminal", "markdown", "csv", "json"}) {
      for (const char* more : {"", "--samples all --vs first --sort +tflops --flops megatron",
                               "--preset utilisation --accelerator a100-sxm4-80g --precision bf16",
                               "--preset variance --sort state,memory"}) {
        const std::string arguments =
            fmt::format("report --pool --by {} --format {} {}", by, format, more);
        CAPTURE(arguments);
        const Call first = here.pippin(arguments), second = here.pippin(arguments);
        CHECK(first.exit_code == 0);
        CHECK(first.out == second.out);
        CHECK_FALSE(has_no_number(first.out));
      }
    }
  }
  CHECK(
      here.pippin("report --pool --format csv --columns state | sort | uniq -c | tr -s ' '").out ==
      " 2 failed\n 3 infeasible\n 7 ok\n 1 state\n");
}

TEST_CASE("what is asked for is checked before rows are left out") {
  const Laboratory here;
  CHECK(here.pippin("report one --where 'tp == 99' --sort bogus").exit_code == 2);
  CHECK(here.pippin("report one --where 'tp == 99' --where 'bogus == 1'").exit_code == 2);
  CHECK(here.pippin("report one --where 'tp == 99' --columns bogus").exit_code == 2);
  CHECK(
      here.pippin("report one --where 'tp == 99' --columns fail_at,tp --sort fail_at").exit_code ==
      0);
  CHECK(here.pippin("report one --where 'tp == 99' --format csv --columns fail_at,tp").out ==
        "fail_at,tp\n");
}

TEST_CASE("a report refuses what it cannot do in one line") {
  const Laboratory here;
  const std::vector<std::pair<std::string, std::string>> cases{
      {"--where 'tp ='", "--where: in 'tp ='"},
      {"--where '(tp'", "--where: in '(tp'"},
      {"--where ''", "there is no expression"},
      {"--where 'tp = 1'", "did you mean '=='?"},
      {"--where 'tflosp > 1'", "no row has 'tflosp', did you mean 'tflops'?"},
      {"--where 'fail_ta > 1'", "did you mean 'fail_at'?"},
      {"--where 'state > 1'", "calculates with a text"},
      {"--where 'tp / 0 > 1'", "it divides by zero"},
      {"--where state", "--where: "},
      {"--columns ,", "a name is missing"},
      {"--columns tp,,pp", "a name is missing"},
      {"--columns '?'", "a name is missing"},
      {"--columns X=", "a name is missing"},
      {"--columns '?nothing'", "no row has such an axis, or all have it alike"},
      {"--columns tflops:99", "decimals are from 0 to 9"},
      {"--columns tflops:-1", "decimals are from 0 to 9"},
      {"--columns tflops:x", "no column 'tflops:x'"},
      {"--columns tfolps", "did you mean 'tflops'?"},
      {"--columns tp --preset zero", "name one of them"},
      {"--preset zerro", "did you mean 'zero'?"},
      {"--sort tfolps", "no row has 'tfolps', did you mean 'tflops'?"},
      {"--sort ,", "--sort: no row has ''"},
      {"--sort strip", "--sort: no row has 'strip'"},
      {"--vs nix", "--vs nix: no row of the table is named so"},
      {"--sort state --where 'state == \"failed\"' --vs first", "--vs first: that row is failed"},
      {"--flops parms", "did you mean 'params'?"},
      {"--by points", "did you mean 'point'?"},
      {"--samples dirty", "there is clean, all"},
      {"--accelerator v100",
       "--accelerator: unknown accelerator 'v100'; known: v100-sxm2-16g, v100-sxm2-32g"},
      {"--precision fp61", "--precision fp61: there is"},
      {"--accelerator v100-sxm2-32g --precision bf16",
       "--precision bf16: there is fp16, fp32, fp64"},
      {"--format cvs", "did you mean 'csv'?"},
  };
  for (const auto& [arguments, message] : cases) {
    CAPTURE(arguments);
    const Call call = here.pippin("report one " + arguments);
    CHECK(call.exit_code == 2);
    CHECK(call.out.empty());
    CHECK(split(trim(call.err), '\n').size() == 1);
    CHECK_THAT(call.err, StartsWith("pippin: ") && Contains(message));
  }
}

TEST_CASE("columns may be named twice, titled and rounded") {
  const Laboratory here;
  const std::string columns = "report one --where 'tp == 1 && pp == 1' --columns ";
  CHECK(here.pippin(columns + "tp,tp,A=tp,'MB S=mbs','size:2,state' --format markdown | head -3")
            .out ==
        "|  TP |  TP |   A | MB S |  size | state |\n"
        "| --: | --: | --: | ---: | ----: | ----- |\n"
        "|   1 |   1 |   1 |    1 | 0.00B | ok    |\n");
  CHECK(here.pippin(columns + "tp,tp,?nix,A=tp --format csv").out == "tp,tp,tp\n1,1,1\n");
}

TEST_CASE("a run is noted by its name or its number") {
  const Laboratory here;
  const std::string name = here.sql("SELECT name FROM runs WHERE id = 1");
  const Call several = here.pippin("note " + name + " 'which?'");
  CHECK(several.exit_code == 2);
  CHECK_THAT(several.err, Contains("runs are named") && Contains("1 (campaign 1 of one)") &&
                              Contains("(campaign 1 of two)"));
  CHECK(here.pippin("note 1 ' first '").exit_code == 0);
  CHECK(here.sql("SELECT note FROM run_overview WHERE run = 1") == "first");
  CHECK_THAT(here.pippin("note nix x").err, Contains("no run is named 'nix'"));
  CHECK(here.pippin("note 99999999999999999999 x").exit_code == 2);
  CHECK(here.pippin("note '' x").exit_code == 2);
  CHECK(here.pippin("note 1").exit_code == 2);
  // A run that is called like another's number.
  here.shell("sqlite3 t.db \"UPDATE runs SET name = '2' WHERE id = 3\"");
  const Call both = here.pippin("note 2 x");
  CHECK(both.exit_code == 2);
  CHECK_THAT(both.err, Contains("02 (campaign") && Contains(", 3 (campaign"));
  CHECK(here.pippin("note 02 'the second'").exit_code == 0);
  CHECK(here.pippin("note 3 'the third'").exit_code == 0);
  CHECK(here.sql("SELECT group_concat(run || text) FROM notes WHERE run IN (2, 3)") ==
        "2the second,3the third");
}

TEST_CASE("a note outlives collecting, another attempt and another campaign") {
  const Laboratory here;
  here.pippin("note 1 'kept'");
  const auto noted = [&] {
    return here.pippin("report one --pool --columns notes --format csv | grep -c kept").out;
  };
  CHECK(noted() == "1\n");
  CHECK(here.pippin("collect").exit_code == 0);
  CHECK(noted() == "1\n");
  CHECK(here.pippin("run one.yaml --again --quiet").exit_code == 1);
  CHECK(noted() == "1\n");
  CHECK(here.pippin("note 1 ''").exit_code == 0);
  CHECK(noted() == "0\n");
  CHECK_THAT(here.pippin("note 1 ''").err, Contains("has no note any more"));
}

TEST_CASE("colours are for terminals that have some") {
  const Laboratory here;
  const std::string escape = "\x1b[";
  const auto on_terminal = [&](const std::string& environment) {
    return here
        .shell(environment + " script -qec '\"$PIPPIN\" --db t.db report one' /dev/null </dev/null")
        .out;
  };
  if (here.shell("script -qec true /dev/null </dev/null").exit_code != 0) return;
  CHECK_THAT(on_terminal("TERM=xterm"), Contains(escape));
  CHECK_THAT(on_terminal("TERM=xterm NO_COLOR="), Contains(escape));
  CHECK_THAT(on_terminal("TERM=xterm NO_COLOR=1"), !Contains(escape));
  CHECK_THAT(on_terminal("TERM=dumb"), !Contains(escape));
  CHECK_THAT(on_terminal("env -u TERM"), !Contains(escape));
  CHECK_THAT(here.pippin("report one").out, !Contains(escape));
}

TEST_CASE("a report, a comparison and the noise are pages in files, which say what makes them") {
  const Workplace here;
  here.write("s.yaml", test::replay_sweep(""));
  here.pippin("run s.yaml --quiet");
  here.pippin("run s.yaml --quiet --again");
  for (const std::string command :
       {"report replayed", "compare replayed/1 replayed/2", "noise replayed"}) {
    const Call call = here.pippin(command + " --format html -o page.html");
    CAPTURE(command, call.err);
    CHECK(call.exit_code == 0);
    CHECK(call.out.empty());
    const std::string page = here.text("page.html");
    CHECK_THAT(page, Contains("<!doctype html>"));
    CHECK_THAT(page, Contains("\"command\":\"pippin --db t.db " + command));
    CHECK_THAT(page, Contains("tiny-tp2-pp2"));
    CHECK(here.pippin(command + " --format html").out.size() > page.size() / 2);
  }
  const Call csv = here.pippin("report replayed --format csv");
  CHECK(here.pippin("report replayed --format csv -o t.csv").exit_code == 0);
  CHECK(here.text("t.csv") == csv.out);
  const Call nowhere = here.pippin("report replayed --format html -o none/there/");
  CHECK(nowhere.exit_code != 0);
  CHECK(split(trim(nowhere.err), '\n').size() == 1);
}

TEST_CASE("a file to write to may be a pipe, a link or what is open already") {
  const Workplace here;
  here.write("s.yaml", test::replay_sweep(""));
  here.pippin("run s.yaml --quiet");
  const std::string csv = here.pippin("report replayed --format csv").out;
  const std::string report = "\"$PIPPIN\" --db t.db report replayed --format csv -o ";
  CHECK(here.shell("mkfifo pipe; cat pipe & " + report + "pipe; wait; test -p pipe").out == csv);
  CHECK(here.shell(report + "/dev/stdout").out == csv);
  CHECK(here.shell("echo first >open; " + report + "/dev/stdout >>open").exit_code == 0);
  CHECK(here.text("open") == "first\n" + csv);
  if (fs::exists("/dev/shm")) {
    const std::string shared = "/dev/shm/pippin-" + std::to_string(::getpid()) + ".csv";
    CHECK(here.shell(report + shared + " && " + report + shared).exit_code == 0);
    CHECK(here.shell("cat " + shared + "; rm " + shared).out == csv);
  }
  here.shell("mkdir notes; echo old >notes/old.csv; ln -s notes/old.csv a; ln -s notes/new.csv b");
  CHECK(here.shell(report + "a && " + report + "b && test -L a && test -L b").exit_code == 0);
  CHECK(here.text("notes/old.csv") == csv);
  CHECK(here.text("notes/new.csv") == csv);
}

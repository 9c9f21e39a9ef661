// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "tests/harness/cli/pippin.h"
#include "tests/support/catch.h"

using namespace pippin;
using Catch::Contains;
using test::Workplace;

namespace {

/// A campaign of 5000 runs that a job has taken and was cancelled before it began.
void submit_many_runs(const Workplace& here) {
  here.write("s.yaml", "sweep: s\ncommand: 'true {a} {b}'\ngrid: {a: [1, 2, 3, 4, 5], b: [" +
                           here.shell("seq --separator=, 1000").out + "]}\n");
  here.shell(
      "mkdir -m 700 .pippin-$(id -u); flock --close .pippin-$(id -u)/machine.lock bash -c "
      "'\"$PIPPIN\" --db t.db submit s.yaml "
      "&& \"$PIPPIN\" --db t.db --yes cancel s'; mkdir -p t.db.runs/s/outcomes; "
      "tr '\\t' '\\n' <t.db.runs/s/jobs/s-*/journal | grep -e '-a1$' >names");
}

}  // namespace

TEST_CASE("status of many runs sees what comes and goes after it has looked") {
  const Workplace here;
  submit_many_runs(here);
  const auto end = [&](const char* runs) {
    here.shell(fmt::format("sed -n '{}s/$/\\tok/p' names >>t.db.runs/s/outcomes/n1-1", runs));
  };
  end("1,10");
  CHECK_THAT(here.pippin("status s").out, Contains("10 ok, 4990 not submitted"));
  here.shell("sleep 3.2");
  const std::string kept = here.pippin("status s").out;
  REQUIRE(here.shell("ls t.db.runs/s/.campaign-1.plan").exit_code == 0);
  CHECK(here.pippin("status s").out == kept);
  CHECK_THAT(kept, Contains("10 ok, 4990 not submitted") && Contains("not read  10 runs"));
  end("11");
  CHECK_THAT(here.pippin("status s").out, Contains("11 ok, 4989 not submitted"));
  here.shell("sed -i 1d t.db.runs/s/outcomes/n1-1");
  CHECK_THAT(here.pippin("status s").out, Contains("10 ok, 4990 not submitted"));
}

TEST_CASE("status of all sweeps begins with those that are under way") {
  const Workplace here;
  submit_many_runs(here);
  here.write("done.yaml", "sweep: done\ncommand: 'true {a}'\ngrid: {a: [1]}\n");
  here.pippin("run done.yaml");
  const std::string text = here.pippin("status").out;
  CHECK_THAT(text, Contains("s campaign 1") && Contains("done campaign 1"));
  CHECK(text.find("s campaign 1") < text.find("done campaign 1"));
}

TEST_CASE("a run names its campaign before the database knows it") {
  const Workplace here;
  here.write("s.yaml", test::replay_sweep("order: sequential\n"));
  CHECK(here.pippin("run s.yaml").exit_code == 0);
  const std::string run = here.sql("SELECT name FROM runs LIMIT 1");
  here.shell("rm t.db");
  CHECK_THAT(here.pippin("status " + run).out, Contains("replayed campaign 1"));
  CHECK_THAT(here.pippin("status replayed/" + run).out, Contains("replayed campaign 1"));
  for (const std::string& name : {"other/" + run, std::string("jobs"), "../" + run}) {
    CAPTURE(name);
    CHECK_THAT(here.pippin("status " + name).err, Contains("no campaign of a sweep, and no run"));
  }
  here.shell("cp -r t.db.runs/replayed t.db.runs/twice");
  CHECK_THAT(here.pippin("status " + run).err,
             Contains("' is a run of replayed and of twice; say "));
}

TEST_CASE("a run that is refuted is not taken for one that went well") {
  const Workplace here;
  submit_many_runs(here);
  here.shell(
      "name=$(head -n 1 names); cd t.db.runs/s; printf '%s\\tok\\n' $name >outcomes/n1-1; "
      "mkdir -p $name/1-local-0; printf 'pippin: started=5\\npippin: exit=0 ended=6 started=5\\n' "
      ">$name/1-local-0/run");
  for (int i = 0; i < 2; ++i) CHECK_THAT(here.pippin("status s").out, Contains("1 ok, 4999"));
  here.shell(
      "name=$(head -n 1 names); cd t.db.runs/s; mkdir refuted; "
      "printf '%s/1-local-0\\tmeasured nothing\\n' $name >refuted/000001");
  CHECK_THAT(here.pippin("status s").out,
             Contains("1 failed, 4999 not submitted") && Contains(": measured nothing"));
}

TEST_CASE("tail finds a run of many by name, by what is kept too, and suggests one") {
  const Workplace here;
  submit_many_runs(here);
  here.shell(
      "name=$(sed -n 7p names); mkdir -p t.db.runs/s/$name/1-local-0; cd t.db.runs/s/$name/"
      "1-local-0; echo 5 >started; echo exit=1 ended=6 >done; echo a line >log; sleep 3.2");
  for (int i = 0; i < 2; ++i)
    CHECK(here.shell("\"$PIPPIN\" --db t.db tail \"$(sed -n 7p names)\"").out == "a line\n");
  CHECK(here.shell("[ -e t.db.runs/s/.campaign-1.plan ]").exit_code == 0);
  const auto wrong = here.shell("\"$PIPPIN\" --db t.db tail \"$(sed -n 7p names)x\"");
  CHECK(wrong.exit_code == 2);
  CHECK_THAT(wrong.err, Contains("no run is named") && Contains("did you mean"));
}

TEST_CASE("many runs in a folder that may only be read are counted each time") {
  const Workplace here;
  submit_many_runs(here);
  here.shell("sed -n '1,3s/$/\\tok/p' names >t.db.runs/s/outcomes/n1-1; sleep 3.2");
  // root may write anywhere: something is in the way instead
  here.shell("mkdir -p t.db.runs/s/.campaign-1.plan/x");
  for (int i = 0; i < 2; ++i) {
    const auto call = here.pippin("status s");
    CHECK_THAT(call.out, Contains("3 ok, 4997 not submitted"));
    CHECK(call.err.empty());
  }
}

TEST_CASE("a database behind a link keeps its runs beside the file that it is") {
  const Workplace here;
  here.write("s.yaml", "sweep: s\ncommand: 'echo {a}'\ngrid: {a: [1, 2]}\n");
  here.shell("mkdir real && ln -s real/t.db link.db && ln -s link.db second.db");
  const auto run = [&](const std::string& db) {
    return here.shell("\"$PIPPIN\" --db " + db + " --yes run s.yaml 2>&1").out;
  };
  CHECK_THAT(run("second.db"), Contains("2 of 2 runs done"));
  CHECK(here.shell("ls -d *.runs real/*.runs 2>/dev/null").out == "real/t.db.runs\n");
  for (const char* db : {"real/t.db", "link.db", "second.db"})
    CHECK_THAT(run(db), Contains("campaign 1 of s was finished already"));
  // Behind a linked folder ".." is the parent of what that points to.
  here.shell(
      "mkdir -p real/deep other && ln -s ../t.db real/deep/up.db && ln -s ../real/deep other/in");
  CHECK_THAT(run("other/in/up.db"), Contains("campaign 1 of s was finished already"));
  CHECK_THAT(run("other/in/../t.db"), Contains("campaign 1 of s was finished already"));
  // An older pippin put them beside the link, where they stay.
  here.shell("mv real/t.db.runs link.db.runs");
  CHECK_THAT(run("link.db"), Contains("campaign 1 of s was finished already"));
}

TEST_CASE("status that watches ends where nothing goes on and nobody is at work") {
  const Workplace here;
  submit_many_runs(here);
  const auto call = here.pippin("status s --watch --poll 0.1");
  CHECK(call.exit_code == 1);
  CHECK_THAT(call.err, Contains("nothing waits or runs, and no pippin is at work: 5000 runs not "
                                "submitted; 'pippin run' or 'submit' takes them up"));
}

TEST_CASE("runs whose files are gone are not measured again where the database has their results") {
  const Workplace here;
  here.write("s.yaml", test::replay_sweep("order: sequential\n"));
  REQUIRE(here.pippin("run s.yaml").exit_code == 0);
  const std::string runs = here.sql("SELECT count(*) FROM runs WHERE state = 'ok'");
  const std::string ids = here.sql("SELECT group_concat(id) FROM runs");
  const auto all_agree = [&] {
    CHECK_THAT(here.pippin("status replayed").out, Contains("runs      " + runs + " ok"));
    CHECK_THAT(here.pippin("submit s.yaml").err, Contains("all runs are over"));
    const auto again = here.pippin("run s.yaml");
    CHECK(again.exit_code == 0);
    CHECK_THAT(again.err, Contains("the results are in t.db, and the files in") &&
                              Contains("; not measured again"));
    CHECK(here.sql("SELECT group_concat(id) FROM runs") == ids);
  };
  here.shell("cd t.db.runs/replayed; rm -r \"$(ls -d *-a1* | head -n 1)\"");
  all_agree();
  here.shell("cd t.db.runs/replayed; rm -r outcomes *-a1*");  // an older day's backup
  all_agree();
  CHECK_THAT(here.pippin("collect").err, Contains("0 runs, 0 iterations added"));
  CHECK(here.sql("SELECT count(*) FROM runs WHERE state = 'ok'") == runs);
}

TEST_CASE("that campaigns' files have been moved away is said, and which the database knows") {
  const Workplace here;
  here.write("s.yaml", test::replay_sweep("order: sequential\n"));
  REQUIRE(here.pippin("run s.yaml").exit_code == 0);
  here.shell("mv t.db.runs elsewhere");
  CHECK_THAT(
      here.pippin("status").err,
      Contains("no campaign's files are there; t.db knows 1 campaign, the newest replayed/1"));
}

// SPDX-License-Identifier: Apache-2.0
// Sweeps that the command line says in words, without a file.
#include "core/base/text.h"
#include "tests/harness/cli/pippin.h"
#include "tests/support/catch.h"

using namespace pippin;
using Catch::Contains;
using Catch::StartsWith;
using test::Call;
using test::Workplace;

namespace {

/// A command line of the replay probe, whose runs take hundredths of a second.
std::string replay_words(const std::string& axes, const std::string& options = "") {
  return axes + " --iterations 5 " + options +
         " -- \"$(dirname \"$PIPPIN\")/probes/replay --tp {tp} --mbs {mbs} --iterations "
         "{iterations} --step-time-ms 500 --sleep-factor 0.005\"";
}

}  // namespace

TEST_CASE("a sweep of words runs, goes on with what is added and begins anew on demand") {
  const Workplace here;
  const Call first = here.pippin("run " + replay_words("-L tp 1,2 -L mbs 1,2", "--repeats 2"));
  CAPTURE(first.err);
  CHECK(first.exit_code == 0);
  CHECK_THAT(first.out, StartsWith("sweep replay-"));
  CHECK(here.sql("SELECT count(*) FROM runs WHERE state = 'ok'") == "8");
  const Call again = here.pippin("run " + replay_words("-L tp 1,2 -L mbs 1,2", "--repeats 2"));
  CHECK_THAT(again.err, Contains("finished already; 'pippin --db t.db run --again -L tp 1,2 "
                                 "-L mbs 1,2 --iterations 5 --repeats 2 -- '"));
  CHECK(here.sql("SELECT count(*) FROM runs") == "8");
  CHECK(here.pippin("run " + replay_words("-L tp 1,2,4 -L mbs 1,2", "--repeats 3")).exit_code == 0);
  CHECK(here.sql("SELECT count(*), count(DISTINCT campaign) FROM run_overview") == "18|1");
  CHECK(here.pippin("run " + replay_words("-L tp 1 -L mbs 1", "--again")).exit_code == 0);
  CHECK(here.sql("SELECT count(*), count(DISTINCT campaign) FROM run_overview") == "19|2");
}

TEST_CASE("how to come back with a sweep of words can be pasted into a shell") {
  const Workplace here;
  const Call submitted = here.pippin(
      "submit " +
      replay_words("-L tp 1,2 -L mbs 1",
                   "--fixed \"it='s\" --derive 'gas=1 / (mbs * dp)' --where 'tp < 9 && it != 1'"));
  CAPTURE(submitted.err);
  CHECK(submitted.exit_code == 0);
  const auto begin = submitted.err.find("pippin --db");
  REQUIRE(begin != std::string::npos);
  const std::string words = submitted.err.substr(begin + std::string("pippin").size());
  CHECK(here.shell("\"$PIPPIN\"" + words).exit_code == 0);
  CHECK(here.sql("SELECT count(*), count(DISTINCT campaign) FROM run_overview") == "2|1");
}

TEST_CASE("words behind -- reach the program as they were typed, one word is bash") {
  const Workplace here;
  here.write("show", "printf '<%s>' \"$X\" \"$@\" >\"$PIPPIN_RUN_DIR/shown\"\n");
  here.pippin(
      "run --name several -L own '$(touch pwned),b' -- X='a b' bash show --a={own} '[x]' '$HOME' "
      "'{{own}}' '' '*' 'p | q'");
  CHECK(here.shell("cat t.db.runs/several/*/*/shown | tr '>' '\\n' | sort -u | tr '\\n' '>'").out ==
        "<>"
        "<$HOME>"
        "<*>"
        "<--a=$(touch pwned)>"
        "<--a=b>"
        "<[x]>"
        "<a b>"
        "<p | q>"
        "<{own}>");
  here.pippin(
      "run --name one -L own a -- 'for i in 1 2; do echo \"$i\"{own}; done "
      ">>\"$PIPPIN_RUN_DIR/shown\"'");
  CHECK(here.shell("cat t.db.runs/one/*/*/shown").out == "1a\n2a\n");
  CHECK(here.shell("find . -name pwned").out.empty());
}

TEST_CASE("the file that a plan prints goes on with the sweep of the words") {
  const Workplace here;
  const std::string words = replay_words("-L tp 1,2 -L mbs 1", "--repeats 2");
  CHECK(here.pippin("run " + words).exit_code == 0);
  CHECK(here.pippin("plan --print-yaml " + words + " >s.yaml").exit_code == 0);
  CHECK_THAT(here.pippin("run s.yaml").err, Contains("finished already"));
  CHECK(here.sql("SELECT count(*) FROM runs") == "4");
}

TEST_CASE("a job script of words can be printed") {
  const Workplace here;
  const Call script = here.pippin("plan --script m-tp2-mbs1 " + replay_words("-L tp 1,2 -L mbs 1"));
  CHECK(script.exit_code == 2);
  CHECK_THAT(script.err, Contains("the command line: no point is named 'm-tp2-mbs1'"));
  const std::string name = "model-tp2-pp1-dp1-mbs1-gas1";
  CHECK_THAT(here.pippin("plan --script " + name + " " + replay_words("-L tp 1,2 -L mbs 1")).out,
             StartsWith("#!/bin/bash\n") && Contains("--tp 2"));
}

TEST_CASE("words and a sweep file do not go together") {
  const Workplace here;
  here.write("s.yaml", test::replay_sweep(""));
  const std::vector<std::pair<std::string, std::string>> cases{
      {"plan s.yaml -L tp 1", "--parameter-list stands for a part of a sweep file"},
      {"run s.yaml --repeats 3",
       "--repeats stands for a part of a sweep file: write it into s.yaml"},
      {"submit s.yaml -- train", "a command behind '--' stands for a part of a sweep file"},
      {"plan s.yaml --print-yaml", "--print-yaml stands for"},
      {"plan -L tp 1,2", "a command is missing behind the options"},
      {"run -- train", "there is nothing to sweep"},
      {"run --repeats 3", "SWEEP.yaml is required"},
      {"plan -L tp", "--parameter-list"},
      {"report run -- train", "report takes no command behind '--'"},
      {"run -L tp 1 -- \"echo {tp} 'unclosed\"", "the command line: bash does not understand"},
  };
  for (const auto& [arguments, message] : cases) {
    CAPTURE(arguments);
    const Call call = here.pippin(arguments);
    CHECK(call.exit_code == 2);
    CHECK_THAT(call.err, StartsWith("pippin: ") && Contains(message));
    CHECK(split(trim(call.err), '\n').size() == 1);
  }
}

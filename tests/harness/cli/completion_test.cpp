// SPDX-License-Identifier: Apache-2.0
#include "core/base/process.h"
#include "core/base/text.h"
#include "tests/harness/cli/pippin.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"

using namespace pippin;
using Catch::Contains;
using test::Call;
using test::Workplace;

namespace {

/// The words, without what is said on them, that `pippin --complete` has for bash words.
std::string completed(const Workplace& here, const std::string& words) {
  const Call call = here.shell("\"$PIPPIN\" --complete -- " + words + " | cut -f 1 | tr '\\n' ' '");
  CAPTURE(words);
  CHECK(call.exit_code == 0);
  CHECK(call.err.empty());
  return std::string(trim(call.out));
}

fs::path scripts() { return test::source_directory() / "packaging/completions"; }

bool is_here(const std::string& program) {
  return run_program({"bash", "-c", "command -v " + program}).exit_code == 0;
}

/// A workplace with a sweep that has run.
struct Used : Workplace {
  Used() {
    write("s.yaml", test::replay_sweep(""));
    write("notes.md", "# Notes\n");
    write("folder/deep.yaml", "");
    pippin("run s.yaml --quiet");
  }
};

}  // namespace

TEST_CASE("commands, options and their values are completed") {
  const Used here;
  const std::vector<std::pair<std::string, std::string>> cases{
      {"pl", "plan"},
      {"--db t.db --q", "--quiet"},
      {"run --ag", "--again"},
      {"run --qu", "--quiet"},
      {"run --retr", "--retry-failed --retries"},
      {"plan --format ''", "terminal csv json"},
      {"plan --format=c", "--format=csv"},
      {"plan s.yaml --format j", "json"},
      {"report --format j", "json"},
      {"report --by r", "run"},
      {"report --plot sc", "scaling"},
      {"report --plot mbs:t", "mbs:time mbs:tp"},
      {"list --format ''", "terminal csv json"},
      {"report --flops me", "megatron"},
      {"report --preset perf", "performance"},
      {"report --accelerator h100", "h100-sxm5-80g h100-96g"},
      {"report --sort -tfl", "-tflops"},
      {"report --samples a", "all"},
      {"run --cluster jean-zay-v100-3", "jean-zay-v100-32g"},
      {"run --model 529", "529.6B"},
      {"run -L t", "tp"},
      {"run -L tp 1,", ""},
      {"run -L tp 1,2 -L mb", "mbs"},
      {"run --where 'tp > 1 && mb'", "tp > 1 && mbs"},
      {"run --fixed pp", "pp="},
      {"run -L tp 1 -- --ag", ""},
      {"retable --factor ''", "3 4"},
      {"retable note", "notes.md"},
      {"doctor --wr", "--write-cluster"},
      {"doctor --write-cluster note", "notes.md"},
  };
  for (const auto& [words, expected] : cases) CHECK(completed(here, words) == expected);
}

TEST_CASE("names are completed from where they live") {
  const Used here;
  const std::vector<std::pair<std::string, std::string>> cases{
      {"run ''", "folder/ s.yaml t.db.runs/"},
      {"run folder/", "folder/deep.yaml"},
      {"merge t", "t.db t.db.runs/"},
      {"collect n", "notes.md"},
      {"plan s.yaml --script tiny-tp1-pp2", "tiny-tp1-pp2-dp8-mbs1-gas1"},
      {"plan --script x s.yaml --fixed step", "step_time_ms="},
      {"--db t.db report re", "replayed replayed/1"},
      {"--db=t.db report re", "replayed replayed/1"},
      {"report --db t.db re", "replayed replayed/1"},
      {"report re", ""},
      {"--db t.db list re", "replayed replayed/1"},
      {"--db t.db drop re", "replayed replayed/1"},
      {"--db t.db rename re", "replayed"},
      {"--db t.db drop tiny-tp1-pp1-dp16-mbs1-gas1-e5f403e8-a1",
       "tiny-tp1-pp1-dp16-mbs1-gas1-e5f403e8-a1"},
      {"--db t.db show repl", "replayed replayed/1"},
      {"--db t.db show tiny-tp1-pp1-dp16-mbs1-gas1-e5f403e8-a1",
       "tiny-tp1-pp1-dp16-mbs1-gas1-e5f403e8-a1"},
      {"show x --as p", "point"},
      {"show x --format j", "json"},
      {"--db t.db status ''", "replayed"},
      {"--db t.db cancel ''", "replayed"},
      {"--db t.db report replayed rep", "replayed replayed/1"},
      {"--db t.db run --where 'step_'", "step_time_ms"},
  };
  for (const auto& [words, expected] : cases) CHECK(completed(here, words) == expected);
}

TEST_CASE("completion fails at nothing, says no error and makes no file") {
  const Workplace here;
  here.write("bad.yaml", "sweep: [");
  here.write("bad.db", "no database");
  const std::string before = here.shell("ls -A").out;
  for (const std::string words : {"",
                                  "''",
                                  "'' ''",
                                  "bogus ''",
                                  "report ''",
                                  "--db none.db report ''",
                                  "--db bad.db report ''",
                                  "--db . report ''",
                                  "--db",
                                  "--db ''",
                                  "plan bad.yaml --script ''",
                                  "plan none.yaml --script ''",
                                  "run --where",
                                  "run -L",
                                  "run -- -- ''",
                                  "--=x",
                                  "- -",
                                  "plan /root/none/",
                                  "$'\\xff\\n'",
                                  "--complete -- x"}) {
    completed(here, words);
  }
  CHECK(here.shell("ls -A").out == before);
  CHECK(here.shell("\"$PIPPIN\" --complete -- '' >/dev/full").exit_code == 0);
}

TEST_CASE("completion reads a database that is being written and leaves nothing beside it") {
  const Used here;
  here.shell("chmod a-w t.db");
  CHECK(completed(here, "--db t.db report re") == "replayed replayed/1");
  const Call locked = here.shell(
      "chmod u+w t.db; { echo 'BEGIN EXCLUSIVE;'; sleep 1; } | sqlite3 t.db & sleep 0.3\n"
      "time \"$PIPPIN\" --complete -- --db t.db report re; ls t.db*; wait");
  CHECK_THAT(locked.out, Contains("replayed"));
}

TEST_CASE("bash completes with the script") {
  const Used here;
  const auto reply = [&](const std::string& words) {
    const Call call = here.shell("source '" + (scripts() / "pippin.bash").string() +
                                 "'; compopt() { echo \"$@\" >&2; }; COMP_WORDS=(" + words +
                                 "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _pippin \"$PIPPIN\"; "
                                 "printf '%s|' \"${COMPREPLY[@]}\"");
    return call.out + call.err;
  };
  CHECK(reply("pippin pl") == "plan|");
  CHECK(reply("pippin plan --format = c") == "csv|");
  CHECK(reply("pippin plan --format =") == "terminal|csv|json|");
  CHECK(reply("pippin --db = t.db report re") == "replayed|replayed/1|");
  CHECK(reply("pippin run fol") == "folder/|-o nospace\n");
  CHECK(reply("pippin run --where \"'tp > 1 && mb\"") == "tp > 1 && mbs|");
  CHECK(reply("pippin run -- x") == "|");
  CHECK(
      here.shell("source '" + (scripts() / "pippin.bash").string() + "'; complete -p pippin").out ==
      "complete -o default -F _pippin pippin\n");
}

TEST_CASE("zsh completes with the script") {
  if (!is_here("zsh")) return test::skip("zsh is not installed");
  const Used here;
  const auto reply = [&](const std::string& words) {
    here.write("ask.zsh",
               "compadd() { [[ $1 == -S ]] && print -n open:; print -l -- ${(P)argv[-1]} "
               "${(P)argv[-3]}; }\n"
               "_files() { print files; }\n"
               "complete_it() { local -a words; local CURRENT PREFIX\n  words=($PIPPIN " +
                   words + ") CURRENT=$#words PREFIX=$words[-1]\n  source " +
                   (scripts() / "_pippin").string() + "\n}\ncomplete_it\n");
    const Call call = here.shell("zsh -f ask.zsh");
    return call.out + call.err;
  };
  CHECK(reply("pl") == "plan\nplan  -- show points, what was dropped and why, jobs; run nothing\n");
  CHECK(reply("plan --format=j") == "--format=json\n--format=json  -- format\n");
  CHECK(reply("run fol") == "open:folder/\nfolder/\n");
  CHECK(reply("--db t.db cancel ''") == "replayed\nreplayed  -- sweep\n");
  CHECK(reply("run -- x") == "files\n");
}

TEST_CASE("fish completes with the script") {
  if (!is_here("fish")) return test::skip("fish is not installed");
  const Used here;
  const auto reply = [&](const std::string& line) {
    const Call call = here.shell(
        "export HOME=\"$PWD\" PATH=\"$(dirname \"$PIPPIN\"):$PATH\"; fish "
        "--no-config -c 'source " +
        (scripts() / "pippin.fish").string() + "; complete -C \"" + line + "\"'");
    return call.out + call.err;
  };
  CHECK(reply("pippin pl") == "plan\tshow points, what was dropped and why, jobs; run nothing\n");
  CHECK(reply("pippin plan --format=j") == "--format=json\tformat\n");
  CHECK(reply("pippin --db t.db cancel ") == "replayed\tsweep\n");
  CHECK(reply("pippin run fol") == "folder/\n");
  CHECK_THAT(reply("pippin run -- not"), Contains("notes.md"));
}

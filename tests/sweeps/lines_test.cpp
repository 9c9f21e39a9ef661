// SPDX-License-Identifier: Apache-2.0
// How a command's lines are read: the keys scrape and log.
#include "sweeps/sweep_file.h"
#include "sweeps/sweep_words.h"
#include "tests/support/catch.h"
#include "tests/support/temporary.h"
#include "tests/sweeps/sweep_text.h"

using namespace pippin;
using test::error_of;

namespace {

std::string sound(const std::string& more) {
  return "sweep: s\ncommand: x {mbs}\ngrid:\n  mbs: [1]\n" + more;
}

std::string told_of(const Sweep& sweep) {
  std::string text;
  for (const auto& [name, value] : sweep.trainer.scrape) text += name + " " + value.text + "\n";
  return text;
}

}  // namespace

TEST_CASE("a sweep says how its command's lines are read, and where they are") {
  const Sweep sweep = test::sweep_of(
      sound("scrape:\n  step: 'step (\\d+)'\n  step_time: 1 ([0-9.]+) ms\nlog: out/train.log\n"));
  CHECK(told_of(sweep) == "scrape.step step (\\d+)\nscrape.step_time 1 ([0-9.]+) ms\n");
  CHECK(sweep.trainer.log == "out/train.log");
}

TEST_CASE("a log may be the files of several ranks") {
  CHECK(test::sweep_of(sound("log: 'out/{node}.{rank}.log'\n")).trainer.log ==
        "out/{node}.{rank}.log");
  CHECK(error_of(sound("log: 'log.{tp}'\n")) ==
        "sweep.yaml:5: log has {tp}; only {rank} and {node} stand for files of several ranks");
}

TEST_CASE("points and their repeats are the same however their lines are read") {
  const Sweep plain = test::sweep_of(sound(""));
  const Sweep read = test::sweep_of(sound("scrape: {step_time_ms: '(1)'}\nlog: x.log\n"));
  CHECK(plain.points.at(0).id == read.points.at(0).id);
}

TEST_CASE("a log that is no file of the run's folder is refused") {
  const std::string must =
      "sweep.yaml:5: log must be a file in the run's own folder, as train.log where the command "
      "writes {run_dir}/train.log, not ";
  CHECK(error_of(sound("log: /tmp/x.log\n")) == must + "'/tmp/x.log'");
  CHECK(error_of(sound("log: ../x.log\n")) == must + "'../x.log'");
  CHECK(error_of(sound("log: ''\n")) == must + "''");
  CHECK(error_of(sound("log: out/\n")) == must + "'out/'");
  CHECK(error_of(sound("log: [a]\n")) == "sweep.yaml:5: log must be a text, not a list");
}

TEST_CASE("scrape is a map of texts, of a command") {
  CHECK(error_of(sound("scrape: step\n")) == "sweep.yaml:5: scrape must be a map, not 'step'");
  CHECK(error_of(sound("scrape: {loss: [a]}\n")) ==
        "sweep.yaml:5: scrape: loss must be a text, not a list");
  CHECK(error_of("sweep: s\ngrid: {mbs: [1]}\nscrape: {loss: a}\n") ==
        "sweep.yaml:3: scrape is said of a command; pippin knows what its probes print");
  CHECK(error_of("sweep: s\ngrid: {mbs: [1]}\nlog: a\n") ==
        "sweep.yaml:3: log is said of a command; pippin knows what its probes print");
}

TEST_CASE("words say the same, and print the file that does") {
  SweepWords words;
  words.command = "x {mbs}";
  words.axes = {{"mbs", "1"}};
  words.scrape = {"step=step=(\\d+)", "step_time='([0-9.]+)': \"ms"};
  words.log = "x.log";
  const Sweep said = load_sweep(words), read = test::sweep_of(sweep_text(words));
  CHECK(told_of(said) == "scrape.step step=(\\d+)\nscrape.step_time '([0-9.]+)': \"ms\n");
  CHECK(told_of(said) == told_of(read));
  CHECK(said.trainer.log == "x.log");
  CHECK(read.trainer.log == "x.log");
  words.scrape = {"step"};
  CHECK_THROWS_WITH(load_sweep(words), "--scrape 'step': NAME=VALUE is meant");
}

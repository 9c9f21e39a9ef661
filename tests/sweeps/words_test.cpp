// SPDX-License-Identifier: Apache-2.0
#include "core/base/error.h"
#include "sweeps/sweep_file.h"
#include "sweeps/sweep_words.h"
#include "sweeps/yaml.h"
#include "tests/support/catch.h"
#include "tests/sweeps/sweep_text.h"

using namespace pippin;
using Catch::StartsWith;

namespace {

SweepWords sound() {
  SweepWords words;
  words.command = "torchrun pretrain.py --tp {tp} --mbs {mbs}";
  words.axes = {{"tp", "1,2,4"}, {"mbs", "1,2"}};
  return words;
}

std::string error_of(const SweepWords& words) {
  try {
    return "no error, points: " + std::to_string(load_sweep(words).points.size());
  } catch (const Error& error) {
    return error.exit_code() == ExitCode::kBadInput ? error.what() : "not bad input";
  }
}

std::vector<std::string> values_of(const std::string& values) {
  SweepWords words = sound();
  words.command = "x {own}";
  words.axes = {{"own", values}};
  std::vector<std::string> found;
  for (const auto& point : load_sweep(words).points) found.push_back(point.axes.at(0).second.text);
  return found;
}

}  // namespace

TEST_CASE("words that no sweep file could hold are refused") {
  SweepWords words = sound();
  words.command += " \xff";
  CHECK_THAT(error_of(words), Catch::Contains("is no UTF-8, which sweeps are written in"));
  words = sound();
  words.fixed = {"zero=\x95"};
  CHECK_THAT(error_of(words), Catch::Contains("--fixed zero: '\\x95' is no UTF-8"));
}

TEST_CASE("words make the product of their axes, the last one fastest") {
  SweepWords words = sound();
  words.gpus = "8";
  words.repeats = "3";
  words.where = {"tp * mbs < 8"};
  words.fixed = {"zero=1"};
  words.derived = {"gas=64 / (mbs * dp)"};
  words.pack = "point";
  words.run_time = "00:05:00";
  words.stalled = "90 s";
  words.command += " --zero {zero}";
  const Sweep sweep = load_sweep(words);
  REQUIRE(sweep.points.size() == 5);
  for (const Point& point : sweep.points) CHECK(point.layout.gbs == 64);
  CHECK(sweep.dropped.size() == 1);
  CHECK(sweep.points[1].layout.tp == 1);
  CHECK(sweep.points[1].layout.mbs == 2);
  CHECK(sweep.points[4].layout.dp == 2);
  CHECK(sweep.repeats.allocations == 3);
  CHECK(sweep.pack == Pack::kPoint);
  CHECK(sweep.run_time_s == 300);
  CHECK(sweep.stalled_s == 90);
  CHECK(sweep.points[0].axes.at(0).second.text == "1");
  CHECK(sweep.cluster.name == "local");
}

TEST_CASE("the file that words print is the same sweep") {
  SweepWords words = sound();
  words.axes.emplace_back("own", "~,null,,a: b,# c,'\",\\,,!x,*y,true,[z],\n,é,5e8");
  words.command = "printf '%s: \"%s\"' {tp} {own} # {mbs}\n";
  words.model = "52b";
  words.iterations = "30";
  words.warmup = "auto";
  const Sweep said = load_sweep(words), read = test::sweep_of(sweep_text(words));
  CHECK(said.name == read.name);
  CHECK(said.trainer.command == read.trainer.command);
  CHECK(said.iterations == read.iterations);
  REQUIRE(said.points.size() == 84);
  REQUIRE(read.points.size() == said.points.size());
  for (std::size_t i = 0; i < said.points.size(); ++i) {
    CHECK(said.points[i].id == read.points[i].id);
    CHECK(said.points[i].name == read.points[i].name);
  }
}

TEST_CASE("values are split at commas that no backslash takes") {
  using Values = std::vector<std::string>;
  CHECK(values_of("a") == Values{"a"});
  CHECK(values_of("a,b c,5e8") == Values{"a", "b c", "5e8"});
  CHECK(values_of("a\\,b,c") == Values{"a,b", "c"});
  CHECK(values_of("\\\\,\\n") == Values{"\\", "\\n"});
  CHECK(values_of(",--flag") == Values{"", "--flag"});
}

TEST_CASE("a sweep of words is called by its program and the whole of its command") {
  const auto name = [](const std::string& command) {
    SweepWords words = sound();
    words.command = command;
    words.axes = {{"tp", "1"}};
    const std::string whole = load_sweep(words).name;
    CHECK(whole[whole.size() - 7] == '-');
    return whole.substr(0, whole.size() - 7);
  };
  CHECK(name("python train.py {tp}") == "python");
  CHECK(name("  OMP_NUM_THREADS=4 X= /opt/bin/torchrun {tp}") == "torchrun");
  CHECK(name("\"${HERE%/*}/my run\" {tp}") == "my");
  CHECK(name("{launch} x {tp}") == "launch");
  CHECK(name("'' \"\" # {tp}") == "tp");
  CHECK(name("\"\" \"\"") == "command");
}

TEST_CASE("a value that is added leaves the name, another command gives another") {
  SweepWords words = sound();
  const std::string name = load_sweep(words).name;
  words.axes[0].second += ",8";
  words.repeats = "5";
  CHECK(load_sweep(words).name == name);
  words.command += " ";
  CHECK(load_sweep(words).name != name);
  words.name = "mine";
  CHECK(load_sweep(words).name == "mine");
}

TEST_CASE("a mistake in words names the option and no line") {
  struct Mistake {
    void (*make)(SweepWords&);
    std::string message;  ///< its beginning
  };
  const std::vector<Mistake> mistakes{
      {[](auto& w) { w.axes[0].second = "four"; },
       "-L tp: 'tp' must be a whole number, not 'four'"},
      {[](auto& w) { w.axes[0].second = "1,2,1"; }, "-L tp: axis 'tp' has the value '1' twice"},
      {[](auto& w) { w.axes.emplace_back("tp", "8"); },
       "-L tp: 'tp' is given twice, first by -L tp"},
      {[](auto& w) { w.fixed = {"mbs=3"}; },
       "--fixed mbs: 'mbs' in fixed is given already, by -L mbs"},
      {[](auto& w) { w.fixed = {"pp"}; }, "--fixed 'pp': NAME=VALUE is meant"},
      {[](auto& w) { w.axes.emplace_back("zeroo", "1"); }, "-L zeroo: nothing uses axis 'zeroo'"},
      {[](auto& w) { w.axes.emplace_back("two\nlines", "1"); },
       "-L two\\nlines: 'two\\nlines' cannot be the name of an axis"},
      {[](auto& w) { w.command = "x {tpp}"; },
       "the command line: the command uses {tpp}, which nothing defines, did you mean 'tp'?"},
      {[](auto& w) { w.where = {"tp = 2"}; }, "--where: where: in 'tp = 2': a lone '='"},
      {[](auto& w) { w.where = {"tp > 9"}; }, "the command line: no point remains of 6"},
      {[](auto& w) { w.model = "52X"; }, "--model: unknown size '52X', did you mean '52B'?"},
      {[](auto& w) { w.cluster = "nowhere"; }, "--cluster: unknown cluster 'nowhere'"},
      {[](auto& w) { w.gpus = ""; }, "--gpus: 'gpus' must be a whole number, not ''"},
      {[](auto& w) {
         w.gpus = "8";
         w.axes.emplace_back("gpus", "4");
       },
       "--gpus: gpus is an axis already, by -L gpus"},
      {[](auto& w) { w.repeats = "0"; }, "--repeats: repeats: allocations must be between 1"},
      {[](auto& w) { w.pack = "all"; }, "--pack: unknown pack 'all'; known: block, point"},
      {[](auto& w) { w.run_time = "5 mins"; }, "--run-time: run_time: '5 mins' is no time above 0"},
      {[](auto& w) { w.warmup = "20"; }, "--warmup: warmup 20 leaves none of 20 iterations"},
      {[](auto& w) { w.name = " "; }, "--name: the sweep's name is empty"},
      {[](auto& w) { w.command = " "; }, "a command is missing behind the options"},
      {[](auto& w) { w.axes.clear(); }, "there is nothing to sweep: -L NAME VALUES is missing"},
  };
  for (const auto& mistake : mistakes) {
    SweepWords words = sound();
    mistake.make(words);
    CAPTURE(mistake.message);
    const std::string message = error_of(words);
    CHECK_THAT(message, StartsWith(mistake.message));
    CHECK(message.find('\n') == std::string::npos);
  }
}

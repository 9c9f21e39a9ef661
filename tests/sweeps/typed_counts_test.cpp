// SPDX-License-Identifier: Apache-2.0
// What a command types by Megatron's names must be what the points say: else every log refutes its
// point, once the GPU-hours are spent.
#include "sweeps/sweep_words.h"
#include "tests/support/catch.h"
#include "tests/sweeps/sweep_text.h"

using namespace pippin;
using Catch::Contains;
using test::error_of;

namespace {

std::string sweep(const std::string& command, const std::string& rest) {
  return "sweep: s\ncommand: '" + command + "'\n" + rest;
}

}  // namespace

TEST_CASE("a count that a command types otherwise than its point is refused with the remedy") {
  CHECK(error_of(sweep("train --micro-batch-size {mbs} --global-batch-size 64",
                       "gpus: 8\ngrid: {mbs: [8, 1]}\n")) ==
        "sweep.yaml:2: the command says --global-batch-size 64, and point "
        "model-tp1-pp1-dp8-mbs1-gas1 has gbs 8; say so in the sweep (derive: {gas: 64 / (mbs * "
        "dp)}), or write {gbs} in the command");
  CHECK(error_of(sweep("train --num-layers 24 --hidden-size=2048 --micro-batch-size \"2\"\n"
                       "  --tensor-model-parallel-size 4 --seq-length 8192 {algo}",
                       "grid: {algo: [a, b]}\nmodel: {layers: 24, hidden: 1024, heads: 16, "
                       "seq: 4096}\n")) ==
        "sweep.yaml:2: the command says --hidden-size 2048 --micro-batch-size 2 "
        "--tensor-model-parallel-size 4 --seq-length 8192, and point "
        "l24-h1024-tp1-pp1-dp1-mbs1-gas1-algoa has hidden 1024, mbs 1, tp 1, seq 4096; say so in "
        "the sweep (model: {hidden: 2048, seq: 8192}, fixed: {mbs: 2, tp: 4}), or write {hidden}, "
        "{mbs}, {tp}, {seq} in the command");
  CHECK_THAT(
      error_of("sweep: s\ncommand: |\n  cd x; train {mbs} --global-batch-size \\\n    64; ls | tee "
               "log\ngrid: {mbs: [1, 2]}\n"),
      Contains("the command says --global-batch-size 64, "));
  // An axis of one's own, and another key than the option's.
  const std::string batches = "gpus: 4\ngrid: {batch: [4, 8]}\n";
  CHECK_THAT(
      error_of(sweep("train --global-batch-size {batch}", batches)),
      Contains("the command says --global-batch-size 8, and point ") &&
          Contains(" has gbs 4; say so in the sweep (derive: {gas: batch / (mbs * dp)}), or "));
  CHECK_THAT(error_of(sweep("train --micro-batch-size {gas}", "grid: {gas: [1, 2]}\n")),
             Contains("the command says --micro-batch-size 2, ") &&
                 Contains("has mbs 1; say so in the sweep (derive: {mbs: gas}), "));
}

TEST_CASE("on the command line the remedy is words of it") {
  SweepWords words;
  words.command = "train {algo} --tensor-model-parallel-size 4 --global-batch-size 64";
  words.axes = {{"algo", "a,b"}};
  words.gpus = "4";
  CHECK_THROWS_WITH(
      load_sweep(words),
      "the command line: the command says --tensor-model-parallel-size 4 --global-batch-size 64, "
      "and point model-tp1-pp1-dp4-mbs1-gas1-algoa has tp 1, gbs 4; say so in the sweep (--fixed "
      "tp=4 --derive 'gas=64 / (mbs * dp)'), or write {tp}, {gbs} in the command");
  words.fixed = {"tp=4"};
  words.derived = {"gas=64 / (mbs * dp)"};
  CHECK(load_sweep(words).points.size() == 2);
}

TEST_CASE("what a command types as its points have it, or as only a run knows, is left alone") {
  const auto points = [](const std::string& command, const std::string& rest) {
    return test::sweep_of(sweep(command, rest)).points.size();
  };
  const std::string grid = "gpus: 8\ngrid: {mbs: [1, 2], algo: [a, b]}\n";
  CHECK(points("train {algo} --global-batch-size 64 --micro-batch-size {mbs}",
               grid + "derive: {gas: 64 / (mbs * dp)}\n") == 4);
  CHECK(points("train {algo} --global-batch-size {gbs} --micro-batch-size={mbs}", grid) == 4);
  for (const char* value : {"$BATCH", "$((8 * {mbs}))", "0{mbs}", "{{gbs}}", "sixty-four"}) {
    CAPTURE(value);
    CHECK(points(std::string("train {algo} {mbs} --global-batch-size ") + value, grid) == 4);
  }
  // Of a model that the sweep does not describe there is nothing to refute.
  CHECK(points("train {algo} {mbs} --num-layers 24 --seq-length 4096", grid) == 4);
  CHECK(points("train {algo} {mbs} --global-batch-size", grid) == 4);
  CHECK(points("train {algo} {mbs} --global-batch-sizes 64", grid) == 4);
  // Of another program, of a branch that bash takes, of a comment or a text; of two the later one.
  for (const char* command :
       {"prepare --micro-batch-size 9 && train {algo} --micro-batch-size {mbs}",
        "train {algo} --micro-batch-size 9 --micro-batch-size={mbs}",
        "# --micro-batch-size 9\n\n  train {algo} {mbs}",
        "train {algo} {mbs} # --micro-batch-size 9",
        "train {algo} {mbs} --more \"--eval --micro-batch-size 9\"",
        "if [ {mbs} = 1 ]; then x {algo} --micro-batch-size 1; else x --micro-batch-size 2; fi"}) {
    CAPTURE(command);
    CHECK(points(command, grid) == 4);
  }
}

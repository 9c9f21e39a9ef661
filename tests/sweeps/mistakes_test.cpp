// SPDX-License-Identifier: Apache-2.0
#include "core/base/error.h"
#include "sweeps/sweep_file.h"
#include "tests/support/catch.h"
#include "tests/support/temporary.h"
#include "tests/sweeps/sweep_text.h"

using namespace pippin;
using test::error_of;

namespace {

struct Mistake {
  std::string text;
  std::string message;  ///< the whole of it where it ends in no "..."
};

void check(const std::vector<Mistake>& mistakes) {
  for (const auto& mistake : mistakes) {
    INFO(mistake.text);
    const std::string message = error_of(mistake.text);
    CHECK(message.find('\n') == std::string::npos);
    if (mistake.message.ends_with("...")) {
      CHECK(message.substr(0, mistake.message.size() - 3) + "..." == mistake.message);
    } else {
      CHECK(message == mistake.message);
    }
  }
}

/// A sound sweep of four lines, to which a case adds its mistake from line 5 on.
std::string sound(const std::string& more) {
  return "sweep: s\ngrid:\n  tp: [1, 2]\n  mbs: [1]\n" + more;
}

}  // namespace

TEST_CASE("an unknown key names the likely meant one at every level") {
  check({
      {sound("iteration: 5\n"),
       "sweep.yaml:5: unknown key 'iteration' in a sweep file, did you mean 'iterations'?"},
      {sound("gird: {pp: [1]}\n"),
       "sweep.yaml:5: unknown key 'gird' in a sweep file, did you mean 'grid'?"},
      {sound("banana: 5\n"),
       "sweep.yaml:5: unknown key 'banana' in a sweep file; known: sweep, ..."},
      {sound("model:\n  hiden: 64\n"),
       "sweep.yaml:6: unknown key 'hiden' in model, did you mean 'hidden'?"},
      {sound("repeats: {allocation: 3}\n"),
       "sweep.yaml:5: unknown key 'allocation' in repeats, did you mean 'allocations'?"},
      {sound("cluster:\n  cluster: mine\n  node: 4\n"),
       "sweep.yaml:7: unknown key 'node' in a cluster, did you mean 'nodes'?"},
      {sound("cluster: {links: {nod: nvlink}}\n"),
       "sweep.yaml:5: unknown key 'nod' in links, did you mean 'node'?"},
      {sound("cluster: {accelerator: {name: x, memory: 3}}\n"),
       "sweep.yaml:5: unknown key 'memory' in an accelerator; known: name, ..."},
  });
}

TEST_CASE("what traces is the probe training") {
  check({
      {sound("trace: yes\n"), "sweep.yaml:5: trace must be true or false, not 'yes'"},
      {sound("trace: [true]\n"), "sweep.yaml:5: trace must be true or false, not a list"},
      {sound("probe: replay\ntrace: true\n"),
       "sweep.yaml:6: the probe replay traces nothing; training does"},
      {sound("command: train {tp} {mbs}\ntrace: true\n"),
       "sweep.yaml:6: trace is said of the probe training; a command says itself what it writes"},
  });
}

TEST_CASE("a wrong type says what stands there") {
  check({
      {"sweep: s\ngrid:\n  tp: four\n", "sweep.yaml:3: 'tp' must be a whole number, not 'four'"},
      {"sweep: s\ngrid:\n  tp:\n    - 2\n    - 2.5\n",
       "sweep.yaml:5: 'tp' must be a whole number, not '2.5'"},
      {"sweep: s\ngrid: {tp: [0]}\n",
       "sweep.yaml:2: 'tp' must be between 1 and 100000000, not '0'"},
      {"sweep: s\ngrid: {tp: [-1]}\n", "sweep.yaml:2: 'tp' must be between 1 and ..."},
      {"sweep: s\ngrid: {gas: [1e300]}\n", "sweep.yaml:2: 'gas' must be between 1 and ..."},
      {"sweep: s\ngrid: {tp: [[1, 2]]}\n", "sweep.yaml:2: 'tp' must be a whole number, not a list"},
      {"sweep: s\ngrid: {tp: {a: 1}}\n", "sweep.yaml:2: 'tp' must be a list, not a map"},
      {"sweep: s\ngrid: {tp: [~]}\n", "sweep.yaml:2: 'tp' must be a whole number, not nothing"},
      {"sweep: s\ngrid: {recompute: [none, ~]}\n",
       "sweep.yaml:2: 'recompute' has no value; write \"\" or \"null\" if that text is meant"},
      {"sweep: s\ngrid: {recompute: [[none]]}\n",
       "sweep.yaml:2: a value of 'recompute' must be a number or a text"},
      {"sweep: s\ngrid: [tp, pp]\n", "sweep.yaml:2: grid must be a map of axes"},
      {"sweep: s\ngrid: tp\n", "sweep.yaml:2: grid must be a map of axes"},
      {"sweep: s\npoints: {tp: 1}\n",
       "sweep.yaml:2: points must be a list of points, each a map of values"},
      {"sweep: s\npoints: [tp, pp]\n", "sweep.yaml:2: a point must be a map, not 'tp'"},
      {"sweep: s\npoints: [{tp: [1, 2]}]\n",
       "sweep.yaml:2: 'tp' must be a whole number, not a list"},
      {"sweep: [s]\ngrid: {tp: [1]}\n", "sweep.yaml:1: sweep must be a text, not a list"},
      {"sweep: ''\ngrid: {tp: [1]}\n", "sweep.yaml:1: the sweep's name is empty"},
      {"sweep: \"a\\nb\"\ngrid: {tp: [1]}\n",
       "sweep.yaml:1: the sweep's name must be one line of text"},
      {"grid: {tp: [1]}\n", "sweep.yaml:1: a sweep needs a name: `sweep: NAME`"},
      {sound("gpus: many\n"), "sweep.yaml:5: 'gpus' must be a whole number, not 'many'"},
      {sound("gpus: [1, 2]\n"), "sweep.yaml:5: gpus is one number here; a list belongs in grid"},
      {sound("gpus: 0\n"), "sweep.yaml:5: 'gpus' must be between 1 and 100000000, not '0'"},
      {sound("iterations: 0\n"), "sweep.yaml:5: iterations must be between 1 and ..."},
      {sound("iterations: -3\n"), "sweep.yaml:5: iterations must be between 1 and ..."},
      {sound("iterations: soon\n"), "sweep.yaml:5: iterations must be a whole number, not 'soon'"},
      {sound("warmup: some\n"),
       "sweep.yaml:5: warmup (auto or a number) must be a whole number, not 'some'"},
      {sound("warmup: -1\n"), "sweep.yaml:5: warmup (auto or a number) must be between 0 and ..."},
      {sound("iterations: 5\nwarmup: 5\n"), "sweep.yaml:6: warmup 5 leaves none of 5 iterations"},
      {sound("repeats: 0\n"), "sweep.yaml:5: repeats must be between 1 and 100000, not '0'"},
      {sound("repeats: [3]\n"), "sweep.yaml:5: repeats must be a map, not a list"},
      {sound("repeats: {allocations: -1}\n"),
       "sweep.yaml:5: repeats: allocations must be between 1 and 100000, not '-1'"},
      {sound("repeats: {runs: 0}\n"),
       "sweep.yaml:5: repeats: runs must be between 1 and 100000, not '0'"},
      {sound("seed: -1\n"), "sweep.yaml:5: seed must be a whole number from 0 to ..."},
      {sound("seed: 1.5\n"), "sweep.yaml:5: seed must be a whole number from 0 to ..."},
      {sound("order: bloks\n"), "sweep.yaml:5: unknown order 'bloks', did you mean 'blocks'?"},
      {sound("model: [52B]\n"), "sweep.yaml:5: model must be a map, not a list"},
      {sound("model: {hidden: wide}\n"),
       "sweep.yaml:5: 'hidden' must be a whole number, not 'wide'"},
      {sound("env: [A, B]\n"), "sweep.yaml:5: env must be a map, not a list"},
      {sound("env: {A: [1]}\n"), "sweep.yaml:5: env: A must be a text, not a list"},
      {sound("env: {A B: 1}\n"), "sweep.yaml:5: env: 'A B' is no name of an environment variable"},
      {sound("env: {PIPPIN_TP: 1}\n"), "sweep.yaml:5: env: 'PIPPIN_TP' is pippin's own..."},
      {sound("where: {a: b}\n"), "sweep.yaml:5: where must be a list, not a map"},
      {sound("where: [[tp > 1]]\n"), "sweep.yaml:5: where must be a text, not a list"},
      {sound("derive: [a]\n"), "sweep.yaml:5: derive must be a map, not a list"},
      {sound("derive: {a: [1]}\n"), "sweep.yaml:5: derive: a must be a text, not a list"},
      {sound("fixed: {zero: [1, 2]}\n"),
       "sweep.yaml:5: fixed gives 'zero' one value; a list belongs in grid"},
      {sound("command: [a]\n"), "sweep.yaml:5: command must be a text, not a list"},
      {sound("command: ' '\n"), "sweep.yaml:5: the command is empty"},
  });
}

TEST_CASE("names of things that do not exist suggest those that do") {
  check({
      {"sweep: s\ngrid: {size: [39B, 53B]}\n",
       "sweep.yaml:2: unknown size '53B', did you mean '52B'?"},
      {"sweep: s\ngrid: {size: [banana]}\n", "sweep.yaml:2: unknown size 'banana'; known: ..."},
      {sound("model: {style: lama}\n"),
       "sweep.yaml:5: unknown style 'lama', did you mean 'llama'?"},
      {sound("probe: trainig\n"),
       "sweep.yaml:5: unknown probe 'trainig', did you mean 'training'?"},
      {sound("probe: fast\n"),
       "sweep.yaml:5: unknown probe 'fast'; known: training, replay, collective, gemm"},
      {sound("probe: training\ncommand: x\n"),
       "sweep.yaml:6: probe and command are both given; a run has one trainer"},
      {sound("cluster: jean-zay\n"), "sweep.yaml:5: unknown cluster 'jean-zay'; known: ..."},
      {sound("cluster: jean-zay-v100-64g\n"),
       "sweep.yaml:5: unknown cluster 'jean-zay-v100-64g', did you mean 'jean-zay-v100-16g'?"},
      {sound("cluster: {scheduler: slrum}\n"),
       "sweep.yaml:5: unknown scheduler 'slrum', did you mean 'slurm'?"},
      {sound("cluster: {accelerator: v100}\n"),
       "sweep.yaml:5: unknown accelerator 'v100'; known: v100-sxm2-16g, v100-sxm2-32g"},
      {sound("cluster: {accelerator: v100-sxm2-32}\n"),
       "sweep.yaml:5: unknown accelerator 'v100-sxm2-32', did you mean 'v100-sxm2-32g'?"},
  });
}

TEST_CASE("a cluster file that cannot be is refused") {
  check({
      {sound("cluster: {launch: 'srun -n {rank}'}\n"),
       "sweep.yaml:5: launch knows no {rank}, did you mean 'ranks'?"},
      {sound("cluster: {launch: 'podman run {envs}'}\n"),
       "sweep.yaml:5: launch knows no {envs}, did you mean 'env'?"},
      {sound("cluster: {launch: 'srun {launch}'}\n"), "sweep.yaml:5: launch knows no {launch}..."},
      {sound("cluster: {scheduler: slurm, gpus_per_node: 4, accelerator: cpu}\n"),
       "sweep.yaml:5: a cluster with scheduler: slurm needs nodes"},
      {sound("cluster: {scheduler: slurm, nodes: 4, accelerator: cpu}\n"),
       "sweep.yaml:5: a cluster with scheduler: slurm needs gpus_per_node"},
      {sound("cluster: {scheduler: slurm, nodes: 4, gpus_per_node: 4}\n"),
       "sweep.yaml:5: a cluster with scheduler: slurm needs accelerator"},
      {sound("cluster: {nodes: 2}\n"), "sweep.yaml:5: scheduler: local is one machine, not 2"},
      {sound("cluster: {nodes: 0}\n"),
       "sweep.yaml:5: nodes must be between 1 and 1000000, not '0'"},
      {sound("cluster: {scheduler: pbs, gpus_per_node: 4, accelerator: cpu}\n"),
       "sweep.yaml:5: a cluster with scheduler: pbs needs nodes"},
      {sound("cluster: {accelerator: {memory_gib: 3}}\n"),
       "sweep.yaml:5: an accelerator described here needs a name"},
      {sound("cluster: {accelerator: {name: x, memory_gib: -3}}\n"),
       "sweep.yaml:5: memory_gib must be a number above 0, not '-3'"},
      {sound("cluster: {prolog: {a: b}}\n"), "sweep.yaml:5: prolog must be a list, not a map"},
      {sound("cluster: {canary: 'gemm -n {rank}'}\n"),
       "sweep.yaml:5: canary knows no {rank}, did you mean 'ranks'?"},
      {sound("cluster: {canary: ''}\n"),
       "sweep.yaml:5: the canary is empty; without one, leave the key out"},
      {sound("canary: 5\n"), "sweep.yaml:5: canary (off, or {seconds: 5}) must be a map, not '5'"},
      {sound("canary: [5]\n"),
       "sweep.yaml:5: canary (off, or {seconds: 5}) must be a map, not a list"},
      {sound("canary: on\n"),
       "sweep.yaml:5: canary (off, or {seconds: 5}) must be a map, not 'on'"},
      {sound("canary: ~\n"),
       "sweep.yaml:5: canary (off, or {seconds: 5}) must be a map, not nothing"},
      {sound("canary: {}\n"),
       "sweep.yaml:5: canary needs seconds: {seconds: 5}; for none, write off"},
      {sound("canary:\n  second: 5\n"),
       "sweep.yaml:6: unknown key 'second' in canary, did you mean 'seconds'?"},
      {sound("canary: {seconds: 0}\n"),
       "sweep.yaml:5: canary: seconds must be a number above 0, not '0'"},
      {sound("canary: {seconds: few}\n"),
       "sweep.yaml:5: canary: seconds must be a number above 0, not 'few'"},
      {sound("canary: {seconds: .inf}\n"), "sweep.yaml:5: canary: seconds must be ..."},
      {sound("canary: {seconds: 601}\n"),
       "sweep.yaml:5: canary: seconds must be at most 600, not '601'; it runs before and after "
       "each run"},
      {sound("canary: {seconds: 5, bytes: 4M}\n"),
       "sweep.yaml:5: canary: bytes must be a whole number from 65536 to 1073741824, not '4M'"},
      {sound("canary: {seconds: 5, bytes: 8}\n"),
       "sweep.yaml:5: canary: bytes must be a whole number from 65536 to 1073741824, not '8'"},
      {sound("canry: {seconds: 5}\n"),
       "sweep.yaml:5: unknown key 'canry' in a sweep file, did you mean 'canary'?"},
      {sound("cluster: {budget: 0}\n"), "sweep.yaml:5: budget must be a number above 0, not '0'"},
      {sound("cluster: {budget: a lot}\n"),
       "sweep.yaml:5: budget must be a number above 0, not 'a lot'"},
  });
  CHECK(error_of(sound("cluster: ./none.yaml\n")).find("sweep.yaml:5: no cluster file '") == 0);
  CHECK(error_of(sound("cluster: ./\n")).find("sweep.yaml:5: no cluster file '") == 0);
}

TEST_CASE("packing that cannot be says so") {
  const std::string slurm =
      "cluster: {cluster: c, scheduler: slurm, nodes: 1, gpus_per_node: 4, accelerator: cpu, "
      "slurm: {time: '00:20:00'}}\n";
  const std::string two = "'model-tp1-pp1-dp1-mbs1-gas1'";
  check({
      {sound("pack: blocks\n"), "sweep.yaml:5: unknown pack 'blocks', did you mean 'block'?"},
      {sound("pack: [block]\n"), "sweep.yaml:5: pack must be a text, not a list"},
      {sound("run_time: soon\n"), "sweep.yaml:5: run_time: 'soon' is no time above 0, such as ..."},
      {sound("run_time: 0\n"), "sweep.yaml:5: run_time: '0' is no time above 0, such as ..."},
      {sound("run_time: -5 min\n"), "sweep.yaml:5: run_time: '-5 min' is no time above 0, ..."},
      {sound("run_time: min\n"), "sweep.yaml:5: run_time: 'min' is no time above 0, such as ..."},
      {sound("stalled: nan s\n"), "sweep.yaml:5: stalled: 'nan s' is no time above 0, such as ..."},
      {sound("stalled: 1e9 h\n"), "sweep.yaml:5: stalled: '1e9 h' is no time above 0, such as ..."},
      {sound("stalled: 0\n"), "sweep.yaml:5: stalled: '0' is no time above 0, such as 5 min, ..."},
      {sound("run_time: UNLIMITED\n"),
       "sweep.yaml:5: run_time: 'UNLIMITED' is no time above 0, ..."},
      {sound(slurm + "run_time: 00:19:40\ncanary: {seconds: 5}\n"),
       "sweep.yaml:6: run_time '00:19:40' with 30 s for its canaries is more than the '00:20:00' "
       "..."},
      {sound(slurm + "run_time: 00:20:01\n"),
       "sweep.yaml:6: run_time '00:20:01' is more than the '00:20:00' that cluster 'c' gives a "
       "job: "
       "raise its slurm: time, or lower iterations"},
      {sound("command: x {tp}\nreference: model-tp1-pp1-dp1-mbs1-gas2\n"),
       "sweep.yaml:6: reference: no point is named 'model-tp1-pp1-dp1-mbs1-gas2', did you mean " +
           two + "?"},
      {sound("command: x {tp}\nreference: none\n"),
       "sweep.yaml:6: reference: no point is named 'none'; known: model-tp1-pp1-dp1-mbs1-gas1, "
       "model-tp2-pp1-dp1-mbs1-gas1"},
      {sound("command: x {tp}\nwhere: [tp < 2]\nreference: model-tp2-pp1-dp1-mbs1-gas1\n"),
       "sweep.yaml:7: reference: point 'model-tp2-pp1-dp1-mbs1-gas1' is dropped: where: tp < 2"},
      {sound("command: x {tp}\nreference: {tp: 3}\n"),
       "sweep.yaml:6: reference: no point has these values; known: model-tp1-..."},
      {sound("command: x {tp}\nreference: {mbs: 1}\n"),
       "sweep.yaml:6: reference: 2 points have these values; say more, or give the name of one"},
      {sound("command: x {tp}\nreference: {tpp: 1}\n"),
       "sweep.yaml:6: unknown key 'tpp' in reference, did you mean 'tp'?"},
      {sound("reference: {}\n"),
       "sweep.yaml:5: reference is empty; give a point's name, or values as {tp: 4}"},
      {sound("reference: [a]\n"),
       "sweep.yaml:5: reference (a point's name, or values as {tp: 4}) ..."},
  });
}

TEST_CASE("doubtful grids are refused") {
  check({
      {"sweep: s\ngrid: {}\n", "sweep.yaml:2: grid is empty"},
      {"sweep: s\ngrid:\n", "sweep.yaml:2: grid is empty"},
      {"sweep: s\nzip: {}\n", "sweep.yaml:2: zip is empty"},
      {"sweep: s\npoints: []\n", "sweep.yaml:2: points is empty"},
      {"sweep: s\nfixed: {}\ngrid: {tp: [1]}\n", "sweep.yaml:2: fixed is empty"},
      {"sweep: s\n", "sweep.yaml:1: there is nothing to sweep: grid, zip or points is missing"},
      {"sweep: s\ngrid:\n  tp: []\n", "sweep.yaml:3: axis 'tp' has no values"},
      {"sweep: s\ngrid:\n  tp:\n", "sweep.yaml:3: axis 'tp' has no values; a list stands in [ ]"},
      {"sweep: s\ngrid: {tp: 1,2}\n", "sweep.yaml:2: axis '2' has no values; a list stands in [ ]"},
      {"sweep: s\ngrid:\n  tp: [1, 2, 1]\n", "sweep.yaml:3: axis 'tp' has the value '1' twice"},
      {"sweep: s\ngrid:\n  lr: [1e-3, 0.001]\n",
       "sweep.yaml:3: axis 'lr' has '1e-3' and '0.001', which are one number; a version can be "
       "written v0.001"},
      {"sweep: s\nzip:\n  tp: [1, 2]\n  pp: [1]\n",
       "sweep.yaml:4: zip pairs lists of one length: 'tp' has 2 values, 'pp' has 1"},
      {sound("fixed: {tp: 1}\n"), "sweep.yaml:5: 'tp' in fixed is given already, in line 3"},
      {sound("zip: {tp: [1, 2]}\n"), "sweep.yaml:5: 'tp' in zip is given already, in line 3"},
      {sound("points: [{pp: 1}, {tp: 1}]\n"),
       "sweep.yaml:5: 'tp' in points is given already, in line 3"},
      {sound("gpus: 4\nfixed: {gpus: 4}\n"), "sweep.yaml:5: gpus is an axis already, in line 6"},
      {sound("derive: {tp: 2}\n"), "sweep.yaml:5: derive: 'tp' is given already"},
      {sound("where: [tp > 8]\n"),
       "sweep.yaml:2: no point remains of 2; all dropped by 'where: tp > 8'"},
      {sound("gpus: 7\nwhere: [tp > 1]\n"),
       "sweep.yaml:2: no point remains of 2; 1 dropped by 'where: tp > 1'"},
      // Of unlike reasons the most frequent, whether it comes first or last.
      {"sweep: s\ngrid: {tp: [1, 2, 4]}\ncommand: x {tp}\nwhere: [tp > 1, tp > 8]\n",
       "sweep.yaml:2: no point remains of 3; 2 dropped by 'where: tp > 8'"},
      {"sweep: s\ngrid: {tp: [2, 4, 1]}\ncommand: x {tp}\nwhere: [tp > 1, tp > 8]\n",
       "sweep.yaml:2: no point remains of 3; 2 dropped by 'where: tp > 8'"},
      {sound("repeats: {allocations: 100000, runs: 100000}\n"),
       "sweep.yaml:5: 2 points x 100000 allocations x 100000 runs are too many; a campaign holds "
       "at "
       "most 1000000"},
      {sound("model: &shape {layers: 2}\nfixed:\n  <<: *shape\n"),
       "sweep.yaml:7: YAML's merge key '<<' is not known here; write the keys out"},
      {"sweep: s\ngrid: {tp: [1], pp: [1], tp: [2]}\n",
       "sweep.yaml:2: key 'tp' is given twice, first in line 2"},
      {"sweep: s\ngrid: {tp: [1]}\nsweep: t\n",
       "sweep.yaml:3: key 'sweep' is given twice, first in line 1"},
  });
}

TEST_CASE("an axis that nothing uses names what was likely meant") {
  check({
      {"sweep: s\ngrid:\n  msb: [1, 2]\n",
       "sweep.yaml:3: nothing uses axis 'msb': probe training, env, derive and where do not know "
       "it, did you mean 'mbs'?"},
      {sound("fixed: {recompte: full}\n"),
       "sweep.yaml:5: nothing uses axis 'recompte': probe training, env, derive and where do not "
       "know it, did you mean 'recompute'?"},
      {sound("fixed: {bucket: 5}\ncommand: train --tp {tp}\n"),
       "sweep.yaml:5: nothing uses axis 'bucket': the command, env, derive and where do not know "
       "it"},
      {sound("fixed: {step_time_ms: 5}\n"), "sweep.yaml:5: nothing uses axis 'step_time_ms': ..."},
      {sound("command: train {zeor}\nfixed: {zero: 1}\n"),
       "sweep.yaml:5: the command uses {zeor}, which nothing defines, did you mean 'zero'?"},
      {sound("command: awk '{print}'\n"),
       "sweep.yaml:5: the command uses {print}, which nothing defines; for the text itself write "
       "{{print}}"},
      {sound("env: {A: '{tpp}'}\n"),
       "sweep.yaml:5: env: A uses {tpp}, which nothing defines, did you mean 'tp'?"},
      {sound("command: train {tp} {heads}\n"),
       "sweep.yaml:5: the command uses {heads}, which is not known for point "
       "'model-tp1-pp1-dp1-mbs1-gas1'"},
      {sound("fixed: {cp: 2}\n"), "sweep.yaml:5: probe training has no option cp"},
      {sound("derive: {cp: 2}\n"), "sweep.yaml:5: probe training has no option cp"},
      {sound("probe: replay\nfixed: {cp: 2}\n"), "sweep.yaml:6: probe replay has no option cp"},
  });
}

TEST_CASE("a command that is the same at all points of an axis is refused") {
  const std::string tail = "\ngrid: {pp: [1, 2]}\n";
  for (const char* use : {"{pp}", "$PIPPIN_PP", "{launch} it", "{gpus}", "{ranks}", "{dp}"}) {
    INFO(use);
    CHECK(test::sweep_of("sweep: s\ncommand: '" + std::string(use) + "'" + tail).points.size() ==
          2);
  }
  check({
      {"sweep: s\ncommand: train" + tail,
       "sweep.yaml:3: the command is the same for every pp: it uses neither {pp} nor what follows "
       "from it"},
      {"sweep: s\ncommand: train {gbs}\nzip: {mbs: [1, 2], seq: [8, 16]}\n",
       "sweep.yaml:3: the command is the same for every seq: ..."},
      {"sweep: s\ncommand: train {tp}\ngrid: {tp: [1, 2], mbs: [1, 2]}\nfixed: {gas: 2}\n",
       "sweep.yaml:3: the command is the same for every mbs: ..."},
  });
  const std::string on_slurm =
      "sweep: s\ncommand: srun train\ngrid: {gpus: [4, 8]}\n"
      "cluster: {scheduler: slurm, nodes: 4, gpus_per_node: 4, accelerator: cpu}\n";
  CHECK(test::sweep_of(on_slurm).points.size() == 2);  // it is launched on other nodes
}

TEST_CASE("a part of a known cluster can be said otherwise") {
  const Cluster cluster =
      test::sweep_of(sound("cluster: {from: jean-zay-v100-32g, nodes: 2, slurm: {account: mine, "
                           "qos: dev}, accelerator: {name: x, memory_gib: 10}}\n"))
          .cluster;
  CHECK(cluster.name == "jean-zay-v100-32g");
  CHECK(cluster.nodes == 2);
  CHECK(cluster.gpus_per_node == 4);
  CHECK(cluster.accelerator.name == "x");
  const auto option = [&](const char* name) {
    const Value* value = find_value(cluster.scheduler_options, name);
    return value ? value->text : "";
  };
  CHECK(option("account") == "mine");
  CHECK(option("qos") == "dev");
  CHECK(option("constraint") == "v100-32g");
  check({
      {sound("cluster: {from: jean-zay-v100-32, nodes: 2}\n"),
       "sweep.yaml:5: unknown cluster 'jean-zay-v100-32', did you mean 'jean-zay-v100-32g'?"},
      {sound("cluster:\n  from: local\n  node: 2\n"),
       "sweep.yaml:7: unknown key 'node' in a cluster, did you mean 'nodes'?"},
      {sound("cluster: {from: [local]}\n"), "sweep.yaml:5: cluster must be a text, not a list"},
  });
}

TEST_CASE("a variable that no run has is no use of an axis") {
  check({
      {sound("fixed: {zero: 1}\ncommand: train $PIPPIN_zero\n"),
       "sweep.yaml:6: the command uses $PIPPIN_zero, which nothing sets, did you mean "
       "'PIPPIN_ZERO'?"},
      {sound("fixed: {zero: 1}\ncommand: train {zero} ${PIPPIN_ZEOR:-1}\n"),
       "sweep.yaml:6: the command uses $PIPPIN_ZEOR, which nothing sets, did you mean "
       "'PIPPIN_ZERO'?"},
      {sound("fixed: {zero: 1}\ncommand: train PIPPIN_ZERO\n"),
       "sweep.yaml:5: nothing uses axis 'zero': ..."},
      {sound("command: train $PIPPIN_MASTER_PORT\n"),
       "sweep.yaml:5: the command uses $PIPPIN_MASTER_PORT, which nothing sets"},
      {sound("command: train {tp} $PIPPIN_SWEEP_DIR\n"),
       "sweep.yaml:5: the command uses $PIPPIN_SWEEP_DIR, which nothing sets..."},
      {sound("env: {A: $PIPPIN_TP}\n"),
       "sweep.yaml:5: env: A is data, in which bash does not fill in $PIPPIN_TP; write {tp}"},
      {sound("env: {A: '{run_dir}'}\n"),
       "sweep.yaml:5: env: A uses {run_dir}, which nothing defines; for the text itself write "
       "{{run_dir}}"},
  });
  for (const std::string use : {"$PIPPIN_TP", "${PIPPIN_TP}", "${PIPPIN_TP:-1}", "$PIPPIN_JOB",
                                "$PIPPIN_RUN_DIR/$PIPPIN_SWEEP", "$PIPPIN_RANKS$PIPPIN_SEED"}) {
    INFO(use);
    CHECK(test::sweep_of(sound("command: train {tp} " + use + "\n")).points.size() == 2);
  }
}

TEST_CASE("an axis cannot have a name that means something else") {
  check({
      {sound("fixed: {ranks: 1}\n"),
       "sweep.yaml:5: 'ranks' cannot be the name of an axis: {ranks} means something else in a "
       "command"},
      {sound("fixed: {env_names: 1}\n"),
       "sweep.yaml:5: 'env_names' cannot be the name of an axis: {env_names} means something else "
       "in a command"},
      {sound("fixed: {iterations: 1}\n"),
       "sweep.yaml:5: 'iterations' cannot be the name of an axis: it is a key of the sweep itself"},
      {sound("fixed: {gbs: 1}\n"),
       "sweep.yaml:5: 'gbs' cannot be the name of an axis: it is mbs x gas x dp: sweep one of "
       "these, or derive gas: 1024 / (mbs * dp)"},
      {sound("fixed: {params: 1}\n"), "sweep.yaml:5: 'params' cannot be the name of an axis: ..."},
      {sound("fixed: {tflops: 1}\n"),
       "sweep.yaml:5: 'tflops' cannot be the name of an axis: it is a "
       "column of the result table"},
      {sound("fixed: {Name: 1}\n"), "sweep.yaml:5: 'Name' cannot be the name of an axis: ..."},
      {sound("fixed: {true: 1}\n"), "sweep.yaml:5: 'true' cannot be the name of an axis: ..."},
      {sound("fixed: {a-b: 1}\n"),
       "sweep.yaml:5: 'a-b' cannot be the name of an axis: a name is ..."},
      {sound("fixed: {9a: 1}\n"),
       "sweep.yaml:5: '9a' cannot be the name of an axis: a name is ..."},
      {sound("fixed: {PP: 1}\n"), "sweep.yaml:5: 'PP' cannot be the name of an axis: write 'pp'"},
      {sound("fixed: {zero: 1, Zero: 2}\ncommand: x {zero} {Zero}\n"),
       "sweep.yaml:5: 'zero' and 'Zero' are one name in the environment, PIPPIN_..."},
      {sound("derive: {seed: 1}\n"), "sweep.yaml:5: 'seed' cannot be the name of an axis: ..."},
      {sound("derive: {size: 1}\n"), "sweep.yaml:5: derive: size cannot be worked out"},
  });
}

TEST_CASE("expressions in a file fail with their line") {
  check({
      {sound("where:\n  - tp > 0\n  - pp = 8\n"),
       "sweep.yaml:7: where: in 'pp = 8': a lone '=' compares nothing, did you mean '=='?"},
      {sound("where: [tpp > 1]\n"),
       "sweep.yaml:5: unknown variable 'tpp' in 'tpp > 1', did you mean 'tp'?"},
      {sound("fixed: {recompute: full}\nwhere: [recompute == selective]\n"),
       "sweep.yaml:6: unknown variable 'selective' in 'recompute == selective'; a text stands in "
       "quotes"},
      {sound("where: [tp >]\n"), "sweep.yaml:5: where: in 'tp >': it ends too early"},
      {sound("where: ['']\n"), "sweep.yaml:5: where: in '': there is no expression"},
      {sound("where: [tp % 0 == 0]\n"),
       "sweep.yaml:5: where: 'tp % 0 == 0' has no value: it divides by zero"},
      {sound("fixed: {recompute: full}\nwhere: [recompute]\n"),
       "sweep.yaml:6: where: 'recompute' is neither true nor false"},
      {sound("derive:\n  x: tp +\n"), "sweep.yaml:6: derive: x: in 'tp +': it ends too early"},
      {sound("derive:\n  x: tq + 1\n"),
       "sweep.yaml:6: unknown variable 'tq' in 'tq + 1', did you mean 'tp'?"},
      {sound("derive: {x: y, y: x}\n"), "sweep.yaml:5: derive: 'y' needs itself to be worked out"},
      {sound("derive: {gas: gbs / 2}\n"), "sweep.yaml:5: derive: 'gas' needs itself ..."},
      {sound("command: x {tp}\nwhere: [layers % pp == 0]\n"),
       "sweep.yaml:6: in 'layers % pp == 0': 'layers' is not known for every point"},
      {sound("where: [!offload]\n"),
       "sweep.yaml:5: '!offload' is a YAML tag, which means nothing here; ..."},
  });
}

TEST_CASE("a sweep too large says so at once") {
  std::string axis = "[";
  for (int i = 1; i <= 100; ++i) axis += std::to_string(i) + ", ";
  axis += "101]";
  const std::string text = "sweep: s\ngrid: {tp: " + axis + ", pp: " + axis + ", mbs: " + axis +
                           ", gas: " + axis + ", dp: " + axis + "}\n";
  CHECK(error_of(text) ==
        "sweep.yaml:2: 10510100501 points are too many; a sweep holds at most 10000000: give its "
        "axes "
        "fewer values, or zip those that belong together");
}

TEST_CASE("what is no YAML document is refused with its line") {
  check({
      {"", "sweep.yaml:1: the file is empty"},
      {" \n\n", "sweep.yaml:1: the file is empty"},
      {"# only words\n", "sweep.yaml:1: the file is empty"},
      {std::string("sweep: a\0b\n", 11), "sweep.yaml:1: this is no YAML: the file is binary"},
      {"\x7f"
       "ELF\xfe\x01",
       "sweep.yaml:1: this is no YAML: the file is binary"},
      {"sweep: gr\xfcn\n", "sweep.yaml:1: this is no YAML: the file is binary"},
      {"sweep: a\n---\nsweep: b\n",
       "sweep.yaml:3: a second document begins here; one file holds one"},
      {"- sweep: a\n", "sweep.yaml:1: a sweep file must be a map, not a list"},
      {"sweep\n", "sweep.yaml:1: a sweep file must be a map, not 'sweep'"},
      {"~\n", "sweep.yaml:1: a sweep file must be a map, not nothing"},
      {"sweep: a\n grid: b\n", "sweep.yaml:2: broken YAML: illegal map value"},
      {"sweep: a\ngrid: {tp: [1, 2}\n", "sweep.yaml:2: broken YAML: ..."},
      {"sweep: 'a", "sweep.yaml:1: broken YAML: illegal EOF in scalar"},
      {"sweep: 'a\ngrid: {tp: [1]}\n\n", "sweep.yaml:2: broken YAML: illegal EOF in scalar"},
      {"\n\nsweep: \"a\ngrid: {tp: [1]}\n", "sweep.yaml:4: broken YAML: illegal EOF in scalar"},
      {"sweep: *a\n", "sweep.yaml:1: broken YAML: the referenced anchor is not defined"},
      {"sweep: &a [*a]\n", "sweep.yaml:1: an alias stands inside of what it names"},
      {"? [a]\n: b\n", "sweep.yaml:1: a key must be a text, not a list"},
      {"? {a: b}\n: b\n", "sweep.yaml:1: a key must be a text, not a map"},
      {"~: b\n", "sweep.yaml:1: a key must be a text, not nothing"},
      {"sweep: !!python/object a\n",
       "sweep.yaml:1: 'tag:yaml.org,2002:python/object' is a YAML tag..."},
      {std::string(100'000, '['), "sweep.yaml:1: ..."},
      {std::string(100'000, '{'), "sweep.yaml:1: ..."},
      {"a: " + std::string(40, '[') + std::string(40, ']'),
       "sweep.yaml:1: nested deeper than 32 levels"},
  });
}

TEST_CASE("aliases are copies and a bomb of them does not go off") {
  const Sweep sweep = test::sweep_of(
      "sweep: s\ngrid: {tp: &some [1, 2], pp: *some}\n"
      "model: {layers: 4}\n");
  CHECK(sweep.points.size() == 4);
  std::string bomb = "a: &a [x, x, x, x, x, x, x, x, x, x]\n";
  for (char c = 'b'; c < 'k'; ++c) {
    bomb += std::string(1, c) + ": &" + c + " [";
    for (int i = 0; i < 9; ++i) bomb += std::string("*") + static_cast<char>(c - 1) + ", ";
    bomb += std::string("*") + static_cast<char>(c - 1) + "]\n";
  }
  CHECK(error_of(bomb).find("the file unfolds to more than 128 MiB") != std::string::npos);
}

TEST_CASE("a file that cannot be read is bad input with the likely name") {
  const test::TemporaryDirectory folder;
  disk().write(folder / "gpt-52b.yaml", "sweep: s\n");
  const auto load = [&](const std::string& name) { return load_sweep(folder / name); };
  CHECK_THROWS_WITH(load("gpt-52.yaml"),
                    Catch::Contains("no such file, did you mean 'gpt-52b.yaml'?"));
  CHECK_THROWS_WITH(load("none/at/all.yaml"), Catch::EndsWith("no such file"));
  CHECK_THROWS_WITH(load("gpt-52b.yaml/x"), Catch::EndsWith("no such file"));
  CHECK_THROWS_WITH(load("."), Catch::Contains("Is a directory"));
  CHECK_THROWS_WITH(load(std::string(5000, 'x')), Catch::Contains("no such file"));
  try {
    load("gpt-52b.yaml/x");
  } catch (const Error& error) {
    CHECK(error.exit_code() == ExitCode::kBadInput);
  }
}

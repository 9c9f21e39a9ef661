// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "sweeps/sweep_file.h"
#include "tests/support/catch.h"
#include "tests/support/temporary.h"
#include "tests/sweeps/sweep_text.h"

using namespace pippin;
using test::sweep_of;

namespace {

std::vector<std::string> names_of(const Sweep& sweep) {
  std::vector<std::string> names;
  for (const auto& point : sweep.points) names.push_back(point.name);
  return names;
}

std::vector<std::string> reasons_of(const Sweep& sweep) {
  std::vector<std::string> reasons;
  for (const auto& dropped : sweep.dropped) reasons.push_back(dropped.reason);
  return reasons;
}

using Texts = std::vector<std::string>;

/// Without a command that needs a model: only the layout is looked at.
std::string layout_sweep(const std::string& rest) {
  return "sweep: s\ncommand: '{launch} train {mbs} {gas}'\n" + rest;
}

}  // namespace

TEST_CASE("the sweep of the design becomes its points") {
  const Sweep sweep = sweep_of(R"(sweep: gpt-52b
cluster: jean-zay-v100-32g
probe: training
model: {seq: 1024, vocab: 50257, heads: 32}
grid:
  size: [39B, 52B]
  tp: [4]
  pp: [8, 16]
  mbs: [2, 4]
  gas: [128, 256]
fixed: {zero: 1}
gpus: 64
where: [layers % pp == 0, mbs*gas*dp >= 512]
iterations: 20
warmup: auto
repeats: {allocations: 5, runs: 1}
order: blocks
seed: 1
)");
  CHECK(sweep.name == "gpt-52b");
  CHECK(sweep.trainer.probe == "training");
  CHECK(sweep.iterations == 20);
  CHECK_FALSE(sweep.warmup);
  CHECK(sweep.repeats.allocations == 5);
  CHECK(sweep.order == Order::kBlocks);
  CHECK(sweep.own_axes == Texts{"zero"});
  REQUIRE(sweep.points.size() == 14);
  CHECK(reasons_of(sweep) == Texts(2, "where: mbs*gas*dp >= 512"));

  const Point& point = sweep.points.back();
  CHECK(point.name == "52b-tp4-pp16-dp1-mbs4-gas256");
  CHECK(point.trainer == "training");
  CHECK(point.model.size == "52B");
  CHECK(point.model.style == "gpt2");
  CHECK(point.model.layers == 64);
  CHECK(point.model.hidden == 8192);
  CHECK(point.model.heads == 32);
  CHECK(point.model.ffn == 32768);
  CHECK(point.model.padded_vocab == 50688);
  CHECK(point.model.params == 51'970'064'384);
  CHECK(point.layout.gpus == 64);
  CHECK(point.layout.dp == 1);
  CHECK(point.layout.gbs == 1024);
  CHECK(point.axes == NamedValues{{"zero", {"1", 1.0}}});
  CHECK(point.id == point_id(point));
}

TEST_CASE("dp follows from gpus or gpus from dp or dp is 1") {
  struct Case {
    std::string rest;
    std::int64_t dp, gpus;
  };
  const std::vector<Case> cases{
      {"grid: {tp: [4], pp: [2]}\ngpus: 64\n", 8, 64},
      {"grid: {tp: [4], pp: [2], dp: [3]}\n", 3, 24},
      {"grid: {tp: [4], pp: [2]}\n", 1, 8},
      {"grid: {tp: [4], pp: [2], gpus: [16]}\n", 2, 16},
      {"grid: {tp: [4], pp: [2], cp: [2]}\ngpus: 64\n", 4, 64},
      {"grid: {tp: [4], dp: [2]}\ngpus: 8\n", 2, 8},
      {"grid: {tp: [2]}\nderive: {dp: 2 * tp}\n", 4, 8},
      {"grid: {tp: [2]}\nderive: {gpus: 8 * tp}\n", 8, 16},
  };
  for (const auto& example : cases) {
    INFO(example.rest);
    const Sweep sweep = sweep_of(layout_sweep(example.rest));
    REQUIRE(sweep.points.size() == 1);
    CHECK(sweep.points[0].layout.dp == example.dp);
    CHECK(sweep.points[0].layout.gpus == example.gpus);
  }
}

TEST_CASE("a model's name and a number of repeats need no map") {
  const Sweep sweep = sweep_of("sweep: s\nmodel: 52B\nrepeats: 3\ngrid: {mbs: [1, 2]}\n");
  CHECK(sweep.points.at(0).model.layers == 64);
  CHECK(sweep.repeats.allocations == 3);
  CHECK(sweep.repeats.runs == 1);
}

TEST_CASE("a layout that cannot be is dropped with its reason") {
  const Sweep sweep = sweep_of(layout_sweep("grid: {tp: [1, 3], pp: [2, 128]}\ngpus: 64\n"));
  CHECK(names_of(sweep) == Texts{"model-tp1-pp2-dp32-mbs1-gas1"});
  CHECK(reasons_of(sweep) == Texts{"dp = gpus 64 / (tp 1 x pp 128) is no whole number",
                                   "dp = gpus 64 / (tp 3 x pp 2) is no whole number",
                                   "dp = gpus 64 / (tp 3 x pp 128) is no whole number"});
  CHECK(sweep.dropped[0].point.layout.tp == 1);
  CHECK_FALSE(sweep.dropped[0].point.layout.dp);
  CHECK(reasons_of(sweep_of(layout_sweep("grid: {tp: [4], dp: [2, 4]}\ngpus: 8\n"))) ==
        Texts{"tp 4 x pp 1 x dp 4 is not gpus 8"});
  const Sweep huge =
      sweep_of(layout_sweep("grid: {tp: [1, 100000000], pp: [1, 100000000], mbs: [1, 100000000]}\n"
                            "fixed: {cp: 1, gas: 100000000}\n"));
  CHECK(huge.points.size() == 3);
  CHECK(reasons_of(huge)[0] == "mbs x gas x dp is too large");
  CHECK(reasons_of(huge).back() == "tp 100000000 x pp 100000000 is too large");
}

TEST_CASE("a point that the cluster or the probe cannot run is infeasible") {
  const std::string cluster =
      "cluster: {cluster: c, scheduler: slurm, nodes: 2, gpus_per_node: 4, accelerator: cpu}\n";
  CHECK(
      reasons_of(sweep_of(layout_sweep(cluster + "grid: {tp: [1, 7, 8, 16]}\n"))) ==
      Texts{"7 ranks do not spread evenly over 2 nodes", "needs 16 gpus, cluster c has 2 x 4 = 8"});
  const Sweep replayed =
      sweep_of("sweep: s\nprobe: replay\nmodel: {layers: 6}\npoints: [{pp: 4}, {tp: 3}]\n");
  CHECK(replayed.points.size() == 2);
}

TEST_CASE("the training probe takes whole heads, stages and parts on each rank") {
  const Sweep sweep = sweep_of(
      "sweep: s\nmodel: {layers: 6, seq: 30}\ngrid: {sequence_parallel: [1]}\n"
      "points: [{pp: 1}, {pp: 4}, {heads: 5}, {kv_heads: 3}, {tp: 3}, {tp: 4, kv_heads: 2},\n"
      "         {tp: 2, ffn: 33}, {tp: 4}, {tp: 2, size: llama-7B}]\n");
  CHECK(sweep.points.size() == 2);
  CHECK(reasons_of(sweep) ==
        Texts{"pp 4 does not divide layers 6", "heads 5 does not divide hidden 64",
              "kv_heads 3 does not divide heads 4", "tp 3 does not divide heads 4",
              "tp 4 does not divide kv_heads 2", "tp 2 does not divide ffn 33",
              "sequence_parallel: tp 4 does not divide seq 30"});
}

TEST_CASE("the MLP of a llama is 8/3 of hidden where nothing says another width") {
  const Sweep sweep =
      sweep_of("sweep: s\nmodel: {style: llama}\npoints: [{hidden: 4096}, {hidden: 8}]\n");
  REQUIRE(sweep.points.size() == 2);
  CHECK(sweep.points[0].model.ffn == 10880);
  CHECK(sweep.points[1].model.ffn == 64);
}

TEST_CASE("grid multiplies and zip pairs and points stand one by one") {
  const auto tp_pp = [](const Sweep& sweep) {
    std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
    for (const auto& point : sweep.points) {
      pairs.emplace_back(*point.layout.tp, *point.layout.pp);
    }
    return pairs;
  };
  using Pairs = std::vector<std::pair<std::int64_t, std::int64_t>>;
  CHECK(tp_pp(sweep_of(layout_sweep("grid: {tp: [1, 2], pp: [4, 8]}\n"))) ==
        Pairs{{1, 4}, {1, 8}, {2, 4}, {2, 8}});
  CHECK(tp_pp(sweep_of(layout_sweep("zip: {tp: [1, 2], pp: [4, 8]}\n"))) == Pairs{{1, 4}, {2, 8}});
  CHECK(tp_pp(sweep_of(layout_sweep("points: [{tp: 1, pp: 4}, {pp: 8}]\n"))) ==
        Pairs{{1, 4}, {1, 8}});
  CHECK(tp_pp(sweep_of(layout_sweep("grid: {tp: 2}\npoints: [{pp: 4}, {pp: 8}]\n"))) ==
        Pairs{{2, 4}, {2, 8}});
}

TEST_CASE("a point given twice is dropped as the same") {
  const Sweep sweep = sweep_of(layout_sweep("points: [{tp: 1}, {tp: 2}, {tp: 1, pp: 1}]\n"));
  CHECK(sweep.points.size() == 2);
  CHECK(reasons_of(sweep) == Texts{"same as model-tp1-pp1-dp1-mbs1-gas1"});
}

TEST_CASE("what a sweep says of a model goes before its named size") {
  const Sweep sweep = sweep_of(
      "sweep: s\ncommand: train {size}\nmodel: {heads: 32, seq: 512}\n"
      "grid: {size: [52b, LLAMA-7B], seq: [1024]}\n");
  REQUIRE(sweep.points.size() == 2);
  CHECK(sweep.points[0].model.size == "52B");
  CHECK(sweep.points[0].model.seq == 1024);
  CHECK(sweep.points[1].model.style == "llama");
  CHECK(sweep.points[1].model.heads == 32);
  CHECK(sweep.points[1].model.ffn == 11008);
  const Sweep wider = sweep_of(layout_sweep("model: {size: 52B}\ngrid: {hidden: [4096]}\n"));
  CHECK(wider.points[0].model.ffn == 4 * 4096);
  const Sweep styled = sweep_of(layout_sweep("model: {style: llama}\ngrid: {size: [52B]}\n"));
  CHECK(styled.points.at(0).model.style == "llama");
}

TEST_CASE("a probe that is told no model is the tiny one") {
  const Sweep bare = sweep_of("sweep: s\ngrid: {seq: [32, 64]}\n");
  CHECK(names_of(bare) ==
        Texts{"tiny-tp1-pp1-dp1-mbs1-gas1-seq32", "tiny-tp1-pp1-dp1-mbs1-gas1-seq64"});
  const Sweep wide = sweep_of("sweep: s\ngrid: {hidden: [128]}\n");
  CHECK(names_of(wide) == Texts{"l2-h128-tp1-pp1-dp1-mbs1-gas1"});
  CHECK(wide.points[0].model.ffn == 512);
  CHECK(wide.points[0].model.heads == 4);
  CHECK(wide.points[0].model.params.has_value());
}

TEST_CASE("derived values reach axes and layout and one another in any order") {
  const Sweep sweep = sweep_of(
      "sweep: s\ncommand: train {late} {tokens}\n"
      "derive: {late: tokens * 2, gas: 512 / (mbs * dp), tokens: gbs * seq, big: hidden > 4096}\n"
      "grid: {size: [52B], mbs: [2, 4, 3]}\ngpus: 64\n");
  REQUIRE(sweep.points.size() == 2);
  CHECK(sweep.own_axes == Texts{"late", "tokens", "big"});
  CHECK(sweep.points[0].layout.gas == 4);
  CHECK(sweep.points[0].layout.gbs == 512);
  CHECK(find_value(sweep.points[0].axes, "tokens")->number == 512 * 1024);
  CHECK(find_value(sweep.points[0].axes, "late")->number == 2 * 512 * 1024);
  CHECK(find_value(sweep.points[0].axes, "big")->text == "1");
  CHECK(reasons_of(sweep)[0].find("derive: gas = 2.66") == 0);
}

TEST_CASE("values keep their text and are data whatever is in them") {
  const Sweep sweep = sweep_of(R"(sweep: "a 'quoted' $(name): x"
command: train {bucket} "$PIPPIN_NOTE" ${PIPPIN_OTHER}
grid:
  bucket: [2e8, 5e8]
fixed:
  note: "it's $(rm -rf /) \"x\": {tp}\nline two"
  other: yes
env: {A: "x: {bucket}", B: ""}
)");
  REQUIRE(sweep.points.size() == 2);
  CHECK(sweep.name == "a 'quoted' $(name): x");
  CHECK(sweep.points[1].axes[0].second == Value{"5e8", 5e8});
  CHECK(sweep.points[1].axes[0].second.text == "5e8");
  CHECK(sweep.points[1].axes[1].second.text == "it's $(rm -rf /) \"x\": {tp}\nline two");
  CHECK(sweep.points[1].axes[2].second.text == "yes");
  CHECK(sweep.env == Environment{{"A", "x: {bucket}"}, {"B", ""}});
}

TEST_CASE("an axis may be used by env or where or derive alone") {
  for (const std::string use : {"env: {X: '{own}'}\n", "where: [own > 0]\n", "derive: {x: own}\n",
                                "env: {X: 'a{own}b'}\n"}) {
    INFO(use);
    CHECK(sweep_of(layout_sweep("grid: {own: [1, 2]}\n" + use)).points.size() == 2);
  }
}

TEST_CASE("every point of a sweep has a name of its own") {
  const Sweep sweep = sweep_of(
      "sweep: s\ncommand: train {a} {b}\n"
      "points: [{a: 1-b2, b: 3}, {a: 1, b: 2-b3}]\nmodel: {size: 52B}\n");
  const auto names = names_of(sweep);
  CHECK(std::set<std::string>(names.begin(), names.end()).size() == 2);
  const Sweep heads =
      sweep_of("sweep: s\ncommand: train {heads}\ngrid: {size: [52B], heads: [32, 64]}\n");
  CHECK(names_of(heads) ==
        Texts{"52b-tp1-pp1-dp1-mbs1-gas1-heads32", "52b-tp1-pp1-dp1-mbs1-gas1-heads64"});
}

TEST_CASE("a name shows what tells points apart and the identity holds all") {
  const std::string text =
      "sweep: s\ncommand: train {pp} {mbs} {zero} {lr} {note}\nmodel: {size: 52B}\n"
      "grid: {mbs: [1, 2], lr: [0.1, 0.2]}\nderive: {gas: 4 / mbs, both: zero * mbs}\n"
      "points: [{pp: 1, note: x}, {pp: 2, note: x}]\n";
  const Sweep sweep = sweep_of(text + "fixed: {zero: 1}\n");
  CHECK(sweep.points.front().name == "52b-tp1-pp1-dp1-mbs1-gas4-lr0.1");
  CHECK(sweep.points.back().name == "52b-tp1-pp2-dp1-mbs2-gas2-lr0.2");
  CHECK(find_value(sweep.points.front().axes, "zero")->text == "1");
  const Sweep other = sweep_of(text + "fixed: {zero: 2}\n");
  CHECK(other.points.front().name == sweep.points.front().name);
  CHECK(other.points.front().id != sweep.points.front().id);
  const Sweep partly =
      sweep_of("sweep: s\nprobe: training\npoints: [{zero: 1}, {mbs: 2}]\nmodel: {size: tiny}\n");
  CHECK(partly.points[0].name == "tiny-tp1-pp1-dp1-mbs1-gas1-zero1");
  CHECK(partly.points[1].name == "tiny-tp1-pp1-dp1-mbs2-gas1");
}

TEST_CASE("a cluster is named or a file or described in place") {
  const Sweep named = sweep_of(layout_sweep("grid: {tp: [4]}\ncluster: jean-zay-v100-32g\n"));
  CHECK(named.cluster.scheduler == "slurm");
  CHECK(named.cluster.nodes == 64);
  CHECK(named.cluster.gpus_per_node == 4);
  CHECK(named.cluster.accelerator.memory_gib == 32.0);
  CHECK(named.cluster.node_link == "nvlink2");
  CHECK(named.cluster.launch ==
        "srun --mpi=pmix --kill-on-bad-exit=1 --nodes={nodes} --ntasks={ranks} "
        "--ntasks-per-node={ranks_per_node} --cpus-per-task=${SLURM_CPUS_PER_TASK:-1}");
  CHECK(find_value(named.cluster.scheduler_options, "time")->text == "00:20:00");
  CHECK(named.cluster.prolog == Texts{"source $WORK/start-prod"});
  CHECK(named.cluster.env == Environment{{"NCCL_DEBUG", "WARN"}});

  const Sweep local = sweep_of(layout_sweep("grid: {tp: [4]}\n"));
  CHECK(local.cluster.name == "local");
  CHECK(local.cluster.scheduler == "local");
  CHECK(local.cluster.accelerator.name == "cpu");
  CHECK(local.cluster.gpus_per_node == 0);

  const test::TemporaryDirectory folder;
  disk().write(folder / "clusters/mine.yaml",
               "cluster: mine\nscheduler: slurm\nnodes: 2\ngpus_per_node: 8\n"
               "accelerator: {name: new, memory_gib: 192, peak_tflops: {bf16: 1300}}\n");
  disk().write(folder / "s.yaml", layout_sweep("grid: {tp: [8]}\ncluster: clusters/mine.yaml\n"));
  const Sweep mine = load_sweep(folder / "s.yaml");
  CHECK(mine.cluster.name == "mine");
  CHECK(mine.cluster.accelerator.peak_tflops[0].second == 1300.0);
}

TEST_CASE("a mistake in a cluster file names that file") {
  const test::TemporaryDirectory folder;
  disk().write(folder / "mine.yaml", "cluster: mine\n\nnods: 2\n");
  disk().write(folder / "s.yaml", layout_sweep("grid: {tp: [8]}\ncluster: mine.yaml\n"));
  CHECK_THROWS_WITH(load_sweep(folder / "s.yaml"),
                    Catch::EndsWith("mine.yaml:3: unknown key 'nods' in a cluster, did you mean "
                                    "'nodes'?"));
}

TEST_CASE("the examples resolve") {
  const fs::path examples = test::source_directory() / "sweeps/examples";
  const Sweep gpt = load_sweep(examples / "gpt-52b.yaml");
  CHECK(gpt.points.size() == 14);
  CHECK(gpt.trainer.probe.empty());  // the probes' GPUs are later ones than its cluster's
  CHECK(load_sweep(examples / "own-command.yaml").points.size() == 18);
  CHECK(load_sweep(examples / "replay.yaml").points.size() == 4);
  const Sweep quickstart = load_sweep(examples / "quickstart.yaml");
  CHECK(quickstart.points.size() == 8);
  CHECK(quickstart.repeats.allocations >= 3);
  CHECK(quickstart.trainer.probe == "training");
  for (const auto& point : quickstart.points) CHECK(point.layout.gbs == 32);
}

TEST_CASE("a large grid resolves point by point") {
  std::string hundred = "[";
  for (int i = 1; i <= 100; ++i) hundred += (i > 1 ? ", " : "") + std::to_string(i);
  hundred += "]";
  const Sweep sweep =
      sweep_of("sweep: s\nmodel: {size: 52B}\ngrid: {mbs: " + hundred + ", gas: " + hundred +
               "}\nfixed: {zero: 1}\nderive: {tokens: gbs * seq}\n"
               "where: [layers % pp == 0, mbs*gas*dp > 100]\n");
  CHECK(sweep.points.size() + sweep.dropped.size() == 10'000);
  CHECK(sweep.points.front().layout.gbs == 102);
  CHECK(find_value(sweep.points.back().axes, "tokens")->number == 10'000 * 1024);
}

TEST_CASE("packing is decided later unless the file says it") {
  const std::string text = "sweep: s\ngrid: {tp: [1, 2], own: [a, b]}\ncommand: x {tp} {own}\n";
  const Sweep plain = test::sweep_of(text);
  CHECK_FALSE(plain.pack);
  CHECK_FALSE(plain.run_time_s);
  CHECK_FALSE(plain.stalled_s);
  CHECK(plain.reference.empty());
  CHECK(plain.cluster.canary.empty());
  CHECK(plain.cluster.budget_gpu_hours == kBudgetGpuHours);
  const Sweep said =
      test::sweep_of(text +
                     "pack: block\nrun_time: 00:05:30\nreference: {tp: 2.0, own: b}\n"
                     "cluster: {canary: 'gemm --ranks {ranks}', budget: 2.5}\n");
  CHECK(said.pack == Pack::kBlock);
  CHECK(said.run_time_s == 330);
  CHECK(test::sweep_of(text + "run_time: 5 min\nstalled: 1.5h\n").run_time_s == 300);
  CHECK(test::sweep_of(text + "run_time: 5 min\nstalled: 1.5h\n").stalled_s == 5400);
  CHECK(said.reference == said.points[3].id);
  CHECK(said.cluster.canary == "gemm --ranks {ranks}");
  CHECK(said.cluster.budget_gpu_hours == 2.5);
  const Sweep named = test::sweep_of(text + "reference: " + plain.points[1].name + "\n");
  CHECK(named.reference == plain.points[1].id);
}

TEST_CASE("the canary of a sweep goes before its cluster's") {
  const std::string text = "sweep: s\ngrid: {tp: [1, 2]}\ncluster: {canary: 'gemm -n {ranks}'}\n";
  const Sweep plain = test::sweep_of(text);
  CHECK_FALSE(plain.canary_s);
  CHECK(plain.cluster.canary == "gemm -n {ranks}");
  const Sweep said = test::sweep_of(text + "canary: {seconds: 0.5}\n");
  CHECK(said.canary_s == 0.5);
  CHECK(said.cluster.canary.empty());
  const Sweep off = test::sweep_of(text + "canary: off\n");
  CHECK_FALSE(off.canary_s);
  CHECK(off.cluster.canary.empty());
}

TEST_CASE("a canary makes no other point") {
  const std::string text = "sweep: s\ngrid: {tp: [1]}\n";
  CHECK(test::sweep_of(text).points[0].id ==
        test::sweep_of(text + "canary: {seconds: 5}\n").points[0].id);
}

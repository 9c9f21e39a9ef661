// SPDX-License-Identifier: Apache-2.0
// Launches as people have them in their scripts: names of other years, other models, options that
// exclude each other; and what they do to memory and time.
#include "sweeps/estimate/launch_words.h"

#include "core/base/error.h"
#include "core/base/units.h"
#include "sweeps/estimate/flops.h"
#include "sweeps/estimate/megatron_given.h"
#include "sweeps/estimate/megatron_setup.h"
#include "sweeps/estimate/memory.h"
#include "sweeps/estimate/point_setup.h"
#include "sweeps/estimate/stage_parameters.h"
#include "sweeps/estimate/step_time.h"
#include "sweeps/estimate/traffic.h"
#include "sweeps/judge_points.h"
#include "tests/support/catch.h"
#include "tests/sweeps/estimate/launches.h"

using namespace pippin;
using Catch::Contains;

namespace {

/// GPT-3 6.7B.
const std::string kLaunch =
    "--num-layers 32 --hidden-size 4096 --num-attention-heads 32 --seq-length 2048 "
    "--micro-batch-size 4 --global-batch-size 512 ";

MegatronSetup read(const std::string& more, Generation generation = Generation::kAmpere) {
  return megatron_setup(arguments_of_words({kLaunch + more}), 16, 8, generation);
}

Setup setup_of(const std::string& more, Generation generation = Generation::kAmpere) {
  return read(more, generation).setup;
}

std::string mistake_in(const std::string& more) {
  try {
    read(more);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

const Machine kA100{312, 312, 2039, 300, 200, 108};

double seconds(const Setup& setup) { return step_time(setup, kA100, {}).all(); }

double calls_of(const Setup& setup, Topic topic) {
  double calls = 0;
  for (const Talk& one : talk_of_stage(setup, 0))
    if (one.topic == topic) calls += one.calls;
  return calls;
}

}  // namespace

TEST_CASE("an option of earlier years means what it meant") {
  CHECK(setup_of("--fp16 --activations-checkpoint-method uniform").recompute == Recompute::kFull);
  CHECK(setup_of("--fp16 --model-parallel-size 4").tp == 4);
  const Setup block = setup_of(
      "--fp16 --activations-checkpoint-method block --activations-checkpoint-num-layers 3");
  CHECK(block.recompute_block);
  CHECK(block.recompute_layers == 3);
  CHECK(setup_of("--fp16 --checkpoint-activations --checkpoint-num-layers 2").recompute_layers ==
        2);
}

TEST_CASE("no stage sends less than nothing for what its ranks have alike") {
  for (const char* stages : {"1", "2", "4"}) {
    const Setup setup = setup_of(
        "--fp16 --tensor-model-parallel-size 2 --sequence-parallel "
        "--max-position-embeddings 2048 --pipeline-model-parallel-size " +
        std::string(stages));
    for (std::int64_t stage = 0; stage < setup.pp; ++stage)
      for (const Talk& one : talk_of_stage(setup, stage)) CHECK(one.bytes > 0);
  }
}

TEST_CASE("a sequence that is longer than its positions is refused") {
  CHECK(mistake_in("--bf16 --max-position-embeddings 2048").empty());
  CHECK(mistake_in("--bf16 --max-position-embeddings 1024") ==
        "estimate: 1024 positions (--max-position-embeddings) are too few for a sequence of 2048");
}

TEST_CASE("a launch is read to the end of its command, quotes and programs' options aside") {
  const auto names_of = [](const std::vector<std::string>& words) {
    std::vector<std::pair<std::string, std::string>> all;
    for (const auto& [name, value] : arguments_of_words(words)) all.emplace_back(name, value.text);
    return all;
  };
  using Names = std::vector<std::pair<std::string, std::string>>;
  const Names two{{"nproc_per_node", "8"}, {"num_layers", "24"}};
  CHECK(names_of({"torchrun --nproc_per_node 8 -m megatron.training.pretrain_gpt --num-layers "
                  "24"}) == two);
  CHECK(names_of({"--nproc_per_node", "8", "--num-layers", "24", "&"}) == two);
  CHECK(names_of({"--nproc_per_node=\"8\" --num-layers '24' 2>&1 | tee --append log"}) == two);
  CHECK(names_of({"--nproc_per_node 8 --num-layers 24 >log"}) == two);
  CHECK(names_of({"--lr-warmup -1 --moe-layer-freq '([0]*1+[1]*3)'"}) ==
        Names{{"lr_warmup", "-1"}, {"moe_layer_freq", "([0]*1+[1]*3)"}});
  // A variable may hold what counts, but behind a name that says nothing.
  CHECK(names_of({"--save $RUN/ckpt --num-layers 24"}).size() == 2);
  for (const char* words : {"--num-layers $L", "--bf16 $MORE", "$ALL", "--cuda-graph-impl $X"}) {
    CAPTURE(words);
    CHECK_THROWS_WITH(arguments_of_words({words}), Contains("is a variable"));
  }
}

TEST_CASE("names may have underscores throughout, as some trainers' have") {
  const auto arguments = arguments_of_words(
      {"megatron sft --tensor_model_parallel_size 2 --sequence_parallel false --nproc-per-node 8"});
  REQUIRE(arguments.size() == 3);
  CHECK(arguments[0].first == "tensor_model_parallel_size");
  const std::string more = "--sequence-parallel false --tensor-model-parallel-size 2";
  CHECK_FALSE(setup_of("--bf16 " + more).sequence_parallel);
}

TEST_CASE("full recomputation is not told by its method alone since 2022") {
  CHECK(setup_of("--bf16 --recompute-method uniform").recompute == Recompute::kNone);
  CHECK(setup_of(
            "--bf16 --recompute-granularity full --recompute-method block --recompute-num-layers 1")
            .recompute_block);
  CHECK_THROWS_WITH(read("--bf16 --recompute-granularity full"),
                    Contains("--recompute-granularity full needs --recompute-method"));
  CHECK_THROWS_WITH(read("--bf16 --recompute-granularity full --recompute-method block"),
                    Contains("--recompute-granularity full needs --recompute-num-layers"));
}

TEST_CASE("other gates than SwiGLU's have its matrices, and GELU's width") {
  const Shape gate = setup_of("--bf16 --quick-geglu").shape, plain = setup_of("--bf16").shape;
  CHECK(gate.gated());
  CHECK(gate.ffn == plain.ffn);
  CHECK(model_parameters(gate) > model_parameters(plain));
  // Megatron's own count leaves that gate out.
  const auto megatron = [](const Shape& shape) {
    return *iteration_flops(FlopsFormula::kMegatron, model_of(shape), 8, false);
  };
  CHECK(megatron(gate) == Approx(megatron(plain)));
  CHECK(model_work(gate, 8) > model_work(plain, 8));
}

TEST_CASE("a batch that grows by a schedule is its last one") {
  CHECK(setup_of("--bf16").gbs() == 512);
  const auto of_schedule = [](const std::string& schedule) {
    const std::string launch =
        "--num-layers 32 --hidden-size 4096 --num-attention-heads 32 --seq-length 2048 "
        "--micro-batch-size 1 --bf16 --step-batch-size-schedule ";
    return megatron_setup(arguments_of_words({launch + schedule}), 16, 8).setup.gbs();
  };
  CHECK(of_schedule("0:384 200B:768 400B:1152") == 1152);
  CHECK(of_schedule("0:384") == 384);
  for (const char* none : {"0:384 200B:", "768", "0:0"})
    CHECK_THROWS_WITH(of_schedule(none), Contains("--step-batch-size-schedule is no list"));
}

TEST_CASE("chunks divide the layers of a stage with the end that counts as one") {
  const std::string stages =
      "--bf16 --pipeline-model-parallel-size 8 --account-for-embedding-in-pipeline-split "
      "--account-for-loss-in-pipeline-split ";
  const auto with_layers = [&](const std::string& layers, const std::string& chunks) {
    const std::string launch = "--num-layers " + layers +
                               " --hidden-size 4096 --num-attention-heads 32 --seq-length 2048 "
                               "--micro-batch-size 1 --global-batch-size 512 ";
    return megatron_setup(arguments_of_words({launch + stages + chunks}), 16, 8).setup;
  };
  const Setup by_number = with_layers("126", "--num-virtual-stages-per-pipeline-rank 8"),
              by_layers = with_layers("126", "--num-layers-per-virtual-pipeline-stage 2");
  CHECK(by_number.chunks == 8);
  CHECK(by_layers.chunks == 8);
  CHECK(by_number.layers_of_stage(0) == 15);
  CHECK(by_number.layers_of_stage(1) == 16);
  CHECK_THROWS_WITH(with_layers("6", ""),
                    Contains("a stage would have no layer, as its end counts as one"));
  CHECK_THROWS_WITH(with_layers("126", "--num-virtual-stages-per-pipeline-rank 5"),
                    Contains("virtual stages do not divide the layers of a stage (16 by 5)"));
}

TEST_CASE(
    "DeepSpeed parts what PP does not divide, and Megatron's layouts may be why it does not") {
  const auto mistake_of = [](const std::string& more) {
    try {
      megatron_setup(arguments_of_words({"--num-layers 70 --hidden-size 4096 --num-attention-heads "
                                         "32 --seq-length 2048 --micro-batch-size 1 "
                                         "--pipeline-model-parallel-size 12 --bf16 " +
                                         more}),
                     24, 8);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(mistake_of("--deepspeed --zero-stage 1").empty());
  CHECK(mistake_in("--fp16 --deepspeed --zero-stage 1 --num-layers 7 "
                   "--pipeline-model-parallel-size 8") ==
        "estimate: there are fewer layers than stages (7 and 8)");
  CHECK(mistake_of("") == "estimate: PP does not divide the number of layers (70 by 12)");
  CHECK(mistake_of("--mtp-hybrid-override-pattern M") ==
        "estimate: PP does not divide the number of layers (70 by 12); perhaps by what is not "
        "known: --mtp-hybrid-override-pattern");
}

TEST_CASE("what is typed out as it is anyway changes nothing") {
  for (const char* words :
       {"--main-grads-dtype fp32", "--exp-avg-dtype fp32", "--recompute-modules core_attn",
        "--cuda-graph-impl none", "--optimizer adamw", "--cp-comm-type a2a",
        "--context-parallel-size 2 --cp-comm-type p2p", "--empty-unused-memory-level 1"}) {
    CAPTURE(words);
    CHECK(read(std::string("--bf16 ") + words).unknown.empty());
  }
  for (const char* words :
       {"--context-parallel-size 2 --cp-comm-type a2a", "--attention-output-gate",
        "--moe-latent-size 64", "--heterogeneous-layers-config-path x", "--cpu-optimizer",
        "--partition-activations", "--checkpoint-in-cpu", "--deepspeed-config x"}) {
    CAPTURE(words);
    CHECK(read(std::string("--bf16 ") + words).unknown.size() == 1);
  }
  CHECK(read("--bf16 --deepspeed --zero-stage 1 --deepspeed-config x").unknown.empty());
}

TEST_CASE("with what changes the work no time is known") {
  for (const char* words :
       {"--fp4-format e2m1", "--context-parallel-size 2 --cp-comm-type a2a", "pretrain_t5.py",
        "--num-experts 8 --moe-layer-freq [0]*2+[1]+[0]+[1]*28", "--attention-output-gate",
        "--use-torch-fsdp2", "--fine-grained-activation-offloading", "--offload-optimizer-states",
        "--cpu-optimizer", "--checkpoint-in-cpu"}) {
    CAPTURE(words);
    CHECK(read(std::string("--bf16 ") + words).untimed.size() == 1);
  }
  CHECK(read("--bf16 --cuda-graph-impl local").untimed.empty());  // but for its launches
  CHECK(read("--bf16 --recompute-modules mlp").untimed.empty());
}

TEST_CASE("an option counts as it is typed, and as Megatron's dump has it") {
  const std::string chunks =
      "--bf16 --pipeline-model-parallel-size 4 --num-virtual-stages-per-pipeline-rank 4 ";
  CHECK(setup_of(chunks + "--microbatch-group-size-per-virtual-pipeline-stage 8").chunk_group == 8);
  CHECK(setup_of(chunks + "--microbatch-group-size-per-vp-stage 8").chunk_group == 8);
  CHECK(setup_of("--bf16 --num-key-value-heads 8").shape.kv_heads == 8);
}

TEST_CASE(
    "a name that people take for one of Megatron's, and a value that is missing, are refused") {
  CHECK_THROWS_WITH(read("--bf16 --tensor-parallel-size 8"),
                    "estimate: unknown argument '--tensor-parallel-size', did you mean "
                    "'--tensor-model-parallel-size'?");
  CHECK_THROWS_WITH(read("--bf16 --mbs=4"),
                    "estimate: unknown argument '--mbs', did you mean '--micro-batch-size'?");
  CHECK_THROWS_WITH(read("--bf16 --sequence-parallel --recompute_granularity selective"),
                    "estimate: unknown argument '--recompute_granularity', did you mean "
                    "'--recompute-granularity'?");
  CHECK_THROWS_WITH(read("--nnodes --bf16"),
                    "estimate: --nnodes has no value; is a variable behind it empty?");
  CHECK(read("--bf16 --window-size 128,0").untimed == std::vector<std::string>{"--window-size"});
  CHECK(read("--bf16 --window-size 128,0").unknown.empty());  // attention keeps the same tensors
  CHECK(read("--bf16 --window-size 128,0").unused.empty());
}

TEST_CASE("a program of another model, or what changes memory nobody knows how, is not judged") {
  for (const char* words :
       {"pretrain_mamba.py", "/opt/megatron/pretrain_t5.py", "--spec a.py b", "--mamba-state-dim 8",
        "--hybrid-attention-ratio 0.1", "--decoder-num-layers 12", "--moe-latent-size 64",
        "--num-experts 8 --moe-layer-freq [0]*2+[1]+[0]+[1]*28", "--ds-sequence-parallel-size 4",
        "--use-legacy-models", "--fp16-lm-cross-entropy"}) {
    CAPTURE(words);
    CHECK(read(std::string("--bf16 ") + words).unknown.size() == 1);
  }
  CHECK(read("--bf16 pretrain_mamba.py").unknown.front() == "pretrain_mamba.py");
  for (const char* words :
       {"pretrain_gpt.py", "pretrain_llama.py", "--ds-sequence-parallel-size 1",
        "--num-experts 8 --moe-layer-freq ([0]*1+[1]*31)", "--moe-layer-freq [0]*2+[1]",
        "--hybrid-attention-ratio 0.0", "--special-tokens x", "--moe-layer-freq ([1]*32)"}) {
    CAPTURE(words);
    CHECK(read(std::string("--bf16 ") + words).unknown.empty());
  }
}

TEST_CASE("Transformer Engine keeps the scores where it has no other attention") {
  const std::string engine = "--transformer-impl transformer_engine ";
  CHECK(setup_of(engine + "--fp16", Generation::kVolta).attention == Attention::kScores);
  CHECK(setup_of(engine, Generation::kAmpere).attention == Attention::kScores);  // in fp32
  CHECK(setup_of(engine + "--bf16", Generation::kAmpere).attention == Attention::kFlash);
  CHECK(setup_of(engine + "--bf16", Generation::kHopper).attention == Attention::kFused);
}

TEST_CASE("gradients of fp16 that are summed in fp32 have four bytes, and no copy") {
  const std::string launch = "--fp16 --use-distributed-optimizer ";
  const Setup narrow = setup_of(launch),
              wide = setup_of(launch + "--accumulate-allreduce-grads-in-fp32");
  CHECK(stage_memory(wide, 0).gradients == 2 * stage_memory(narrow, 0).gradients);
  CHECK(stage_memory(wide, 0).optimizer * 16 == stage_memory(narrow, 0).optimizer * 12);
  CHECK(wide.gradient_bytes() == 4);
  CHECK(setup_of("--fp16 --deepspeed --zero-stage 1 --accumulate-allreduce-grads-in-fp32")
            .gradient_bytes() == 2);  // it is of Megatron's own DDP
  CHECK(narrow.gradient_bytes() == 2);
}

TEST_CASE("what is made again of a few layers costs their time and traffic alone") {
  const std::string launch = "--bf16 --tensor-model-parallel-size 4 ";
  const std::string block = launch + "--recompute-granularity full --recompute-method block ";
  const Setup none = setup_of(launch), one = setup_of(block + "--recompute-num-layers 1"),
              all = setup_of(block + "--recompute-num-layers 32");
  const double step = seconds(all) - seconds(none);
  CHECK(step > 0);
  CHECK(seconds(one) - seconds(none) == Approx(step / 32));
  const double gas = 32;
  CHECK(calls_of(one, Topic::kTensor) == calls_of(none, Topic::kTensor) + 2 * gas);
  CHECK(calls_of(all, Topic::kTensor) == calls_of(none, Topic::kTensor) + 2 * gas * 32);
}

TEST_CASE("each stage makes its own share of its layers again") {
  const std::string launch =
      "--bf16 --pipeline-model-parallel-size 2 --decoder-first-pipeline-num-layers 2 ";
  const std::string block = launch + "--recompute-granularity full --recompute-method block ";
  const double none = seconds(setup_of(launch)),
               few = seconds(setup_of(block + "--recompute-num-layers 2")),
               all = seconds(setup_of(block + "--recompute-num-layers 30"));
  CHECK(none < few);
  CHECK(few - none < 0.2 * (all - none));
}

TEST_CASE("stages send the whole of their messages where Megatron-Core does") {
  const std::string launch =
      "--tensor-model-parallel-size 4 --pipeline-model-parallel-size 2 --bf16 ";
  const auto message = [](const Setup& setup) {
    for (const Talk& one : talk_of_stage(setup, 0))
      if (one.topic == Topic::kPipeline) return one.bytes;
    return 0.0;
  };
  const double whole = 2.0 * 2048 * 4 * 4096;
  Setup core = setup_of(launch);
  CHECK(message(core) == whole);
  Setup older = core;
  older.framework = Framework::kMegatron2;
  CHECK(message(older) == whole / 4);
  CHECK(calls_of(older, Topic::kTensor) > calls_of(core, Topic::kTensor));  // gathered again
  CHECK(message(setup_of(launch + "--sequence-parallel")) == whole / 4);
}

TEST_CASE("instances of the optimizer reduce among themselves, and then each part over them") {
  const std::string launch = "--bf16 --use-distributed-optimizer ";
  const Setup one = setup_of(launch),
              two = setup_of(launch + "--num-distributed-optimizer-instances 2");
  const auto call = [](const Setup& setup, std::string_view function) {
    for (const Talk& talk : talk_of_stage(setup, 0))
      if (talk.topic == Topic::kDataReduce && talk.function == function) return talk;
    return Talk{};
  };
  CHECK(call(one, "reduce_scatter").ranks == 16);
  CHECK(call(one, "all_reduce").calls == 0);
  CHECK(call(two, "reduce_scatter").ranks == 8);
  CHECK(call(two, "all_reduce").ranks == 2);
  CHECK(call(two, "all_reduce").bytes == Approx(call(two, "reduce_scatter").bytes / 8));
}

TEST_CASE("a group of TP that a node's end cuts sums up at the network's speed") {
  Setup setup = setup_of("--bf16");
  setup.tp = 4;
  setup.dp = 4;
  const double within = step_time(setup, kA100, {}).tensor;
  setup.gpus_per_node = 6;
  CHECK(step_time(setup, kA100, {}).tensor > 2 * within);
  setup.gpus_per_node = 4;
  CHECK(step_time(setup, kA100, {}).tensor == within);
}

TEST_CASE("what excludes each other, or Megatron does not know, is refused") {
  CHECK(mistake_in("--bf16 --fp16") == "estimate: --bf16 or --fp16, not both");
  CHECK(mistake_in("--bf16 --num-experts 8 --moe-router-topk 9") ==
        "estimate: a token goes to 9 experts, and there are 8");
  CHECK(mistake_in("--bf16 --deepspeed --zero-stage 1 --num-experts 1").empty());
  CHECK(mistake_in("--group-query-attention --num-query-groups 5") ==
        "estimate: query groups do not divide the heads (32 by 5)");
  CHECK(mistake_in("--padded-vocab-size 50257 --tensor-model-parallel-size 2") ==
        "estimate: TP does not divide the vocabulary (50257 by 2)");
  const std::string stages = "--pipeline-model-parallel-size 2 ";
  CHECK(mistake_in(stages + "--num-virtual-stages-per-pipeline-rank 5") ==
        "estimate: virtual stages do not divide the layers of a stage (16 by 5)");
  CHECK_THAT(mistake_in(stages + "--num-virtual-stages-per-pipeline-rank 4 "
                                 "--num-layers-per-virtual-pipeline-stage 4"),
             Contains("by their number and by their layers"));
  CHECK_THAT(mistake_in("--pipeline-model-parallel-size 4 --num-virtual-stages-per-pipeline-rank "
                        "2 --microbatch-group-size-per-virtual-pipeline-stage 2"),
             Contains("a group of 2 micro-batches is smaller than PP 4"));
  CHECK_THAT(mistake_in("--pipeline-model-parallel-size 4 --num-virtual-stages-per-pipeline-rank "
                        "2 --microbatch-group-size-per-virtual-pipeline-stage 64"),
             Contains("a group of 64 micro-batches is larger than GAS 32"));
  CHECK_THAT(mistake_in("--use-distributed-optimizer --num-distributed-optimizer-instances 3"),
             Contains("do not divide DP x CP (16 by 3)"));
  for (const char* word :
       {"--normalization batch", "--recompute-method blok", "--transformer-impl foo",
        "--position-embedding-type relative", "--moe-token-dispatcher-type flexx"}) {
    CAPTURE(word);
    CHECK_THAT(mistake_in(word), Contains(" is one of "));
  }
  CHECK_FALSE(setup_of("--normalization rmsnorm").shape.norm_biases);
}

TEST_CASE("a GPU has what its driver leaves, and no time in a type that it has not") {
  CHECK(usable_bytes(Generation::kHopper, 141) == 139.8 * kGib);
  CHECK(usable_bytes(Generation::kBlackwell, 180) == 178.35 * kGib);
  CHECK(usable_bytes(Generation::kBlackwell, 186) < 186 * kGib);
  CHECK(usable_bytes(Generation::kOther, 192) == 192 * kGib);
  CHECK(why_no_time(setup_of("--bf16", Generation::kVolta)) == "such a GPU has no bf16");
  CHECK(why_no_time(setup_of("--fp16", Generation::kVolta)).empty());
}

TEST_CASE("a model has its own work, whether a formula knows it or not") {
  const auto names = [](const Setup& setup) {
    std::string all;
    for (const WorkCount& one : work_counts(setup)) all += one.name + " ";
    return all;
  };
  CHECK(names(setup_of("--bf16")) == "model hardware megatron params palm products ");
  CHECK(names(setup_of("--bf16 --num-experts 8")) == "megatron params palm products ");
  const Setup wide = setup_of("--bf16 --kv-channels 256");
  CHECK(names(wide) == "megatron params palm products ");
  CHECK(work_counts(wide).back().flops > work_counts(setup_of("--bf16")).back().flops);
}

TEST_CASE("experts and parts of sequences that Megatron-Core would not start are refused") {
  const std::string experts = "--bf16 --num-experts 8 --tensor-model-parallel-size 2 ";
  const std::string whole = "--expert-tensor-parallel-size 1 ", split = "--sequence-parallel ";
  CHECK(mistake_in(experts + whole) ==
        "estimate: experts and TP together need sequence parallelism");
  CHECK(mistake_in(experts + whole + split).empty());
  CHECK(mistake_in(experts + split) == "estimate: experts that expert TP splits have no biases");
  CHECK(mistake_in(experts + split + "--disable-bias-linear").empty());
  CHECK(mistake_in(experts + split + "--disable-bias-linear --moe-ffn-hidden-size 1025") ==
        "estimate: expert TP does not divide the width of an expert (1025 by 2)");
  CHECK(mistake_in("--bf16 --num-experts 0 --tensor-model-parallel-size 2").empty());

  const std::string parts = "--bf16 --context-parallel-size 4 ";
  CHECK(mistake_in(parts).empty());
  CHECK(mistake_in(parts + "--seq-length 2052") ==
        "estimate: 2 x CP does not divide the sequence (2052 by 8)");
  CHECK(mistake_in(parts + "--transformer-impl local") ==
        "estimate: CP needs Transformer Engine, not --transformer-impl local");
  CHECK(mistake_in(parts + "--attention-backend unfused") ==
        "estimate: CP needs flash or fused attention");
}

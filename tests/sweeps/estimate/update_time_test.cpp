// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "tests/sweeps/estimate/launches.h"

using namespace pippin;
using namespace pippin::test;

namespace {

/// Of a node's adapters. Unit: GB/s.
constexpr double kSlow = 20;

Machine slow_h100() {
  Machine machine = kH100;
  machine.node_gb_per_s = kSlow;
  return machine;
}

/// Nothing hides behind anything.
Rates apart() {
  Rates rates;
  rates.hidden_share = 0;
  return rates;
}

const std::string kDense =
    "--num-layers 8 --hidden-size 2048 --ffn-hidden-size 8192 --num-attention-heads 16 "
    "--seq-length 2048 --vocab-size 32000 --position-embedding-type rope --normalization RMSNorm "
    "--disable-bias-linear --swiglu --micro-batch-size 1 --global-batch-size 128 --bf16 ";
const std::string kUntied = "--untie-embeddings-and-output-weights ";
const std::string kMixture =
    "--num-experts 8 --moe-router-topk 2 --moe-grouped-gemm "
    "--moe-token-dispatcher-type alltoall ";
const std::string kFsdp =
    "--use-megatron-fsdp --data-parallel-sharding-strategy optim_grads_params ";
const std::string kZero1 = "--use-distributed-optimizer ";

/// What is sent of gradients and weights, where ranks of a replica share a node's adapters with
/// so many of others. Unit: seconds.
double sending(const Setup& setup, Topic reduce, Topic gather, double sharing) {
  double bytes = 0;
  for (const Talk& one : talk_of_stage(setup, 0))
    if (one.topic == reduce || one.topic == gather) bytes += one.calls * wire_bytes(one);
  return bytes * sharing / (kSlow * 1e9 * Rates().node_share);
}

}  // namespace

TEST_CASE("gradients and weights take what their bytes take, experts and FSDP's too") {
  for (const std::string& words : {kZero1, kFsdp, kMixture + kZero1, kMixture + kFsdp,
                                   kMixture + kZero1 + "--expert-model-parallel-size 4 ",
                                   kMixture + kFsdp + "--expert-model-parallel-size 4 "}) {
    CAPTURE(words);
    const Setup setup = setup_of_launch(kDense + kUntied + words, 32);
    const double dense = sending(setup, Topic::kDataReduce, Topic::kDataGather, 1),
                 experts = sending(setup, Topic::kExpertReduce, Topic::kExpertGather,
                                   static_cast<double>(setup.ep));
    CHECK(step_time(setup, slow_h100(), apart()).data == Approx(dense + experts).epsilon(0.01));
  }
}

TEST_CASE("each instance of the optimizer sends among its ranks, and sums are over instances") {
  const Setup setup =
      setup_of_launch(kDense + kMixture + kZero1 + "--expert-model-parallel-size 4 " +
                          "--num-distributed-optimizer-instances 2",
                      32);
  double expected = 0;
  for (const Topic topic :
       {Topic::kDataReduce, Topic::kDataGather, Topic::kExpertReduce, Topic::kExpertGather}) {
    const bool is_expert = topic == Topic::kExpertReduce || topic == Topic::kExpertGather;
    for (const Talk& one : talk_of_stage(setup, 0)) {
      // Of an instance of 16 ranks all of a node's GPUs have others in the second one.
      const double sharing = one.function == "all_reduce" ? 8 : is_expert ? 4 : 1;
      if (one.topic == topic)
        expected += one.calls * wire_bytes(one) * sharing / (kSlow * 1e9 * Rates().node_share);
    }
  }
  CHECK(step_time(setup, slow_h100(), apart()).data == Approx(expected).epsilon(0.01));
}

TEST_CASE("what FSDP sends hides behind the passes, that of experts too") {
  const Setup setup =
      setup_of_launch(kDense + kMixture + kFsdp + "--expert-model-parallel-size 8", 64);
  Machine fast = kH100;
  fast.node_gb_per_s = 1e5;
  const double hidden = step_time(setup, fast, Rates()).data,
               all = step_time(setup, fast, apart()).data;
  CHECK(hidden == Approx((1 - Rates().hidden_share) * all));
}

TEST_CASE("an embedding on several stages is summed over them, and hides nowhere") {
  const std::string words =
      kDense + kZero1 + "--overlap-grad-reduce --pipeline-model-parallel-size ";
  const auto more = [&](const std::string& layout, const std::string& which = "") {
    const Setup tied = setup_of_launch(words + layout + which, 32),
                untied = setup_of_launch(words + layout + which + " " + kUntied, 32);
    return step_time(tied, slow_h100(), Rates()).data -
           step_time(untied, slow_h100(), Rates()).data;
  };
  const double bytes = 4.0 * 32000 * 2048;
  // 16 ranks of the first stage are on two nodes, which send at the same time.
  CHECK(more("2") == Approx(bytes * 8 / (kSlow * 1e9 * Rates().node_share)));
  // Half as large on each rank, and a node has the whole pipeline.
  CHECK(more("4 --use-tp-pp-dp-mapping", " --tensor-model-parallel-size 2") ==
        Approx(bytes / 2 / (kH100.link_gb_per_s * 1e9 * Rates().link_share)));
  // A node has two stages, and the ends are on two nodes.
  CHECK(more("8") == Approx(bytes * 4 / (kSlow * 1e9 * Rates().node_share)));
}

TEST_CASE("a third stage with the embedding, for MTP, is summed over as the others") {
  const std::string words =
      kDense + kUntied + "--pipeline-model-parallel-size 2 --overlap-grad-reduce ";
  Setup setup = setup_of_launch(words + "--mtp-num-layers 1 ", 32);
  CHECK(setup.embedding_stages() == 2);
  setup.shape.tied = true;
  CHECK(setup.embedding_stages() == 2);
  setup.pp = 4;
  setup.mtp_ahead = 1;
  CHECK(setup.embedding_stages() == 3);
}

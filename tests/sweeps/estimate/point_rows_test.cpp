// SPDX-License-Identifier: Apache-2.0
// Tables of layouts: what is read of a row, refused of it, and learned of many.
#include "sweeps/estimate/point_rows.h"

#include "sweeps/judge_points.h"
#include "tests/support/catch.h"
#include "tests/sweeps/estimate/measured_rows.h"

using namespace pippin;

TEST_CASE("a row that cannot be judged says why") {
  const auto why = [](const char* id) {
    return PointJudge().judge(test::measured_rows().at(id)).why;
  };
  CHECK(why("megatron-bridge-0001") == "recomputation is not given");
  CHECK(why("seed2-0001") == "recomputation is not given");
  const PointRow row = test::measured_rows().at("seed1-0001");
  const auto with = [&](const char* column, const char* text) {
    return PointJudge().judge(row.with(column, text)).why;
  };
  CHECK(with("layers", "") == "layers is not given");
  CHECK(with("act_fn", "geglu") == "the activation 'geglu' is not known");
  CHECK(with("attn", "") == "attn is not given");
  CHECK(with("pp", "64") == "TP x PP x CP does not divide n_gpus");
  CHECK(why("tr8-104B-0001") == "its notes call it unusable");
  CHECK_FALSE(PointJudge().judge(test::measured_rows().at("seed2-0001")).peak_gib);
}

TEST_CASE("a cell that nobody can read is not taken for an empty one") {
  const PointRow row = test::measured_rows().at("seed1-0001");
  const auto with = [&](const char* column, const char* text) {
    return PointJudge().judge(row.with(column, text)).why;
  };
  CHECK(with("tp", "two") == "tp is no count: 'two'");
  CHECK(with("mbs", "0.5") == "mbs is no count: '0.5'");
  CHECK(with("gas", "-1") == "gas is no count: '-1'");
  CHECK(with("zero", "7") == "zero '7' is not known");
  CHECK(with("seq_par", "yes") == "seq_par 'yes' is not known");
  CHECK(with("attn", "sdpa") == "attn 'sdpa' is not known");
  CHECK(PointJudge().judge(row.with("heads", "33").with("tp", "2").with("dp", "4")).why ==
        "TP does not divide the heads (33 by 2)");
}

TEST_CASE("a table may name a framework as a person types it") {
  const PointRow row = test::measured_rows().at("seed1-0001").with("framework", "fsdp");
  CHECK(setup_of_row(row).setup->framework == Framework::kFsdp);
}

TEST_CASE("a row has no time where nobody knows how often it adds up gradients, or how fast") {
  const PointRow row = test::measured_rows().at("seed1-0001");
  const auto judged = [](const PointRow& one) { return PointJudge().judge(one); };
  REQUIRE(judged(row).step_s);
  const PointJudgement open = judged(row.with("gas", "").with("gbs", ""));
  CHECK_FALSE(open.step_s);
  CHECK_THAT(open.why, Catch::EndsWith("; no time: neither gbs nor gas is given"));
  CHECK_FALSE(judged(row.with("precision", "fp32")).step_s);
}

TEST_CASE("a layout that fits with no micro-batch at all is told apart from one that may fit") {
  const PointRow row =
      test::measured_rows().at("seed1-0001").with("mbs", "").with("gas", "").with("gbs", "");
  CHECK(PointJudge().judge(row).why == "mbs is not given");
  const PointJudgement small = PointJudge().judge(row.with("gpu_mem_gb", "40"));
  CHECK(small.fits == false);
  CHECK_THAT(small.why, Catch::Contains("with MBS 1 stage 0 needs"));
}

TEST_CASE("an argument in a row's notes that no count can be, or is misspelt, is refused") {
  const PointRow row = test::measured_rows().begin()->second;
  const auto why = [&](const std::string& notes) {
    return PointJudge().judge(row.with("notes", notes)).why;
  };
  CHECK(why("{\"kv-channels\": 1e300}") ==
        "its notes: --kv-channels takes a whole number from 1 to 100000000, not '1e+300'");
  CHECK(why("{\"moe-fn-hidden-size\": 64}") ==
        "its notes: unknown argument '--moe-fn-hidden-size', did you mean "
        "'--moe-ffn-hidden-size'?");
}

TEST_CASE("a GPU's memory is the row's, or that of all GPUs of its name") {
  const PointRow row = test::measured_rows().at("seed1-0001").with("gpu_mem_gb", "");
  const auto judged = [&](const char* gpu) { return PointJudge().judge(row.with("gpu", gpu)); };
  CHECK_FALSE(judged("A100-SXM4").fits);  // of which there are two
  CHECK(judged("A100-SXM4").why == "gpu_mem_gb is not given");
  CHECK(judged("Q9000").why == "gpu_mem_gb is not given; no time: the GPU is not known");
  CHECK_THAT(judged("H100").why, Catch::EndsWith(" of 79.2"));
  CHECK(judged("H100").fits == true);
  CHECK(judged("a100-sxm4-80g").fits == true);
  CHECK(judged("A100-SXM4-40G").why ==
        PointJudge().judge(row.with("gpu", "A100-SXM4").with("gpu_mem_gb", "40")).why);
}

TEST_CASE("a row that contradicts itself is refused, and of a batch what was done is believed") {
  const PointRow row = test::measured_rows().at("seed1-0001").with("tp", "2").with("pp", "2");
  const auto why = [](const PointRow& one) { return PointJudge().judge(one).why; };
  const PointRow typed = row.with("n_gpus", "16").with("mbs", "1").with("gbs", "32");
  CHECK(why(typed.with("dp", "8").with("gas", "")) == "TP x PP x CP x DP is 32, and n_gpus 16");
  CHECK(why(typed.with("dp", "4").with("gas", "").with("gbs", "30")) ==
        "MBS x DP does not divide gbs");
  CHECK_THAT(why(typed.with("dp", "4").with("gas", "4")),
             Catch::EndsWith("; DP x MBS x GAS is 16; its gbs of 32 is not used"));
  CHECK(why(typed.with("dp", "4").with("gas", "7").with("gbs", "").with("vpp", "2")) ==
        "interleaved stages need a GAS that is a multiple of 2, not 7");
}

TEST_CASE("Megatron's arguments in a row's notes count as they do in a launch") {
  const PointRow row =
      test::measured_rows().at("seed1-0001").with("framework", "Megatron-Core").with("dp", "8");
  const auto judged = [&](const std::string& notes) {
    return PointJudge().judge(row.with("notes", notes));
  };
  const double mixture = judged("{\"num-experts\": 8}").allocated_gib.value();
  CHECK(mixture > judged("{}").allocated_gib.value());
  CHECK(judged("{\"num_experts\": 8}").allocated_gib == mixture);
  CHECK(judged("{\"num-experts\": \"8\"}").allocated_gib == mixture);
  CHECK(judged("{\"num-experts\": 8").why ==
        "its notes begin like arguments in JSON, and are none");
  for (const char* zero : {"make-vocab-size-divisible-by", "kv-channels", "moe-router-topk"})
    CHECK(judged(std::string("{\"") + zero + "\": 0}").allocated_gib == judged("{}").allocated_gib);
  const auto allocated = [&](const std::string& notes) {
    return judged(notes).allocated_gib.value();
  };
  const std::string experts = "{\"num-experts\": 8, \"moe-ffn-hidden-size\": 1024";
  const PointRow split = row.with("tp", "2").with("dp", "4").with("seq_par", "1");
  const auto of_split = [&](const std::string& notes) {
    return PointJudge().judge(split.with("notes", notes)).allocated_gib.value();
  };
  CHECK(of_split(experts + ", \"disable-bias-linear\": true, \"expert-tensor-parallel-size\": 1}") >
        of_split(experts + ", \"disable-bias-linear\": true}"));
  CHECK(allocated("{\"padded-vocab-size\": 500000}") > allocated("{}"));
  CHECK(allocated("{\"--padded_vocab_size\": 500000}") ==
        allocated("{\"padded-vocab-size\": 500000}"));
  for (const char* positions :
       {"{\"position-embedding-type\": \"none\"}", "{\"use-rotary-position-embeddings\": true}"})
    CHECK(allocated(positions) == allocated("{\"position-embedding-type\": \"rope\"}"));
  const PointRow open = row.with("act_fn", "").with("ffn", "");
  CHECK(PointJudge().judge(open.with("notes", "{\"quick-geglu\": true}")).allocated_gib ==
        PointJudge()
            .judge(row.with("act_fn", "swiglu").with("notes", "{}").with("ffn", "16384"))
            .allocated_gib);
  CHECK(allocated("{\"kv-channels\": 128.0, \"recompute-modules\": [\"core_attn\"]}") ==
        allocated("{}"));
  const PointJudgement narrow = judged("{\"--fp8-format\": \"hybrid\"}");
  CHECK_FALSE(narrow.allocated_gib);
  CHECK_FALSE(narrow.step_s);
  const PointRow small = row.with("precision", "fp16");
  const auto gib = [&](const char* notes) {
    return PointJudge().judge(small.with("notes", notes)).allocated_gib.value();
  };
  CHECK(gib("{\"accumulate-allreduce-grads-in-fp32\": true}") > gib("{}"));
  CHECK(gib("{\"num-distributed-optimizer-instances\": 2}") > gib("{}"));
  const auto sharded = [&](const char* stage, const char* notes) {
    return PointJudge().judge(row.with("zero", stage).with("notes", notes)).allocated_gib;
  };
  CHECK(sharded("3", "{\"use-megatron-fsdp\": true}").value() <
        sharded("2", "{\"use-megatron-fsdp\": true}").value());
  CHECK_FALSE(sharded("2", "{}"));
  const PointJudgement offloads = judged(
      "{\"optimizer-cpu-offload\": true, \"use-precision-aware-optimizer\": true, "
      "\"use-distributed-optimizer\": true}");
  CHECK_FALSE(offloads.allocated_gib);
  CHECK_THAT(offloads.why, Catch::Contains("what --optimizer-cpu-offload takes is not known"));
  CHECK(judged("{\"optimizer-cpu-offload\": false}").allocated_gib);
}

TEST_CASE("ends that count as layers are refused in a row as in a launch") {
  const PointRow row = test::measured_rows()
                           .at("seed1-0001")
                           .with("framework", "Megatron-Core")
                           .with("dp", "")
                           .with("tp", "1")
                           .with("pp", "4");
  const auto why = [&](const char* layers, const char* chunks, const char* notes) {
    return PointJudge()
        .judge(row.with("layers", layers).with("vpp", chunks).with("notes", notes))
        .why;
  };
  constexpr const char* kEmbedding = "{\"account-for-embedding-in-pipeline-split\": true}";
  constexpr const char* kBoth =
      "{\"account-for-embedding-in-pipeline-split\": true, "
      "\"account-for-loss-in-pipeline-split\": true}";
  CHECK(why("30", "", kEmbedding) ==
        "PP does not divide the layers, with what counts as one (31 by 4)");
  CHECK(why("30", "3", kBoth) == "virtual stages do not divide the layers of a stage (8 by 3)");
  CHECK(why("30", "", kBoth).starts_with("stage "));
}

TEST_CASE("a row that no trainer would start is refused") {
  const PointRow row =
      test::measured_rows().at("seed1-0001").with("framework", "Megatron-Core").with("dp", "");
  const auto why = [](const PointRow& one) { return PointJudge().judge(one).why; };
  CHECK(why(row.with("ep", "4")) == "EP is of experts, and there are none");
  CHECK_THAT(why(row.with("notes", "{\"num-experts\": 64}").with("ep", "64")),
             Catch::Contains("EP x expert TP does not divide TP x CP x DP"));
  CHECK(why(row.with("heads", "36").with("kv_heads", "36")) ==
        "heads do not divide the hidden size (4096 by 36)");
  CHECK(
      why(row.with("vpp", "5").with("pp", "2").with("tp", "1").with("gas", "4").with("gbs", "")) ==
      "vpp does not divide the layers of a stage (16 by 5)");
  CHECK(why(row.with("layers", "31").with("pp", "4").with("tp", "1")) ==
        "PP does not divide the number of layers (31 by 4)");
  CHECK_THAT(why(row.with("layers", "30").with("pp", "4").with("tp", "1")),
             Catch::Contains("; 30 layers over 4: embedding and loss are assumed to count as one"));
  const PointRow mixture = row.with("notes", "{\"num-experts\": 8}").with("seq_par", "1");
  CHECK_THAT(why(mixture.with("tp", "2").with("ep", "8").with("n_gpus", "8")),
             Catch::Contains("expert TP 1 is assumed"));
  CHECK(why(row.with("recompute", "none").with("notes", "{\"recompute-granularity\": \"full\"}")) ==
        "recompute is none, and its notes say full");
  CHECK(why(row.with("mbs", "").with("gas", "4").with("gbs", "30")) ==
        "DP x GAS does not divide gbs");
  CHECK(why(row.with("vpp", "2")
                .with("pp", "2")
                .with("gas", "7")
                .with("gbs", "")
                .with("gpus_per_node", "")) ==
        "interleaved stages need a GAS that is a multiple of 2, not 7");
  CHECK_THAT(why(row.with("vocab", "").with("act_fn", "")),
             Catch::EndsWith("; act_fn gelu is assumed; vocabulary 50257 is assumed"));
  CHECK(why(row.with("vpp", "4").with("pp", "1")) ==
        "virtual stages are of a pipeline, and PP is 1");
  CHECK(why(row.with("tp", "4").with("ffn", "11010")) ==
        "TP does not divide the width of the MLP (11010 by 4)");
  CHECK(why(row.with("tp", "4").with("kv_heads", "2")) ==
        "what TP ranks that share a query group need is not known (2 by 4)");
  CHECK(why(row.with("framework", "Megatron-LM").with("tp", "4").with("kv_heads", "2")) ==
        "TP does not divide the query groups (2 by 4)");
  CHECK(why(row.with("tp", "4").with("seq_par", "1").with("seq", "2050")) ==
        "with sequence parallelism TP does not divide the sequence (2050 by 4)");
  CHECK(why(row.with("framework", "deepspeed-zero").with("pp", "2")) ==
        "DeepSpeed's ZeRO-1 has no pipeline, and PP is 2");
  for (const char* memory : {"80GB", "nan", "-80"}) {
    CAPTURE(memory);
    CHECK(why(row.with("gpu_mem_gb", memory)) ==
          std::string("gpu_mem_gb is no number above 0: '") + memory + "'");
  }
  CHECK_THAT(why(row.with("gpus_per_node", "")), Catch::Contains("gpus_per_node is not given"));
  CHECK(PointJudge().judge(row.with("gpu", "a100-sxm4-80g").with("gpu_mem_gb", "80")).step_s);
}

TEST_CASE("a row of such numbers that nobody could count them is refused") {
  const PointRow row = test::measured_rows().at("seed1-0001").with("dp", "").with("n_gpus", "16");
  const auto why = [](const PointRow& one) { return PointJudge().judge(one).why; };
  CHECK(why(row.with("tp", "4294967296")) == "tp is 4294967296, and at most 100000000");
  const std::string large = std::to_string(1 << 26);
  CHECK(why(row.with("tp", large).with("pp", large).with("cp", large)) ==
        "TP x PP x CP does not divide n_gpus");
  CHECK(why(row.with("mbs", "100000000").with("gas", "100000000").with("gbs", "")) ==
        "so many ranks and tokens cannot be counted");
}

TEST_CASE("columns stand in any order and a table without ids is refused") {
  const auto one = read_point_rows("layers\tid\n4\ta\n\n8\tb\r\n", "x.tsv");
  REQUIRE(one.size() == 2);
  CHECK(one[1].text("id") == "b");
  CHECK(one[1].count("layers") == 8);
  CHECK_THROWS_WITH(read_point_rows("layers\n4\n", "x.tsv"), Catch::Contains("x.tsv:1: no column"));
  CHECK_THROWS_WITH(read_point_rows("id\tlayers\na\n", "x.tsv"), "x.tsv:2: 1 cells, and 2 columns");
  CHECK_THROWS_WITH(read_point_rows("\n", "x.tsv"), Catch::Contains("x.tsv: it is empty"));
  CHECK_THROWS_WITH(read_point_rows("id\ttp\ttp\n", "x.tsv"),
                    "x.tsv:1: two columns are named 'tp'");
  CHECK(read_point_rows("\xef\xbb\xbfid\na\n", "x.tsv").size() == 1);
}

TEST_CASE("what spreadsheets quote is read without the quotes") {
  const auto row = read_point_rows("\"id\"\tnotes\n\"a\"\t\"{\"\"bf16\"\": true}\"\n", "x.tsv");
  REQUIRE(row.size() == 1);
  CHECK(row[0].text("id") == "a");
  CHECK(row[0].text("notes") == "{\"bf16\": true}");
}

TEST_CASE("layers and virtual stages divide in every Megatron, and DeepSpeed has no such stages") {
  const PointRow row =
      test::measured_rows().at("seed1-0001").with("dp", "").with("layers", "36").with("pp", "4");
  const auto why = [&](const char* framework, const char* vpp) {
    return PointJudge()
        .judge(row.with("tp", "1").with("framework", framework).with("vpp", vpp).with("zero", "0"))
        .why;
  };
  for (const char* framework : {"megatron-2", "megatron-2023", "Megatron-Core"})
    CHECK(why(framework, "7") == "vpp does not divide the layers of a stage (9 by 7)");
  CHECK(why("deepspeed-3d", "3") == "DeepSpeed has no virtual stages (vpp 3)");
}

TEST_CASE("rates are learned of layouts, each once, and of rows that have some cluster's alone") {
  const PointRow row = test::measured_rows().at("seed1-0001").with("step_s", "10");
  PointJudge once, often;
  std::vector<PointRow> learned{row, row.with("gas", "7").with("gbs", "").with("step_s", "19")};
  REQUIRE(once.calibrate_on(learned) == 2);
  const std::size_t layouts = learned.size();
  for (int i = 0; i < 9; ++i)
    for (std::size_t k = 0; k < layouts; ++k)
      learned.push_back(learned[k].with("id", "again").with("date", std::to_string(i)));
  CHECK(often.calibrate_on(learned) == 20);
  CHECK(often.fits().front().learned.points == 2);
  const PointJudgement a = once.judge(row), b = often.judge(row);
  CHECK(*a.step_s_high / *a.step_s == Approx(*b.step_s_high / *b.step_s).epsilon(1e-6));
  CHECK(once.judge(row.with("gpu_mem_gb", "80.0")).step_s == a.step_s);
  CHECK_THAT(once.judge(row.with("group", "elsewhere")).why,
             Catch::Contains("by usual rates, as none were learned of elsewhere "));
  CHECK(PointJudge().calibrate_on({row.with("step_s", ""), row.with("layers", "")}) == 0);
}

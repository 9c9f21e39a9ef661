// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "tests/probes/ranks.h"
#include "tests/support/catch.h"

using namespace pippin;
using namespace pippin::test;
using Catch::Contains;
using nlohmann::json;

// The programs for GPUs, built over the emulators of CUDA, cuBLASLt and NCCL; these have 8 GPUs.

namespace {

Outcome on_gpus(int ranks, const std::string& program, Words options) {
  options.insert(options.begin(), {EMULATED_PROGRAMS "/" + program + "-cuda", "--device", "cuda"});
  return run_ranks(ranks, options);
}

Outcome collective(int ranks, const Words& options) {
  return on_gpus(ranks, "collective", options);
}

const Words kTinyModel = {"--layers", "2",  "--hidden", "32", "--heads",      "2",
                          "--seq",    "16", "--vocab",  "64", "--iterations", "2"};

Words operator+(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

}  // namespace

TEST_CASE("every operation on GPUs' memory is right by NCCL and by copies") {
  for (const std::string backend : {"nccl", "host"})
    for (const int ranks : {1, 3}) {
      const Outcome outcome = collective(ranks, {"--operation",
                                                 "all",
                                                 "--datatype",
                                                 "bfloat16",
                                                 "-b",
                                                 "1000",
                                                 "-e",
                                                 "9000",
                                                 "-f",
                                                 "9",
                                                 "-n",
                                                 "2",
                                                 "-w",
                                                 "1",
                                                 "--check",
                                                 "2",
                                                 "--distributed-backend",
                                                 backend,
                                                 "--json",
                                                 "-"});
      INFO(outcome.output);
      REQUIRE(outcome.exit_code == 0);
      const Words lines = lines_of(outcome.output);
      REQUIRE(lines.size() == 7 * 2 * 2);
      for (const auto& line : lines) {
        const json one = json::parse(line);
        CHECK(one.at("wrong") == 0);
        CHECK(one.at("device") == "cuda");
        CHECK((one.at("library") == "NCCL 2.28.9") == (backend == "nccl"));
        CHECK(one.at("library").get<std::string>().ends_with("by copies") == (backend == "host"));
        CHECK(one.at("time_us") > 0);
      }
    }
}

TEST_CASE("the table of collectives on GPUs names them and what they talk by") {
  const Outcome outcome = collective(2, {"-b", "64", "-e", "64", "-n", "2"});
  INFO(outcome.output);
  CHECK(outcome.exit_code == 0);
  CHECK_THAT(outcome.output, Contains("device  1 [0x04] emulator") &&
                                 Contains("# Library              : NCCL 2.28.9\n"));
}

TEST_CASE("GPUs exchange by pairs over NCCL") {
  const Outcome outcome = collective(3, {"--pairs", "ranks", "-e", "4K", "-n", "3"});
  INFO(outcome.output);
  CHECK(outcome.exit_code == 0);
  CHECK_THAT(outcome.output, Contains("# Slowest pair "));
}

TEST_CASE("ranks that share a GPU talk by copies and are told that NCCL cannot") {
  const Words options = {"-b", "64", "-e", "64", "-n", "1"};
  const Outcome shared = collective(9, options);
  INFO(shared.output);
  CHECK(shared.exit_code == 0);
  CHECK_THAT(shared.output, Contains(", by copies\n"));
  const Outcome refused = collective(9, options + Words{"--distributed-backend", "nccl"});
  CHECK(refused.exit_code == 13);
  CHECK_THAT(refused.output, Contains("collective: two ranks on one GPU, which NCCL refuses"));
}

TEST_CASE("a GPU's memory that does not suffice is said with what to do") {
  const Outcome outcome = collective(1, {"-b", "1K", "-e", "2G"});
  CHECK(outcome.exit_code == 12);
  CHECK_THAT(outcome.output,
             Contains("out of memory (std::bad_alloc)") && Contains("smaller sizes"));
  const Outcome limited = on_gpus(1, "training", kTinyModel + Words{"--memory-limit-mib", "1"});
  CHECK(limited.exit_code == 12);
  CHECK_THAT(limited.output, Contains("limit 1.00 MiB"));
}

TEST_CASE("a canary on GPUs reads their product and NCCL's all-reduces") {
  const Outcome outcome = on_gpus(2, "canary", {"--seconds", "1"});
  INFO(outcome.output);
  REQUIRE(outcome.exit_code == 0);
  const json reading = json::parse(lines_of(outcome.output).back());
  CHECK(reading.at("library") == "NCCL 2.28.9");
  CHECK(reading.at("all_reduce").size() == 2);
}

TEST_CASE("a step on GPUs is the same over NCCL, by copies and on one GPU") {
  const auto losses = [](int ranks, const Words& options) {
    const Outcome outcome = on_gpus(
        ranks, "training", kTinyModel + Words{"--precision", "bf16", "--gas", "2"} + options);
    INFO(outcome.output);
    REQUIRE(outcome.exit_code == 0);
    std::vector<double> found;
    for (const auto& line : lines_of(outcome.output))
      if (const auto at = line.find("lm loss: "); at != std::string::npos)
        found.push_back(std::stod(line.substr(at + 9)));
    REQUIRE(found.size() == 2);
    return found;
  };
  const auto alone = losses(1, {"--mbs", "2"});
  for (const std::string backend : {"nccl", "host"}) {
    const auto split =
        losses(4, {"--tp", "2", "--pp", "2", "--mbs", "2", "--distributed-backend", backend});
    for (std::size_t i = 0; i < alone.size(); ++i)
      CHECK(split[i] == Approx(alone[i]).epsilon(1e-3));
  }
}

TEST_CASE("every product of a layer and every kernel is timed on a GPU") {
  const Outcome products = on_gpus(1, "gemm",
                                   {"--hidden", "64", "--heads", "2", "--seq", "16", "--vocab",
                                    "128", "--precision", "bf16", "--seconds", "0.2"});
  INFO(products.output);
  CHECK(products.exit_code == 0);
  CHECK_THAT(products.output, Contains("cublasLt") && Contains("logits"));
  const Outcome kernels = run_program({EMULATED_PROGRAMS "/gpu_kernels", "1", "small"});
  INFO(kernels.output);
  CHECK(kernels.exit_code == 0);
  CHECK_THAT(kernels.output, Contains("| attention, backward |") && Contains("after all"));
}

TEST_CASE("a program for GPUs says what it was built for, and on which GPUs it runs") {
  for (const std::string program : {"training", "collective", "gemm", "canary"}) {
    const Outcome outcome =
        run_program({EMULATED_PROGRAMS "/" + program + "-cuda", "--capabilities"});
    CAPTURE(outcome.output);
    const json said = json::parse(outcome.output);
    CHECK(said.at("probe") == program);
    CHECK(said.at("devices") == json{"cpu", "cuda"});
    CHECK(said.at("cuda").at("least_compute_capability") == "8.0");
    CHECK(said.at("cuda").at("architectures") == json{"sm_80", "sm_90"});
  }
}

TEST_CASE("calls and products on GPUs are timed step by step") {
  const Outcome call = collective(2, {"--bytes", "4K", "--iterations", "2", "--step-ms", "0.1"});
  INFO(call.output);
  CHECK(call.exit_code == 0);
  CHECK_THAT(call.output, Contains("ranks=2 device=cuda\n step        1/       2 | time (us): ") &&
                              Contains("\n > done: 2 steps\n"));
  const Outcome product = on_gpus(2, "gemm",
                                  {"--m", "32", "--n", "32", "--k", "32", "--precision", "bf16",
                                   "--iterations", "2", "--step-ms", "0"});
  INFO(product.output);
  CHECK(product.exit_code == 0);
  CHECK_THAT(product.output, Contains("precision=bf16 ranks=2 device=cuda flops=65536\n step ") &&
                                 Contains("\n > done: 2 steps\n"));
}

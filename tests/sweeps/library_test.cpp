// SPDX-License-Identifier: Apache-2.0
#include "sweeps/accelerators.h"
#include "sweeps/cluster_file.h"
#include "sweeps/embedded.h"
#include "sweeps/estimate/parameters.h"
#include "sweeps/models.h"
#include "sweeps/probes.h"
#include "tests/support/catch.h"

using namespace pippin;

namespace {

YamlNode text_node(const std::string& text) {
  YamlNode node;
  node.kind = YamlNode::Kind::kText;
  node.text = text;
  node.file = std::make_shared<std::string>("test");
  return node;
}

/// The billions of "39.1B", the millions of "355M"; 0 for other names.
double parameters_named(const std::string& name) {
  const auto dash = name.find('-');
  const std::string size = dash == std::string::npos ? name : name.substr(dash + 1);
  if (size.empty() || (size.back() != 'B' && size.back() != 'M')) return 0;
  return std::stod(size) * (size.back() == 'B' ? 1e9 : 1e6);
}

}  // namespace

TEST_CASE("every named model is whole and as large as its name says") {
  const auto names = model_names();
  CHECK(names.size() == 33);
  for (const auto& name : names) {
    INFO(name);
    const Model model = find_model(name).value();
    CHECK(model.layers);
    CHECK(model.seq);
    CHECK(model.hidden.value() % model.heads.value() == 0);
    const double named = parameters_named(name);
    const auto params = static_cast<double>(parameter_count(model).value());
    // Names round, and some count without embeddings.
    if (named > 0) CHECK(params == Approx(named).epsilon(0.08));
  }
}

TEST_CASE("model names match in any case") {
  CHECK(find_model("52b")->size == "52B");
  CHECK(find_model("LLAMA-7b")->size == "llama-7B");
  CHECK(find_model("TINY")->layers == 2);
  CHECK_FALSE(find_model("53B"));
}

TEST_CASE("every data file names its source") {
  for (const auto& file : embedded_files()) {
    INFO(file.name);
    if (file.name.starts_with("models/")) CHECK(file.text.find("source:") != std::string::npos);
  }
  const YamlNode root = parse_yaml(embedded_text("accelerators.yaml"), "accelerators.yaml");
  for (const auto& accelerator : root.items) {
    INFO(accelerator.line);
    CHECK(accelerator.find("source") != nullptr);
  }
}

TEST_CASE("an accelerator has a whole number of units") {
  CHECK(read_accelerator("a", parse_yaml("units: 132", "test")).units == 132);
  for (const std::string units : {"1e300", "0", "1.5"})
    CHECK_THROWS_WITH(read_accelerator("a", parse_yaml("units: " + units, "test")),
                      Catch::Contains("units must be"));
}

TEST_CASE("accelerators have the peaks that the tables use") {
  const auto peak = [](const std::string& name, const std::string& type) {
    const Accelerator accelerator = find_accelerator(name).value();
    for (const auto& entry : accelerator.peak_tflops) {
      if (entry.first == type) return entry.second;
    }
    return 0.0;
  };
  CHECK(peak("v100-sxm2-32g", "fp16") == 125);
  CHECK(peak("a100-sxm4-80g", "bf16") == 312);
  CHECK(peak("h100-sxm5-80g", "bf16") == 989);
  CHECK(peak("h200-sxm-141g", "bf16") == 989);
  CHECK(find_accelerator("A100-SXM4-40G")->memory_gib == 40.0);
  CHECK_FALSE(find_accelerator("cpu")->memory_gib);
  CHECK_FALSE(find_accelerator("tpu"));
}

TEST_CASE("a device is known by what Slurm, a driver or a site calls it") {
  using Names = std::vector<std::string>;
  const std::vector<std::pair<std::string, Names>> cases{
      {"a100", {"a100-sxm4-40g", "a100-sxm4-80g"}},
      {"A100_80GB", {"a100-sxm4-80g"}},
      {"nvidia_a100-sxm4-40gb", {"a100-sxm4-40g"}},
      {"NVIDIA A100-SXM4-80GB", {"a100-sxm4-80g"}},
      {"Tesla V100-SXM2-16GB", {"v100-sxm2-16g"}},
      {"v100-32g", {"v100-sxm2-32g"}},
      {"NVIDIA H100 80GB HBM3", {"h100-sxm5-80g"}},
      {"NVIDIA H200", {"h200-sxm-141g"}},
      {"h200_sxm5_141gb", {"h200-sxm-141g"}},
      {"NVIDIA A100 80GB PCIe", {}},
      {"NVIDIA A100-SXM-64GB", {}},
      {"NVIDIA H100 NVL", {}},
      {"Tesla V100S-PCIE-32GB", {}},
      {"NVIDIA GH200 480GB", {}},
      {"a100_1g.10gb", {}},
      {"nvidia_a100-sxm4-80gb_3g.40gb", {}},
      {"cpu", {}},
      {"gpu", {}},
      {"", {}},
  };
  for (const auto& [words, names] : cases) {
    CAPTURE(words);
    CHECK(accelerators_called(words) == names);
  }
}

TEST_CASE("a device is known by the memory that its driver reports") {
  CHECK(has_memory(*find_accelerator("h100-sxm5-80g"), 81559 / 1024.0));
  CHECK(has_memory(*find_accelerator("h200-sxm-141g"), 143771 / 1024.0));
  CHECK(has_memory(*find_accelerator("v100-sxm2-32g"), 32510 / 1024.0));
  CHECK_FALSE(has_memory(*find_accelerator("v100-sxm2-32g"), 16160 / 1024.0));
  CHECK_FALSE(has_memory(*find_accelerator("cpu"), 16));
}

TEST_CASE("every cluster that is part of the program loads") {
  for (const auto& name : cluster_names()) {
    INFO(name);
    CHECK(load_cluster(text_node(name), "").name == name);
  }
}

TEST_CASE("probes know how they are launched") {
  CHECK(find_probe("training")->launch == Probe::Launch::kRanks);
  CHECK(find_probe("replay")->launch == Probe::Launch::kOnce);
  CHECK(find_probe("collective")->launch == Probe::Launch::kRanks);
  CHECK_FALSE(find_probe("canary"));
}

TEST_CASE("an accelerator has each figure that its file gives") {
  const Accelerator h100 = find_accelerator("H100-SXM5-80G").value();
  CHECK(h100.name == "h100-sxm5-80g");
  CHECK(h100.memory_gib == 80);
  CHECK(h100.bandwidth_gb_per_s.value() > 3000);
  const auto peak = std::find_if(h100.peak_tflops.begin(), h100.peak_tflops.end(),
                                 [](const auto& one) { return one.first == "bf16"; });
  REQUIRE(peak != h100.peak_tflops.end());
  CHECK(peak->second > 900);
}

TEST_CASE("a device's memory may be five hundredths off, and no more") {
  Accelerator device;
  device.memory_gib = 100;
  CHECK(has_memory(device, 95));
  CHECK(has_memory(device, 105));
  CHECK_FALSE(has_memory(device, 94.9));
  CHECK_FALSE(has_memory(device, 105.1));
}

TEST_CASE("parts of a GPU are none, and whole ones are known by form and memory") {
  CHECK(accelerators_called("a100 7g").empty());
  CHECK(accelerators_called("a100 80g").size() == 1);
  CHECK(accelerators_called("a100 80gb") == accelerators_called("a100 80g"));
  CHECK(accelerators_called("a100 sxm").size() == 2);
  CHECK(accelerators_called("a100 sxm4").size() == 2);
  CHECK(accelerators_called("a100 sxm2").empty());
  CHECK(accelerators_called("a100 mig").empty());
  CHECK(accelerators_called("a100 pcie").empty());
  CHECK(accelerators_called("h100 nvl").empty());
}

// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/probe_capabilities.h"

#include "tests/support/catch.h"

using namespace pippin;
using Kind = ProbeOption::Kind;

namespace {

const std::string kLine =
    R"({"capabilities":1,"probe":"training","devices":["cpu","cuda"],)"
    R"("cuda":{"version":"13.0","architectures":["sm_80"],"least_compute_capability":"8.0"},)"
    R"("options":[{"name":"--kv-heads","kind":"whole","default":"0","least":0,"most":65536},)"
    R"({"name":"--precision","kind":"choice","default":"fp32","choices":["fp32","bf16"]},)"
    R"({"name":"--warmup_iters","kind":"later","default":""}]})";

}  // namespace

TEST_CASE("what a probe says that it can do is read by the names of axes") {
  const auto abilities = read_probe_abilities(kLine + "\n");
  REQUIRE(abilities);
  CHECK(abilities->probe == "training");
  CHECK(abilities->least_capability == 8.0);
  CHECK(abilities->options.at("kv_heads").kind == Kind::kWhole);
  CHECK(abilities->options.at("kv_heads").most == 65536.0);
  CHECK(abilities->options.at("precision").choices == std::vector<std::string>{"fp32", "bf16"});
}

TEST_CASE("of an option whose kind only later probes know any text is taken") {
  CHECK(read_probe_abilities(kLine)->options.at("warmup_iters").kind == Kind::kWord);
}

TEST_CASE("other words than a probe's line are no answer") {
  std::string later = kLine;
  later.replace(later.find(":1,"), 3, ":2,");
  std::string large = kLine;
  large.replace(large.find(":1,"), 3, ":1e300,");
  for (const std::string& text :
       {std::string(), std::string("training: unknown option"), std::string("{}"),
        std::string("[1]"), kLine.substr(0, 90), later, large})
    CHECK_FALSE(read_probe_abilities(text));
}

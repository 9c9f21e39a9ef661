// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/megatron_dump.h"

#include <string>
#include <utility>
#include <vector>

#include "harness/scrape/scrape.h"
#include "tests/harness/scrape/sample_log.h"
#include "tests/harness/scrape/trainers/excerpt.h"
#include "tests/support/catch.h"

using namespace pippin;
using test::dump;
using test::only_run;
using test::row;

TEST_CASE("a dump that srun has torn anywhere is read as if it were whole") {
  const std::vector<std::string> lines{
      "  add_bias ................................ False",
      "  data_path ............................... ['/a/b c', '/d']",
      "  ffn_hidden_size ......................... 8192",
      "  inference_dynamic_batching_enable_prefix_caching  None",
      "  init_std ................................ 0.0134",
      "  optimizer ............................... adam"};
  const auto log = [&](const std::string& label, std::size_t torn, std::size_t at) {
    std::string text =
        "0: " + label + "------------------------ arguments ------------------------\n";
    for (std::size_t i = 0; i < lines.size(); ++i) {
      std::string line = label + lines[i];
      if (i == torn) line.insert(at, "\n0: ");
      text += "0: " + line + "\n";
    }
    return text + "0: " + label +
           "-------------------- end of arguments ---------------------\n0: " + label + row(1, 100);
  };
  // Of a word that stands for itself nothing tells that it goes on, but a label that is missing.
  for (const auto& [label, words] :
       {std::pair<std::string, bool>{"[default3]:", true}, {"", false}}) {
    const NamedValues whole = only_run(log(label, lines.size(), 0)).arguments;
    REQUIRE(whole.size() == lines.size());
    for (std::size_t torn = 0; torn < lines.size() - (words ? 0 : 1); ++torn) {
      for (std::size_t at = 1; at < label.size() + lines[torn].size(); ++at) {
        if (label.empty() && at < 3) continue;  // its own indent
        CAPTURE(label, torn, at);
        CHECK(only_run(log(label, torn, at)).arguments == whole);
      }
    }
  }
  const std::string said =
      "  fp16 .................................... Fal\nWARNING: 3 ranks wait\n";
  CHECK(only_run(dump(said) + row(1, 1)).arguments.front().second.text == "True");
}

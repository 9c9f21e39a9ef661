// SPDX-License-Identifier: Apache-2.0
#include "core/base/error.h"
#include "core/base/random.h"
#include "tests/support/catch.h"
#include "tests/support/temporary.h"
#include "tests/sweeps/sweep_text.h"

using namespace pippin;

namespace {

/// What breaks parsers: YAML's and the expressions' own signs, extremes, bytes that are no text.
const std::vector<std::string> kSplinters{"[",           "]",
                                          "{",           "}",
                                          ":",           ": ",
                                          ",",           "'",
                                          "\"",          "#",
                                          "&a ",         "*a",
                                          "!",           "!!x",
                                          "|",           ">",
                                          "%",           "@",
                                          "`",           "- ",
                                          "? ",          "\n",
                                          "\t",          "~",
                                          "---",         "...",
                                          "<<: ",        "\\",
                                          "\r",          " ",
                                          "=",           "0",
                                          "-1",          "99999999999999999999",
                                          "1e308",       ".inf",
                                          "nan",         "(",
                                          ")",           "tp % 0",
                                          "layers",      "\xff",
                                          "\xc3\x28",    "\xef\xbb\xbf",
                                          "%YAML 9.9\n", "size",
                                          "$(x)",        "{tp}",
                                          "{{",          "\x7f"};

std::string mutated(std::string text, Random& random) {
  const std::uint64_t changes = 1 + random.below(4);
  for (std::uint64_t i = 0; i < changes && !text.empty(); ++i) {
    const std::size_t at = random.below(text.size());
    const std::size_t length = random.below(text.size() - at) % 40;
    switch (random.below(5)) {
      case 0:
        text.erase(at, length);
        break;
      case 1:
        text.insert(at, text.substr(at, length));
        break;
      case 2:
        text[at] = static_cast<char>(1 + random.below(255));
        break;
      case 3:
        text.resize(at);
        break;
      default:
        text.insert(at, kSplinters[random.below(kSplinters.size())]);
    }
  }
  return text;
}

}  // namespace

TEST_CASE("no mutilated sweep does anything but load or fail in one line") {
  Random random(20210528);
  for (const std::string example :
       {"collectives", "gpt-52b", "micro-batches", "own-command", "quickstart", "replay"}) {
    const fs::path file =
        test::source_directory() / "sweeps/examples" / fs::path(example + ".yaml");
    const std::string sound = read_input(file);
    int refused = 0;
    for (int i = 0; i < 400; ++i) {
      const std::string text = mutated(sound, random);
      INFO(text);
      const std::string message = test::error_of(text);
      CHECK(message.find('\n') == std::string::npos);
      CHECK(message.size() < 2000);
      const bool loaded = message.find("no error") == 0;
      const bool placed = message.find("sweep.yaml:") == 0;
      CHECK((loaded || placed));
      refused += loaded ? 0 : 1;
    }
    CHECK(refused > 100);
  }
}

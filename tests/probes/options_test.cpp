// SPDX-License-Identifier: Apache-2.0
#include "probes/common/options.h"

#include "probes/common/capabilities.h"
#include "probes/common/error.h"
#include "probes/common/setup.h"
#include "probes/common/text.h"
#include "tests/support/catch.h"

using namespace pippin::probes;
using Catch::Contains;

namespace {

Setup read(const std::vector<std::string>& arguments) {
  Setup setup;
  if (!parse_options(setup_options(setup), arguments)) FAIL("help was asked for");
  return setup;
}

}  // namespace

TEST_CASE("options are read with a blank or an equals sign") {
  const Setup setup = read({"--mbs", "4", "--gas=8", "--recompute", "full", "--lr=1e-2"});
  CHECK(setup.mbs == 4);
  CHECK(setup.gas == 8);
  CHECK(setup.gbs() == 32);
  CHECK(setup.recompute == "full");
  CHECK(setup.lr == 0.01);
}

TEST_CASE("every mistake in the options says what was likely meant") {
  CHECK_THROWS_WITH(read({"--msb", "4"}), "unknown option '--msb', did you mean '--mbs'?");
  CHECK_THROWS_WITH(read({"--banana", "4"}), "unknown option '--banana'; --help lists them");
  CHECK_THROWS_WITH(read({"--log_interval=4"}), Contains("did you mean '--log-interval'?"));
  CHECK_THROWS_WITH(read({"--mbs", "four"}), Contains("--mbs wants a whole number from 1"));
  CHECK_THROWS_WITH(read({"--mbs", "0"}), Contains("not '0'"));
  CHECK_THROWS_WITH(read({"--mbs", "1.5"}), Contains("not '1.5'"));
  CHECK_THROWS_WITH(read({"--mbs", "99999999999999999999"}), Contains("--mbs wants"));
  CHECK_THROWS_WITH(read({"--mbs", ""}), Contains("not ''"));
  CHECK_THROWS_WITH(read({"--mbs"}), "--mbs wants a value");
  CHECK_THROWS_WITH(read({"--mbs", "1", "--mbs=2"}), "--mbs is given twice");
  CHECK_THROWS_WITH(read({"4"}), "'4' is no option; --help lists them");
  CHECK_THROWS_WITH(read({"--recompute", "some"}),
                    "--recompute wants one of none, selective, full, not 'some'");
  CHECK_THROWS_WITH(read({"--lr", "nan"}), Contains("--lr wants a number"));
}

TEST_CASE("a share is a fraction or a percentage and never 8 for 8 percent") {
  double share = 0;
  const OptionTable table = {share_option("--sd", share, "")};
  CHECK(parse_options(table, {"--sd", "8%"}));
  CHECK(share == 0.08);
  CHECK(parse_options(table, {"--sd", "0.05"}));
  CHECK(share == 0.05);
  for (const char* bad : {"8", "-0.1", "101%", "%", "x%"})
    CHECK_THROWS_WITH(parse_options(table, {"--sd", bad}), Contains("a percentage such as 8%"));
}

TEST_CASE("an option that may stand alone means its own value then") {
  Setup setup;
  const auto table = setup_options(setup);
  CHECK(parse_options(table, {"--sequence-parallel", "--tp", "2"}));
  CHECK(setup.sequence_parallel == "1");
  CHECK(setup.tp == 2);
  CHECK(parse_options(table, {"--sequence-parallel", "0"}));
  CHECK(setup.sequence_parallel == "0");
  CHECK(parse_options(table, {"--tp=4", "--sequence-parallel"}));
  CHECK(setup.sequence_parallel == "1");
}

TEST_CASE("help is a table of every option with its default") {
  Setup setup;
  const OptionTable table = setup_options(setup);
  CHECK_FALSE(parse_options(table, {"--mbs", "2", "--help"}));
  const std::string help = help_text("intro", setup_options(setup));
  CHECK_THAT(help, Contains("--log-interval        1         iterations per logged line\n"));
  for (const auto& option : table) CHECK_THAT(help, Contains("  " + option.name + " "));
}

TEST_CASE("numbers are written as Python writes them") {
  CHECK(python_number(4) == "4.0");
  CHECK(python_number(0.00015) == "0.00015");
  CHECK(python_number(1e-5) == "1e-05");
  CHECK(python_number(100000) == "100000.0");
  CHECK(python_number(1e16) == "1e+16");
  CHECK(python_number(24432.009765625) == "24432.009765625");
  CHECK(python_number(0) == "0.0");
}

TEST_CASE("a vocabulary is padded to 128 times TP") {
  Setup setup;
  setup.vocab = 50257;
  CHECK(padded_vocab(setup) == 50304);
  setup.tp = 4;
  CHECK(padded_vocab(setup) == 50688);
  setup.vocab = 512;
  CHECK(padded_vocab(setup) == 512);
}

TEST_CASE("what an option accepts is said by the same row that reads it") {
  std::int64_t whole = 3, size = 4096;
  double number = 0.5, share = 0;
  std::string choice = "a", word, device = "cpu";
  const OptionTable table = {
      whole_option("--whole", whole, 1, 8, ""),
      number_option("--number", number, 0.25, 1e6, ""),
      size_option("--size", size, 8, 1 << 20, ""),
      share_option("--share", share, ""),
      bare_option(choice_option("--choice", choice, {"a", "b\"c"}, ""), "a"),
      word_option("--word", word, ""),
      choice_option("--device", device, {"cpu", "cuda"}, ""),
  };
  const std::string options =
      R"("options":[{"name":"--whole","kind":"whole","default":"3","least":1,"most":8},)"
      R"({"name":"--number","kind":"number","default":"0.5","least":0.25,"most":1000000},)"
      R"({"name":"--size","kind":"size","default":"4K","least":8,"most":1048576},)"
      R"({"name":"--share","kind":"share","default":"0","least":0,"most":1},)"
      R"({"name":"--choice","kind":"choice","default":"a","choices":["a","b\"c"]},)"
      R"({"name":"--word","kind":"word","default":""},)"
      R"({"name":"--device","kind":"choice","default":"cpu","choices":["cpu","cuda"]}]})";
  CHECK(capabilities_line("p", table, {}) ==
        R"({"capabilities":1,"probe":"p","devices":["cpu"],"cuda":null,)" + options);
  CHECK(capabilities_line("p", table, {"13.0", "sm_80 sm_90", "8.0"}) ==
        R"({"capabilities":1,"probe":"p","devices":["cpu","cuda"],"cuda":{"version":"13.0",)"
        R"("architectures":["sm_80","sm_90"],"least_compute_capability":"8.0"},)" +
            options);
}

TEST_CASE(
    "a program runs on GPUs from its oldest machine code on, and from the oldest that will do") {
  CHECK(least_capability("sm_80 sm_90", 8) == "8.0");
  CHECK(least_capability("sm_120 sm_90a", 8) == "9.0");
  CHECK(least_capability("sm_100", 8) == "10.0");
  CHECK(least_capability("sm_86", 8) == "8.6");
  CHECK(least_capability("sm_70", 8) == "8.0");
  CHECK(least_capability("", 8).empty());
}

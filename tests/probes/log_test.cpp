// SPDX-License-Identifier: Apache-2.0
#include <sstream>

#include "probes/common/megatron.h"
#include "probes/training/settings.h"
#include "tests/support/catch.h"
#include "tests/support/temporary.h"

using namespace pippin;
using namespace pippin::probes;

namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// The first real line that begins so.
std::string real_line(const std::string& beginning) {
  const auto file = test::source_directory() / "tests/data/probes/megatron_lines.txt";
  for (const auto& line : lines_of(read_input(file)))
    if (line.starts_with(beginning)) return line;
  FAIL("no such line: " << beginning);
  return {};
}

/// The setup of the run that those lines are from.
Setup real_setup() {
  Setup setup;
  setup.tp = setup.pp = 4;
  setup.gas = 4;
  setup.layers = 40;
  setup.hidden = 6144;
  setup.heads = 32;
  setup.seq = 1024;
  setup.vocab = 50257;
  setup.lr = 0.00015;
  setup.iterations = 1000;
  setup.log_interval = 10;
  return setup;
}

std::vector<std::string> header_of(const Setup& setup, const Arguments& own) {
  const test::TemporaryDirectory folder;
  const std::string path = (folder / "log").string();
  std::FILE* file = std::fopen(path.c_str(), "w");
  REQUIRE(file);
  Log log(file);
  print_header(log, "training", setup, own);
  std::fclose(file);
  return lines_of(read_input(path));
}

bool contains(const std::vector<std::string>& lines, const std::string& line) {
  return std::find(lines.begin(), lines.end(), line) != lines.end();
}

}  // namespace

TEST_CASE("an iteration line is Megatron's to the character") {
  IterationReport report;
  report.iteration = 30;
  report.iterations = 1000;
  report.consumed_samples = 120;
  report.elapsed_ms = 1376.1;
  report.learning_rate = 1.5e-4;
  report.global_batch_size = 4;
  report.lm_loss = 22.47505;
  report.grad_norm = 16.999;
  report.skipped = 1;
  std::string real = real_line(" iteration       30/");
  real.replace(real.find("16384.0"), 7, "1.0");  // ours needs no loss scale
  CHECK(iteration_line(report) == real);
}

TEST_CASE("an iteration line leaves out what no step gave") {
  IterationReport report;
  report.skipped = report.nan = 1;
  const std::string line = iteration_line(report);
  CHECK(line.find("lm loss") == std::string::npos);
  CHECK(line.find("grad norm") == std::string::npos);
  CHECK(line.ends_with("| number of skipped iterations:   1 | number of nan iterations:   1 |"));
}

TEST_CASE("a short step keeps enough digits") {
  const auto elapsed = [](double milliseconds) {
    IterationReport report;
    report.elapsed_ms = milliseconds;
    const std::string line = iteration_line(report);
    const std::size_t begin = line.find("(ms): ") + 6;
    return line.substr(begin, line.find(" |", begin) - begin);
  };
  CHECK(elapsed(130344.04) == "130344.0");
  CHECK(elapsed(1000) == "1000.0");
  CHECK(elapsed(999.12345) == "999.123");
  CHECK(elapsed(1.9372444) == "1.9372");
}

TEST_CASE("memory and time and validation lines are Megatron's to the character") {
  CHECK(memory_line(3, 20, {23215.0859375, 26204.5595703125, 30724.0, 30724.0}) ==
        real_line("[Rank 3]"));
  const std::string times = real_line("time (ms)");
  CHECK(times.starts_with(times_line({{"forward-compute", 175.79}, {"forward-recv", 126.09}})));
  const auto validation = validation_lines(100, 8.017406);
  REQUIRE(validation.size() == 3);
  CHECK(validation[0] == real_line("------------------------------"));
  CHECK(validation[2] == validation[0]);
  // The perplexity was computed from more digits of the loss than were printed.
  CHECK(validation[1].substr(0, 80) == real_line(" validation").substr(0, 80));
  CHECK(validation[1].size() == real_line(" validation").size());
}

TEST_CASE("the header of a real run comes out as the real run printed it") {
  const auto header = header_of(real_setup(), training_arguments({}));
  CHECK(header[0] == " > probe: pippin training 1");
  CHECK(header[1] == real_line("using world size"));
  CHECK(header[3] == real_line("------------------------ arguments"));
  for (const char* beginning :
       {"  adam_eps", "  clip_grad", "  hidden_size", "  log_interval", "  lr ", "  train_iters",
        "  tensor_model_parallel_size", "-------------------- end of", "setting number of",
        " > padded vocab"})
    CHECK(contains(header, real_line(beginning)));
}

TEST_CASE("parameters of a stage are what Megatron counted") {
  const Setup setup = real_setup();
  const std::string begin = " > number of parameters on (tensor, pipeline) model parallel rank (";
  for (const auto& rank : {std::pair{0, 0}, std::pair{0, 1}, std::pair{2, 2}, std::pair{3, 3}}) {
    const std::string line =
        parameters_line(rank.first, rank.second, parameters_of_stage(setup, rank.second));
    CHECK(line == real_line(line.substr(0, begin.size() + 5)));
  }
  std::int64_t layers = 0;
  Setup uneven = setup;
  uneven.pp = 16;
  for (std::int64_t stage = 0; stage < 16; ++stage) layers += layers_of_stage(uneven, stage);
  CHECK(layers == 40);
}

TEST_CASE("a moment is local time as Megatron prints it") {
  const std::string line = datetime_line("before the start of training step");
  const std::string real = real_line("[before the start");
  REQUIRE(line.size() == real.size());
  const std::size_t stamp = real.find("2021");
  CHECK(line.substr(0, stamp) == real.substr(0, stamp));
  CHECK(line.substr(stamp, 2) == "20");
  CHECK(line.back() == ' ');
}

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <chrono>
#include <set>
#include <sstream>

#include "core/base/process.h"
#include "probes/device/cpu.h"
#include "probes/training/trainer.h"
#include "tests/support/catch.h"
#include "tests/support/temporary.h"

using namespace pippin;
using Catch::Contains;

namespace {

using Words = std::vector<std::string>;

/// Runs a probe as a job does; `settings` are NAME=value.
Outcome run_probe(const char* program, const Words& options, const Words& settings = {}) {
  Words command = {"env", "-u",      "OMPI_COMM_WORLD_SIZE", "-u", "SLURM_STEP_NUM_TASKS",
                   "-u",  "PMI_SIZE"};
  command.insert(command.end(), settings.begin(), settings.end());
  command.emplace_back(program);
  command.insert(command.end(), options.begin(), options.end());
  return run_program(command);
}

Outcome training(const Words& options, const Words& settings = {}) {
  return run_probe(TRAINING_PROBE, options, settings);
}

/// Over ranks that mpirun launches.
Outcome parallel_training(int ranks, const Words& options) {
  Words command = {std::string(PARALLEL_LAUNCH), std::to_string(ranks), TRAINING_PROBE};
  command.insert(command.end(), options.begin(), options.end());
  return run_program(command);
}

/// Without sleep.
Outcome replay(Words options, const Words& settings = {}) {
  options.insert(options.end(), {"--sleep-factor", "0"});
  return run_probe(REPLAY_PROBE, options, settings);
}

Words lines_of(const std::string& text) {
  Words lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// Every number behind `label`, in the order of the lines.
std::vector<double> numbers_behind(const std::string& text, const std::string& label) {
  std::vector<double> numbers;
  for (std::size_t at = text.find(label); at != std::string::npos; at = text.find(label, at + 1))
    numbers.push_back(std::stod(text.substr(at + label.size())));
  return numbers;
}

std::vector<double> elapsed_of(const Outcome& outcome) {
  return numbers_behind(outcome.output, "elapsed time per iteration (ms): ");
}

/// (min, max) of a timer, in the order of the reports; reports without it are left out.
std::vector<std::pair<double, double>> timer(const Outcome& outcome, const std::string& name) {
  std::vector<std::pair<double, double>> times;
  for (const auto& line : lines_of(outcome.output)) {
    if (!line.starts_with("    " + name + " .")) continue;
    const std::size_t open = line.find('('), comma = line.find(", ");
    times.emplace_back(std::stod(line.substr(open + 1)), std::stod(line.substr(comma + 2)));
  }
  return times;
}

/// The end of the run of characters from `at` on that are among `allowed`.
std::size_t run_end(const std::string& line, std::size_t at, const char* allowed) {
  return std::min(line.find_first_not_of(allowed, at), line.size());
}

/// What a line looks like: numbers as #, one blank or dash for many; of the dump the key.
std::string shape_of(const std::string& line) {
  const std::size_t dots = line.find(" ..");
  if (line.starts_with("  ") && line.find(' ', 2) == dots)
    return "dump " + line.substr(2, dots - 2);
  std::string shape;
  for (std::size_t at = 0; at < line.size();) {
    const bool digit = std::isdigit(static_cast<unsigned char>(line[at])) != 0;
    const bool repeats = line[at] == ' ' || line[at] == '-';
    const char same[] = {line[at], '\0'};
    const std::size_t end = digit ? run_end(line, at, "0123456789.") : at + 1;
    shape += digit ? '#' : line[at];
    at = repeats ? run_end(line, at, same) : end;
  }
  for (const std::string program : {"training", "replay"})
    if (shape == " > probe: pippin " + program + " #") return " > probe: pippin PROBE #";
  if (shape.starts_with(" > ranks: ")) return " > ranks: PLACES";
  if (shape.starts_with(" slowest rank: # on ")) shape.replace(20, shape.find(" |") - 20, "HOST");
  return shape;
}

/// The shapes of all lines in the contract's fenced blocks.
std::set<std::string> contract() {
  std::set<std::string> shapes;
  bool fenced = false;
  for (const auto& line : lines_of(read_input(test::source_directory() / "probes/LOG_FORMAT.md"))) {
    if (line.starts_with("```"))
      fenced = !fenced;
    else if (fenced)
      shapes.insert(shape_of(line));
  }
  return shapes;
}

std::set<std::string> shapes_of(const std::vector<Outcome>& outcomes) {
  std::set<std::string> shapes;
  for (const auto& outcome : outcomes)
    for (const auto& line : lines_of(outcome.output)) shapes.insert(shape_of(line));
  return shapes;
}

}  // namespace

/// A layout that has traffic of every class.
const Words kEverything = {
    "--tp",  "2", "--pp",        "2",    "--dp",         "2", "--sequence-parallel", "--zero", "1",
    "--gas", "2", "--recompute", "full", "--iterations", "2"};

TEST_CASE("both probes print every line of the contract and no other") {
  std::vector<Outcome> outcomes = {parallel_training(8, kEverything), replay({"--iterations", "2"}),
                                   replay({"--tp", "2", "--pp", "2", "--iterations", "4",
                                           "--save-interval", "2", "--eval-interval", "2"})};
  for (const char* way : {"exit", "oom", "crash", "timeout-line"})
    outcomes.push_back(replay({"--fail-at", "2", "--fail-with", way}));
  const auto printed = shapes_of(outcomes), promised = contract();
  for (const auto& shape : printed) {
    INFO("not in LOG_FORMAT.md: " << shape);
    CHECK(promised.count(shape) == 1);
  }
  for (const auto& shape : promised) {
    INFO("never printed: " << shape);
    CHECK(printed.count(shape) == 1);
  }
  CHECK_THAT(outcomes.front().output, Contains("\n > ranks: 0-7 on "));
}

TEST_CASE("a default training run ends well with a falling loss and all its lines") {
  const Outcome outcome = training({});
  CHECK(outcome.exit_code == 0);
  const auto elapsed = elapsed_of(outcome);
  CHECK(elapsed.size() == 20);
  for (const double milliseconds : elapsed) CHECK(milliseconds > 0);
  const auto losses = numbers_behind(outcome.output, "lm loss: ");
  REQUIRE(losses.size() == 20);
  CHECK((losses[18] + losses[19]) / 2 < losses[0] - 1);
  CHECK_THAT(outcome.output, Contains("[after training is done] datetime: "));
}

TEST_CASE("the parts of a training step take no longer than the step") {
  const Outcome outcome = training({"--iterations", "5", "--hidden", "128", "--recompute", "full"});
  const auto elapsed = elapsed_of(outcome);
  REQUIRE(elapsed.size() == 5);
  double all = 0, sum = 0;
  for (const double milliseconds : elapsed) all += milliseconds;
  for (const char* part : {"forward-compute", "backward-compute", "recompute", "optimizer"}) {
    const auto times = timer(outcome, part);
    REQUIRE(times.size() == 5);
    for (const auto& [least, most] : times) {
      CHECK(least == most);  // one rank
      CHECK(least > 0);
      sum += least;
    }
  }
  CHECK(sum < all + 5 * 0.02);  // the parts are rounded to 0.01 ms
}

TEST_CASE("a log interval prints means and memory once") {
  const Outcome outcome = training({"--iterations", "7", "--log-interval", "3"});
  CHECK(elapsed_of(outcome).size() == 2);
  CHECK(numbers_behind(outcome.output, "\n iteration ") == std::vector<double>{3, 6});
  CHECK(numbers_behind(outcome.output, "max allocated: ").size() == 1);
  const auto each = numbers_behind(training({"--iterations", "6"}).output, "lm loss: ");
  const auto means = numbers_behind(outcome.output, "lm loss: ");
  CHECK(means[0] == Approx((each[0] + each[1] + each[2]) / 3).epsilon(1e-5));
  CHECK(means[1] == Approx((each[3] + each[4] + each[5]) / 3).epsilon(1e-5));
}

TEST_CASE("recomputation prints the same losses and less memory") {
  const Words model = {"--iterations", "3", "--layers", "6"};
  Words again = model;
  again.insert(again.end(), {"--recompute", "full"});
  const Outcome kept = training(model), recomputed = training(again);
  CHECK(numbers_behind(kept.output, "lm loss: ") == numbers_behind(recomputed.output, "lm loss: "));
  CHECK(numbers_behind(recomputed.output, "max allocated: ").at(0) <
        numbers_behind(kept.output, "max allocated: ").at(0));
  CHECK_THAT(kept.output, Contains("recompute_granularity ........................... None"));
  CHECK_THAT(recomputed.output, Contains("recompute_granularity ........................... full"));
}

TEST_CASE("the memory that training prints is what it allocated") {
  using namespace probes;
  Memory memory;
  CpuDevice<float> device(memory, 1);
  HostClock clock;
  Profile profile{clock};
  const auto world = make_lone_communicator();
  Groups groups(*world, {}, profile);
  const Trainer<float> trainer(device, {}, {}, {}, groups);
  const double mib = static_cast<double>(memory.allocated()) / (1 << 20);
  const Outcome outcome = training({"--iterations", "1"});
  for (const char* label : {" | allocated: ", "max allocated: ", " | reserved: ", "max reserved: "})
    CHECK(numbers_behind(outcome.output, label) == std::vector<double>{mib});
}

TEST_CASE("training in 16 bits says so, and learns as in float") {
  const auto expected = numbers_behind(training({}).output, "lm loss: ");
  for (const auto& [precision, type] :
       {std::pair{"bf16", "torch.bfloat16"}, std::pair{"fp16", "torch.float16"}}) {
    const Outcome outcome = training({"--precision", precision, "--loss-scale", "256"});
    CHECK(outcome.exit_code == 0);
    CHECK_THAT(outcome.output, Contains(std::string("using ") + type + " for parameters ..."));
    CHECK_THAT(outcome.output, Contains(std::string(precision) +
                                        " ............................................ True"));
    const auto losses = numbers_behind(outcome.output, "lm loss: ");
    REQUIRE(losses.size() == 20);
    // Later on they part: how a step is rounded depends on the processor, too.
    for (std::size_t i = 0; i < 10; ++i) CHECK(losses[i] == Approx(expected[i]).epsilon(0.01));
    const double scale = precision == std::string("fp16") ? 256 : 1;
    CHECK(numbers_behind(outcome.output, "loss scale: ") == std::vector<double>(20, scale));
  }
  const Outcome overflows = training({"--precision", "fp16", "--initial-loss-scale", "1e12"});
  CHECK(overflows.exit_code == 0);
  CHECK(numbers_behind(overflows.output, "number of skipped iterations: ").front() == 1);
}

TEST_CASE("training runs out of memory with an exit code of its own") {
  const Outcome outcome = training({"--memory-limit-mib", "2"});
  CHECK(outcome.exit_code == 12);
  CHECK_THAT(outcome.output, Contains("training: out of memory (std::bad_alloc): tried to "));
  CHECK_THAT(outcome.output, Contains("-------------------- end of arguments"));
  CHECK(elapsed_of(outcome).empty());
  const Outcome enough = training({"--memory-limit-mib", "3", "--iterations", "1"});
  CHECK(enough.exit_code == 0);
}

TEST_CASE("a layout that cannot be has an exit code of its own and one line") {
  const Outcome layout = training({"--tp", "2"});
  CHECK(layout.exit_code == 13);
  CHECK(lines_of(layout.output).size() == 1);
  CHECK_THAT(layout.output, Contains("training: --tp 2 x --pp 1 x --dp 1 wants 2 ranks, "));
  // Two processes that do not see each other: srun without PMIx.
  const Outcome strangers =
      training({"--dp", "2"}, {"SLURM_STEP_NUM_TASKS=2", "ASAN_OPTIONS=detect_leaks=0"});
  CHECK(strangers.exit_code == 2);
  CHECK_THAT(strangers.output, Contains("launched as 2 processes") &&
                                   Contains("PROBES_RENDEZVOUS=file:///path/that/all/see"));
  // mpirun inside a step of many tasks: the inner launcher counts.
  CHECK(training({"--iterations", "1"}, {"OMPI_COMM_WORLD_SIZE=1", "SLURM_STEP_NUM_TASKS=4"})
            .exit_code == 0);
}

TEST_CASE("of several ranks the one that runs out of memory says so and ends all") {
  // The last stage holds the logits, too.
  const Outcome outcome = parallel_training(
      2, {"--pp", "2", "--vocab", "8192", "--seq", "256", "--memory-limit-mib", "14"});
  CHECK(outcome.exit_code == 12);
  CHECK_THAT(outcome.output, Contains("training: rank 1 on "));
  CHECK_THAT(outcome.output, Contains(": out of memory (std::bad_alloc): tried to allocate"));
  CHECK(outcome.output.find(" died: ") == std::string::npos);
  const Outcome both = parallel_training(2, {"--dp", "2", "--memory-limit-mib", "2"});
  CHECK(both.exit_code == 12);
  CHECK_THAT(both.output, Contains("training: out of memory"));
  CHECK(both.output.find("training: rank ") == std::string::npos);
}

TEST_CASE("a rank that is killed ends all and is named") {
  const test::TemporaryDirectory folder;
  for (const char* victim : {"0", "3"}) {
    const std::string script =
        "cd \"$3\"; : >log\n"  // the other victim's is there
        "\"$0\" 4 \"$1\" --tp 2 --dp 2 --iterations 100000000 --log-interval 1 >>log 2>&1 & "
        "launch=$!\n"
        "until grep -q 'elapsed time' log; do kill -0 $launch || break; sleep 0.05; done\n"
        "killed=; while [ -z \"$killed\" ] && kill -0 $launch; do "
        "for pid in $(pgrep -P \"$(pgrep -d , -P $launch || echo $launch)\" training; "
        "pgrep -P $launch training); do "
        "tr '\\0' '\\n' </proc/$pid/environ | grep -qxE \"(OMPI_COMM_WORLD_)?RANK=$2\" && "
        "kill -9 $pid && killed=1; done; done\n"
        "wait $launch; tail -n 50 log";
    const Outcome outcome = run_program(
        {"bash", "-c", script, PARALLEL_LAUNCH, TRAINING_PROBE, victim, folder.path().string()});
    CHECK_THAT(outcome.output, Contains(std::string("training: rank ") + victim + " on "));
    CHECK_THAT(outcome.output, Contains(" died: its connection broke"));
  }
}

TEST_CASE("eight ranks print one log whose losses are one rank's") {
  const Outcome eight = parallel_training(
      8, {"--tp", "2", "--pp", "2", "--dp", "2", "--gas", "4", "--iterations", "5"});
  CHECK(eight.exit_code == 0);
  const Outcome one = training({"--gas", "8", "--iterations", "5"});
  const auto losses = numbers_behind(eight.output, "lm loss: ");
  const auto expected = numbers_behind(one.output, "lm loss: ");
  REQUIRE(losses.size() == 5);
  for (std::size_t i = 0; i < 5; ++i) CHECK(losses[i] == Approx(expected[i]).epsilon(1e-5));
  CHECK(numbers_behind(eight.output, "[Rank ") == std::vector<double>{0, 1, 4, 5});
  CHECK(elapsed_of(eight).size() == 5);
}

TEST_CASE("a rank's activities add up to its iterations") {
  const Outcome outcome = parallel_training(
      2, {"--dp", "2", "--iterations", "10", "--hidden", "256", "--vocab", "4096"});
  double elapsed = 0, least = 0, most = 0;
  for (const double milliseconds : elapsed_of(outcome)) elapsed += milliseconds;
  for (const char* name : {"unattributed", "batch-generator", "forward-compute", "backward-compute",
                           "optimizer", "dp-reduce-exposed", "norm-exposed"})
    for (const auto& [low, high] : timer(outcome, name)) {
      least += low;
      most += high;
    }
  // The last report's own time is nobody's.
  CHECK(least < 1.05 * elapsed);
  CHECK(most > 0.95 * elapsed);
}

TEST_CASE("a trace tells what every rank did, call by call") {
  const test::TemporaryDirectory folder;
  const Outcome outcome = parallel_training(
      2, {"--tp", "2", "--iterations", "2", "--trace", (folder.path() / "trace").string()});
  CHECK(outcome.exit_code == 0);
  for (const char* rank : {"0", "1"}) {
    const std::string text =
        read_input(folder.path() / "trace" / (std::string("rank-") + rank + ".jsonl"));
    const auto lines = lines_of(text);
    CHECK_THAT(lines.at(0), Contains(std::string("\"rank\":") + rank + ","));
    for (const char* part : {"\"activity\":\"forward-compute\"", "\"call\":\"tp\"",
                             "\"waiting_ns\":", "\"iteration\":2", "\"call\":\"loss\""})
      CHECK_THAT(text, Contains(part));
    // Two layers: 4 sums each; the embedding's and the head's; and twice that.
    CHECK(std::count(lines.begin(), lines.end(), std::string()) == 0);
    std::size_t calls = 0;
    for (const auto& line : lines) calls += line.find("\"call\":\"tp\"") != std::string::npos;
    CHECK(calls == std::size_t{2} * (2 * 4 + 2));
  }
}

TEST_CASE("bad options exit 2 with one line and help exits 0") {
  for (const char* program : {TRAINING_PROBE, REPLAY_PROBE}) {
    const Outcome outcome = run_probe(program, {"--msb", "4"});
    CHECK(outcome.exit_code == 2);
    CHECK(lines_of(outcome.output).size() == 1);
    CHECK_THAT(outcome.output, Contains(": unknown option '--msb', did you mean '--mbs'?"));
    CHECK(lines_of(run_probe(program, {"--a\nb"}).output).size() == 1);
    const Outcome help = run_probe(program, {"--help"});
    CHECK(help.exit_code == 0);
    CHECK_THAT(help.output, Contains("--log-interval"));
  }
}

TEST_CASE("a log that cannot be written fails") {
  for (const char* program : {TRAINING_PROBE, REPLAY_PROBE}) {
    const Outcome outcome =
        run_program({"sh", "-c", "exec \"$0\" > /dev/full", std::string(program)});
    CHECK(outcome.exit_code == 3);
    CHECK_THAT(outcome.output, Contains("cannot write the log: No space left on device"));
  }
}

TEST_CASE("replay prints the truth that it was given") {
  const Outcome outcome = replay({"--step-time-ms", "1400", "--warmup-iterations", "2"});
  CHECK(outcome.exit_code == 0);
  std::vector<double> expected(20, 1400.0);
  expected[0] = 2800;
  expected[1] = 2100;
  CHECK(elapsed_of(outcome) == expected);
}

TEST_CASE("replay holds a pause in the line after it as Megatron does") {
  const Outcome outcome =
      replay({"--iterations", "6", "--warmup-iterations", "0", "--save-interval", "4",
              "--save-time-ms", "300", "--eval-interval", "2", "--eval-time-ms", "50"});
  CHECK(elapsed_of(outcome) == std::vector<double>{1000, 1000, 1050, 1000, 1350, 1000});
  CHECK(numbers_behind(outcome.output, "validation loss at iteration ") ==
        std::vector<double>{2, 4, 6});
  CHECK_THAT(outcome.output, Contains("successfully saved checkpoint at iteration       4 to"));
  const Outcome means = replay({"--iterations", "4", "--warmup-iterations", "0", "--log-interval",
                                "2", "--eval-interval", "2", "--eval-time-ms", "50"});
  CHECK(elapsed_of(means) == std::vector<double>{1000, 1025});
}

TEST_CASE("replay prints any layout from one process") {
  const Outcome outcome = replay({"--tp", "4", "--pp", "8", "--dp", "2", "--iterations", "1",
                                  "--layers", "64", "--hidden", "8192", "--heads", "64"});
  CHECK(outcome.exit_code == 0);
  CHECK_THAT(outcome.output, Contains("using world size: 64, data-parallel-size: 2, "));
  const auto ranks = numbers_behind(outcome.output, "[Rank ");
  REQUIRE(ranks.size() == 32);  // of the first data-parallel replica
  CHECK(ranks[3] == 3);
  CHECK(ranks[4] == 8);
  CHECK(ranks[31] == 59);
  CHECK(numbers_behind(outcome.output,
                       " > number of parameters on (tensor, pipeline) model "
                       "parallel rank (")
            .size() == 32);
  const Outcome told = replay({"--memory-mib", "1234.5", "--iterations", "1"});
  CHECK(numbers_behind(told.output, "max allocated: ") == std::vector<double>{1234.5});
}

TEST_CASE("replayed runs of one allocation share its draw through the environment") {
  const Words spread = {"--allocation-sd", "8%", "--run-sd", "2%", "--iterations", "1"};
  const auto time = [&](const Words& settings) {
    return elapsed_of(replay(spread, settings)).at(0);
  };
  const Words first = {"PIPPIN_JOB=job 1", "PIPPIN_RUN=a"};
  CHECK(time(first) == time({"PIPPIN_JOB=job 1", "PIPPIN_RUN=a", "PIPPIN_DAY=x"}));
  CHECK(time(first) != time({"PIPPIN_JOB=job 2", "PIPPIN_RUN=a"}));
  CHECK(time(first) != time({"PIPPIN_JOB=job 1", "PIPPIN_RUN=b"}));
  Words by_option = spread;
  by_option.insert(by_option.end(), {"--allocation-key", "job 1", "--run-key", "a"});
  CHECK(elapsed_of(replay(by_option)).at(0) == time(first));
  CHECK_THAT(replay(spread, {"PIPPIN_RUN=two\nlines"}).output, Contains(" two\\x0alines\n"));
}

TEST_CASE("replay dies in the iteration and the way it is told") {
  struct Case {
    const char* way;
    int exit_code;
    const char* evidence;
  };
  for (const Case& c : {Case{"exit", 1, "RuntimeError: replay was told to fail at iteration 4"},
                        Case{"oom", 1, "RuntimeError: CUDA out of memory. Tried to allocate"},
                        Case{"crash", 139, "traceback : Signal 11 (SIGSEGV) received by PID"},
                        Case{"timeout-line", 143, "DUE TO TIME LIMIT ***"}}) {
    const Outcome outcome = replay({"--fail-at", "4", "--fail-with", c.way});
    INFO(c.way);
    CHECK(outcome.exit_code == c.exit_code);
    CHECK_THAT(outcome.output, Contains(c.evidence));
    CHECK(elapsed_of(outcome).size() == 3);
    CHECK(outcome.output.find("after training is done") == std::string::npos);
  }
}

TEST_CASE("a hanging replay has printed all before and waits to be killed") {
  const Outcome outcome = run_program({"timeout", "-s", "KILL", "0.5", REPLAY_PROBE, "--fail-at",
                                       "3", "--fail-with", "hang", "--sleep-factor", "0"});
  CHECK(outcome.exit_code == 137);
  CHECK(elapsed_of(outcome).size() == 2);
}

TEST_CASE("replay sleeps the share of its time that it is told") {
  const auto start = std::chrono::steady_clock::now();
  const Outcome outcome = run_probe(
      REPLAY_PROBE, {"--step-time-ms", "1000", "--iterations", "3", "--sleep-factor", "0.1"});
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  CHECK(outcome.exit_code == 0);
  CHECK(took.count() >= 0.4);  // 2000 + 1000 + 1000 ms
}

TEST_CASE("of many launched replays the first one speaks") {
  CHECK(replay({"--iterations", "2"}, {"OMPI_COMM_WORLD_RANK=1"}).output.empty());
  CHECK_FALSE(replay({"--iterations", "2"}, {"OMPI_COMM_WORLD_RANK=0"}).output.empty());
}

TEST_CASE("a probe says what it can do in one line, without other ranks") {
  for (const char* program : {TRAINING_PROBE, REPLAY_PROBE}) {
    const Outcome outcome = run_probe(program, {"--capabilities"});
    CHECK(outcome.exit_code == 0);
    CHECK(lines_of(outcome.output).size() == 1);
    CHECK_THAT(outcome.output, Contains(R"({"name":"--zero","kind":"choice","default":"0",)"
                                        R"("choices":["0","1"]})") &&
                                   Contains(R"("cuda":null)"));
  }
  CHECK(run_probe(TRAINING_PROBE, {"--capabilities", "--tp", "2"}).exit_code == 2);
}

// SPDX-License-Identifier: Apache-2.0
// Event files of TensorBoard and golden values, which collect reads like logs.
#include <fmt/format.h>

#include "core/base/text.h"
#include "tests/harness/cli/pippin.h"
#include "tests/harness/scrape/sample_events.h"
#include "tests/harness/scrape/sample_log.h"
#include "tests/support/catch.h"

using namespace pippin;
using Catch::Contains;
using test::Workplace;
namespace events = test::events;

namespace {

constexpr const char* kEvents = "tb/events.out.tfevents.1700000000.n1.7.0";

/// Arguments of test::dump(), as Megatron-LM writes them beside its log.
std::string arguments() {
  std::string text;
  for (const auto& [name, value] : {std::pair("num_layers", "2"),
                                    {"hidden_size", "64"},
                                    {"num_attention_heads", "4"},
                                    {"seq_length", "32"},
                                    {"world_size", "4"},
                                    {"tensor_model_parallel_size", "2"},
                                    {"pipeline_model_parallel_size", "2"},
                                    {"data_parallel_size", "1"},
                                    {"micro_batch_size", "2"},
                                    {"global_batch_size", "8"},
                                    {"fp16", "True"}})
    text += events::argument(name, value);
  return text;
}

std::string steps(const Workplace& here) {
  return here.sql("SELECT group_concat(iteration || ':' || step_time_ms, ' ') FROM iterations");
}

}  // namespace

TEST_CASE("an event file is collected once, and one that grew goes on") {
  const Workplace here;
  here.write(kEvents, events::version() + arguments() + events::times({3, 2}));
  CHECK_THAT(here.pippin("collect tb").err, Contains("1 log, 1 run, 2 iterations added"));
  CHECK_THAT(here.pippin("collect tb").err, Contains("nothing added"));
  here.write(kEvents, events::version() + arguments() + events::times({3, 2, 4}));
  CHECK_THAT(here.pippin("collect tb").err, Contains("1 iteration added"));
  CHECK(steps(here) == "1:3000.0 2:2000.0 3:4000.0");
  CHECK(here.sql("SELECT gpus, tp, pp FROM points") == "4|2|2");
}

TEST_CASE("the end of an event file that is being written is left for later") {
  const Workplace here;
  const std::string whole = events::version() + events::times({3, 2, 4});
  here.write(kEvents, whole.substr(0, whole.size() - 5));
  CHECK_THAT(here.pippin(fmt::format("collect {}", kEvents)).err, Contains("2 iterations added"));
  here.write(kEvents, whole);
  here.pippin(fmt::format("collect {}", kEvents));
  CHECK(steps(here) == "1:3000.0 2:2000.0 3:4000.0");
}

TEST_CASE("a log and its event file never count as repeats") {
  const Workplace here;
  here.write("run/main.log", test::dump() + test::row(1, 3000) + test::row(2, 2000));
  here.write(fmt::format("run/{}", kEvents),
             events::version() + arguments() + events::times({3, 2}));
  CHECK_THAT(here.pippin("collect run").err, Contains("2 logs, 2 runs"));
  CHECK(here.sql("SELECT count(DISTINCT point) FROM runs") == "2");
  CHECK_THAT(here.pippin("report --format csv --columns point,runs").out,
             Contains("-tensorboard,1"));
}

TEST_CASE("a broken event file is one line, and the others are read") {
  const Workplace here;
  std::string broken = events::version() + events::times({3, 2, 4});
  broken[broken.size() / 2] ^= 1;
  here.write("tb/events.out.tfevents.1", broken);
  here.write("tb/events.out.tfevents.2", events::version() + events::times({1, 2}));
  const auto call = here.pippin("collect tb");
  CHECK_THAT(call.err, Contains("events.out.tfevents.1: TensorBoard's record at byte") &&
                           Contains("1 log, 1 run, 2 iterations added"));
  CHECK(here.pippin("collect tb/events.out.tfevents.1").exit_code == 2);
}

TEST_CASE(
    "event files without times are passed over in a folder, and say why where they are named") {
  const Workplace here;
  here.write("tb/events.out.tfevents.1", events::version() + events::scalar(1, "accuracy", 0.5));
  const auto folder = here.pippin("collect tb");
  CHECK(folder.exit_code == 0);
  CHECK_THAT(folder.err, !Contains("tfevents"));
  const auto named = here.pippin("collect tb/events.out.tfevents.1");
  CHECK(named.exit_code == 2);
  CHECK_THAT(named.err, Contains("is an event file of TensorBoard without a step's time"));
  CHECK_THAT(here.pippin("collect --explain tb/events.out.tfevents.1").out,
             Contains("without a step's time"));
}

TEST_CASE("what an event file does not say can be told") {
  const Workplace here;
  here.write(kEvents, events::version() + events::times({3, 2}));
  here.pippin(fmt::format("collect --set gpus=8 --set size=1B --set gbs=64 {}", kEvents));
  CHECK(here.sql("SELECT gpus, gbs, size FROM points") == "8|64|1B");
  CHECK_THAT(here.pippin(fmt::format("collect --explain {}", kEvents)).out,
             Contains("a launch of megatron: 2 lines"));
}

TEST_CASE("golden values are collected") {
  const Workplace here;
  here.write("golden_values_dev.json",
             "{\"iteration-time\": {\"start_step\": 1, \"end_step\": 3, \"step_interval\": 1, "
             "\"values\": {\"1\": 9.5, \"2\": 0.25, \"3\": 0.26}}}");
  here.write("other.json", "{\"start\": 1}");
  CHECK_THAT(here.pippin("collect .").err, Contains("1 log, 1 run, 3 iterations added"));
  CHECK(steps(here) == "1:9500.0 2:250.0 3:260.0");
  here.write("golden_values_cut.json",
             "{\"iteration-time\": {\"start_step\": 1, \"step_interval\"");
  const auto cut = here.pippin("collect golden_values_cut.json");
  CHECK(cut.exit_code == 2);
  CHECK_THAT(cut.err, Contains("golden_values_cut.json: golden values: this is no whole JSON"));
}

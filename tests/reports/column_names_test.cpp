// SPDX-License-Identifier: Apache-2.0
#include "reports/column_names.h"

#include "core/base/placeholders.h"
#include "tests/support/catch.h"

using namespace pippin;

namespace {

std::string name_of(const std::string& written) {
  const ColumnName* column = find_column_name(written);
  return column ? column->name : "(none)";
}

}  // namespace

TEST_CASE("a column is found however people write it") {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"GPUs", "gpus"},
      {"#GPUs", "gpus"},
      {"Nodes", "nodes"},
      {"Size", "size"},
      {"MSize", "size"},
      {"Model size", "size"},
      {"TP", "tp"},
      {"tensor-parallel", "tp"},
      {"PP", "pp"},
      {"DP", "dp"},
      {"DP_SIZE", "dp"},
      {"CP", "cp"},
      {"GAS", "gas"},
      {"PP Chunks", "gas"},
      {"pp_chunks", "gas"},
      {"MBS", "mbs"},
      {"Mic-BS", "mbs"},
      {"micro-batch-size", "mbs"},
      {"GBS", "gbs"},
      {"Glob-BS", "gbs"},
      {"global_batch_size", "gbs"},
      {"Speed", "step_time"},
      {"step time", "step_time"},
      {"Time", "step_time"},
      {"Time (ms)", "step_time"},
      {"Time [s]", "step_time"},
      {"sec/iter", "step_time"},
      {"TFlops", "tflops"},
      {"TFLOPS", "tflops"},
      {"TFLOPs/GPU", "tflops"},
      {"TFLOPS ↑", "tflops"},
      {"**TFLOPS**", "tflops"},
      {"GPU M", "memory"},
      {"memory", "memory"},
      {"GPU mem (GiB)", "memory"},
      {"Notes", "notes"},
      {" note ", "notes"},
      {"±", "spread"},
      {"MFU", "mfu"},
      {"samples/s", "samples_per_s"},
      {"Speed (samples/s)", "samples_per_s"},
      {"tokens/s/GPU", "tokens_per_s_per_gpu"},
      {"layers", "layers"},
      {"Hidden size", "hidden"},
      {"seq-len", "seq"},
      {"Δ", "vs"},
      {"date", "started"}};
  for (const auto& [written, name] : cases) {
    CAPTURE(written);
    CHECK(name_of(written) == name);
  }
}

TEST_CASE("what is no known column is none") {
  for (const std::string written : {"", "  ", "|", "()", "(s)", "bucket", "DS", "ID", "Opt Offl",
                                    "ScatEmb", "Speed (tokens/s)", "BS", "Δt ×", "½"}) {
    CAPTURE(written);
    CHECK(name_of(written) == "(none)");
  }
}

TEST_CASE("no two columns share a name, a title or an alias") {
  for (const auto& column : column_names()) {
    CHECK(is_identifier(column.name));
    CHECK(name_of(column.name) == column.name);
    CHECK(name_of(column.title) == column.name);
    for (const auto& alias : column.aliases) {
      CAPTURE(alias);
      CHECK(name_of(alias) == column.name);
    }
  }
}

TEST_CASE("an unknown title makes the name of an axis") {
  const std::vector<std::pair<std::string, std::string>> cases{{"Opt Offl", "opt_offl"},
                                                               {"ScatEmb", "scatemb"},
                                                               {"DS", "ds"},
                                                               {"ID", "id"},
                                                               {"bucket", "bucket"},
                                                               {"PA_CPU", "pa_cpu"},
                                                               {" (x) - y! ", "x_y"},
                                                               {"1F1B", "axis_1f1b"},
                                                               {"½", "axis"},
                                                               {"", "axis"},
                                                               {"style", "axis_style"},
                                                               {"KV heads", "axis_kv_heads"}};
  for (const auto& [title, name] : cases) {
    CAPTURE(title);
    CHECK(axis_name_of(title) == name);
    CHECK(is_identifier(axis_name_of(title)));
  }
}

// SPDX-License-Identifier: Apache-2.0
#include "reports/column_names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <unordered_map>

#include "core/base/placeholders.h"
#include "core/base/text.h"
#include "core/records/fields.h"

namespace pippin {

namespace {

/// What counts in a title: letters and digits, and what is not ASCII, in lower case.
std::string key_of(std::string_view written) {
  std::string key;
  for (const char c : lower(written)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80 || std::isalnum(byte)) key += c;
  }
  return key;
}

std::string ascii_of(std::string key) {
  const auto outside = [](char c) { return static_cast<unsigned char>(c) >= 0x80; };
  key.erase(std::remove_if(key.begin(), key.end(), outside), key.end());
  return key;
}

using Index = std::unordered_map<std::string, const ColumnName*>;

Index make_index() {
  Index index;
  for (const auto& column : column_names()) {
    index.emplace(key_of(column.name), &column);
    index.emplace(key_of(column.title), &column);
    for (const auto& alias : column.aliases) index.emplace(key_of(alias), &column);
  }
  return index;
}

const ColumnName* find_key(const std::string& key) {
  static const Index kIndex = make_index();
  const auto found = kIndex.find(key);
  return found == kIndex.end() ? nullptr : found->second;
}

/// Units that say nothing of what a column is. Not "samples/s": that is another column.
bool is_unit(std::string_view text) {
  constexpr std::array<std::string_view, 18> kUnits{
      "s", "sec", "secs", "seconds", "ms",  "msec", "min", "mins",    "minutes",
      "h", "mb",  "mib",  "gb",      "gib", "b",    "m",   "billion", "billions"};
  const std::string unit = key_of(text);
  return std::find(kUnits.begin(), kUnits.end(), unit) != kUnits.end();
}

/// Without "(ms)" or "[GiB]" at the end.
std::string_view without_unit(std::string_view title) {
  title = trim(title);
  const auto open = title.find_last_of("([");
  if (open == std::string_view::npos || open == 0) return title;
  const bool closed = title.back() == ')' || title.back() == ']';
  return closed && is_unit(title.substr(open + 1)) ? title.substr(0, open) : title;
}

/// A column, or a name of a point that is none.
bool is_taken(const std::string& name) {
  return find_column_name(name) || name == "style" || find_count(Point(), name);
}

}  // namespace

const std::vector<ColumnName>& column_names() {
  static const std::vector<ColumnName> kColumns{
      {"sweep", "sweep", {}},
      {"campaign", "campaign", {}},
      {"selection", "selection", {}},
      {"point", "point", {"configuration", "config"}},
      {"run", "run", {"run name"}},
      {"number", "number", {"run number"}},
      {"allocation", "allocation", {"job"}},
      {"day", "day", {}},
      {"trainer", "trainer", {"framework"}},
      {"cluster", "cluster", {}},
      {"state", "state", {"status", "outcome"}},
      {"gpus",
       "GPUs",
       {"GPU", "NGPU", "num GPUs", "n GPUs", "total GPUs", "GPU count", "world", "world size",
        "devices"}},
      {"nodes", "nodes", {"node", "num nodes", "n nodes"}},
      {"size", "size", {"MSize", "model size", "model", "params B", "parameters", "num params"}},
      {"layers", "layers", {"num layers", "n layers"}},
      {"hidden", "hidden", {"hidden size", "hidden dim", "HD", "n hidden", "d model"}},
      {"heads", "heads", {"attention heads", "num attention heads", "num heads", "n heads"}},
      {"ffn", "ffn", {"ffn hidden size", "ffn size", "intermediate size", "d ff"}},
      {"seq",
       "seq",
       {"seq len", "seq length", "sequence", "sequence length", "context", "context length",
        "ctx"}},
      {"vocab", "vocab", {"vocab size", "vocabulary", "vocabulary size"}},
      {"tp", "TP", {"TP size", "tensor parallel", "tensor parallel size", "MP"}},
      {"pp",
       "PP",
       {"PP size", "pipeline parallel", "pipeline parallel size", "PP stages", "pipeline stages"}},
      {"dp", "DP", {"DP size", "data parallel", "data parallel size"}},
      {"cp", "CP", {"CP size", "context parallel", "context parallel size"}},
      {"mbs", "MBS", {"Mic-BS", "micro BS", "micro batch", "micro batch size"}},
      {"gas",
       "GAS",
       {"PP chunks", "grad acc", "grad accum", "gradient accumulation",
        "gradient accumulation steps", "micro batches", "num micro batches"}},
      {"gbs", "GBS", {"Glob-BS", "global BS", "global batch", "global batch size"}},
      {"step_time", "step time", {"speed",         "time",
                                  "sec",           "secs",
                                  "seconds",       "s/it",
                                  "s/iter",        "sec/it",
                                  "sec/iter",      "s per iter",
                                  "ms/it",         "ms/iter",
                                  "time per iter", "time per iteration",
                                  "time per step", "iteration time",
                                  "iter time",     "elapsed time per iteration",
                                  "step time s",   "step time ms",
                                  "time s",        "time ms",
                                  "speed ±",       "step time ±"}},
      {"median", "median", {"median step time", "median time"}},
      {"p99", "p99", {"99 % quantile", "p99 step time"}},
      {"spread", "spread", {"±", "sd", "std", "stdev", "95 % CI", "CI"}},
      {"tflops",
       "TFLOPS",
       {"TFLOP", "TFLOP/s", "TFLOPS/s", "TFLOPs/GPU", "TFLOP/s/GPU", "TFLOPS/s/GPU",
        "TFLOPS per GPU"}},
      {"busbw", "busbw GB/s", {"bus bandwidth", "bus bandwidth GB/s"}},
      {"flops_formula", "FLOPs formula", {"formula"}},
      {"mfu", "MFU", {"model FLOPs utilization", "% of peak", "% peak"}},
      {"hfu", "HFU", {"hardware FLOPs utilization"}},
      {"samples_per_s",
       "samples/s",
       {"samples per second", "samples/sec", "sequences/s", "seq/s", "speed (samples/s)",
        "throughput (samples/s)"}},
      {"tokens_per_s_per_gpu",
       "tokens/s/GPU",
       {"tok/s/GPU", "tokens/sec/GPU", "tokens/s per GPU", "tokens per second per GPU", "TGS"}},
      {"memory",
       "memory GiB",
       {"GPU M", "GPU mem", "GPU memory", "mem", "max mem", "max memory", "peak mem", "peak memory",
        "VRAM", "GiB", "GB", "memory GB", "max allocated"}},
      {"allocations", "allocations", {"alloc"}},
      {"runs", "runs", {"num runs", "repeats"}},
      {"iterations", "iterations", {"iters", "steps", "num iterations"}},
      {"counts", "alloc/runs/lines", {}},
      {"reason", "reason", {"evidence", "why"}},
      {"difference", "differs in", {"difference from the others"}},
      {"started", "started", {"date"}},
      {"log", "log", {"log file", "logs"}},
      {"canary_gemm", "canary GEMM", {"canary TFLOPS"}},
      {"canary_busbw", "canary busbw", {"canary all-reduce"}},
      {"tag", "tag", {}},
      {"vs", "vs", {"versus", "change", "delta", "Δ"}},
      {"best", "best", {"P(best)", "rank"}},
      {"unit", "unit", {}},
      {"df", "df", {"degrees of freedom"}},
      {"remarks", "remarks", {}},
      {"notes", "notes", {"note", "comment", "comments", "remark"}},
      {"strip", "strip", {"sparkline", "dots"}}};
  return kColumns;
}

const ColumnName* find_column_name(std::string_view written) {
  for (const std::string_view title : {written, without_unit(written)}) {
    const std::string key = key_of(title);
    if (const ColumnName* column = find_key(key)) return column;
    // "TFLOPS ↑": a sign beside the name.
    if (const ColumnName* column = find_key(ascii_of(key))) return column;
  }
  return nullptr;
}

std::string axis_name_of(std::string_view title) {
  std::string name;
  for (const char c : lower(title)) {
    if (std::isalnum(static_cast<unsigned char>(c))) {
      name += c;
    } else if (!name.empty() && name.back() != '_') {
      name += '_';
    }
  }
  while (!name.empty() && name.back() == '_') name.pop_back();
  if (name.empty()) return "axis";
  return is_identifier(name) && !is_taken(name) ? name : "axis_" + name;
}

}  // namespace pippin

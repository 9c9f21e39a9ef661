// SPDX-License-Identifier: Apache-2.0
// What the analysis tool says otherwise.
#include <fmt/format.h>
#include <map>

#include "core/base/units.h"
#include "reports/estimate.h"
#include "sweeps/estimate/analysis_tool.h"
#include "sweeps/estimate/memory.h"
#include "sweeps/estimate/stage_parameters.h"
#include "sweeps/estimate/traffic.h"

namespace pippin {

namespace {

/// Of all ranks, on the wire. Unit: bytes.
struct Sum {
  double calls = 0, bytes = 0;
};

Sum sum_of(const std::vector<Talk>& talk, Topic topic) {
  Sum sum;
  for (const Talk& one : talk) {
    if (one.topic != topic) continue;
    sum.calls += one.calls;
    sum.bytes += one.calls * wire_bytes(one);
  }
  return sum;
}

}  // namespace

std::vector<std::string> where_analysis_tool_differs(const Setup& setup) {
  if (!unknown_to_analysis_tool(setup).empty()) return {};
  std::map<std::string, std::string> there;
  for (const auto& [name, text] : analysis_tool_figures(setup)) there[name] = text;
  const auto talk = talk_of_all(setup);
  std::vector<std::string> words;
  words.push_back(fmt::format(
      "parameters: {} there; it counts h of the 3h biases of queries, keys and values, and not the "
      "last norm; here {}",
      there["params_full"], model_parameters(setup.shape)));
  words.push_back(fmt::format(
      "parameters of a GPU: {} there, on each stage; TP splits biases, too, and the first and the "
      "last stage hold an embedding; here {} on the first",
      there["params_per_gpu"], stage_parameters(setup, 0).all()));
  words.push_back(fmt::format("memory: {} GB there, on each stage; here {:.1f} on the first",
                              there["gpu.requirement_GB"], stage_memory(setup, 0).peak / kGib));
  if (setup.pp > 1) {
    const Sum sum = sum_of(talk, Topic::kPipeline);
    words.push_back(
        fmt::format("pipeline: {} messages, {} GB there; it has every GPU send and receive both "
                    "ways, also where "
                    "the pipeline ends; here {:.0f} messages, {:.1f} GiB",
                    there["pp.freq"], there["pp.vol_GB"], sum.calls, sum.bytes / kGib));
  }
  if (setup.dp > 1) {
    const double bytes =
        sum_of(talk, Topic::kDataReduce).bytes + sum_of(talk, Topic::kDataGather).bytes;
    words.push_back(fmt::format(
        "data: {} GB there, of one GPU, as if weights were gathered in 4 bytes; here {:.1f} GiB on "
        "the wire of all GPUs, weights in {:.0f} bytes",
        there["dp.vol_GB"], bytes / kGib, bytes_of(setup.type)));
  }
  if (setup.tp > 1)
    words.push_back(
        fmt::format("tensor: {} calls there; those of the embedding, the output layer and the loss "
                    "are not in it",
                    there["tp.freq"]));
  return words;
}

}  // namespace pippin

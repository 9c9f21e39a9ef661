// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>

#include "core/base/text.h"
#include "core/base/whole_number.h"
#include "sweeps/estimate/layout_checks.h"
#include "sweeps/estimate/row_reader.h"

namespace pippin {

/// Megatron-LM's tests run on eight GPUs, but for those of one node and for long runs.
std::int64_t RowReader::gpus() {
  if (const auto count = row_.count("n_gpus"); count > 0) return count;
  if (row_.count("dp") > 0) return 0;
  if (!row_.text("model").starts_with("gpt/") && !row_.text("model").starts_with("moe/") &&
      !row_.text("model").starts_with("mixtral/"))
    refuse("n_gpus is not given");
  if (is_named("release")) refuse("n_gpus is not given");
  constexpr std::int64_t kUsual = 8;
  return is_named("1node") ? row_.count("gpus_per_node") : kUsual;
}

void RowReader::layout() {
  const auto one_of = [&](const char* column) {
    return std::max<std::int64_t>(row_.count(column), 1);
  };
  setup_.tp = one_of("tp");
  setup_.pp = one_of("pp");
  setup_.cp = one_of("cp");
  setup_.ep = one_of("ep");
  setup_.chunks = one_of("vpp");
  setup_.gpus_per_node = one_of("gpus_per_node");
  const std::int64_t all = gpus(), replica = count_product({setup_.tp, setup_.pp, setup_.cp});
  if (all % replica != 0) refuse("TP x PP x CP does not divide n_gpus");
  // DeepSpeed leaves stages empty.
  if (setup_.shape.layers < setup_.pp && !row_.says("framework", "DeepSpeed"))
    refuse("there are fewer layers than stages");
  setup_.dp = row_.count("dp") > 0 ? row_.count("dp") : std::max<std::int64_t>(all / replica, 1);
  const std::int64_t ranks = count_product({replica, setup_.dp});
  if (row_.count("n_gpus") > 0 && ranks != all)
    refuse(fmt::format("TP x PP x CP x DP is {}, and n_gpus {}", ranks, all));
  batch();
  if (!why_.empty()) return;
  if (row_.count("gpus_per_node") == 0 && ranks > 1) why_no_time_ = "gpus_per_node is not given";
  if (row_.count("gas") == 0 && row_.count("gbs") == 0)
    why_no_time_ = "neither gbs nor gas is given";
  expert_tp();
  setup_.sequence_parallel = row_.text("seq_par") == "1" && setup_.tp > 1;
  uneven_stages();
}

void RowReader::batch() {
  setup_.mbs = micro_batch();
  if (setup_.mbs == 0 && row_.count("gas") > 0) {
    const std::int64_t parts = count_product({setup_.dp, row_.count("gas")});
    if (row_.count("gbs") % parts != 0) return refuse("DP x GAS does not divide gbs");
    setup_.mbs = row_.count("gbs") / parts;
  }
  if (setup_.mbs == 0) {
    if (row_.count("gbs") == 0 || row_.count("gbs") % setup_.dp != 0)
      return refuse("mbs is not given");
    refuse_memory("mbs is not given");
    any_micro_batch_ = true;
    setup_.mbs = 1;
  }
  const std::int64_t batch = row_.count("gbs") / count_product({setup_.dp, setup_.mbs});
  setup_.gas = row_.count("gas") > 0 ? row_.count("gas") : std::max<std::int64_t>(batch, 1);
  check_batch();
}

void RowReader::expert_tp() {
  setup_.expert_tp = arguments_.count("expert-tensor-parallel-size", setup_.tp);
  if (const auto at = row_.text("model").find("etp");
      at != std::string::npos && setup_.shape.experts > 0)
    setup_.expert_tp = std::max<std::int64_t>(
        parse_integer(row_.text("model").substr(at + 3, 1)).value_or(setup_.tp), 1);
  else if (setup_.shape.experts > 0 && !arguments_.has("expert-tensor-parallel-size") &&
           !experts_divide(setup_.tp) && experts_divide(1)) {
    setup_.expert_tp = 1;
    doubt("expert TP 1 is assumed");
  }
}

bool RowReader::experts_divide(std::int64_t expert_tp) const {
  return count_product({setup_.tp, setup_.cp, setup_.dp}) % count_product({setup_.ep, expert_tp}) ==
         0;
}

/// Of a row that says more than it has to.
void RowReader::check_batch() {
  const std::int64_t all = count_product({setup_.dp, setup_.mbs, setup_.gas}),
                     gbs = row_.count("gbs");
  if (gbs == 0 || all == gbs) return;
  if (row_.count("gas") == 0) return refuse("MBS x DP does not divide gbs");
  doubt(fmt::format("DP x MBS x GAS is {}; its gbs of {} is not used", all, gbs));
}

std::int64_t RowReader::micro_batch() const {
  const std::string words = "effective MBS probably ", notes = row_.text("notes");
  const auto at = notes.find(words);
  if (at == std::string::npos) return row_.count("mbs");
  const std::string rest = notes.substr(at + words.size());
  return parse_integer(rest.substr(0, rest.find_first_not_of("0123456789"))).value_or(0);
}

void RowReader::uneven_stages() {
  setup_.first_layers = arguments_.count("decoder-first-pipeline-num-layers", 0, 0);
  setup_.last_layers = arguments_.count("decoder-last-pipeline-num-layers", 0, 0);
  bool embedding = arguments_.has("account-for-embedding-in-pipeline-split");
  bool loss = arguments_.has("account-for-loss-in-pipeline-split");
  const bool is_said =
      embedding || loss || !given_.layout.empty() || setup_.first_layers + setup_.last_layers > 0;
  const std::int64_t layers = setup_.shape.layers, parts = setup_.pp * setup_.chunks;
  constexpr std::int64_t kEnds = 2;
  if (!is_said && named_framework() == Framework::kMegatronCore && layers % parts != 0 &&
      (layers + kEnds) % parts == 0) {
    doubt(fmt::format("{} layers over {}: embedding and loss are assumed to count as one each",
                      layers, parts));
    embedding = loss = true;
  }
  refuse(count_ends(setup_, embedding, loss));
}

}  // namespace pippin

// SPDX-License-Identifier: Apache-2.0
#include "sweeps/estimate/row_checks.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <initializer_list>

#include "core/base/text.h"
#include "core/base/whole_number.h"
#include "sweeps/estimate/setup.h"

namespace pippin {

namespace {

std::string reason_of_counts(const PointRow& row) {
  for (const char* column :
       {"layers", "hidden", "heads", "kv_heads", "ffn", "seq", "vocab", "gpus_per_node", "n_gpus",
        "tp", "pp", "vpp", "dp", "cp", "ep", "mbs", "gbs", "gas"}) {
    const std::string text = row.text(column);
    const auto number = row.number(column);
    const bool is_count = number && *number >= 0 && whole_number(*number);
    if (is_count && *number > kLargestCount)
      return fmt::format("{} is {:.0f}, and at most {}", column, *number, kLargestCount);
    if (!text.empty() && !is_count)
      return fmt::format("{} is no count: '{}'", column, printable(text));
  }
  return "";
}

std::string reason_of_numbers(const PointRow& row) {
  for (const char* column : {"gpu_mem_gb", "node_gb_per_s", "step_s"}) {
    const std::string text = row.text(column);
    const auto number = row.number(column);
    if (!text.empty() && !(number && *number > 0 && std::isfinite(*number)))
      return fmt::format("{} is no number above 0: '{}'", column, printable(text));
  }
  return "";
}

std::string reason_of_word(const PointRow& row, const char* column,
                           std::initializer_list<const char*> known) {
  const std::string text = row.text(column);
  const bool is_known = text.empty() || std::find(known.begin(), known.end(), text) != known.end();
  return is_known ? "" : fmt::format("{} '{}' is not known", column, printable(text));
}

std::string reason_of_attention(const PointRow& row) {
  const std::string attention = row.text("attn");
  const bool is_known = attention.empty() || attention == "auto" || attention == "fused" ||
                        attention.starts_with("unfused") || attention.starts_with("flash");
  return is_known ? "" : fmt::format("attn '{}' is not known", printable(attention));
}

}  // namespace

std::string unreadable_reason(const PointRow& row) {
  for (const std::string& reason :
       {reason_of_counts(row), reason_of_numbers(row),
        reason_of_word(row, "zero", {"0", "1", "2", "3"}),
        reason_of_word(row, "seq_par", {"0", "1"}), reason_of_attention(row)})
    if (!reason.empty()) return reason;
  return "";
}

}  // namespace pippin

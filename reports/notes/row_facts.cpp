// SPDX-License-Identifier: Apache-2.0
#include "reports/notes/row_facts.h"

#include <fmt/format.h>
#include <initializer_list>

#include "core/base/text.h"
#include "core/base/whole_number.h"
#include "core/records/fields.h"
#include "reports/notes/outcome_words.h"
#include "reports/notes/quantities.h"
#include "reports/notes/said_above.h"

namespace pippin {

namespace {

/// A product of counts that are all known; nothing where one is not, or it is beyond all measure.
Count product_of(std::initializer_list<Count> counts) {
  double product = 1;
  for (const auto& count : counts) {
    if (!count) return std::nullopt;
    product *= static_cast<double>(*count);
  }
  return whole_number(product);
}

Count world_of(const Layout& layout) {
  return product_of({layout.tp, layout.pp, layout.dp, layout.cp ? layout.cp : Count(1)});
}

std::string world_text(const Layout& layout) {
  const std::string cp = layout.cp ? fmt::format(" × CP {}", *layout.cp) : "";
  return fmt::format("TP {} × PP {} × DP {}{} = {}", *layout.tp, *layout.pp, *layout.dp, cp,
                     *world_of(layout));
}

/// Why GPUs, nodes and GPUs per node do not go together; empty where nothing says so.
std::string nodes_problem(const Count& gpus, const Count& nodes, const Count& per_node,
                          const std::string& gpus_text) {
  if (!gpus || !nodes) return "";
  const Count product = product_of({nodes, per_node});
  if (product && *product != *gpus)
    return fmt::format("{} nodes × {} GPUs = {} is not {}", *nodes, *per_node, *product, gpus_text);
  if (*gpus % *nodes == 0) return "";
  return fmt::format("{} is no multiple of {} nodes", gpus_text, *nodes);
}

std::string name_of(const MarkdownTable& table) {
  if (!table.captions.empty()) return fmt::format("table '{}'", printable(table.captions.back()));
  for (auto heading = table.headings.rbegin(); heading != table.headings.rend(); ++heading) {
    if (!heading->empty()) return fmt::format("table '{}'", printable(*heading));
  }
  return fmt::format("table of line {}", table.header.line);
}

}  // namespace

TableFacts::TableFacts(const MarkdownTable& table, const NoteSettings& settings)
    : table_(table),
      settings_(settings),
      columns_(table, settings.step_time),
      above_(said_above(table)),
      name_(name_of(table)) {}

std::vector<std::size_t> TableFacts::other_step_times() const {
  std::vector<std::size_t> others;
  const auto chosen = columns_.find("step_time");
  for (std::size_t i = 0; i < table_.header.cells.size(); ++i) {
    if (columns_.name_of(i) == "step_time" && i != chosen) others.push_back(i);
  }
  return others;
}

Count TableFacts::told(std::string_view name) const {
  if (name == "nodes") return settings_.nodes;
  if (name == "gpus_per_node") return settings_.gpus_per_node;
  Point point;
  point.model = settings_.model;
  point.layout = settings_.layout;
  return find_count(point, name).value_or(Count());
}

bool TableFacts::is_named(std::string_view name) const {
  return columns_.has(name) || is_above(name) || told(name);
}

bool TableFacts::is_said(std::string_view name) const {
  const auto all = [&](std::initializer_list<std::string_view> names) {
    bool said = true;
    for (const auto one : names) said = said && is_named(one);
    return said;
  };
  if (is_named(name)) return true;
  if (name == "gpus") return all({"nodes", "gpus_per_node"}) || all({"tp", "pp", "dp"});
  return name == "gbs" && columns_.doubt("gbs").empty() && all({"mbs", "gas", "dp"});
}

Count TableFacts::count_of(const MarkdownRow& row, std::string_view name, SaidOfRow& facts) const {
  if (columns_.has(name)) {
    const std::string_view text = columns_.text(row, name);
    if (plain_text(text).empty() || outcome_in(text)) return std::nullopt;
    const Count count = count_in(text);
    if (count && *count > 0) return count;
    facts.problem = fmt::format("column '{}': '{}' is no number above 0",
                                printable(columns_.title(name)), printable(text));
    return std::nullopt;
  }
  const auto above = above_.find(name);
  const Count count = above != above_.end() ? above->second : told(name);
  const char* where = above != above_.end() ? "said above the table" : "said by --set";
  if (count) facts.derived.emplace_back(name, Value{where, {}});
  return count;
}

void TableFacts::add_gpus(const MarkdownRow& row, SaidOfRow& facts) const {
  const Count nodes = count_of(row, "nodes", facts);
  const Count per_node = count_of(row, "gpus_per_node", facts);
  Layout& layout = facts.layout;
  const Count world = world_of(layout);
  const bool by_row = !columns_.has("gpus") && !layout.gpus;
  const std::string text = layout.gpus ? fmt::format("GPUs {}", *layout.gpus)
                           : world     ? world_text(layout)
                                       : "";
  const std::string wrong = nodes_problem(layout.gpus ? layout.gpus : world, nodes, per_node, text);
  if (!wrong.empty() && facts.problem.empty()) facts.problem = wrong;
  if (!by_row) return;
  const Count product = product_of({nodes, per_node});
  layout.gpus = product ? product : world;
  if (layout.gpus)
    facts.derived.emplace_back(
        "gpus", Value{product ? "nodes × GPUs per node" : "TP × PP × DP (× CP)", {}});
}

void TableFacts::add_gbs(SaidOfRow& facts) const {
  Layout& layout = facts.layout;
  if (layout.gbs || columns_.has("gbs") || !columns_.doubt("gbs").empty()) return;
  layout.gbs = product_of({layout.mbs, layout.gas, layout.dp});
  if (layout.gbs) facts.derived.emplace_back("gbs", Value{"MBS × GAS × DP", {}});
}

SaidOfRow TableFacts::of(const MarkdownRow& row) const {
  SaidOfRow facts;
  Point point;
  for_each_count(point,
                 [&](std::string_view name, Count& count) { count = count_of(row, name, facts); });
  facts.model = point.model;
  facts.layout = point.layout;
  facts.model.size =
      columns_.has("size") ? plain_text(columns_.text(row, "size")) : settings_.model.size;
  facts.model.style = settings_.model.style;
  const auto params = parameters_in(facts.model.size, columns_.title("size"));
  if (params && *params >= 1) facts.model.params = nearest_whole_number(*params);
  add_gpus(row, facts);
  add_gbs(facts);
  return facts;
}

}  // namespace pippin

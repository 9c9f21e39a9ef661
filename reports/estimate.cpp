// SPDX-License-Identifier: Apache-2.0
#include "reports/estimate.h"

#include "core/base/text.h"
#include "core/base/units.h"
#include "reports/flat_columns.h"
#include "sweeps/estimate/stage_parameters.h"
#include "sweeps/estimate/state_memory.h"

namespace pippin {

FlatTable figures_table(const std::vector<std::pair<std::string, std::string>>& figures) {
  using Figure = std::pair<std::string, std::string>;
  constexpr auto kLeft = FlatColumns<Figure>::Align::kLeft;
  FlatColumns<Figure> columns(figures);
  const auto name = [](const Figure& one) { return one.first; };
  const auto text = [](const Figure& one) { return one.second; };
  columns.add({"figure", "figure", 1, kLeft}, name, name);
  columns.add({"value", "value", 1, kLeft}, text, text);
  FlatTable table;
  table.rows_are = "figures";
  table.columns = columns.take();
  return table;
}

FlatTable judgements_table(const std::vector<PointJudgement>& all) {
  constexpr auto kLeft = FlatColumns<PointJudgement>::Align::kLeft;
  FlatColumns<PointJudgement> columns(all);
  columns.add(
      {"id", "id", 9, kLeft}, [](const auto& one) { return printable(one.id); },
      [](const auto& one) { return one.id; });
  columns.add_number({"step s", "step_s", 8}, &PointJudgement::step_s);
  columns.add_number({"at least", "step_s_low", 4}, &PointJudgement::step_s_low);
  columns.add_number({"at most", "step_s_high", 4}, &PointJudgement::step_s_high);
  columns.add_number({"allocated GiB", "allocated_gib", 6}, &PointJudgement::allocated_gib);
  columns.add_number({"peak GiB", "peak_gib", 7}, &PointJudgement::peak_gib);
  const auto fits = [](const auto& one) {
    return std::string(!one.fits ? "" : *one.fits ? "yes" : "no");
  };
  columns.add({"fits", "fits", 7, kLeft}, fits, fits);
  columns.add(
      {"why", "why", 1, kLeft}, [](const auto& one) { return printable(one.why); },
      [](const auto& one) { return one.why; });
  FlatTable table;
  table.rows_are = "points";
  table.columns = columns.take();
  return table;
}

FlatTable max_models_table(const std::vector<MaxModel>& all) {
  constexpr auto kLeft = FlatColumns<MaxModel>::Align::kLeft;
  FlatColumns<MaxModel> columns(all);
  const auto layers = [](const std::optional<FittingModel>& one) {
    return one ? std::optional(one->layers) : std::nullopt;
  };
  const auto billions = [](const std::optional<FittingModel>& one) {
    return one ? std::optional(static_cast<double>(one->parameters) / kBillion) : std::nullopt;
  };
  const auto gib = [](const std::optional<FittingModel>& one) {
    return one ? std::optional(one->needed_bytes / kGib) : std::nullopt;
  };
  const auto number = [&](const char* title, const char* name, int importance, auto value) {
    const auto shown = [value](const MaxModel& one) {
      const auto found = value(one);
      return found ? short_number(*found) : std::string();
    };
    columns.add({title, name, importance}, shown, value);
  };
  columns.add(
      {"point", "point", 9, kLeft}, [](const auto& one) { return printable(one.point); },
      [](const auto& one) { return one.point; });
  const auto count = [&](const char* name, int importance, auto value) {
    const auto shown = [value](const MaxModel& one) {
      const auto found = value(one);
      return found ? std::to_string(*found) : std::string();
    };
    columns.add({name, name, importance}, shown, value);
  };
  count("hidden", 6, [](const MaxModel& one) { return one.hidden; });
  count("layers", 8, [layers](const MaxModel& one) { return layers(one.deepest); });
  number("B params", "billion_parameters", 8,
         [billions](const MaxModel& one) { return billions(one.deepest); });
  number("GiB", "needed_gib", 7, [gib](const MaxModel& one) { return gib(one.deepest); });
  const auto named = [](const MaxModel& one) { return one.named ? one.named->name : ""; };
  columns.add({"named", "named", 8, kLeft}, named, named);
  number("B params", "named_billion_parameters", 5,
         [billions](const MaxModel& one) { return billions(one.named); });
  number("GiB", "named_needed_gib", 7, [gib](const MaxModel& one) { return gib(one.named); });
  columns.add(
      {"why not", "why", 1, kLeft}, [](const auto& one) { return printable(one.why); },
      [](const auto& one) { return one.why; });
  FlatTable table;
  table.rows_are = "layouts";
  table.columns = columns.take();
  return table;
}

namespace {

struct CheckpointSize {
  std::string point;
  double parameters = 0, weights = 0, optimizer = 0;  ///< bytes
  double ranks = 1;                                   ///< that hold the model: TP x PP
  double all() const { return weights + optimizer; }
};

std::vector<CheckpointSize> checkpoint_sizes(const NamedSetups& layouts) {
  std::vector<CheckpointSize> rows;
  for (const auto& [name, setup] : layouts) {
    CheckpointSize row;
    row.point = name;
    row.parameters = static_cast<double>(model_parameters(setup.shape));
    row.weights = row.parameters * bytes_of(setup.type);
    row.optimizer = row.parameters * checkpoint_bytes(setup) - row.weights;
    row.ranks = static_cast<double>(setup.tp * setup.pp);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

FlatTable checkpoint_sizes_table(const NamedSetups& layouts, std::optional<double> gb_per_s) {
  constexpr auto kLeft = FlatColumns<CheckpointSize>::Align::kLeft;
  const auto rows = checkpoint_sizes(layouts);
  FlatColumns<CheckpointSize> columns(rows);
  columns.add(
      {"point", "point", 9, kLeft}, [](const auto& one) { return printable(one.point); },
      [](const auto& one) { return one.point; });
  const auto number = [&](const char* title, const char* name, auto value) {
    columns.add(
        {title, name, 8}, [value](const auto& one) { return short_number(value(one)); },
        [value](const auto& one) { return std::optional<double>(value(one)); });
  };
  number("B params", "billion_parameters",
         [](const auto& one) { return one.parameters / kBillion; });
  number("weights GB", "weights_gb", [](const auto& one) { return one.weights / kGb; });
  number("optimizer GB", "optimizer_gb", [](const auto& one) { return one.optimizer / kGb; });
  number("GB", "size_gb", [](const auto& one) { return one.all() / kGb; });
  number("GB a TP x PP rank", "rank_gb",
         [](const auto& one) { return one.all() / kGb / one.ranks; });
  if (gb_per_s)
    number("s", "write_s", [rate = *gb_per_s](const auto& one) { return one.all() / kGb / rate; });
  FlatTable table;
  table.rows_are = "checkpoints";
  table.columns = columns.take();
  return table;
}

}  // namespace pippin

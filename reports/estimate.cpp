#include "reports/estimate.h"

#include "core/base/text.h"
#include "reports/flat_columns.h"

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

}  // namespace pippin

// SPDX-License-Identifier: Apache-2.0
#include "sweeps/resolve.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "core/base/text.h"
#include "core/base/text_numbers.h"
#include "sweeps/bound_formula.h"
#include "sweeps/derived_fields.h"
#include "sweeps/estimate/setup.h"
#include "sweeps/evaluation_order.h"
#include "sweeps/feasibility.h"
#include "sweeps/keys.h"
#include "sweeps/models.h"
#include "sweeps/point_values.h"
#include "sweeps/probe_axes.h"

namespace pippin {

namespace {

/// A point takes about a KiB until it is planned; who writes more has mistyped an axis.
constexpr std::size_t kMostPoints = 10'000'000;

class Resolver {
 public:
  Resolver(Draft& draft, Sweep& sweep, ProbeAnswers& answers)
      : draft_(draft),
        sweep_(sweep),
        answers_(answers),
        slots_(draft.own_axes()),
        steps_(evaluation_order(draft)),
        derive_(bound(draft.derive, slots_)),
        where_(bound(draft.where, slots_)),
        base_(slots_.names().size()),
        values_(base_),
        device_(slots_.find("device")),
        ids_(sweep.env) {
    sweep_.own_axes = draft.own_axes();
    for (const auto& name : sweep_.own_axes) own_slots_.push_back(slots_.at(name));
    for (const auto& use : draft.uses) use_slots_.push_back(slots_.find(use.name));
    fill_base();
    for (const auto& dimension : draft.axes.dimensions) {
      std::vector<std::size_t> columns;
      for (const auto& name : dimension.names) columns.push_back(slots_.at(name));
      columns_.push_back(std::move(columns));
    }
    find_shown();
  }

  void run() {
    check_size();
    values_ = base_;
    std::vector<std::size_t> rows(draft_.axes.dimensions.size(), 0);
    do {
      resolve_one(rows);
    } while (advance(rows));
    if (sweep_.points.empty()) fail_empty();
  }

 private:
  void fill_base() {
    for (const auto slot : {kTp, kPp, kCp, kMbs, kGas}) base_.set_count(slot, 1);
    for (const auto& entry : draft_.model) base_.set(slots_.at(entry.first), entry.second);
    if (draft_.gpus) base_.set(kGpus, *draft_.gpus);
  }

  /// What a name shows beside layout and size: the own axes that tell points of this sweep apart,
  /// then such keys of the model. What is derived follows from the rest.
  void find_shown() {
    for (const auto& name : sweep_.own_axes) {
      if (!varies(name)) continue;
      varying_.push_back(name);
      shown_.push_back(slots_.at(name));
    }
    const bool named = draft_.gives("size");
    for (const auto& key : model_key_names()) {
      const bool is_size = key == "size" || (!named && (key == "layers" || key == "hidden"));
      if (!is_size && varies(key)) shown_.push_back(slots_.at(key));
    }
  }

  bool varies(const std::string& name) const {
    for (const auto& dimension : draft_.axes.dimensions) {
      const auto& names = dimension.names;
      const auto found = std::find(names.begin(), names.end(), name);
      if (found == names.end()) continue;
      const auto column = static_cast<std::size_t>(found - names.begin());
      return std::any_of(dimension.rows.begin(), dimension.rows.end(), [&](const auto& row) {
        return row[column] != dimension.rows.front()[column];
      });
    }
    return false;
  }

  const YamlNode& place() const {
    for (const auto& key : draft_.root.keys) {
      if (key.text == "grid" || key.text == "zip" || key.text == "points") return key;
    }
    return draft_.root;
  }

  /// Leaves room for as many.
  void check_size() {
    double points = 1;
    for (const auto& dimension : draft_.axes.dimensions) {
      points *= static_cast<double>(dimension.rows.size());
    }
    const auto axes = static_cast<double>(draft_.axes.names.size());
    if (points <= static_cast<double>(kMostPoints) && points * axes > kMostAxisValues)
      fail(place(), "{} points of {} axes: more than {} values", number_text(points),
           number_text(axes), kMostAxisValues);
    if (points <= static_cast<double>(kMostPoints)) {
      sweep_.points.reserve(static_cast<std::size_t>(points));
      return;
    }
    fail(place(),
         "{} points are too many; a sweep holds at most {}: give its axes fewer values, or zip "
         "those that belong together",
         number_text(points), kMostPoints);
  }

  /// The next row of every dimension, the last one fastest; false after the last point.
  bool advance(std::vector<std::size_t>& rows) const {
    for (std::size_t i = rows.size(); i-- > 0;) {
      if (++rows[i] < draft_.axes.dimensions[i].rows.size()) return true;
      rows[i] = 0;
    }
    return false;
  }

  void resolve_one(const std::vector<std::size_t>& rows) {
    PointValues& values = values_;
    values.reset_to(base_);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto& row = draft_.axes.dimensions[i].rows[rows[i]];
      for (std::size_t k = 0; k < row.size(); ++k) {
        if (row[k]) values.set(columns_[i][k], *row[k]);
      }
    }
    apply_size(values);
    Reason reason = work_out(values);
    if (reason.empty()) reason = failed_clause(values);
    Point point = point_of(values);
    if (reason.empty()) reason = why_infeasible(point, sweep_.cluster, sweep_.trainer.probe);
    if (reason.empty()) reason = why_probe_refuses(values);
    if (reason.empty()) {
      keep(std::move(point), values);
    } else {
      drop(std::move(point), reason);
    }
  }

  /// What the file itself says of a model goes before what its named size says.
  void apply_size(PointValues& values) {
    const Value* size = values.find(kSize);
    if (!size && draft_.probe && draft_.probe->takes("hidden")) add_shape(tiny_, values);
    if (!size) return;
    auto known = sizes_.find(size->text);
    if (known == sizes_.end())
      known = sizes_.emplace(size->text, find_model(size->text).value()).first;
    const Model& model = known->second;
    if (!values.knows(kStyle)) values.set(kStyle, {model.style, std::nullopt});
    add_shape(model, values);
  }

  static void add_shape(const Model& model, PointValues& values) {
    for (std::size_t i = 0; i < kModelCounts.size(); ++i) {
      const Count& count = model.*kModelCounts[i].count;
      if (count && !values.knows(kLayers + i)) values.set_count(kLayers + i, *count);
    }
  }

  Reason work_out(PointValues& values) {
    for (const auto& step : steps_) {
      Reason reason = work_out(step, values);
      if (!reason.empty()) return reason;
    }
    return "";
  }

  Reason work_out(const Step& step, PointValues& values) {
    switch (step.kind) {
      case Step::Kind::kDerive:
        return derive(derive_[step.formula], values);
      case Step::Kind::kLayout:
        return derive_layout(values, sweep_.cluster);
      case Step::Kind::kBatch:
        return derive_batch(values);
      case Step::Kind::kModel:
        break;
    }
    derive_model(values);
    return "";
  }

  Reason derive(BoundFormula& bound, PointValues& values) {
    const std::string& name = bound.formula().name;
    Value value = bound.evaluate(values);
    if (is_count_key(name)) {
      const bool whole = value.number && *value.number >= 1 &&
                         *value.number == std::floor(*value.number) &&
                         *value.number <= static_cast<double>(kLargestCount);
      if (!whole)
        return fmt::format("derive: {} = {} is no whole number above 0", name, value.text);
    }
    values.set(slots_.at(name), std::move(value));
    return "";
  }

  Reason failed_clause(const PointValues& values) {
    for (auto& clause : where_) {
      if (!clause.holds(values)) return "where: " + clause.formula().expression.text();
    }
    return "";
  }

  /// The options of a device's program, and the slots of their values.
  struct ProbeProgram {
    const ProbeAbilities* abilities = nullptr;
    std::vector<std::size_t> slots;
  };

  const ProbeProgram& program_for(const std::string& device) {
    const auto [known, is_new] = programs_.try_emplace(device);
    if (!is_new) return known->second;
    ProbeProgram& program = known->second;
    program.abilities = answers_.on(device);
    for (const auto& name : slots_.names()) {
      if (program.abilities && program.abilities->options.count(name) > 0)
        program.slots.push_back(slots_.at(name));
    }
    return program;
  }

  Reason why_probe_refuses(const PointValues& values) {
    if (!draft_.probe) return "";
    const Value* device = device_ ? values.find(*device_) : nullptr;
    const bool on_gpu = device && device->text == "cuda";
    const ProbeProgram& program = program_for(on_gpu ? "cuda" : "cpu");
    if (!program.abilities) return "";
    for (const std::size_t each : program.slots) {
      const Value* value = values.find(each);
      Reason reason = value ? why_refused(*program.abilities, slots_.names()[each], *value) : "";
      if (!reason.empty()) return reason;
    }
    return on_gpu ? why_too_old(*program.abilities, sweep_.cluster) : "";
  }

  Point point_of(const PointValues& values) {
    Point point;
    const Trainer& trainer = sweep_.trainer;
    point.trainer = trainer.probe.empty() ? trainer.command : trainer.probe;
    point.model = values.model();
    point.layout = values.layout();
    point.name = point_name(point);  // of a point without axes yet: shown_ says which of them count
    for (const std::size_t slot : shown_) {
      const Value* value = values.find(slot);
      if (!value) continue;
      point.name += '-';
      point.name += slots_.names()[slot];
      point.name += value->text;
    }
    point.axes.reserve(own_slots_.size());
    for (const std::size_t slot : own_slots_) {
      const Value* value = values.find(slot);
      if (value) point.axes.emplace_back(slots_.names()[slot], *value);
    }
    if (draft_.probe && !draft_.probe->has_layout()) {
      leave_out_what_is_not_told(point, *draft_.probe);
      point.name = name_of_measured(point, *draft_.probe, varying_);
    }
    point.id = ids_.id_of(point);
    return point;
  }

  void keep(Point point, const PointValues& values) {
    check_uses(point, values);
    const auto& points = sweep_.points;
    const std::size_t number = points.size();
    const std::size_t same = by_id_.add(
        point.id, number, [&](std::size_t i) -> std::string_view { return points[i].id; });
    if (same != number) return drop(std::move(point), "same as " + points[same].name);
    // Values may hold anything, also what looks like another axis: a=1-b2 and a=1, b=2.
    constexpr std::size_t kDigits = 6;
    const std::size_t namesake = names_.add(
        point.name, number, [&](std::size_t i) -> std::string_view { return points[i].name; });
    if (namesake != number) point.name += "-" + point.id.substr(0, kDigits);
    sweep_.points.push_back(std::move(point));
  }

  void drop(Point point, const Reason& reason) {
    sweep_.dropped.push_back({std::move(point), reason});
  }

  void check_uses(const Point& point, const PointValues& values) const {
    for (std::size_t i = 0; i < use_slots_.size(); ++i) {
      if (!use_slots_[i] || values.knows(*use_slots_[i])) continue;
      const auto& use = draft_.uses[i];
      fail(use.place, "{} uses {{{}}}, which is not known for point {}", use.what, use.name,
           in_quotes(point.name));
    }
  }

  [[noreturn]] void fail_empty() const {
    const auto& dropped = sweep_.dropped;
    std::unordered_map<std::string, std::size_t> counts;
    for (const auto& one : dropped) ++counts[one.reason];
    const auto most = std::max_element(
        dropped.begin(), dropped.end(),
        [&](const auto& a, const auto& b) { return counts[a.reason] < counts[b.reason]; });
    const std::string& reason = most->reason;
    const std::size_t count = counts[reason];
    fail(place(), "no point remains of {}; {} dropped by '{}'", dropped.size(),
         count == dropped.size() ? "all" : std::to_string(count), printable(reason));
  }

  Draft& draft_;
  Sweep& sweep_;
  ProbeAnswers& answers_;
  Slots slots_;
  std::vector<Step> steps_;
  std::vector<BoundFormula> derive_, where_;
  PointValues base_;
  std::vector<std::vector<std::size_t>> columns_;  ///< slots of each dimension's names
  std::vector<std::size_t> shown_;
  std::vector<std::string> varying_;         ///< own axes
  Model tiny_ = find_model("tiny").value();  ///< what a probe is that is told no shape
  std::unordered_map<std::string, ProbeProgram> programs_;  ///< by device
  std::unordered_map<std::string, Model> sizes_;
  PointValues values_;                                 ///< of the point at hand
  std::vector<std::size_t> own_slots_;                 ///< of the own axes
  std::optional<std::size_t> device_;                  ///< its slot
  std::vector<std::optional<std::size_t>> use_slots_;  ///< of draft_.uses
  PointIds ids_;
  TextNumbers by_id_, names_;
};

}  // namespace

void resolve(Draft& draft, Sweep& sweep, ProbeAnswers& answers) {
  Resolver(draft, sweep, answers).run();
}

}  // namespace pippin

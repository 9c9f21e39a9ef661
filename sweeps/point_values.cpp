// SPDX-License-Identifier: Apache-2.0
#include "sweeps/point_values.h"

#include "core/base/whole_number.h"
#include "sweeps/keys.h"

namespace pippin {

static_assert(kLayers == kLayoutKeys.size() && kSize == kLayers + kModelCounts.size());

Slots::Slots(const std::vector<std::string>& own_names) {
  names_ = layout_key_names();
  const auto append = [&](const std::vector<std::string>& more) {
    names_.insert(names_.end(), more.begin(), more.end());
  };
  append(model_count_names());
  append({"size", "style", "gbs", "params", "padded_vocab", "nodes", "gpus_per_node"});
  append(own_names);
  for (std::size_t i = 0; i < names_.size(); ++i) index_.emplace(names_[i], i);
}

std::optional<std::size_t> Slots::find(const std::string& name) const {
  const auto found = index_.find(name);
  return found == index_.end() ? std::nullopt : std::optional(found->second);
}

void PointValues::set_count(std::size_t slot, std::int64_t count) {
  set(slot, value_of(static_cast<double>(count)));
}

void PointValues::reset_to(const PointValues& base) {
  for (const std::size_t slot : set_) values_[slot] = base.values_[slot];
  set_.clear();
}

const Value* PointValues::find(std::size_t slot) const {
  return values_[slot] ? &*values_[slot] : nullptr;
}

Count PointValues::count(std::size_t slot) const {
  if (!values_[slot] || !values_[slot]->number) return std::nullopt;
  return whole_number(*values_[slot]->number);
}

Model PointValues::model() const {
  Model model;
  if (const Value* size = find(kSize)) model.size = size->text;
  if (const Value* style = find(kStyle)) model.style = style->text;
  for (std::size_t i = 0; i < kModelCounts.size(); ++i) {
    model.*kModelCounts[i].count = count(kLayers + i);
  }
  model.padded_vocab = count(kPaddedVocab);
  model.params = count(kParams);
  return model;
}

Layout PointValues::layout() const {
  Layout layout;
  for (std::size_t i = 0; i < kLayoutKeys.size(); ++i) layout.*kLayoutKeys[i].count = count(i);
  layout.gbs = count(kGbs);
  return layout;
}

}  // namespace pippin

// SPDX-License-Identifier: Apache-2.0
#include "db/batch.h"

#include <fmt/format.h>
#include <stdexcept>
#include <tuple>

#include "db/digests.h"
#include "db/operations.h"

namespace pippin::db {

bool Batch::is_news(const std::string& point, const Model& model) {
  const auto [known, is_new] = points_.try_emplace(point, model);
  if (is_new) return true;
  Model& told = known->second;
  if (has_usual_shape(model)) {
    if (!model.params || told.params || !has_usual_shape(told)) return false;
    told.params = model.params;
    return true;
  }
  const auto figures = [](const Model& of) {
    return std::tie(of.style, of.params, of.active_params, of.token_weights, of.attention_widths);
  };
  if (figures(told) == figures(model)) return false;
  told = model;
  return true;
}

void Batch::put_point(const Point& point) {
  if (is_news(point.id, point.model)) db::put_point(connection_, point);
}

void Batch::tell_model(const std::string& point, const Model& model) {
  if (is_news(point, model)) db::tell_model(connection_, point, model);
}

std::int64_t Batch::node_of(const std::string& name) {
  const auto [node, is_new] = nodes_.try_emplace(name, 0);
  if (!is_new) return node->second;
  Statement known = connection_.prepare("SELECT id FROM nodes WHERE name = ?");
  if (known.bind(name).step()) return node->second = known.integer(0);
  connection_.prepare("INSERT INTO nodes (name) VALUES (?)").run(name);
  return node->second = connection_.last_id();
}

const Batch::StoredCampaign& Batch::campaign_of(const RunPlace& place) {
  if (campaign_.id != 0 && sweep_ == place.sweep && number_ == place.campaign) return campaign_;
  Statement row = connection_.prepare(
      "SELECT campaigns.id, warmup FROM campaigns JOIN sweeps ON sweeps.id = campaigns.sweep "
      "WHERE sweeps.name = ? AND number = ?");
  if (!row.bind(place.sweep, place.campaign).step())
    throw std::logic_error(
        fmt::format("campaign {} of sweep '{}' is not stored", place.campaign, place.sweep));
  sweep_ = place.sweep;
  number_ = place.campaign;
  campaign_ = {row.integer(0), row.maybe_integer(1)};
  return campaign_;
}

void Batch::add_digest(std::int64_t run, const Iterations& lines,
                       const std::optional<std::int64_t>& warmup) {
  constexpr std::size_t kMostLines = 200'000;  // sums of more want as much memory as the lines
  if (!digester_ || lines.size() > kMostLines) return;
  const EachLine each_line = [&](const auto& take) { lines.each_line(take); };
  db::add_digest(connection_, {run, digester_->digest(each_line, warmup)}, digester_->version);
}

bool Batch::has_own_logs() {
  if (!has_own_logs_) {
    has_own_logs_ = connection_.number(
                        "SELECT EXISTS (SELECT 1 FROM logs INDEXED BY logs_by_first_line "
                        "WHERE of_campaign = 1)") != 0;
  }
  return *has_own_logs_;
}

bool Batch::has_deleted_logs() {
  if (!has_deleted_logs_)
    has_deleted_logs_ = connection_.number("SELECT EXISTS (SELECT 1 FROM deleted_logs)") != 0;
  return *has_deleted_logs_;
}

bool Batch::has_deleted_runs() {
  if (!has_deleted_runs_)
    has_deleted_runs_ = connection_.number("SELECT EXISTS (SELECT 1 FROM deleted_runs)") != 0;
  return *has_deleted_runs_;
}

}  // namespace pippin::db

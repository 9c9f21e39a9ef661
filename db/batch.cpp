#include "db/batch.h"

#include <fmt/format.h>
#include <stdexcept>

#include "db/operations.h"

namespace pippin::db {

void Batch::put_point(const Point& point) {
  const bool has_params = point.model.params.has_value();
  const auto [known, is_new] = points_.try_emplace(point.id, has_params);
  if (!is_new && (known->second || !has_params)) return;
  known->second = has_params;
  db::put_point(connection_, point);
}

std::int64_t Batch::node_of(const std::string& name) {
  const auto [node, is_new] = nodes_.try_emplace(name, 0);
  if (!is_new) return node->second;
  Statement known = connection_.prepare("SELECT id FROM nodes WHERE name = ?");
  if (known.bind(name).step()) return node->second = known.integer(0);
  connection_.prepare("INSERT INTO nodes (name) VALUES (?)").run(name);
  return node->second = connection_.last_id();
}

std::int64_t Batch::campaign_of(const RunPlace& place) {
  if (campaign_ != 0 && sweep_ == place.sweep && number_ == place.campaign) return campaign_;
  campaign_ = id_of(connection_, {place.sweep, place.campaign});
  if (campaign_ == 0)
    throw std::logic_error(
        fmt::format("campaign {} of sweep '{}' is not stored", place.campaign, place.sweep));
  sweep_ = place.sweep;
  number_ = place.campaign;
  return campaign_;
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

}  // namespace pippin::db

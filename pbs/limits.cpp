// SPDX-License-Identifier: Apache-2.0
#include "pbs/limits.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/base/text.h"

namespace pippin::pbs {

namespace {

/// "[u:anna=50]" → 50, where it is about `who`.
std::optional<std::int64_t> entry_for(std::string_view entry, const std::string& who) {
  entry = trim(entry);
  while (entry.starts_with("[")) entry.remove_prefix(1);
  while (entry.ends_with("]")) entry.remove_suffix(1);
  const auto equals = entry.find('=');
  if (equals == std::string_view::npos || trim(entry.substr(0, equals)) != who) return std::nullopt;
  return parse_integer(trim(entry.substr(equals + 1)));
}

void lower_to(Room& room, std::int64_t most, std::int64_t there, const std::string& name) {
  if (most == INT64_MAX || most - there >= room.tasks) return;
  room.tasks = std::max<std::int64_t>(most - there, 0);
  room.limit = fmt::format("{} is {}, and {} of yours are there", name, most, there);
}

// Source: max_array_size is 10000 where it is not said.
constexpr std::int64_t kUsualArray = 10000;

}  // namespace

std::int64_t limit_for(std::string_view value, std::string_view user) {
  for (const std::string& who : {fmt::format("u:{}", user), std::string("u:PBS_GENERIC")}) {
    for (std::string_view entry : split(value, ',')) {
      if (const auto most = entry_for(entry, who); most && *most >= 0) return *most;
    }
  }
  return INT64_MAX;
}

Room room_of(const Limited& server, const Limited& queue, std::string_view user) {
  const auto size_in = [](const Attributes& said) {
    return parse_integer(value_of(said, "max_array_size")).value_or(kUsualArray);
  };
  Room room;
  room.tasks_per_job =
      std::max<std::int64_t>(std::min(size_in(server.said), size_in(queue.said)), 1);
  for (const auto& [one, where] : {std::pair(&server, "the server"), {&queue, "the queue"}}) {
    lower_to(room, limit_for(value_of(one->said, "max_queued"), user), one->there.all,
             fmt::format("max_queued of {}", where));
    lower_to(room, limit_for(value_of(one->said, "queued_jobs_threshold"), user),
             one->there.waiting, fmt::format("queued_jobs_threshold of {}", where));
  }
  return room;
}

}  // namespace pippin::pbs

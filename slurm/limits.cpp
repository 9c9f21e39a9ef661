#include "slurm/limits.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "core/base/text.h"
#include "slurm/answers.h"

namespace pippin::slurm {

namespace {

/// Lines of fields, of which at least `fields` are there.
std::vector<std::vector<std::string_view>> rows_of(std::string_view text, std::size_t fields) {
  std::vector<std::vector<std::string_view>> rows;
  for (std::string_view line : split(text, '\n')) {
    auto row = split(line, '|');
    if (row.size() >= fields) rows.push_back(std::move(row));
  }
  return rows;
}

/// What Slurm gives to jobs that ask for no QOS.
std::string_view usual_quality(std::string_view usable, std::string_view usual) {
  if (!usual.empty()) return usual;
  return usable.find(',') == std::string_view::npos ? usable : "normal";
}

void lower_to(SubmitLimit& limit, std::string_view number, const std::string& name) {
  const auto most = parse_integer(number);
  if (!most || *most < 0 || *most >= limit.most) return;
  limit = {*most, fmt::format("{} {}", name, *most)};
}

}  // namespace

Queued queued_of(std::string_view output, std::string_view user) {
  static const std::set<std::string_view> kOver{"COMPLETED",     "CANCELLED", "FAILED",
                                                "TIMEOUT",       "NODE_FAIL", "PREEMPTED",
                                                "OUT_OF_MEMORY", "BOOT_FAIL", "DEADLINE"};
  Queued queued;
  for (std::string_view line : split(output, '\n')) {
    const auto words = split(trim(line), ' ');
    if (words.size() < 2) continue;
    ++queued.all;
    if (words.front() == user && !kOver.count(words.back())) ++queued.ours;
  }
  return queued;
}

SubmitLimit submit_limit_of(std::string_view associations, std::string_view qualities,
                            std::string_view account, std::string_view qos) {
  constexpr std::size_t kAssociationFields = 5, kQualityFields = 2;
  SubmitLimit limit;
  std::set<std::string_view> ours;
  if (!qos.empty()) ours.insert(qos);
  for (const auto& row : rows_of(associations, kAssociationFields)) {
    if (row[1] != (account.empty() ? row[0] : account)) continue;
    lower_to(limit, row[4], fmt::format("MaxSubmitJobs of account {} is", row[1]));
    if (qos.empty()) ours.insert(usual_quality(row[2], row[3]));
  }
  for (const auto& row : rows_of(qualities, kQualityFields)) {
    if (ours.count(row[0]) > 0)
      lower_to(limit, row[1], fmt::format("MaxSubmitJobsPerUser of QOS {} is", row[0]));
  }
  return limit;
}

Room room_of(std::string_view config, const Queued& queued, const SubmitLimit& limit) {
  const auto array_size = parse_integer(config_value(config, "MaxArraySize"));
  const auto job_count = parse_integer(config_value(config, "MaxJobCount"));
  Room room;
  // Indices are below MaxArraySize, and ours begin at 1.
  room.tasks_per_job = std::max<std::int64_t>(array_size.value_or(1) - 1, 1);
  if (job_count) {
    // Slurm refuses what would reach the limit: one less is what it takes.
    room.tasks = *job_count - 1 - queued.all;
    room.limit = fmt::format("MaxJobCount is {}, and {} jobs are there", *job_count, queued.all);
  }
  if (limit.most != INT64_MAX && limit.most - queued.ours < room.tasks) {
    room.tasks = limit.most - queued.ours;
    room.limit = fmt::format("{}, and {} of yours are queued", limit.name, queued.ours);
  }
  room.tasks = std::max<std::int64_t>(room.tasks, 0);
  return room;
}

}  // namespace pippin::slurm

// SPDX-License-Identifier: Apache-2.0
#include "slurm/limits.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>
#include <vector>

#include "core/base/text.h"
#include "slurm/answers.h"

namespace pippin::slurm {

namespace {

/// A limit, and what counts against it.
struct Counted {
  std::optional<std::int64_t> most;
  std::int64_t used = 0;
};

/// One association or QOS of `scontrol show assoc_mgr`: its lines up to the next.
struct Record {
  std::vector<std::string_view> lines;

  /// The value of "NAME=…"; empty where it has none.
  std::string_view value(std::string_view name) const {
    for (std::string_view line : lines) {
      for (std::string_view word : split(line, ' ')) {
        if (word.size() > name.size() && word.starts_with(name) && word[name.size()] == '=')
          return word.substr(name.size() + 1);
      }
    }
    return {};
  }
};

/// "50(3)", "N(3)" or "".
Counted counted_in(std::string_view value) {
  const auto open = value.find('(');
  Counted counted{count_in(value.substr(0, open))};
  if (open != std::string_view::npos)
    counted.used = count_in(value.substr(open + 1, value.find(')') - open - 1)).value_or(0);
  return counted;
}

std::vector<Record> records_of(std::string_view text) {
  std::vector<Record> records;
  for (std::string_view line : split(text, '\n')) {
    if (line.starts_with("ClusterName=") || line.starts_with("QOS=")) records.emplace_back();
    if (!records.empty()) records.back().lines.push_back(trim(line));
  }
  return records;
}

/// "root(0)" → "root"
std::string_view name_in(std::string_view value) { return value.substr(0, value.find('(')); }

/// Lines of fields, of which at least `fields` are there.
std::vector<std::vector<std::string_view>> rows_of(std::string_view text, std::size_t fields) {
  std::vector<std::vector<std::string_view>> rows;
  for (std::string_view line : split(text, '\n')) {
    auto row = split(line, '|');
    if (row.size() >= fields) rows.push_back(std::move(row));
  }
  return rows;
}

/// Keeps what the tightest limit leaves.
class Tightest {
 public:
  void take(const Counted& counted, const std::string& name) {
    if (!counted.most || *counted.most < 0) return;
    const std::int64_t left = std::max<std::int64_t>(*counted.most - counted.used, 0);
    if (*counted.most == 0) limit_ = {0, name + " is 0: it takes no job", true};
    if (left >= limit_.left) return;
    limit_ = {left, fmt::format("{} is {}, and {} were there", name, *counted.most, counted.used)};
  }
  const SubmitLimit& limit() const { return limit_; }

 private:
  SubmitLimit limit_;
};

/// Slurm takes names of accounts and QOS in either spelling.
bool is_same(std::string_view name, std::string_view other) {
  return lower(std::string(name)) == lower(std::string(other));
}

/// The account that jobs go to, and the QOS that they get there.
Place filled_in(const LimitAnswers& answers, Place place) {
  for (const auto& row : rows_of(answers.users, 4)) {
    if (place.account.empty()) place.account = row[0];
    if (!is_same(row[1], place.account) || !place.qos.empty()) continue;
    const bool is_only = !row[2].empty() && row[2].find(',') == std::string_view::npos;
    place.qos = !row[3].empty() ? row[3] : is_only ? row[2] : "normal";
  }
  return place;
}

/// The one of that name, or the default one; without lines where there is none.
Record partition_named(std::string_view partitions, std::string_view name) {
  for (std::string_view line : split(partitions, '\n')) {
    Record partition{{line}};
    const bool is_meant = name.empty() ? partition.value("Default") == "YES"
                                       : partition.value("PartitionName") == name;
    if (is_meant) return partition;
  }
  return {};
}

/// The QOS of the partition itself.
std::string_view quality_of_partition(const Record& partition) {
  return partition.value("QoS") == "N/A" ? std::string_view() : partition.value("QoS");
}

/// What a user, or an account, has there: the line below it in the QOS's list.
std::int64_t used_of(const Record& quality, std::string_view list, std::string_view who,
                     std::string_view field) {
  auto line = std::find(quality.lines.begin(), quality.lines.end(), list);
  line = std::find_if(line, quality.lines.end(),
                      [&](std::string_view one) { return is_same(one, who); });
  if (line == quality.lines.end() || ++line == quality.lines.end()) return 0;
  return counted_in(Record{{*line}}.value(field)).used;
}

/// Limits on submitted jobs that a QOS sets.
struct Quality {
  std::string name;
  bool is_over_partition = false;
  Counted of_user, of_account, of_all;
};

Quality quality_named(std::string_view name, const LimitAnswers& answers,
                      const std::vector<Record>& records, const Submitter& submitter) {
  Quality quality;
  quality.name = name;
  for (const auto& row : rows_of(answers.qualities, 5)) {
    if (!is_same(row[0], name)) continue;
    quality.is_over_partition = row[1].find("OverPartQOS") != std::string_view::npos;
    quality.of_user.most = count_in(row[2]);
    quality.of_account.most = count_in(row[3]);
    quality.of_all.most = count_in(row[4]);
  }
  for (const Record& record : records) {
    if (name.empty() || !is_same(name_in(record.value("QOS")), name)) continue;
    quality.of_user.used =
        used_of(record, "User Limits", std::to_string(submitter.number), "MaxSubmitJobsPU");
    quality.of_account.used =
        used_of(record, "Account Limits", submitter.place.account, "MaxSubmitJobsPA");
    quality.of_all.used = counted_in(record.value("GrpSubmitJobs")).used;
  }
  return quality;
}

/// Which of an association's limits a QOS has in its place.
struct Replaced {
  bool of_user = false, of_all = false;
};

Replaced take_qualities(Quality first, Quality second, Tightest& tightest) {
  if (second.is_over_partition) std::swap(first, second);
  const auto take = [&](Counted Quality::*limit, const char* name) {
    const Quality& one = (first.*limit).most ? first : second;
    tightest.take(one.*limit, fmt::format("{} of QOS {}", name, one.name));
  };
  const auto is_set = [&](Counted Quality::*limit) {
    return (first.*limit).most.has_value() || (second.*limit).most.has_value();
  };
  take(&Quality::of_user, "MaxSubmitJobsPerUser");
  take(&Quality::of_account, "MaxSubmitJobsPerAccount");
  take(&Quality::of_all, "GrpSubmitJobs");
  return {is_set(&Quality::of_user) || is_set(&Quality::of_account), is_set(&Quality::of_all)};
}

/// A job counts in one association of its user: that of its partition, or else the one for all.
void take_associations(const std::vector<Record>& records, const Submitter& submitter,
                       const Replaced& replaced, Tightest& tightest) {
  const auto take_of_all = [&](const Record& record, std::string_view account) {
    if (!replaced.of_all)
      tightest.take(counted_in(record.value("GrpSubmitJobs")),
                    fmt::format("GrpSubmitJobs of account {}", account));
  };
  std::string_view account = submitter.place.account;
  const auto own_of = [&](std::string_view partition) {
    return std::find_if(records.begin(), records.end(), [&](const Record& record) {
      return is_same(record.value("Account"), account) &&
             name_in(record.value("UserName")) == submitter.name &&
             record.value("Partition") == partition;
    });
  };
  auto own = own_of(submitter.place.partition);
  if (own == records.end()) own = own_of("");
  if (own != records.end()) {
    if (!replaced.of_user)
      tightest.take(counted_in(own->value("MaxSubmitJobs")),
                    fmt::format("MaxSubmitJobs of account {}", account));
    take_of_all(*own, account);
  }
  // A parent that is its own would be a loop.
  for (std::size_t i = 0; i < records.size() && !account.empty(); ++i) {
    const auto found = std::find_if(records.begin(), records.end(), [&](const Record& record) {
      return is_same(record.value("Account"), account) && record.value("UserName").empty();
    });
    if (found == records.end()) return;
    take_of_all(*found, account);
    account = name_in(found->value("ParentAccount"));
  }
}

std::int64_t number_behind(std::string_view text, std::string_view name) {
  const auto at = text.find(name);
  if (at == std::string_view::npos) return 0;
  const auto rest = text.substr(at + name.size());
  return count_in(trim(rest.substr(0, rest.find('\n')))).value_or(0);
}

}  // namespace

Queued queued_of(std::string_view squeue, std::string_view sdiag) {
  const auto lines = split(squeue, '\n');
  const auto is_job = [](std::string_view line) { return !trim(line).empty(); };
  return {std::count_if(lines.begin(), lines.end(), is_job),
          number_behind(sdiag, "Jobs pending:") + number_behind(sdiag, "Jobs running:")};
}

bool enforces_limits(std::string_view config) {
  const std::string enforced = config_value(config, "AccountingStorageEnforce");
  constexpr std::array<std::string_view, 3> kWords{"limits", "safe", "all"};
  return std::any_of(kWords.begin(), kWords.end(), [&](std::string_view word) {
    const auto words = split(enforced, ',');
    return std::find(words.begin(), words.end(), word) != words.end();
  });
}

SubmitLimit submit_limit_of(const LimitAnswers& answers, const Submitter& submitter) {
  Submitter filled = submitter;
  filled.place = filled_in(answers, submitter.place);
  const auto records = records_of(answers.associations);
  const Record partition = partition_named(answers.partitions, filled.place.partition);
  if (filled.place.partition.empty()) filled.place.partition = partition.value("PartitionName");
  const auto of_partition = quality_of_partition(partition);
  Tightest tightest;
  const Replaced replaced =
      take_qualities(quality_named(of_partition, answers, records, filled),
                     quality_named(filled.place.qos, answers, records, filled), tightest);
  take_associations(records, filled, replaced, tightest);
  return tightest.limit();
}

Room room_of(std::string_view config, const Queued& queued, const SubmitLimit& limit) {
  const auto array_size = count_in(config_value(config, "MaxArraySize"));
  const auto job_count = count_in(config_value(config, "MaxJobCount"));
  Room room;
  // Indices are below MaxArraySize, and ours begin at 1.
  room.tasks_per_job = std::max<std::int64_t>(array_size.value_or(1) - 1, 1);
  const std::int64_t there = std::max(queued.ours, queued.live);
  if (job_count) {
    // Slurm refuses what would reach the limit: one less is what it takes.
    room.tasks = *job_count - 1 - there;
    room.limit = fmt::format("MaxJobCount is {}, and {} jobs were there", *job_count, there);
  }
  if (limit.left < room.tasks) {
    room.tasks = limit.left;
    room.limit = limit.words;
    room.is_shut = limit.is_shut;
  }
  room.tasks = std::max<std::int64_t>(room.tasks, 0);
  return room;
}

}  // namespace pippin::slurm

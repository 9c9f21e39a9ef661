// SPDX-License-Identifier: Apache-2.0
#include "slurm/lists.h"

#include <algorithm>
#include <ctime>
#include <fmt/format.h>
#include <map>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/jobs/batch.h"
#include "slurm/ask.h"

namespace pippin::slurm {

namespace {

/// "SWEEP/jobs/NAME/job.sh": where the sweep lies may be written in several ways.
std::string tail_of(const fs::path& script) {
  constexpr int kParts = 4;
  fs::path tail, rest = script;
  for (int i = 0; i < kParts && rest.has_relative_path(); ++i, rest = rest.parent_path())
    tail = tail.empty() ? rest.filename() : rest.filename() / tail;
  return tail.string();
}

/// Whether it is the job behind the token, whatever its name.
bool is_same_job(const Entry& entry, const Asked& asked) {
  if (!has_id(asked)) return entry.script == asked.script.native();
  return entry.array_id == asked.id && tail_of(entry.script) == tail_of(asked.script);
}

std::string names_of(const std::vector<Asked>& asked) {
  std::vector<std::string> names;
  names.reserve(asked.size());
  for (const auto& one : asked) names.push_back(one.token);
  return join(names, ",");
}

/// A site may answer for a short time only: it is asked from when the oldest was handed over.
std::int64_t oldest_of(const std::vector<Asked>& asked) {
  constexpr std::int64_t kDay = 86400, kMonths = 100 * kDay;
  const auto now = static_cast<std::int64_t>(std::time(nullptr));
  std::int64_t oldest = now;
  for (const auto& one : asked) oldest = std::min(oldest, one.tried_until);
  return std::max(oldest - kDay, now - kMonths);
}

/// `which`: "--name=t,u". Errors: Error where accounting does not answer.
std::vector<Entry> accounting_by(const std::string& which, const std::string& format,
                                 const std::vector<Asked>& asked) {
  const Answer answer =
      ask({"sacct", "--noheader", "--parsable2", std::string("--delimiter=") + kSeparator,
           "--allocations", "--starttime=" + local_time(oldest_of(asked)), "--format=" + format,
           which, "--user=" + owners_of(asked)},
          kPatience);
  if (answer.exit_code != 0)
    machine_failed("Slurm's accounting does not answer: {}", complaint_of(answer));
  return read_accounting(answer.output);
}

}  // namespace

bool has_id(const Asked& asked) { return parse_integer(asked.id).has_value(); }

std::vector<Entry> jobs_in_queue(const std::vector<Asked>& asked) {
  const Answer answer = ask({"squeue", "--noheader", "--all", "--states=all",
                             std::string("--format=") + kQueueFormat, "--user=" + owners_of(asked)},
                            kPatience);
  check_answer(answer);
  std::map<std::string_view, const Asked*> by_token, by_id, by_script;
  for (const auto& one : asked) {
    by_token[one.token] = &one;
    has_id(one) ? by_id[one.id] = &one : by_script[one.script.native()] = &one;
  }
  const auto found_in = [](const auto& index, const std::string& key) {
    const auto found = index.find(key);
    return found == index.end() ? nullptr : found->second;
  };
  auto entries = read_queue(answer.output);
  std::erase_if(entries, [&](Entry& entry) {
    if (found_in(by_token, entry.name)) return false;
    const Asked* renamed = found_in(by_id, entry.array_id);
    if (!renamed) renamed = found_in(by_script, entry.script);
    const bool is_theirs = renamed && is_same_job(entry, *renamed);
    if (is_theirs) entry.name = renamed->token;
    return !is_theirs;
  });
  return entries;
}

std::vector<Entry> jobs_in_accounting(const std::vector<Asked>& asked) {
  return accounting_by("--name=" + names_of(asked), kAccountingFormat, asked);
}

std::vector<Entry> renamed_in_accounting(const std::vector<Asked>& asked) {
  std::vector<std::string> ids;
  ids.reserve(asked.size());
  for (const auto& one : asked) ids.push_back(one.id);
  auto entries = accounting_by("--jobs=" + join(ids, ","), kSubmitLineFormat, asked);
  for (auto& entry : entries) entry.name = name_in_submit_line(entry.name);
  return entries;
}

bool is_answer(const Answer& answer) {
  const bool is_none =
      trim(answer.output).empty() && answer.errors.find("error:") != std::string::npos;
  return answer.exit_code == 0 && !is_none;
}

std::string silence_of(const Answer& answer) {
  return fmt::format("Slurm does not answer: {}", complaint_of(answer));
}

void check_answer(const Answer& answer) {
  if (!is_answer(answer)) machine_failed("{}", silence_of(answer));
}

std::string local_time(std::int64_t seconds) { return local_text(seconds, "%FT%T"); }

}  // namespace pippin::slurm

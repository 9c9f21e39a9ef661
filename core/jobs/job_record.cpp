// SPDX-License-Identifier: Apache-2.0
#include "core/jobs/job_record.h"

#include "core/base/text.h"

namespace pippin {

namespace {

constexpr std::string_view kMark = "pippin: ";
constexpr std::string_view kEndOfCommand = "end of command";

/// Takes the next line off `text`, without its end; nothing where what is left is no whole line.
std::optional<std::string_view> next_line(std::string_view& text) {
  const auto end = text.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end + 1);
  return line;
}

/// What the job says in this line; nothing where it says nothing. What a program printed without an
/// end of line may stand before it.
std::string_view said_in(std::string_view line) {
  const auto mark = line.find(kMark);
  return mark == std::string_view::npos ? "" : line.substr(mark + kMark.size());
}

/// Up to the line that ends it; all of the text where that is missing.
std::string take_command(std::string_view& text) {
  std::string command;
  while (const auto line = next_line(text)) {
    if (line->starts_with(kMark) && said_in(*line) == kEndOfCommand) break;
    command.append(*line).push_back('\n');
  }
  return command;
}

void take_claim(std::string_view words, JobRecord& record) {
  record.is_claim = true;
  record.task = number_of(words, "task").value_or(0);
  record.view = word_of(words, "view");
}

void take_exit(std::string_view words, AttemptEnd& end) {
  const auto exit_code = number_of(words, "exit"), ended = number_of(words, "ended");
  if (!exit_code || !ended) return;
  end.exit_code = static_cast<int>(*exit_code);
  end.ended = ended;
  end.stopped = word_of(words, "stopped");
  end.stopped_after_s = number_of(words, "after").value_or(0);
}

void take_signal(std::string_view words, AttemptEnd& end) {
  end.interrupted = true;
  end.time_up = number_of(words, "time_up") == 1;
}

/// The words behind "stopping=run_time after=600<tab>"
void take_stop(std::string_view words, AttemptEnd& end) {
  const auto tab = words.find('\t');
  end.last_line = tab == std::string_view::npos ? "" : printable(trim(words.substr(tab)));
}

void take_end(std::string_view words, JobRecord& record) {
  if (!record.started || number_of(words, "started") != record.started) return;
  if (words.starts_with("exit=")) take_exit(words, record.end);
  if (words.starts_with("suspended=")) record.end.suspended = true;
  if (words.starts_with("signal=")) take_signal(words, record.end);
}

void take(std::string_view words, JobRecord& record) {
  const auto behind = [&](std::string_view name) { return words.substr(name.size()); };
  if (words.starts_with("claim ") && !record.is_claim) take_claim(words, record);
  if (words.starts_with("at ")) record.provenance.append(behind("at ")).push_back('\n');
  if (words.starts_with("fault=")) record.fault = printable(trim(behind("fault=")));
  if (words.starts_with("started=") && !record.started)
    record.started = number_of(words, "started");
  if (words.starts_with("stopping=")) take_stop(words, record.end);
  take_end(words, record);
}

}  // namespace

std::string_view word_of(std::string_view line, std::string_view name) {
  for (std::string_view part : split(trim(line), ' ')) {
    if (part.size() > name.size() && part.starts_with(name) && part[name.size()] == '=')
      return part.substr(name.size() + 1);
  }
  return {};
}

std::optional<std::int64_t> number_of(std::string_view line, std::string_view name) {
  return parse_integer(word_of(line, name));
}

JobRecord read_record(std::string_view text) {
  JobRecord record;
  while (const auto line = next_line(text)) {
    const std::string_view words = said_in(*line);
    if (words == "command")
      record.command = take_command(text);
    else if (!words.empty())
      take(words, record);
  }
  if (record.end.exit_code) record.end.interrupted = record.end.time_up = false;
  return record;
}

AttemptEnd read_older_end(std::string_view done, std::string_view interrupted,
                          std::string_view stopped) {
  AttemptEnd end;
  take_exit(done, end);
  if (!end.exit_code && !trim(interrupted).empty()) take_signal(interrupted, end);
  if (const auto line = stopped.find('\n'); line != std::string_view::npos)
    end.last_line = printable(trim(stopped.substr(line)));
  return end;
}

}  // namespace pippin

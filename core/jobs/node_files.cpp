// SPDX-License-Identifier: Apache-2.0
#include "core/jobs/node_files.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "core/base/text.h"

namespace pippin {

namespace {

/// Nothing where the line was torn.
std::optional<NodeEvent> event_of(std::string_view line) {
  const auto words = split(line, '\t');
  if (words.size() < 5) return std::nullopt;
  const auto time = parse_integer(words[0]), seconds = parse_integer(words[4]);
  if (!time || !seconds) return std::nullopt;
  return NodeEvent{*time,
                   std::string(words[1]),
                   std::string(words[2]),
                   std::string(words[3]),
                   *seconds,
                   words.size() > 5 ? printable(words[5]) : ""};
}

std::string line_of(const NodeEvent& event) {
  return fmt::format("{}\t{}\t{}\t{}\t{}\t{}\n", event.time, event.kind, event.name, event.attempt,
                     event.seconds, printable(event.words));
}

std::vector<NodeEvent> events_in(std::string_view text) {
  std::vector<NodeEvent> events;
  for (std::string_view line : split(text, '\n'))
    if (auto event = event_of(line)) events.push_back(*std::move(event));
  return events;
}

/// What stands behind `word` up to `until`, or to the end of the line.
std::string behind(std::string_view line, std::string_view word, std::string_view until) {
  const auto at = line.find(word);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = line.substr(at + word.size());
  return printable(rest.substr(0, until.empty() ? rest.size() : rest.find(until)));
}

std::optional<NodeMark> mark_of(const std::string& node, const std::string& text) {
  const std::string_view line = split(text, '\n').front();
  NodeMark mark;
  mark.node = node;
  mark.bad = line.starts_with("found=");
  const auto time = parse_integer(behind(line, mark.bad ? "found=" : "allowed=", " "));
  if (!time) return std::nullopt;
  mark.time = *time;
  mark.by = behind(line, " by=", " because=");
  mark.because = behind(line, " because=", "");
  mark.events = events_in(text);
  return mark;
}

}  // namespace

std::int64_t NodeEvent::submission() const {
  return parse_integer(split(attempt, '-').front()).value_or(0);
}

std::int64_t NodeEvent::task() const {
  constexpr std::string_view kTask = "task=";
  return name.starts_with(kTask) ? parse_integer(name.substr(kTask.size())).value_or(0) : 0;
}

/// As the script has it: "52b-tp4-a1-r2" without what stands for allocation and repeat.
std::string NodeEvent::point() const {
  if (kind == "prolog") return attempt;
  for (auto at = name.rfind("-a"); at != std::string::npos && at > 0; at = name.rfind("-a", at - 1))
    if (at + 2 < name.size() && name[at + 2] >= '0' && name[at + 2] <= '9')
      return name.substr(0, at);
  return name;
}

std::string text_of(const NodeMark& mark) {
  if (mark.events.empty()) return mark.by + " says so: " + mark.because;
  return fmt::format("{} in a row failed on it while others went on elsewhere; the last: {}",
                     counted(mark.events.size(), "run"), mark.events.back().words);
}

std::vector<NodeEvent> NodeFiles::events(const fs::path& file) {
  return events_in(files_.read(file).value_or(""));
}

std::vector<NodeHistory> NodeFiles::histories() {
  std::map<std::string, std::vector<NodeEvent>> events_of;
  for (const char* folder : {"nodes", "nodes-lost"}) {
    for (const auto& node : files_.list(root_ / folder)) {
      auto& all = events_of[node];
      const auto more = events(root_ / folder / node);
      all.insert(all.end(), more.begin(), more.end());
    }
  }
  std::vector<NodeHistory> histories;
  for (auto& [node, events] : events_of) {
    std::stable_sort(events.begin(), events.end(),
                     [](const NodeEvent& a, const NodeEvent& b) { return a.time < b.time; });
    histories.push_back({node, std::move(events)});
  }
  return histories;
}

std::vector<NodeMark> NodeFiles::marks() {
  std::vector<NodeMark> marks;
  for (const auto& node : files_.list(root_ / "bad-nodes")) {
    if (auto mark = mark_of(node, files_.read(root_ / "bad-nodes" / node).value_or("")))
      marks.push_back(*std::move(mark));
  }
  return marks;
}

void NodeFiles::mark(const NodeMark& mark) {
  std::string text =
      fmt::format("{}={} by={}{}\n", mark.bad ? "found" : "allowed", mark.time, printable(mark.by),
                  mark.because.empty() ? "" : " because=" + printable(mark.because));
  for (const auto& event : mark.events) text += line_of(event);
  files_.write(root_ / "bad-nodes" / mark.node, text);
}

void NodeFiles::add_lost(const std::string& node, const NodeEvent& event) {
  const fs::path file = root_ / "nodes-lost" / node;
  files_.write(file, files_.read(file).value_or("") + line_of(event));
}

}  // namespace pippin

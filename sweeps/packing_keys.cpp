// SPDX-License-Identifier: Apache-2.0
#include "sweeps/packing_keys.h"

#include <algorithm>

#include "core/base/text.h"
#include "sweeps/axes.h"
#include "sweeps/estimate/time_limit.h"

namespace pippin {

namespace {

constexpr std::size_t kMostListed = 8;  // a message is one line

std::optional<Pack> read_pack(const YamlNode& root) {
  const YamlNode* node = root.find("pack");
  if (!node) return std::nullopt;
  const std::string& name = text_at(*node, "pack");
  for (const Pack pack : {Pack::kBlock, Pack::kPoint}) {
    if (name == text_of(pack)) return pack;
  }
  fail(*node, "unknown pack {}{}", in_quotes(name), hint(name, {"block", "point"}));
}

std::optional<double> read_time(const YamlNode& root, const char* key) {
  const YamlNode* node = root.find(key);
  if (!node) return std::nullopt;
  const auto seconds = seconds_of_duration(text_at(*node, key));
  constexpr double kLongest = 366. * 86400;
  if (!seconds || !(*seconds > 0) || *seconds > kLongest) {
    fail(*node, "{}: {} is no time above 0, such as 5 min, 20 (minutes), 1:30:00 or 2-00:00:00",
         key, in_quotes(node->text));
  }
  return seconds;
}

void check_one_run_fits(const YamlNode& root, const Sweep& sweep) {
  const auto limit = time_limit_s(sweep.cluster);
  const std::int64_t readings_s = 2 * reading_time_s(sweep);
  if (!limit || !sweep.run_time_s) return;
  if (*sweep.run_time_s + static_cast<double>(readings_s) <= *limit) return;
  const YamlNode& run_time = *root.find("run_time");
  fail(run_time,
       "run_time {}{} is more than the {} that cluster {} gives a job: raise its {}, or "
       "lower iterations",
       in_quotes(run_time.text),
       readings_s > 0 ? fmt::format(" with {} s for its canaries", readings_s) : "",
       in_quotes(find_value(sweep.cluster.scheduler_options, "time")->text),
       in_quotes(sweep.cluster.name), time_limit_key(sweep.cluster));
}

/// "; known: A, B and 30 more", or what is near.
std::string known_text(const std::string& word, const std::vector<std::string>& known) {
  if (known.size() <= kMostListed) return hint(word, known);
  std::string meant = did_you_mean(word, known);
  if (!meant.empty()) return meant;
  const std::vector<std::string> first(known.begin(), known.begin() + kMostListed);
  return "; known: " + join(first, ", ") + fmt::format(" and {} more", known.size() - first.size());
}

std::string point_named(const YamlNode& node, const Sweep& sweep) {
  std::vector<std::string> names;
  for (const auto& point : sweep.points) {
    if (point.name == node.text) return point.id;
    names.push_back(printable(point.name));
  }
  for (const auto& dropped : sweep.dropped) {
    if (dropped.point.name != node.text) continue;
    fail(node, "reference: point {} is dropped: {}", in_quotes(node.text),
         printable(dropped.reason));
  }
  constexpr std::size_t kLongest = 200;  // the search for a near one takes the product of lengths
  fail(node, "reference: no point is named {}{}", in_quotes(node.text),
       known_text(node.text.substr(0, kLongest), names));
}

NamedValues description_of(const YamlNode& node, const Sweep& sweep) {
  std::vector<std::string> names;
  for (const auto& entry : named_values(sweep.points.front())) names.push_back(entry.first);
  for (const auto& axis : sweep.own_axes) {
    if (std::find(names.begin(), names.end(), axis) == names.end()) names.push_back(axis);
  }
  expect_map(node, "reference", names);
  if (node.keys.empty())
    fail(node, "reference is empty; give a point's name, or values as {{tp: 4}}");
  NamedValues wanted;
  for (std::size_t i = 0; i < node.keys.size(); ++i) {
    const std::string& key = node.keys[i].text;
    wanted.emplace_back(key, read_axis_value(key, node.items[i]));
  }
  return wanted;
}

bool fits(const Point& point, const NamedValues& wanted) {
  const NamedValues known = named_values(point);
  return std::all_of(wanted.begin(), wanted.end(), [&](const auto& entry) {
    const Value* value = find_value(known, entry.first);
    return value && *value == entry.second;
  });
}

std::string point_described(const YamlNode& node, const Sweep& sweep) {
  const NamedValues wanted = description_of(node, sweep);
  std::vector<std::string> found, names;
  for (const auto& point : sweep.points) {
    names.push_back(printable(point.name));
    if (fits(point, wanted)) found.push_back(point.id);
  }
  if (found.size() == 1) return found.front();
  if (found.empty()) fail(node, "reference: no point has these values{}", known_text("", names));
  fail(node, "reference: {} points have these values; say more, or give the name of one",
       found.size());
}

}  // namespace

void read_packing(const YamlNode& root, Sweep& sweep) {
  sweep.pack = read_pack(root);
  const YamlNode* run_time = root.find("run_time");
  sweep.predicts_run_time = run_time && run_time->text == "predicted";
  if (!sweep.predicts_run_time) sweep.run_time_s = read_time(root, "run_time");
  sweep.stalled_s = read_time(root, "stalled");
  check_one_run_fits(root, sweep);
}

void read_reference(const YamlNode& root, Sweep& sweep) {
  const YamlNode* node = root.find("reference");
  if (!node) return;
  if (node->kind == YamlNode::Kind::kMap) {
    sweep.reference = point_described(*node, sweep);
  } else {
    text_at(*node, "reference (a point's name, or values as {tp: 4})");
    sweep.reference = point_named(*node, sweep);
  }
}

}  // namespace pippin

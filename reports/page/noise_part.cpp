// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "reports/page/page_json.h"
#include "reports/page/parts.h"
#include "reports/values.h"

namespace pippin {

namespace {

bool is_suspect(const Noise& noise, const std::vector<std::string>& nodes) {
  return std::any_of(noise.suspects.begin(), noise.suspects.end(), [&](const Suspect& suspect) {
    return suspect.is_link == (nodes.size() == 2) && suspect.nodes == nodes;
  });
}

/// A share: 0.08 is 8 % longer.
void write_share(double ln, JsonWriter& json) { write_exact(finite(std::expm1(ln)), json); }

void write_nodes(const Noise& noise, JsonWriter& json) {
  std::vector<const MachineEffect*> nodes;
  for (const auto& effect : noise.effects)
    if (effect.nodes.size() == 1) nodes.push_back(&effect);
  if (nodes.empty()) return;
  const auto write = [&](const char* key, auto write_one) {
    json.key(key).begin_array();
    for (const MachineEffect* node : nodes) write_one(*node);
    json.end_array();
  };
  json.key("nodes").begin_object();
  write("names", [&](const MachineEffect& node) { json.text(node.nodes.front()); });
  write("effect", [&](const MachineEffect& node) { write_share(node.effect, json); });
  write("low", [&](const MachineEffect& node) { write_share(node.low, json); });
  write("high", [&](const MachineEffect& node) { write_share(node.high, json); });
  write("suspect", [&](const MachineEffect& node) { json.truth(is_suspect(noise, node.nodes)); });
  write("allocations", [&](const MachineEffect& node) { json.natural(node.with); });
  json.end_object();
}

/// The nodes whose slowest link is slowest, as many as a matrix can show; how many are left out.
std::size_t keep_slowest(std::vector<std::string>& names, const std::map<std::string, double>& of) {
  constexpr std::size_t kMost = 200;
  std::sort(names.begin(), names.end());
  if (names.size() <= kMost) return 0;
  const std::size_t left = names.size() - kMost;
  std::stable_sort(names.begin(), names.end(),
                   [&](const auto& a, const auto& b) { return of.at(a) > of.at(b); });
  names.resize(kMost);
  std::sort(names.begin(), names.end());
  return left;
}

void write_links(const Noise& noise, JsonWriter& json) {
  std::map<std::string, double> slowest;  // link of each node
  std::map<std::vector<std::string>, double> effects;
  for (const auto& effect : noise.effects) {
    if (effect.nodes.size() != 2) continue;
    const auto& [a, b] = std::tie(effect.nodes[0], effect.nodes[1]);
    effects[{a, b}] = effects[{b, a}] = effect.effect;
    for (const auto& node : effect.nodes) {
      const auto [known, is_new] = slowest.try_emplace(node, effect.effect);
      known->second = std::max(known->second, effect.effect);
    }
  }
  if (effects.empty()) return;
  std::vector<std::string> names;
  names.reserve(slowest.size());
  for (const auto& node : slowest) names.push_back(node.first);
  const std::size_t left_out = keep_slowest(names, slowest);
  json.key("links").begin_object();
  json.key("left_out").natural(left_out);
  write_texts("nodes", names, json);
  json.key("effect").begin_array();
  for (const auto& a : names) {
    json.begin_array();
    for (const auto& b : names) {
      const auto known = effects.find({a, b});
      known == effects.end() ? json.null() : write_share(known->second, json);
    }
    json.end_array();
  }
  json.end_array();
  json.key("suspects").begin_array();
  for (std::size_t a = 0; a < names.size(); ++a) {
    for (std::size_t b = 0; b < names.size(); ++b) {
      if (!is_suspect(noise, {names[a], names[b]})) continue;
      json.begin_array();
      json.natural(a);
      json.natural(b);
      json.end_array();
    }
  }
  json.end_array();
  json.end_object();
}

}  // namespace

void write_noise(const Noise& noise, JsonWriter& json) {
  json.key("budget").begin_array();
  for (const auto& level : noise.levels) {
    json.begin_object();
    json.key("level").text(level.level);
    json.key("share").number(level.share);
    json.key("cv").number(level.sd);
    json.key("low").number(level.low);
    json.key("high").number(level.high);
    json.end_object();
  }
  json.end_array();
  write_nodes(noise, json);
  write_links(noise, json);
}

}  // namespace pippin

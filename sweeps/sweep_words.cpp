// SPDX-License-Identifier: Apache-2.0
#include "sweeps/sweep_words.h"

#include "core/base/hash.h"
#include "core/base/placeholders.h"
#include "core/base/text.h"
#include "sweeps/sweep_file.h"
#include "sweeps/yaml.h"

namespace pippin {

namespace {

constexpr const char* kWhole = "the command line";

YamlNode node_from(const std::string& place, YamlNode::Kind kind) {
  YamlNode node;
  node.kind = kind;
  node.file = std::make_shared<std::string>(place);
  node.line = 0;
  return node;
}

YamlNode text_from(const std::string& place, const std::string& text) {
  YamlNode node = text_written_at(place, text);
  if (!is_text(text)) fail(node, "{} is no UTF-8, which sweeps are written in", in_quotes(text));
  return node;
}

void put(YamlNode& map, const std::string& place, const std::string& key, YamlNode value) {
  if (const YamlNode* other = map.find(key)) {
    fail(value, "{} is given twice, first {}", in_quotes(key), place_text(*other));
  }
  map.keys.push_back(text_from(place, key));
  map.items.push_back(std::move(value));
}

/// "1,2,4" as three; a backslash takes a comma, or a backslash, as it is.
std::vector<std::string> values_of(std::string_view text) {
  std::vector<std::string> values(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char next = i + 1 < text.size() ? text[i + 1] : '\0';
    if (text[i] == ',') {
      values.emplace_back();
    } else {
      if (text[i] == '\\' && (next == ',' || next == '\\')) ++i;
      values.back() += text[i];
    }
  }
  return values;
}

YamlNode grid_of(const SweepWords& words) {
  YamlNode grid = node_from(kWhole, YamlNode::Kind::kMap);
  for (const auto& [name, values] : words.axes) {
    const std::string place = (words.is_typed_plainly ? "" : "-L ") + printable(name);
    YamlNode list = node_from(place, YamlNode::Kind::kList);
    for (const auto& value : values_of(values)) list.items.push_back(text_from(place, value));
    put(grid, place, name, std::move(list));
  }
  return grid;
}

/// The map of what an option says as NAME=VALUE, time after time.
YamlNode pairs_of(const char* option, const std::vector<std::string>& words) {
  YamlNode pairs = node_from(kWhole, YamlNode::Kind::kMap);
  for (const auto& word : words) {
    const auto equals = word.find('=');
    if (equals == std::string::npos)
      bad_input("{} {}: NAME=VALUE is meant", option, in_quotes(word));
    const std::string name = word.substr(0, equals);
    const std::string place = fmt::format("{} {}", option, printable(name));
    put(pairs, place, name, text_from(place, word.substr(equals + 1)));
  }
  return pairs;
}

bool is_of_a_name(char c) { return is_identifier("_" + std::string(1, c)) || c == '.' || c == '-'; }

/// "torchrun" of `X=1 /opt/bin/torchrun --nnodes 2`; what is no name is left out.
std::string program_of(std::string_view command) {
  for (std::string_view word : split(command, ' ')) {
    const auto equals = word.find('=');
    if (equals != std::string_view::npos && is_identifier(word.substr(0, equals))) continue;
    std::string name;
    for (const char c : word.substr(word.find_last_of('/') + 1)) {
      if (is_of_a_name(c)) name += c;
    }
    if (!name.empty()) return name;
  }
  return "command";
}

std::string name_of(const SweepWords& words) {
  constexpr std::size_t kDigits = 6;
  if (words.name) return *words.name;
  return program_of(words.command) + "-" + hash_of(words.command).substr(0, kDigits);
}

void put_word(YamlNode& root, const SweepWord& word, const std::string& value) {
  YamlNode node = text_from(word.option, value);
  if (word.keys.size() == 2) {
    YamlNode map = node_from(word.option, YamlNode::Kind::kMap);
    put(map, word.option, word.keys[1], std::move(node));
    node = std::move(map);
  }
  put(root, word.option, word.keys[0], std::move(node));
}

void check_complete(const SweepWords& words) {
  if (trim(words.command).empty()) {
    bad_input("a command is missing behind the options: -- 'python train.py --tp {{tp}}'");
  }
  if (words.axes.empty()) bad_input("there is nothing to sweep: -L NAME VALUES is missing");
}

/// What a sweep file would hold, each node with the option that it comes from as its place.
YamlNode root_of(const SweepWords& words) {
  check_complete(words);
  YamlNode root = node_from(kWhole, YamlNode::Kind::kMap);
  put(root, "--name", "sweep", text_from("--name", name_of(words)));
  for (const auto& word : sweep_words()) {
    const auto& value = words.*word.field;
    if (value && word.field != &SweepWords::name) put_word(root, word, *value);
  }
  put(root, kWhole, "command", text_from(kWhole, words.command));
  put(root, kWhole, "grid", grid_of(words));
  if (!words.fixed.empty()) put(root, kWhole, "fixed", pairs_of("--fixed", words.fixed));
  if (!words.derived.empty()) put(root, kWhole, "derive", pairs_of("--derive", words.derived));
  if (!words.scrape.empty()) put(root, kWhole, "scrape", pairs_of("--scrape", words.scrape));
  if (!words.where.empty()) {
    YamlNode where = node_from("--where", YamlNode::Kind::kList);
    for (const auto& clause : words.where) where.items.push_back(text_from("--where", clause));
    put(root, "--where", "where", std::move(where));
  }
  return root;
}

}  // namespace

const std::vector<SweepWord>& sweep_words() {
  static const std::vector<SweepWord> all{
      {"--name", "NAME", "of the sweep; without: from the command", &SweepWords::name, {"sweep"}},
      {"--cluster",
       "CLUSTER",
       "a name, or a path; without: local",
       &SweepWords::cluster,
       {"cluster"}},
      {"--gpus", "NUMBER", "of every point", &SweepWords::gpus, {"gpus"}},
      {"--model", "SIZE", "a name of sweeps/models", &SweepWords::model, {"model", "size"}},
      {"--iterations", "NUMBER", "of each run (20)", &SweepWords::iterations, {"iterations"}},
      {"--warmup", "WARMUP", "iterations to leave out, or auto", &SweepWords::warmup, {"warmup"}},
      {"--repeats",
       "NUMBER",
       "allocations in which each point is measured (1)",
       &SweepWords::repeats,
       {"repeats", "allocations"}},
      {"--pack", "PACK", "what a job measures: block, or point", &SweepWords::pack, {"pack"}},
      {"--run-time",
       "TIME",
       "what one run takes at most, or is stopped: 00:05:00, 5 min, predicted",
       &SweepWords::run_time,
       {"run_time"}},
      {"--stalled",
       "TIME",
       "a run is stopped whose log is silent for so long: 5 min",
       &SweepWords::stalled,
       {"stalled"}},
      {"--log",
       "FILE",
       "of its run's folder, {run_dir}, where the command writes its lines",
       &SweepWords::log,
       {"log"}}};
  return all;
}

Sweep load_sweep(const SweepWords& words) { return load_sweep(root_of(words), kWhole); }

std::string sweep_text(const SweepWords& words) { return yaml_text(root_of(words)); }

}  // namespace pippin

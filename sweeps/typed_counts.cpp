// SPDX-License-Identifier: Apache-2.0
#include "sweeps/typed_counts.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <utility>

#include "core/base/placeholders.h"
#include "core/base/text.h"
#include "sweeps/keys.h"

namespace pippin {

namespace {

struct Option {
  std::string_view words, key;
};

constexpr std::string_view kBatch = "gbs";  // which follows from gas

constexpr Option kOptions[] = {{"--tensor-model-parallel-size", "tp"},
                               {"--pipeline-model-parallel-size", "pp"},
                               {"--context-parallel-size", "cp"},
                               {"--micro-batch-size", "mbs"},
                               {"--global-batch-size", kBatch},
                               {"--num-layers", "layers"},
                               {"--hidden-size", "hidden"},
                               {"--num-attention-heads", "heads"},
                               {"--seq-length", "seq"}};

/// An option that a command has, and what stands behind it: a number, or "{batch}".
struct Typed {
  Option option;
  std::string value;
};

/// Those that may differ from their key: others stand behind `{tp}`, or what only bash knows.
std::vector<Typed> options_in(const std::string& command) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : command + " ") {
    const bool ends = c == ' ' || c == '\t' || c == '\n' || c == '=';
    if (ends && !word.empty()) words.push_back(std::exchange(word, ""));
    if (!ends && c != '"' && c != '\'') word += c;
  }
  std::vector<Typed> typed;
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    const auto* const option =
        std::find_if(std::begin(kOptions), std::end(kOptions),
                     [&](const Option& one) { return one.words == words[i]; });
    if (option == std::end(kOptions)) continue;
    const std::vector<Piece> pieces = placeholders(words[i + 1]);
    const bool is_one = pieces.size() == 1;
    if (is_one && pieces[0].is_name && pieces[0].text == option->key) continue;
    if (is_one && (pieces[0].is_name || parse_integer(pieces[0].text)))
      typed.push_back({*option, words[i + 1]});
  }
  return typed;
}

/// What bash gets there; empty where only a run knows it.
std::string value_at(const Typed& typed, const NamedValues& values) {
  const Piece piece = placeholders(typed.value).front();
  if (!piece.is_name) return piece.text;
  const Value* value = find_value(values, piece.text);
  return value ? value->text : "";
}

/// A count that the command types at a point, and that the point has otherwise.
struct Clash {
  Option option;
  std::string typed, point;
};

std::vector<Clash> clashes_at(const Point& point, const std::vector<Typed>& typed) {
  const NamedValues values = named_values(point);
  std::vector<Clash> clashes;
  for (const Typed& one : typed) {
    const Value* own = find_value(values, std::string(one.option.key));
    const std::string value = value_at(one, values);
    if (own && parse_integer(value) && parse_integer(value) != parse_integer(own->text))
      clashes.push_back({one.option, value, own->text});
  }
  return clashes;
}

/// "fixed: {tp: 4, mbs: 2}, derive: {gas: 64 / (mbs * dp)}"
std::string keys_of(const std::vector<Clash>& clashes) {
  std::vector<std::string> fixed, model, all;
  for (const Clash& one : clashes) {
    const std::string key(one.option.key);
    if (key != kBatch)
      (is_model_key(key) ? model : fixed).push_back(fmt::format("{}: {}", key, one.typed));
  }
  if (!model.empty()) all.push_back(fmt::format("model: {{{}}}", join(model, ", ")));
  if (!fixed.empty()) all.push_back(fmt::format("fixed: {{{}}}", join(fixed, ", ")));
  for (const Clash& one : clashes)
    if (one.option.key == kBatch)
      all.push_back(fmt::format("derive: {{gas: {} / (mbs * dp)}}", one.typed));
  return join(all, ", ");
}

/// "--fixed tp=4 --fixed mbs=2, and --fixed gas so that GBS is 64"
std::string words_of(const std::vector<Clash>& clashes) {
  std::vector<std::string> words;
  std::string batch;
  for (const Clash& one : clashes)
    if (one.option.key == kBatch)
      batch = fmt::format("--fixed gas so that GBS is {}", one.typed);
    else
      words.push_back(fmt::format("--fixed {}={}", one.option.key, one.typed));
  if (words.empty() || batch.empty()) return join(words, " ") + batch;
  return join(words, " ") + ", and " + batch;
}

}  // namespace

void check_typed_counts(const Draft& draft, const Sweep& sweep) {
  const YamlNode* command = draft.root.find("command");
  const std::vector<Typed> typed = command ? options_in(command->text) : std::vector<Typed>();
  if (typed.empty()) return;
  const bool is_file = command->line > 0;
  for (const Point& point : sweep.points) {
    const std::vector<Clash> clashes = clashes_at(point, typed);
    if (clashes.empty()) continue;
    std::vector<std::string> said, has, names;
    for (const Clash& one : clashes) {
      said.push_back(fmt::format("{} {}", one.option.words, one.typed));
      has.push_back(fmt::format("{} {}", one.option.key, one.point));
      names.push_back(fmt::format("{{{}}}", one.option.key));
    }
    fail(*command,
         "the command says {}, and point {} has {}; say so in the sweep ({}), or write {} in the "
         "command",
         join(said, " "), printable(point.name), join(has, ", "),
         is_file ? keys_of(clashes) : words_of(clashes), join(names, ", "));
  }
}

}  // namespace pippin

// SPDX-License-Identifier: Apache-2.0
#include "sweeps/typed_counts.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <utility>

#include "core/base/placeholders.h"
#include "core/base/shell_words.h"
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
  Piece value;
};

/// Of an option that stands twice the later one counts, as it does for argparse.
std::vector<Typed> options_in(const ShellWords& words) {
  std::vector<Typed> typed;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    const auto equals = word.find('=');
    const auto* const option =
        std::find_if(std::begin(kOptions), std::end(kOptions),
                     [&](const Option& one) { return one.words == word.substr(0, equals); });
    if (option == std::end(kOptions)) continue;
    std::erase_if(typed, [&](const Typed& one) { return one.option.key == option->key; });
    const std::string value = equals != std::string_view::npos
                                  ? std::string(word.substr(equals + 1))
                              : i + 1 < words.size() ? words[i + 1]
                                                     : "";
    const std::vector<Piece> pieces = placeholders(value);
    if (pieces.size() == 1) typed.push_back({*option, pieces.front()});
  }
  return typed;
}

/// Those of the one program that has any: of several nobody knows which one trains.
std::vector<Typed> options_in(const std::string& command) {
  std::vector<Typed> all;
  for (const ShellWords& words : shell_commands(command)) {
    std::vector<Typed> own = options_in(words);
    if (!own.empty() && !all.empty()) return {};
    if (!own.empty()) all = std::move(own);
  }
  return all;
}

/// A count that the command types at a point, and that the point has otherwise.
struct Clash {
  Option option;
  std::string source;  ///< "64", or the name of which it is the value
  std::string typed, point;
};

std::vector<Clash> clashes_at(const Point& point, const std::vector<Typed>& typed) {
  const NamedValues values = named_values(point);
  std::vector<Clash> clashes;
  for (const auto& [option, source] : typed) {
    const Value* own = find_value(values, std::string(option.key));
    const Value* named = source.is_name ? find_value(values, source.text) : nullptr;
    const std::string value = source.is_name ? (named ? named->text : "") : source.text;
    if (own && parse_integer(value) && parse_integer(value) != parse_integer(own->text))
      clashes.push_back({option, source.text, value, own->text});
  }
  return clashes;
}

/// "fixed: {tp: 4, mbs: 2}, derive: {gas: 64 / (mbs * dp)}"
std::string keys_of(const std::vector<Clash>& clashes) {
  std::vector<std::string> fixed, model, derived, all;
  for (const Clash& one : clashes) {
    const std::string key(one.option.key);
    const std::string entry = fmt::format("{}: {}", key, one.source);
    if (key == kBatch)
      derived.push_back(fmt::format("gas: {} / (mbs * dp)", one.source));
    else if (one.source != one.typed)
      derived.push_back(entry);
    else
      (is_model_key(key) ? model : fixed).push_back(entry);
  }
  const auto add = [&](std::string_view key, const std::vector<std::string>& entries) {
    if (!entries.empty()) all.push_back(fmt::format("{}: {{{}}}", key, join(entries, ", ")));
  };
  add("model", model);
  add("fixed", fixed);
  add("derive", derived);
  return join(all, ", ");
}

/// "--fixed tp=4 --fixed gas=…": what is an axis has to be written into the command.
std::string words_of(const std::vector<Clash>& clashes) {
  std::vector<std::string> words;
  for (const Clash& one : clashes) {
    if (one.source != one.typed) continue;
    words.push_back(one.option.key == kBatch
                        ? fmt::format("--derive 'gas={} / (mbs * dp)'", one.typed)
                        : fmt::format("--fixed {}={}", one.option.key, one.typed));
  }
  return join(words, " ");
}

}  // namespace

void check_typed_counts(const Draft& draft, const Sweep& sweep) {
  const YamlNode* command = draft.root.find("command");
  if (!command) return;
  const std::vector<Typed> typed = options_in(command->text);
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
    const std::string remedy = is_file ? keys_of(clashes) : words_of(clashes);
    fail(*command, "the command says {}, and point {} has {}; {}write {} in the command",
         join(said, " "), printable(point.name), join(has, ", "),
         remedy.empty() ? "" : fmt::format("say so in the sweep ({}), or ", remedy),
         join(names, ", "));
  }
}

}  // namespace pippin

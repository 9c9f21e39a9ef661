// SPDX-License-Identifier: Apache-2.0
#include "sweeps/name_checks.h"

#include <algorithm>
#include <map>

#include "core/base/placeholders.h"
#include "core/base/text.h"
#include "sweeps/keys.h"

namespace pippin {

namespace {

using Names = std::vector<std::string>;

constexpr std::string_view kPrefix = "PIPPIN_";
constexpr std::size_t kLongestName = 60;  // in a message; the search for a near one is quadratic

void append(Names& names, const Names& more) {
  names.insert(names.end(), more.begin(), more.end());
}

bool contains(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// What an expression may read.
Names variables_of(const Draft& draft) {
  Names names = draft.own_axes();
  append(names, layout_key_names());
  append(names, model_key_names());
  append(names, computed_names());
  return names;
}

const YamlNode& place_of(const Draft& draft, const std::string& own_name) {
  const auto axis = draft.axes.places.find(own_name);
  if (axis != draft.axes.places.end()) return axis->second;
  return std::find_if(draft.derive.begin(), draft.derive.end(),
                      [&](const Formula& formula) { return formula.name == own_name; })
      ->place;
}

/// Every own name reaches the environment in capitals: two must not meet there.
void check_own_names(const Draft& draft) {
  std::map<std::string, std::string> in_environment;
  for (const auto& name : draft.own_axes()) {
    const YamlNode& place = place_of(draft, name);
    const std::string why = why_reserved(name);
    if (!why.empty()) fail(place, "{} cannot be the name of an axis: {}", in_quotes(name), why);
    const auto [same, is_new] = in_environment.emplace(lower(name), name);
    if (!is_new) {
      fail(place, "{} and {} are one name in the environment, PIPPIN_...", in_quotes(same->second),
           in_quotes(name));
    }
  }
}

void check_derived_names(const Draft& draft) {
  for (const auto& formula : draft.derive) {
    if (formula.name == "size" || formula.name == "style") {
      fail(formula.place, "derive: {} cannot be worked out", formula.name);
    }
    if (draft.gives(formula.name)) {
      fail(formula.place, "derive: {} is given already", in_quotes(formula.name));
    }
  }
}

void check_variables(const Formula& formula, const Names& known) {
  for (const auto& name : formula.expression.names()) {
    if (contains(known, name)) continue;
    const std::string meant = did_you_mean(std::string_view(name).substr(0, kLongestName), known);
    fail(formula.place, "unknown variable {} in '{}'{}", in_quotes(name),
         printable(formula.expression.text()), meant.empty() ? "; a text stands in quotes" : meant);
  }
}

/// What a text reads of the environment as $PIPPIN_NAME or ${PIPPIN_NAME…: "PIPPIN_NAME".
Names variables_read(std::string_view text) {
  Names names;
  for (auto at = text.find('$'); at != std::string_view::npos; at = text.find('$', at)) {
    at += text.substr(at).starts_with("${") ? 2 : 1;
    std::size_t end = at;
    while (end < text.size() && is_identifier("_" + std::string(1, text[end]))) ++end;
    if (text.substr(at, end - at).starts_with(kPrefix)) {
      names.emplace_back(text.substr(at, end - at));
    }
  }
  return names;
}

std::string variable_of(const std::string& name) {
  std::string variable(kPrefix);
  for (const char c : name) variable += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return variable;
}

struct Template {
  std::string what, text;
  YamlNode place;
};

std::vector<Template> environment_of(const Draft& draft, const Sweep& sweep) {
  std::vector<Template> all;
  const auto* env = draft.root.find("env");
  for (std::size_t i = 0; env && i < env->keys.size(); ++i) {
    all.push_back({"env: " + env->keys[i].text, env->items[i].text, env->items[i]});
  }
  const auto* cluster = draft.root.find("cluster");
  for (const auto& entry : sweep.cluster.env) {
    all.push_back(
        {"the cluster's env: " + entry.first, entry.second, cluster ? *cluster : draft.root});
  }
  return all;
}

void read_placeholders(Draft& draft, const Template& each, const Names& known, Names& used) {
  for (const auto& piece : placeholders(each.text)) {
    if (!piece.is_name) continue;
    const std::string name = printable(piece.text.substr(0, kLongestName));
    if (!contains(known, piece.text)) {
      const std::string meant = did_you_mean(name, known);
      fail(each.place, "{} uses {{{}}}, which nothing defines{}", each.what, name,
           meant.empty() ? fmt::format("; for the text itself write {{{{{}}}}}", name) : meant);
    }
    draft.uses.push_back({piece.text, each.what, each.place});
    used.push_back(piece.text);
  }
}

/// A variable that begins with PIPPIN_ is ours: what is none of them is a typo, and empty to bash.
void read_variables(const Template& command, const Names& known, Names& used) {
  Names variables;
  for (const auto& name : known) variables.push_back(variable_of(name));
  for (const auto& variable : variables_read(command.text)) {
    const auto found = std::find(variables.begin(), variables.end(), variable);
    if (found == variables.end()) {
      const std::string_view name = std::string_view(variable).substr(0, kLongestName);
      fail(command.place, "{} uses ${}, which nothing sets{}", command.what, name,
           did_you_mean(name, variables));
    }
    used.push_back(known[static_cast<std::size_t>(found - variables.begin())]);
  }
}

void read_command(Draft& draft, Names& used) {
  const auto* node = draft.root.find("command");
  if (!node) return;
  const Template command{"the command", node->text, *node};
  Names names = variables_of(draft);
  append(names, run_names());
  read_placeholders(draft, command, names, used);
  append(names, environment_names());
  for (const auto& name : bash_names()) {
    if (name != "run_dir") std::erase(names, name);
  }
  read_variables(command, names, used);
}

/// Values of an environment are data: bash fills nothing in.
void read_environment_uses(Draft& draft, const Sweep& sweep, Names& used) {
  Names names = variables_of(draft);
  append(names, run_names());
  for (const auto& name : bash_names()) std::erase(names, name);
  for (const auto& each : environment_of(draft, sweep)) {
    for (const auto& variable : variables_read(each.text)) {
      fail(each.place, "{} is data, in which bash does not fill in ${}; write {{{}}}", each.what,
           variable.substr(0, kLongestName), lower(variable.substr(kPrefix.size(), kLongestName)));
    }
    read_placeholders(draft, each, names, used);
  }
}

/// What changes with a key of layout or model, beside itself.
Names names_that_follow(const std::string& key) {
  if (is_model_key(key)) {
    Names names{"params", "padded_vocab"};
    if (key == "size") append(names, model_count_names());
    return names;
  }
  if (key == "mbs" || key == "gas") return {"gbs"};
  Names names{"dp",    "gpus",  "gbs",           "padded_vocab",
              "ranks", "nodes", "gpus_per_node", "ranks_per_node",
              "launch"};
  return names;
}

/// Whether an axis takes more than one value.
bool varies(const Axes& axes, const std::string& name) {
  for (const auto& dimension : axes.dimensions) {
    if (contains(dimension.names, name)) return dimension.rows.size() > 1;
  }
  return false;
}

/// Whether a job on a cluster has other nodes for another value.
bool shapes_the_job(const Draft& draft, const Sweep& sweep, const std::string& name) {
  const Names shaping{"tp", "pp", "dp", "cp", "gpus"};
  return sweep.cluster.scheduler != "local" && contains(shaping, name) &&
         (name == "gpus" || !draft.gives("gpus"));
}

/// A command that is the same at all points of an axis measures one thing under several names.
void check_command_uses(const Draft& draft, const Sweep& sweep, Names used) {
  for (const auto& formula : draft.derive) append(used, formula.expression.names());
  for (const auto& name : draft.axes.names) {
    if (!is_known_key(name) || !varies(draft.axes, name) || contains(used, name)) continue;
    if (shapes_the_job(draft, sweep, name)) continue;
    const Names others = names_that_follow(name);
    const bool follows = std::any_of(others.begin(), others.end(),
                                     [&](const auto& other) { return contains(used, other); });
    if (follows) continue;
    fail(place_of(draft, name),
         "the command is the same for every {}: it uses neither {{{}}} nor what follows from it",
         name, name);
  }
}

void check_axes_used(const Draft& draft, Names used) {
  for (const auto* formulas : {&draft.derive, &draft.where}) {
    for (const auto& formula : *formulas) {
      append(used, formula.expression.names());
    }
  }
  Names known = layout_key_names();
  append(known, model_key_names());
  if (draft.probe) append(known, draft.probe->options);
  append(known, used);
  for (const auto& name : draft.axes.names) {
    const bool is_used = is_known_key(name) || contains(used, name) ||
                         (draft.probe && contains(draft.probe->options, name));
    if (is_used) continue;
    const std::string by =
        draft.probe
            ? fmt::format("probe {}, env, derive and where do not know it", draft.probe->name)
            : "the command, env, derive and where do not know it";
    const std::string meant = did_you_mean(std::string_view(name).substr(0, kLongestName), known);
    fail(place_of(draft, name), "nothing uses axis {}: {}{}", in_quotes(name), by, meant);
  }
}

/// Where a file says what `name` is; null where it does not.
const YamlNode* place_where_given(const Draft& draft, const std::string& name) {
  if (draft.axes.has(name) || draft.derives(name)) return &place_of(draft, name);
  const YamlNode* model = draft.root.find("model");
  for (std::size_t i = 0; model && i < model->keys.size(); ++i) {
    if (model->keys[i].text == name) return &model->keys[i];
  }
  return nullptr;
}

/// What a file says of a point must reach the probe.
void check_probe_keys(const Draft& draft) {
  Names keys = layout_key_names();
  append(keys, model_key_names());
  const YamlNode* model = draft.root.find("model");
  if (model && !draft.probe->takes("hidden"))
    fail(*model, "probe {} has no model", draft.probe->name);
  for (const auto& key : keys) {
    if (key == "gpus" || (key == "size" && draft.probe->takes("hidden"))) continue;
    const YamlNode* place = place_where_given(draft, key);
    if (place && !draft.probe->takes(key))
      fail(*place, "probe {} has no option {}", draft.probe->name, key);
  }
}

}  // namespace

void check_names(Draft& draft, const Sweep& sweep) {
  check_own_names(draft);
  check_derived_names(draft);
  const Names variables = variables_of(draft);
  for (const auto& formula : draft.derive) check_variables(formula, variables);
  for (const auto& formula : draft.where) check_variables(formula, variables);
  Names used;
  read_command(draft, used);
  read_environment_uses(draft, sweep, used);
  check_axes_used(draft, used);
  if (!draft.probe) check_command_uses(draft, sweep, std::move(used));
  if (draft.probe) check_probe_keys(draft);
}

}  // namespace pippin

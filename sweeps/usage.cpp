#include "sweeps/usage.h"

#include <algorithm>
#include <map>

#include "harness/base/placeholders.h"
#include "harness/base/text.h"
#include "sweeps/keys.h"

namespace pippin {

namespace {

using Names = std::vector<std::string>;

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
    const std::string meant = did_you_mean(std::string_view(name).substr(0, 60), known);
    fail(formula.place, "unknown variable {} in '{}'{}", in_quotes(name),
         printable(formula.expression.text()), meant.empty() ? "; a text stands in quotes" : meant);
  }
}

/// The names that a text reads as $PIPPIN_NAME or ${PIPPIN_NAME}, in lower case.
Names environment_names(std::string_view text) {
  constexpr std::string_view kPrefix = "PIPPIN_";
  Names names;
  for (auto at = text.find(kPrefix); at != std::string_view::npos; at = text.find(kPrefix, at)) {
    at += kPrefix.size();
    std::size_t end = at;
    while (end < text.size() && is_identifier("_" + std::string(1, text[end]))) ++end;
    names.push_back(lower(text.substr(at, end - at)));
  }
  return names;
}

struct Template {
  std::string what, text;
  YamlNode place;
};

std::vector<Template> templates_of(const Draft& draft, const Sweep& sweep) {
  std::vector<Template> all;
  if (const auto* command = draft.root.find("command")) {
    all.push_back({"the command", command->text, *command});
  }
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

void read_uses(Draft& draft, const Sweep& sweep, Names& used) {
  Names known = variables_of(draft);
  append(known, run_names());
  for (const auto& each : templates_of(draft, sweep)) {
    append(used, environment_names(each.text));
    for (const auto& piece : placeholders(each.text)) {
      if (!piece.is_name) continue;
      if (!contains(known, piece.text)) {
        const std::string meant = did_you_mean(std::string_view(piece.text).substr(0, 60), known);
        fail(each.place, "{} uses {{{}}}, which nothing defines{}", each.what,
             printable(piece.text.substr(0, 60)),
             meant.empty() ? fmt::format("; for the text itself write {{{{{}}}}}",
                                         printable(piece.text.substr(0, 60)))
                           : meant);
      }
      draft.uses.push_back({piece.text, each.what, each.place});
      used.push_back(lower(piece.text));
    }
  }
}

void check_axes_used(const Draft& draft, Names used) {
  for (const auto* formulas : {&draft.derive, &draft.where}) {
    for (const auto& formula : *formulas) {
      for (const auto& name : formula.expression.names()) used.push_back(lower(name));
    }
  }
  Names known = layout_key_names();
  append(known, model_key_names());
  if (draft.probe) append(known, draft.probe->options);
  append(known, used);
  for (const auto& name : draft.axes.names) {
    const bool is_used = is_known_key(name) || contains(used, lower(name)) ||
                         (draft.probe && contains(draft.probe->options, name));
    if (is_used) continue;
    const std::string by =
        draft.probe
            ? fmt::format("probe {}, env, derive and where do not know it", draft.probe->name)
            : "the command, env, derive and where do not know it";
    const std::string meant = did_you_mean(std::string_view(name).substr(0, 60), known);
    fail(place_of(draft, name), "nothing uses axis {}: {}{}", in_quotes(name), by, meant);
  }
}

/// What a file says of a point must reach the probe.
void check_probe_keys(const Draft& draft) {
  for (const char* name : {"cp", "kv_heads"}) {
    if (!draft.axes.has(name) || contains(draft.probe->options, name)) continue;
    fail(draft.axes.places.at(name), "probe {} has no option {}", draft.probe->name, name);
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
  read_uses(draft, sweep, used);
  check_axes_used(draft, std::move(used));
  if (draft.probe) check_probe_keys(draft);
}

}  // namespace pippin

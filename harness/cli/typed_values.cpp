// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/typed_values.h"

#include <algorithm>

#include "core/base/placeholders.h"
#include "core/base/text.h"
#include "db/names.h"
#include "harness/commands/steps/days.h"
#include "harness/commands/steps/directories.h"
#include "harness/commands/steps/sweep_source.h"
#include "reports/column_names.h"
#include "reports/contents.h"
#include "reports/format.h"
#include "reports/plan.h"
#include "reports/plot/plots.h"
#include "reports/presets.h"
#include "reports/show/sheet.h"
#include "sweeps/accelerators.h"
#include "sweeps/cluster_file.h"
#include "sweeps/keys.h"
#include "sweeps/models.h"
#include "sweeps/sweep_file.h"

namespace pippin {

namespace {

using Candidates = std::vector<Candidate>;

Candidates described(const std::vector<std::string>& names, const std::string& what) {
  Candidates all;
  for (const auto& name : names) all.push_back({name, what});
  return all;
}

void append(Candidates& all, const Candidates& more) {
  all.insert(all.end(), more.begin(), more.end());
}

template <NameKind kind>
Candidates stored(const TypedValue& value) {
  Candidates all;
  for (const auto& known : names_in(value.database, kind, value.word))
    all.push_back({known.name, known.what});
  return all;
}

/// Sweeps of which there is a folder; one that was only begun is in no database yet.
Candidates begun_sweeps(const TypedValue& value) {
  Candidates all = stored<NameKind::kSweeps>(value);
  for (const auto& folder : disk().list(runs_directory(value.database))) {
    if (!folder.starts_with('.')) all.push_back({folder, "sweep"});
  }
  return all;
}

bool always(const fs::path&) { return true; }
bool is_yaml(const fs::path& file) {
  return file.extension() == ".yaml" || file.extension() == ".yml";
}
bool is_markdown(const fs::path& file) { return file.extension() == ".md"; }

/// Files that are `wanted`, and folders on the way to some.
template <bool (*wanted)(const fs::path&)>
Candidates files(const TypedValue& value) {
  const fs::path folder = fs::path(value.word).parent_path();
  const std::string typed = fs::path(value.word).filename().string();
  Candidates all;
  std::error_code error;
  for (fs::directory_iterator entry(folder.empty() ? fs::path(".") : folder, error), end;
       !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with('.') && !typed.starts_with('.')) continue;
    std::error_code none;
    const bool is_folder = entry->is_directory(none);
    if (is_folder || wanted(entry->path()))
      all.push_back({(folder / name).string() + (is_folder ? "/" : ""), ""});
  }
  std::sort(all.begin(), all.end(),
            [](const Candidate& a, const Candidate& b) { return a.word < b.word; });
  return all;
}

Candidates clusters(const TypedValue& value) {
  Candidates all = described(cluster_names(), "cluster");
  append(all, files<is_yaml>(value));
  return all;
}

Candidates sizes(const TypedValue&) { return described(model_names(), "model"); }

/// Points of the sweep file on the line, else of the database.
Candidates points(const TypedValue& value) {
  if (value.sweep_file.empty()) return stored<NameKind::kPoints>(value);
  Candidates all;
  for (const auto& point : load_sweep(value.sweep_file).points) all.push_back({point.name, ""});
  return all;
}

bool is_database(const fs::path& path) { return path.extension() == ".db"; }

/// What can be compared.
Candidates sides(const TypedValue& value) {
  Candidates all = stored<NameKind::kSelections>(value);
  append(all, {{"today", "UTC"}, {"yesterday", "UTC"}});
  for (const auto& day : weekdays()) append(all, {{day, "the last one, UTC"}});
  append(all, stored<NameKind::kPoints>(value));
  append(all, files<is_database>(value));
  return all;
}

/// What a point can be told apart by: keys of layout and model, then axes.
Candidates axes(const TypedValue& value) {
  Candidates all = described(layout_key_names(), "layout");
  append(all, described(model_key_names(), "model"));
  if (!value.sweep_file.empty()) {
    append(all, described(load_sweep(value.sweep_file).own_axes, "axis"));
  } else {
    append(all, stored<NameKind::kAxes>(value));
  }
  return all;
}

Candidates columns(const TypedValue& value) {
  Candidates all;
  for (const auto& column : column_names()) all.push_back({column.name, column.title});
  append(all, axes(value));
  return all;
}

/// What a report can be drawn as.
Candidates plots(const TypedValue& value) {
  Candidates all{{kTimePlot, "every run"}, {kScalingPlot, "over GPUs"}};
  append(all, axes(value));
  return all;
}

/// What a condition on points may read.
Candidates variables(const TypedValue& value) {
  Candidates all = axes(value);
  append(all, described(computed_names(), "computed"));
  return all;
}

/// What a clause over the rows of a table may name.
Candidates table_variables(const TypedValue& value) {
  Candidates all = variables(value);
  append(all, columns(value));
  return all;
}

/// The first of an axis and its values.
Candidates axis_names(const TypedValue& value) {
  return value.part == 0 ? axes(value) : Candidates();
}

Candidates fixed_axes(const TypedValue& value) {
  Candidates all = axes(value);
  for (auto& axis : all) axis.word += "=";
  return all;
}

/// The last name of a list or an expression: "tp,m" and "dp > 1 && m" go on alike.
template <Candidates (*names)(const TypedValue&)>
Candidates last_name(const TypedValue& value) {
  std::size_t begin = value.word.size();
  while (begin > 0 && is_identifier("_" + value.word.substr(begin - 1, 1))) --begin;
  TypedValue last = value;
  last.word = value.word.substr(begin);
  Candidates all = names(last);
  for (auto& name : all) name.word = value.word.substr(0, begin) + name.word;
  return all;
}

template <typename Formats>
Candidates names_of(const Formats& formats) {
  Candidates all;
  for (const auto& format : formats) all.push_back({format.name, "format"});
  return all;
}

struct Type {
  std::string name;  ///< as help shows it; with the command in front where that matters
  Candidates (*candidates)(const TypedValue&);
};

const std::vector<Type>& types() {
  static const std::vector<Type> kTypes{
      {"SWEEP.yaml", files<is_yaml>},
      {"NOTES.md", files<is_markdown>},
      {"FILE", files<always>},
      {"PATH", files<always>},
      {"SWEEP", stored<NameKind::kSelections>},
      {"BASE", sides},
      {"NEW", sides},
      {"OTHER.db", files<is_database>},
      {"status SWEEP", begun_sweeps},
      {"cancel SWEEP", begun_sweeps},
      {"update SWEEP", begun_sweeps},
      {"drop NAME",
       [](const TypedValue& value) {
         Candidates all = stored<NameKind::kSelections>(value);
         append(all, stored<NameKind::kRuns>(value));
         return all;
       }},
      {"show NAME",
       [](const TypedValue& value) {
         Candidates all = stored<NameKind::kSelections>(value);
         for (const auto& more : {stored<NameKind::kPoints>(value), stored<NameKind::kNodes>(value),
                                  stored<NameKind::kRuns>(value)})
           append(all, more);
         return all;
       }},
      {"KIND",
       [](const TypedValue&) {
         return described({"run", "point", "sweep", "node"}, "");
       }},
      {"show FORMAT", [](const TypedValue&) { return names_of(sheet_formats()); }},
      {"OLD",
       [](const TypedValue& value) {
         Candidates all = stored<NameKind::kSweeps>(value);
         append(all, stored<NameKind::kTags>(value));
         return all;
       }},
      {"rename NEW", [](const TypedValue&) { return Candidates(); }},
      {"CAMPAIGN", stored<NameKind::kCampaigns>},
      {"TAG", stored<NameKind::kTags>},
      {"RUN", stored<NameKind::kRuns>},
      {"POINT", points},
      {"AXIS", axes},
      {"COLUMN", last_name<columns>},
      {"PLOT", last_name<plots>},
      {"report EXPRESSION", last_name<table_variables>},
      {"EXPRESSION", last_name<variables>},
      {"NAME VALUES", axis_names},
      {"NAME=VALUE", fixed_axes},
      {"NAME=EXPRESSION", fixed_axes},
      {"CLUSTER", clusters},
      {"ACTION",
       [](const TypedValue&) {
         return Candidates{{"build", "with the compiler of this machine"}};
       }},
      {"LIBRARY",
       [](const TypedValue&) {
         return described({"mpi", "cuda"}, "the probes must have it");
       }},
      {"SIZE", sizes},
      {"FORMAT", [](const TypedValue&) { return names_of(formats()); }},
      {"plan FORMAT", [](const TypedValue&) { return names_of(plan_formats()); }},
      {"list FORMAT", [](const TypedValue&) { return names_of(contents_formats()); }},
      {"VERDICT",
       [](const TypedValue&) {
         return Candidates{{"slower", ""}, {"changed", "faster or slower"}};
       }},
      {"SAMPLES",
       [](const TypedValue&) {
         return Candidates{{"clean", ""}, {"all", ""}};
       }},
      {"PRESET",
       [](const TypedValue&) {
         Candidates all;
         for (const auto& preset : presets()) all.push_back({preset.name, preset.purpose});
         return all;
       }},
      {"ACCELERATOR",
       [](const TypedValue&) { return described(accelerator_names(), "accelerator"); }},
      {"BY",
       [](const TypedValue&) {
         return described({"point", "campaign", "day", "allocation", "run"}, "");
       }},
      {"FORMULA",
       [](const TypedValue&) {
         return described({"params", "hardware", "model", "megatron", "palm"}, "formula");
       }},
      {"PACK",
       [](const TypedValue&) {
         return Candidates{{"block", "a job measures all points of a node count"},
                           {"point", "a job measures one point"}};
       }},
      {"WARMUP",
       [](const TypedValue&) {
         return Candidates{{"auto", "found by statistics"}};
       }},
  };
  return kTypes;
}

const Type* find_type(const std::string& name) {
  const auto found = std::find_if(types().begin(), types().end(),
                                  [&](const Type& type) { return type.name == name; });
  return found == types().end() ? nullptr : &*found;
}

/// A type that says its values itself: "INT:{3,4}".
Candidates listed(const std::string& type) {
  const auto begin = type.find('{'), end = type.rfind('}');
  Candidates all;
  if (begin == std::string::npos || end == std::string::npos) return all;
  for (const auto value : split(std::string_view(type).substr(begin + 1, end - begin - 1), ','))
    all.push_back({std::string(value), ""});
  return all;
}

}  // namespace

std::vector<Candidate> candidates(const TypedValue& value) {
  const Type* type = find_type(value.command + " " + value.type);
  if (!type) type = find_type(value.type);
  return type ? type->candidates(value) : listed(value.type);
}

}  // namespace pippin

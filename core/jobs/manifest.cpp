// SPDX-License-Identifier: Apache-2.0
#include "core/jobs/manifest.h"

#include <nlohmann/json.hpp>
#include <set>

#include "core/base/error.h"
#include "core/base/moderate_json.h"
#include "core/base/text.h"
#include "core/records/fields.h"

namespace pippin {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kFormat = 2;

void put(Json& json, const char* name, const Count& count) {
  if (count) json[name] = *count;
}

/// Throws what Json does where it is none: a get() casts fractions, and what no cast can hold.
std::int64_t whole(const Json& number) { return number.get_ref<const std::int64_t&>(); }

Count count_of(const Json& json, const char* name) {
  const auto found = json.find(name);
  return found == json.end() ? std::nullopt : Count(whole(*found));
}

template <typename Owner, typename Fields>
void put_counts(Json& json, const Owner& owner, const Fields& fields) {
  for (const auto& field : fields) put(json, field.name.data(), owner.*field.count);
}

template <typename Owner, typename Fields>
void read_counts(const Json& json, Owner& owner, const Fields& fields) {
  for (const auto& field : fields) owner.*field.count = count_of(json, field.name.data());
}

Json pairs_of(const NamedValues& values) {
  Json pairs = Json::array();
  for (const auto& [name, value] : values) pairs.push_back({name, value.text});
  return pairs;
}

NamedValues pairs_in(const Json& pairs) {
  NamedValues values;
  for (const auto& pair : pairs)
    values.emplace_back(pair.at(0), value_of(pair.at(1).get<std::string>()));
  return values;
}

Json json_of(const Model& model) {
  Json json{{"size", model.size}, {"style", model.style}};
  put_counts(json, model, kModelFields);
  return json;
}

Model model_of(const Json& json) {
  Model model;
  model.size = json.at("size");
  model.style = json.at("style");
  read_counts(json, model, kModelFields);
  return model;
}

Json json_of(const Layout& layout) {
  Json json = Json::object();
  put_counts(json, layout, kLayoutFields);
  return json;
}

Layout layout_of(const Json& json) {
  Layout layout;
  read_counts(json, layout, kLayoutFields);
  return layout;
}

Json json_of(const Point& point) {
  Json axes = Json::array();
  for (const auto& axis : point.axes) {
    axes.push_back(
        {axis.first, axis.second.text, axis.second.number ? Json(*axis.second.number) : Json()});
  }
  return {{"id", point.id},
          {"name", point.name},
          {"trainer", point.trainer},
          {"model", json_of(point.model)},
          {"layout", json_of(point.layout)},
          {"axes", axes}};
}

Point point_of(const Json& json) {
  Point point{json.at("id"),
              json.at("name"),
              json.at("trainer"),
              model_of(json.at("model")),
              layout_of(json.at("layout")),
              {}};
  for (const auto& axis : json.at("axes")) {
    const auto number =
        axis.at(2).is_null() ? std::nullopt : std::optional(axis.at(2).get<double>());
    point.axes.emplace_back(axis.at(0), Value{axis.at(1), number});
  }
  return point;
}

Json json_of(const PlannedJob& job) {
  Json runs = Json::array();
  for (const auto& run : job.runs) {
    runs.push_back({{"name", run.name},
                    {"point", run.point_id},
                    {"repeat", run.repeat},
                    {"position", run.position}});
    if (run.is_reference) runs.back()["reference"] = true;
    if (run.left) runs.back()["left"] = true;
  }
  Json json{{"name", job.name}, {"allocation", job.allocation}, {"nodes", job.nodes}};
  put(json, "time_s", job.time_s);  // manifests before 0.2 have none
  json["runs"] = runs;
  return json;
}

PlannedJob job_of(const Json& json) {
  PlannedJob job{json.at("name"),
                 whole(json.at("allocation")),
                 whole(json.at("nodes")),
                 {},
                 count_of(json, "time_s")};
  for (const auto& run : json.at("runs")) {
    job.runs.push_back({run.at("name"), run.at("point"), whole(run.at("repeat")),
                        whole(run.at("position")), run.value("reference", false),
                        run.value("left", false)});
  }
  return job;
}

constexpr const char* kRemedy =
    "move it away, and 'pippin run' (from the second campaign on with --again) makes it again from "
    "the sweep file; what is done stays done";

/// What could not be planned is not read as a plan: it would be computed with.
void check_counts(const Campaign& campaign, const std::string& where) {
  const auto check = [&](std::string_view name, const Count& count, std::int64_t least = 0) {
    constexpr std::int64_t kMost = 1'000'000'000;
    if (count && (*count < least || *count > kMost))
      bad_input("{}: is damaged: {} {}; {}", where, name, *count, kRemedy);
  };
  const auto check_point = [&](const Point& point) {
    for_each_count(point, [&](std::string_view name, const Count& count) {
      if (count && !is_possible(name, *count))
        bad_input("{}: is damaged: {} {} of point '{}'; {}", where, name, *count,
                  printable(point.name), kRemedy);
    });
  };
  for (const auto& point : campaign.points) check_point(point);
  for (const auto& drop : campaign.dropped) check_point(drop.point);
  check("campaign", campaign.number, 1);
  check("files_late_s", campaign.files_late_s);
  check("warmup", campaign.warmup);
  for (const auto& job : campaign.jobs) {
    check("allocation", job.allocation);
    check("nodes", job.nodes);
    check("time_s", job.time_s);
    for (const auto& run : job.runs) {
      check("repeat", run.repeat);
      check("position", run.position);
    }
  }
}

void check_points(const Campaign& campaign, const std::string& where) {
  std::set<std::string> ids;
  for (const auto& point : campaign.points) ids.insert(point.id);
  for (const auto& job : campaign.jobs) {
    for (const auto& run : job.runs) {
      if (!ids.count(run.point_id))
        bad_input("{}: is damaged: no point of run '{}'; {}", where, run.name, kRemedy);
    }
  }
}

}  // namespace

std::string manifest_of(const Campaign& campaign) {
  Json points = Json::array(), dropped = Json::array(), jobs = Json::array();
  for (const auto& point : campaign.points) points.push_back(json_of(point));
  for (const auto& drop : campaign.dropped) {
    dropped.push_back({{"point", json_of(drop.point)}, {"reason", drop.reason}});
  }
  for (const auto& job : campaign.jobs) jobs.push_back(json_of(job));
  Json json{{"format", kFormat}, {"sweep", campaign.sweep}, {"campaign", campaign.number}};
  json["started"] = campaign.started;
  json["cluster"] = campaign.cluster;
  json["accelerator"] = campaign.accelerator;
  json["peak_tflops"] = campaign.peak_tflops;
  json["scheduler"] = campaign.scheduler;
  json["files_late_s"] = campaign.files_late_s;
  if (!campaign.exclude.empty()) json["exclude"] = campaign.exclude;
  if (!campaign.nodelist.empty()) json["nodelist"] = campaign.nodelist;
  json["order"] = campaign.order;
  json["seed"] = campaign.seed;
  if (campaign.warmup) json["warmup"] = *campaign.warmup;
  if (!campaign.scrape.empty()) json["scrape"] = pairs_of(campaign.scrape);
  if (!campaign.log.empty()) json["log"] = campaign.log;
  json["points"] = points;
  json["dropped"] = dropped;
  json["jobs"] = jobs;
  return json.dump(1) + "\n";
}

Campaign campaign_of(const std::string& manifest, const std::string& where) {
  try {
    constexpr std::size_t kMostValues = 100'000'000;  // of a hundred thousand points
    if (!is_moderate_json(manifest, kMostValues))
      bad_input("{}: is no campaign of pippin's; {}", where, kRemedy);
    const Json json = Json::parse(manifest);
    if (json.at("format") != kFormat) {
      bad_input("{}: written by another version of pippin (format {})", where,
                json.at("format").dump());
    }
    Campaign campaign;
    campaign.sweep = json.at("sweep");
    campaign.number = whole(json.at("campaign"));
    campaign.started = json.at("started");
    campaign.cluster = json.at("cluster");
    campaign.accelerator = json.value("accelerator", "");  // manifests before 0.2 have neither
    campaign.peak_tflops = json.value("peak_tflops", PeakTflops{});
    campaign.scheduler = json.at("scheduler");
    const std::int64_t usual_s = campaign.scheduler == "local" ? 0 : kFilesLate_s;
    campaign.files_late_s = count_of(json, "files_late_s").value_or(usual_s);  // none before 0.3
    campaign.exclude = json.value("exclude", campaign.exclude);
    campaign.nodelist = json.value("nodelist", campaign.nodelist);
    campaign.order = json.at("order");
    campaign.seed = static_cast<std::uint64_t>(whole(json.at("seed")));
    campaign.warmup = count_of(json, "warmup");
    if (json.contains("scrape")) campaign.scrape = pairs_in(json.at("scrape"));
    campaign.log = json.value("log", "");
    for (const auto& point : json.at("points")) campaign.points.push_back(point_of(point));
    for (const auto& drop : json.at("dropped")) {
      campaign.dropped.push_back({point_of(drop.at("point")), drop.at("reason")});
    }
    for (const auto& job : json.at("jobs")) campaign.jobs.push_back(job_of(job));
    check_counts(campaign, where);
    check_points(campaign, where);
    return campaign;
  } catch (const Json::exception& error) {
    // Behind the library's name for it: "[json.exception.type_error.302] type must be …".
    const std::string_view words = error.what();
    const auto name = words.find("] ");
    bad_input("{}: is damaged, or no campaign of pippin's: {}; {}", where,
              printable(name == std::string_view::npos ? words : words.substr(name + 2)), kRemedy);
  }
}

}  // namespace pippin

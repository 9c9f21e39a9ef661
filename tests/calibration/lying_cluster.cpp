// SPDX-License-Identifier: Apache-2.0
#include "tests/calibration/lying_cluster.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <numeric>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/records/point.h"

namespace pippin::calibration {

namespace {

constexpr double kHour = 3600, kDay = 86400, kHoursOfADay = 24, kPeakHour = 15;
constexpr std::int64_t kBegin = 1767225600;  // 2026-01-01, UTC
constexpr double kComputeMs = 700, kNetworkMs = 300, kMoreOfARow = 0.1;
constexpr std::size_t kSlowGpu = 6, kSlowNetwork = 11, kLinkFrom = 1, kLinkTo = 2;
constexpr std::int64_t kGpusOfANode = 4;

std::string node_name(std::size_t node) { return fmt::format("n{:02}", node + 1); }

Point point_of(std::int64_t row, const Lies& lies) {
  Point point;
  point.trainer = "training";
  point.name = fmt::format("mbs{}", row + 1);
  point.layout.tp = 1;
  point.layout.pp = 1;
  point.layout.mbs = row + 1;
  point.layout.gas = 1;
  point.layout.gpus = point.layout.dp = lies.per_job * kGpusOfANode;
  point.layout.gbs = (row + 1) * lies.per_job * kGpusOfANode;
  point.id = point_id(point);
  return point;
}

/// One allocation: where and when it was, and how the machine was then.
struct Job {
  std::int64_t campaign = 1, number = 1;
  std::int64_t begun_at = 0;
  std::vector<std::size_t> nodes;
  double level = 0;       ///< ln, of all that it ran
  double compute = 1;     ///< pace of its slowest node
  double network = 1;     ///< pace of its slowest network or link
  double congestion = 1;  ///< of its time
};

class Cluster {
 public:
  explicit Cluster(const Lies& lies) : lies_(lies), random_(static_cast<std::uint64_t>(lies.seed)) {
    for (std::int64_t i = 0; i < lies.nodes; ++i) {
      gpus_.push_back(std::exp(lies.healthy_gpu_sd * normal(random_)));
      networks_.push_back(std::exp(lies.healthy_network_sd * normal(random_)));
    }
    if (kSlowGpu < gpus_.size()) gpus_[kSlowGpu] *= lies.slow_gpu;
    if (kSlowNetwork < networks_.size()) networks_[kSlowNetwork] *= lies.slow_network;
    congestion_ = normal(random_);
  }

  Random& random() { return random_; }

  Job next_job(std::int64_t campaign, std::int64_t number) {
    Job job;
    job.campaign = campaign;
    job.number = number;
    job.begun_at = kBegin + static_cast<std::int64_t>(hours_ * kHour);
    job.nodes = place();
    job.level = level_now() + lies_.allocation_sd * normal(random_);
    for (const std::size_t node : job.nodes) {
      job.compute = std::max(job.compute, gpus_[node]);
      job.network = std::max(job.network, networks_[node]);
    }
    for (std::size_t a = 0; a < job.nodes.size(); ++a) {
      for (std::size_t b = a + 1; b < job.nodes.size(); ++b)
        job.network = std::max(job.network, pace_of_link(job.nodes[a], job.nodes[b]));
    }
    job.congestion = std::exp(lies_.congestion_sd * congestion_);
    if (uniform(random_) < lies_.tail_share) job.congestion *= lies_.tail;
    pass(lies_.hours_apart);
    return job;
  }

  CanaryReading reading(const Job& job, std::int64_t number, std::int64_t taken_at) {
    constexpr double kGemmSd = 0.003, kAllReduceSd = 0.03, kPairSd = 0.03;
    const auto noisy = [&](double value, double sd) {
      return value * std::exp(sd * normal(random_));
    };
    CanaryReading reading{number, taken_at, {}, CanaryFigures{}};
    CanaryFigures& figures = *reading.figures;
    figures.seconds = 5;
    figures.nodes = lies_.per_job;
    figures.ranks = lies_.per_job * kGpusOfANode;
    figures.library = "simulated";
    std::vector<double> speeds;
    for (std::size_t i = 0; i < job.nodes.size(); ++i) {
      const auto first = static_cast<std::int64_t>(i) * kGpusOfANode;
      speeds.push_back(noisy(100 / gpus_[job.nodes[i]], kGemmSd));
      figures.by_node.push_back({node_name(job.nodes[i]),
                                 fmt::format("{}-{}", first, first + kGpusOfANode - 1),
                                 speeds.back(), speeds.back()});
    }
    const auto slowest = std::min_element(speeds.begin(), speeds.end()) - speeds.begin();
    figures.gemm = {512,
                    512,
                    512,
                    speeds[static_cast<std::size_t>(slowest)],
                    100,
                    101,
                    slowest * kGpusOfANode,
                    figures.by_node[static_cast<std::size_t>(slowest)].name};
    const double us = noisy(20'000 * job.network * job.congestion, kAllReduceSd);
    figures.all_reduce = {{8, 10, 12, 40, 0.01}, {1 << 26, us * 0.9, us, us * 1.2, 3.2e9 / us}};
    for (std::size_t a = 0; a < job.nodes.size(); ++a) {
      for (std::size_t b = a + 1; b < job.nodes.size(); ++b) {
        const double pace = pace_of_link(job.nodes[a], job.nodes[b]);
        figures.pairs.push_back({node_name(job.nodes[a]), node_name(job.nodes[b]),
                                 noisy(10 / pace / job.congestion, kPairSd), 1 << 26, 20});
      }
    }
    return reading;
  }

 private:
  double pace_of_link(std::size_t a, std::size_t b) const {
    const double pace = std::max(networks_[a], networks_[b]);
    return std::min(a, b) == kLinkFrom && std::max(a, b) == kLinkTo ? pace * lies_.slow_link : pace;
  }

  std::vector<std::size_t> place() {
    std::vector<std::size_t> nodes(static_cast<std::size_t>(lies_.nodes));
    std::iota(nodes.begin(), nodes.end(), std::size_t{0});
    if (lies_.placement == Placement::kRandom) random_.shuffle(nodes);
    if (lies_.placement == Placement::kWindowed)
      std::rotate(nodes.begin(),
                  nodes.begin() + static_cast<std::ptrdiff_t>(random_.below(nodes.size())),
                  nodes.end());
    nodes.resize(std::min(nodes.size(), static_cast<std::size_t>(lies_.per_job)));
    std::sort(nodes.begin(), nodes.end());
    return nodes;
  }

  double level_now() {
    const double day = std::floor(hours_ / kHoursOfADay);
    if (day != day_) {
      day_ = day;
      of_day_ = lies_.day_sd * normal(random_);
    }
    constexpr double kTurn = 2 * 3.14159265358979323846;
    const double daily = lies_.daily * std::cos(kTurn * (hours_ - kPeakHour) / kHoursOfADay);
    const bool changed = lies_.change_day > 0 && day >= static_cast<double>(lies_.change_day);
    return of_day_ + daily + lies_.drift_per_day * day + (changed ? lies_.change : 0);
  }

  void pass(double hours) {
    hours_ += hours;
    const double kept = lies_.congestion_hours > 0 ? std::exp(-hours / lies_.congestion_hours) : 0;
    congestion_ = kept * congestion_ + std::sqrt(1 - kept * kept) * normal(random_);
  }

  const Lies& lies_;
  Random random_;
  std::vector<double> gpus_, networks_;
  double hours_ = 0, day_ = -1, of_day_ = 0, congestion_ = 0;
};

/// What a run was meant to take, line by line.
struct Course {
  double step_ms = 0;
  bool throttled = false;
};

LogRun log_of(const Point& point, const Course& course, const Lies& lies, Random& random) {
  LogRun log;
  log.format = "megatron";
  log.point = point;
  log.end = RunState::kOk;
  log.scraper_version = 1;
  for (std::int64_t i = 1; i <= lies.lines; ++i) {
    double ms = course.step_ms * std::exp(lies.iteration_sd * normal(random));
    if (i <= lies.warmup) ms *= lies.warmup_factor;
    if (course.throttled && 2 * i > lies.lines) ms *= lies.throttle;
    if (lies.rounding_ms > 0) ms = std::round(ms / lies.rounding_ms) * lies.rounding_ms;
    Iteration line;
    line.number = i;
    line.step_time_ms = ms;
    line.flags = i == 1 ? kFirst : 0u;
    line.gbs = point.layout.gbs;
    log.iterations.push_back(line);
  }
  if (lies.rounding_ms > 0) log.resolution_ms = lies.rounding_ms;
  return log;
}

/// In turn the three ways in which runs fail.
void let_fail(RunRecord& run, std::int64_t way) {
  constexpr std::size_t kLinesBefore = 3;
  if (run.log && run.log->iterations.size() > kLinesBefore && way % 3 == 0)
    run.log->iterations = Iterations(run.log->iterations.first(kLinesBefore));
  run.exit_code.reset();
  switch (way % 3) {
    case 0:
      run.state = RunState::kOom;
      run.evidence = "RuntimeError: CUDA out of memory";
      run.exit_code = 1;
      break;
    case 1:
      run.state = RunState::kTimeout;
      run.evidence = "CANCELLED DUE TO TIME LIMIT";
      break;
    default:
      run.state = RunState::kMissing;
      run.evidence = "no job says anything of it";
      run.log.reset();
      break;
  }
}

CampaignRecord campaign_of(std::int64_t number, const Lies& lies) {
  CampaignRecord campaign;
  campaign.sweep = "lying";
  campaign.number = number;
  campaign.started = fmt::format("2026-01-{:02}T00:00:00Z", std::min<std::int64_t>(number, 31));
  campaign.cluster = "simulated";
  campaign.order = "blocks";
  for (std::int64_t row = 0; row < lies.rows; ++row)
    campaign.points.push_back({point_of(row, lies), false, ""});
  return campaign;
}

class Filler {
 public:
  Filler(Database& database, const Lies& lies) : database_(database), lies_(lies), cluster_(lies) {}

  void fill() {
    for (std::int64_t campaign = 1; campaign <= lies_.campaigns; ++campaign) {
      database_.put_campaign(campaign_of(campaign, lies_));
      for (std::int64_t a = 1; a <= lies_.allocations; ++a)
        fill_job(cluster_.next_job(campaign, a));
    }
  }

 private:
  void fill_job(const Job& job) {
    std::int64_t at = job.begun_at, readings = 0, position = 0;
    std::optional<CanaryReading> before;
    if (lies_.canaries) before = cluster_.reading(job, ++readings, at);
    for (std::int64_t repeat = 1; repeat <= lies_.runs; ++repeat) {
      for (std::int64_t row = 0; row < lies_.rows; ++row) {
        RunRecord run = run_of(job, row, repeat, ++position, at);
        run.canary_before = before;
        at = *run.provenance.ended_at;
        if (lies_.canaries) run.canary_after = before = cluster_.reading(job, ++readings, at);
        if (uniform(cluster_.random()) < lies_.failed_share) let_fail(run, failures_++);
        database_.put_run(run);
      }
    }
  }

  RunRecord run_of(const Job& job, std::int64_t row, std::int64_t repeat, std::int64_t position,
                   std::int64_t at) {
    Random& random = cluster_.random();
    const Point point = point_of(row, lies_);
    RunRecord run;
    run.place = {"lying",    job.campaign, fmt::format("lying-c{}-a{}", job.campaign, job.number),
                 job.number, repeat,       position};
    run.name = fmt::format("{}-a{}-r{}", point.name, job.number, repeat);
    run.point_id = point.id;
    run.state = RunState::kOk;
    run.exit_code = 0;
    const double computes = kComputeMs * (1 + kMoreOfARow * static_cast<double>(row));
    double level = job.level + lies_.run_sd * normal(random);
    if (job.campaign == lies_.campaigns && lies_.campaigns > 1)
      level += lies_.last_campaign + (row == 0 ? lies_.last_campaign_row : 0);
    Course course;
    course.step_ms =
        std::exp(level) * (computes * job.compute + kNetworkMs * job.network * job.congestion);
    course.throttled = uniform(random) < lies_.throttled_share;
    run.log = log_of(point, course, lies_, random);
    for (const std::size_t node : job.nodes)
      run.provenance.node_list += (run.provenance.node_list.empty() ? "" : ",") + node_name(node);
    run.provenance.started_at = at;
    run.provenance.ended_at =
        at + static_cast<std::int64_t>(course.step_ms * static_cast<double>(lies_.lines) / 1000) +
        1;
    return run;
  }

  Database& database_;
  const Lies& lies_;
  Cluster cluster_;
  std::int64_t failures_ = 0;
};

}  // namespace

void set(Lies& lies, const std::string& word) {
  using Setter = std::function<bool(const std::string&)>;
  const auto number = [](double& target) -> Setter {
    return [&target](const std::string& value) {
      const auto read = parse_number(value);
      if (read) target = *read;
      return read.has_value();
    };
  };
  const auto count = [](std::int64_t& target) -> Setter {
    return [&target](const std::string& value) {
      const auto read = parse_integer(value);
      if (read && *read >= 0) target = *read;
      return read && *read >= 0;
    };
  };
  const std::map<std::string, Setter> names{
      {"seed", count(lies.seed)},
      {"campaigns", count(lies.campaigns)},
      {"allocations", count(lies.allocations)},
      {"runs", count(lies.runs)},
      {"rows", count(lies.rows)},
      {"lines", count(lies.lines)},
      {"nodes", count(lies.nodes)},
      {"per_job", count(lies.per_job)},
      {"placement",
       [&](const std::string& value) {
         const std::map<std::string, Placement> places{{"random", Placement::kRandom},
                                                       {"windowed", Placement::kWindowed},
                                                       {"fixed", Placement::kFixed}};
         const auto found = places.find(value);
         if (found != places.end()) lies.placement = found->second;
         return found != places.end();
       }},
      {"hours_apart", number(lies.hours_apart)},
      {"day_sd", number(lies.day_sd)},
      {"allocation_sd", number(lies.allocation_sd)},
      {"run_sd", number(lies.run_sd)},
      {"iteration_sd", number(lies.iteration_sd)},
      {"healthy_gpu_sd", number(lies.healthy_gpu_sd)},
      {"healthy_network_sd", number(lies.healthy_network_sd)},
      {"congestion_sd", number(lies.congestion_sd)},
      {"congestion_hours", number(lies.congestion_hours)},
      {"daily", number(lies.daily)},
      {"drift_per_day", number(lies.drift_per_day)},
      {"change_day", count(lies.change_day)},
      {"change", number(lies.change)},
      {"slow_gpu", number(lies.slow_gpu)},
      {"slow_network", number(lies.slow_network)},
      {"slow_link", number(lies.slow_link)},
      {"tail_share", number(lies.tail_share)},
      {"tail", number(lies.tail)},
      {"throttled_share", number(lies.throttled_share)},
      {"throttle", number(lies.throttle)},
      {"failed_share", number(lies.failed_share)},
      {"warmup", count(lies.warmup)},
      {"warmup_factor", number(lies.warmup_factor)},
      {"rounding_ms", number(lies.rounding_ms)},
      {"canaries",
       [&](const std::string& value) {
         lies.canaries = value == "yes";
         return value == "yes" || value == "no";
       }},
      {"last_campaign", number(lies.last_campaign)},
      {"last_campaign_row", number(lies.last_campaign_row)},
  };
  const auto equals = word.find('=');
  const auto found = names.find(word.substr(0, equals));
  const bool is_known = equals != std::string::npos && found != names.end();
  if (!is_known || !found->second(word.substr(equals + 1))) {
    std::string all;
    for (const auto& entry : names) all += " " + entry.first;
    bad_input("'{}' is no NAME=VALUE of a lying cluster; there are:{}", word, all);
  }
}

void fill(Database& database, const Lies& lies) { Filler(database, lies).fill(); }

}  // namespace pippin::calibration

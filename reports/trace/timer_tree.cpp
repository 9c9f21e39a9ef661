// SPDX-License-Identifier: Apache-2.0
#include "reports/trace/timer_tree.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace pippin {

namespace {

/// A timer that is known, in the order in which they are drawn. `within`: the timers that it lies
/// in, the nearest first, where they are printed.
struct KnownTimer {
  const char* name;
  std::vector<const char*> within = {};
};

/// Megatron-LM's. What has changed its place over the years is in none: params-all-gather, which
/// was behind the optimizer and is within it, and the reductions of gradients of 2022, which were
/// behind forward-backward and are within it.
const std::vector<KnownTimer>& megatron_timers() {
  static const std::vector<KnownTimer> kTimers{
      {"forward-backward"},
      {"forward"},
      {"forward-recv", {"forward-backward"}},
      {"forward-compute", {"forward-backward"}},
      {"batch-generator", {"forward-compute", "forward"}},
      {"batch generator", {"forward"}},
      {"forward-send", {"forward-backward"}},
      {"forward-send-forward-recv", {"forward-backward"}},
      {"forward-send-backward-recv", {"forward-backward"}},
      {"backward"},
      {"backward-recv", {"forward-backward", "backward"}},
      {"backward-compute", {"forward-backward", "backward"}},
      {"backward-backward", {"backward"}},
      {"backward-send", {"forward-backward", "backward"}},
      {"backward-send-forward-recv", {"forward-backward"}},
      {"backward-send-backward-recv", {"forward-backward", "backward"}},
      {"forward-backward-send-forward-backward-recv", {"forward-backward"}},
      {"all-grads-sync", {"forward-backward"}},
      {"backward-allreduce", {"backward"}},
      {"backward-master-grad", {"backward"}},
      {"backward-clip-grad", {"backward"}},
      {"backward-params-all-reduce"},
      {"backward-layernorm-all-reduce"},
      {"backward-embedding-all-reduce"},
      {"backward-reduce-model-grads"},
      {"optimizer"},
      {"optimizer-copy-to-main-grad", {"optimizer"}},
      {"optimizer-unscale-and-check-inf", {"optimizer"}},
      {"optimizer-clip-main-grad", {"optimizer"}},
      {"optimizer-count-zeros", {"optimizer"}},
      {"optimizer-inner-step", {"optimizer"}},
      {"optimizer-copy-main-to-model-params", {"optimizer"}},
      {"backward-gather-model-params"},
  };
  return kTimers;
}

/// Those of the probe `training`, which part an iteration: all but -busy, which overlaps with
/// computing, and -waiting, a part of -exposed.
const std::vector<KnownTimer>& probe_timers() {
  static const std::vector<KnownTimer> kTimers{
      {"unattributed"},
      {"batch-generator"},
      {"forward-compute"},
      {"recompute"},
      {"backward-compute"},
      {"tp-exposed"},
      {"tp-waiting", {"tp-exposed"}},
      {"pp-exposed"},
      {"pp-waiting", {"pp-exposed"}},
      {"loss-exposed"},
      {"loss-waiting", {"loss-exposed"}},
      {"dp-reduce-exposed"},
      {"dp-reduce-waiting", {"dp-reduce-exposed"}},
      {"embedding-exposed"},
      {"embedding-waiting", {"embedding-exposed"}},
      {"norm-exposed"},
      {"norm-waiting", {"norm-exposed"}},
      {"optimizer"},
      {"dp-gather-exposed"},
      {"dp-gather-waiting", {"dp-gather-exposed"}},
  };
  return kTimers;
}

/// Where timers may stand.
struct Room {
  std::int64_t next_ns = 0, end_ns = 0;
};

/// Lays out the timers of a line.
class Layout {
 public:
  Layout(std::int64_t iterations, std::int64_t begin_ns, std::int64_t end_ns)
      : iterations_(iterations), whole_{begin_ns, end_ns}, begin_ns_(begin_ns) {}

  void draw(const KnownTimer& known, double ms, const std::set<std::string>& printed) {
    const auto holder = std::find_if(known.within.begin(), known.within.end(),
                                     [&](const char* name) { return printed.count(name) > 0; });
    if (holder == known.within.end()) return draw_in(whole_, known.name, ms);
    const auto room = rooms_.find(*holder);
    room == rooms_.end() ? draw_apart(known.name, ms) : draw_in(room->second, known.name, ms);
  }

  void draw_apart(const std::string& name, double ms) {
    const std::int64_t length = length_of(ms), most = whole_.end_ns - begin_ns_;
    drawn_.push_back({name, ms, begin_ns_, std::min(length, most), false, length > most});
  }

  std::vector<DrawnTimer> drawn() && { return std::move(drawn_); }

 private:
  /// Of a timer that is sure to be finite.
  std::int64_t length_of(double ms) const {
    constexpr double kNsPerMs = 1e6, kMost_ns = 9e18;
    return static_cast<std::int64_t>(
        std::min(kMost_ns, ms * kNsPerMs * static_cast<double>(iterations_)));
  }

  /// What is printed was rounded: a little too long is as long as there is room.
  void draw_in(Room& room, const std::string& name, double ms) {
    constexpr std::int64_t kOneIn = 100;
    const std::int64_t length = length_of(ms), left = room.end_ns - room.next_ns;
    if (length - left > (whole_.end_ns - begin_ns_) / kOneIn || left == 0)
      return draw_apart(name, ms);
    const std::int64_t drawn = std::min(length, left), begin = room.next_ns;
    drawn_.push_back({name, ms, begin, drawn, true, length > left});
    room.next_ns += drawn;
    rooms_[name] = {begin, begin + drawn};
  }

  std::int64_t iterations_;
  Room whole_;
  std::int64_t begin_ns_;
  std::map<std::string, Room, std::less<>> rooms_;  ///< of the timers that stand in sequence
  std::vector<DrawnTimer> drawn_;
};

bool has_probe_timers(const std::set<std::string>& printed) {
  return std::any_of(printed.begin(), printed.end(), [](const std::string& name) {
    return name == "unattributed" || name.ends_with("-exposed");
  });
}

bool is_in(const std::vector<KnownTimer>& timers, const std::string& name) {
  return std::any_of(timers.begin(), timers.end(),
                     [&](const KnownTimer& known) { return known.name == name; });
}

}  // namespace

bool is_known_timer(const std::string& name) {
  return is_in(megatron_timers(), name) || is_in(probe_timers(), name);
}

std::vector<DrawnTimer> drawn_timers(const std::vector<IterationTimer>& timers,
                                     std::int64_t iterations, std::int64_t begin_ns,
                                     std::int64_t end_ns) {
  std::map<std::string, double> by_name;
  std::set<std::string> printed;
  for (const auto& timer : timers) {
    if (timer.ms <= 0) continue;
    by_name[timer.name] = timer.ms;
    printed.insert(timer.name);
  }
  Layout layout(iterations, begin_ns, end_ns);
  for (const auto& known : has_probe_timers(printed) ? probe_timers() : megatron_timers()) {
    const auto found = by_name.find(known.name);
    if (found == by_name.end()) continue;
    layout.draw(known, found->second, printed);
    by_name.erase(found);
  }
  for (const auto& [name, ms] : by_name) layout.draw_apart(name, ms);
  return std::move(layout).drawn();
}

}  // namespace pippin

// SPDX-License-Identifier: Apache-2.0
#include "reports/trace/timer_tree.h"

#include <algorithm>
#include <map>
#include <utility>

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

/// Where timers may stand, one behind the other.
struct Room {
  std::int64_t next_ns = 0, end_ns = 0;
  std::string apart = {};  ///< as of DrawnTimer
};

using ByName = std::map<std::string, double, std::less<>>;

/// Lays out the timers of a line.
class Layout {
 public:
  Layout(std::int64_t iterations, Room whole) : iterations_(iterations), whole_(std::move(whole)) {}

  /// Requires that who holds another stands before it.
  void draw(const std::vector<KnownTimer>& known, const ByName& ms) {
    const std::int64_t room = whole_.end_ns - begin_ns_ + slack();
    const bool fits = sum_of_outermost(known, ms) <= static_cast<double>(room);
    for (const auto& timer : known) {
      const auto found = ms.find(timer.name);
      if (found == ms.end()) continue;
      const std::string holder = holder_of(timer, ms);
      if (holder.empty() && !fits) {
        draw_apart(timer.name, found->second);
      } else {
        draw_in(holder.empty() ? whole_ : rooms_.at(holder), timer.name, found->second);
      }
    }
  }

  void draw_apart(const std::string& name, double ms) {
    Room own{begin_ns_, whole_.end_ns, name};
    draw_in(own, name, ms);
  }

  bool has_drawn(const std::string& name) const { return rooms_.count(name) > 0; }
  std::vector<DrawnTimer> drawn() && { return std::move(drawn_); }

 private:
  /// What is printed was rounded: a little too long is as long as there is room.
  std::int64_t slack() const {
    constexpr std::int64_t kOneIn = 100;
    return (whole_.end_ns - begin_ns_) / kOneIn;
  }

  /// Of a timer that is finite.
  double length_of(double ms) const {
    constexpr double kNsPerMs = 1e6;
    return ms * kNsPerMs * static_cast<double>(iterations_);
  }

  static std::string holder_of(const KnownTimer& timer, const ByName& ms) {
    const auto holder = std::find_if(timer.within.begin(), timer.within.end(),
                                     [&](const char* name) { return ms.count(name) > 0; });
    return holder == timer.within.end() ? "" : *holder;
  }

  double sum_of_outermost(const std::vector<KnownTimer>& known, const ByName& ms) const {
    double sum = 0;
    for (const auto& timer : known) {
      const auto found = ms.find(timer.name);
      if (found != ms.end() && holder_of(timer, ms).empty()) sum += length_of(found->second);
    }
    return sum;
  }

  void draw_in(Room& room, const std::string& name, double ms) {
    const std::int64_t left = room.end_ns - room.next_ns;
    const double length = length_of(ms);
    const bool is_own = room.apart == name;
    if (!is_own && length > static_cast<double>(left + slack())) return draw_apart(name, ms);
    const bool is_cut = length > static_cast<double>(left);
    const std::int64_t drawn = is_cut ? left : static_cast<std::int64_t>(length);
    drawn_.push_back({name, ms, room.next_ns, drawn, room.apart, is_cut});
    rooms_[name] = {room.next_ns, room.next_ns + drawn, room.apart};
    room.next_ns += drawn;
  }

  std::int64_t iterations_;
  Room whole_;
  std::int64_t begin_ns_ = whole_.next_ns;
  std::map<std::string, Room, std::less<>> rooms_;  ///< within each that is drawn
  std::vector<DrawnTimer> drawn_;
};

bool has_probe_timers(const ByName& ms) {
  return std::any_of(ms.begin(), ms.end(), [](const auto& timer) {
    return timer.first == "unattributed" || timer.first.ends_with("-exposed");
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
  ByName ms;
  for (const auto& timer : timers) {
    if (timer.ms > 0) ms[timer.name] = timer.ms;
  }
  Layout layout(iterations, {begin_ns, end_ns});
  layout.draw(has_probe_timers(ms) ? probe_timers() : megatron_timers(), ms);
  for (const auto& [name, length_ms] : ms)
    if (!layout.has_drawn(name)) layout.draw_apart(name, length_ms);
  return std::move(layout).drawn();
}

}  // namespace pippin

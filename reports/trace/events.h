// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace pippin {

/// Where an event is drawn: a track of a process.
struct TraceTrack {
  std::int64_t process = 0;
  std::int64_t track = 1;
};

/// What else is said of an event.
using TraceArgument = std::pair<std::string_view, std::variant<std::int64_t, double, std::string>>;
using TraceArguments = std::vector<TraceArgument>;

/// Something that lasts. Unit: nanoseconds since the trace begins.
struct TraceSpan {
  TraceTrack at;
  std::string_view name, category;
  std::int64_t begin_ns = 0, duration_ns = 0;
};

/// Writes events, one a line, as they come: nothing of them stays in memory. On a track, spans must
/// lie apart or within each other, and of two that begin at once the longer must come first.
/// Source: "Trace Event Format" by N. Duca and D. Sinclair, Google, the JSON object format; read by
/// ui.perfetto.dev and chrome://tracing.
class TraceEvents {
 public:
  explicit TraceEvents(std::ostream& out) : out_(out) {}

  /// Names a process; those of a lower place stand above.
  void process(std::int64_t process, const std::string& name, std::int64_t place);
  /// Names a track; those of a lower number stand above.
  void track(TraceTrack track, const std::string& name);
  void span(const TraceSpan& span, const TraceArguments& arguments = {});
  /// An arrow from a span to another: one end of it. Both ends have the same id, lie within their
  /// spans, and the arrow's end does not lie before its begin.
  void arrow(bool begins, const std::string& id, TraceTrack at, std::string_view category,
             std::int64_t at_ns);
  /// The last to be called. What the trace is of.
  void finish(const std::vector<std::pair<std::string, std::string>>& of);

  std::int64_t spans() const { return spans_; }

 private:
  void name(const char* what, TraceTrack track, const std::string& name);
  void place(const char* what, TraceTrack track, std::int64_t place);
  void begin_event();

  std::ostream& out_;
  std::int64_t events_ = 0, spans_ = 0;
};

}  // namespace pippin

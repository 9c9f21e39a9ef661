// SPDX-License-Identifier: Apache-2.0
#include "reports/trace/events.h"

#include "reports/json_writer.h"

namespace pippin {

namespace {

void write_place(TraceTrack track, JsonWriter& json) {
  json.key("pid").integer(track.process);
  json.key("tid").integer(track.track);
}

void write_arguments(const TraceArguments& arguments, JsonWriter& json) {
  json.key("args").begin_object();
  for (const auto& [name, value] : arguments) {
    json.key(name);
    if (const auto* whole = std::get_if<std::int64_t>(&value)) json.integer(*whole);
    if (const auto* real = std::get_if<double>(&value)) json.number(*real);
    if (const auto* text = std::get_if<std::string>(&value)) json.text(*text);
  }
  json.end_object();
}

/// What says something of a process or a track, and is no event.
void write_metadata(const char* what, TraceTrack track, const TraceArguments& arguments,
                    std::ostream& out) {
  JsonWriter json(out, 0);
  json.begin_object();
  json.key("name").text(what);
  json.key("ph").text("M");
  write_place(track, json);
  write_arguments(arguments, json);
  json.end_object();
}

}  // namespace

void TraceEvents::begin_event() { out_ << (events_++ == 0 ? "{\"traceEvents\":[\n" : ",\n"); }

void TraceEvents::name(const char* what, TraceTrack track, const std::string& name) {
  begin_event();
  write_metadata(what, track, {{"name", name}}, out_);
}

void TraceEvents::place(const char* what, TraceTrack track, std::int64_t place) {
  begin_event();
  write_metadata(what, track, {{"sort_index", place}}, out_);
}

void TraceEvents::process(std::int64_t process, const std::string& name, std::int64_t place) {
  this->name("process_name", {process, 0}, name);
  this->place("process_sort_index", {process, 0}, place);
}

void TraceEvents::track(TraceTrack track, const std::string& name) {
  this->name("thread_name", track, name);
  place("thread_sort_index", track, track.track);
}

void TraceEvents::span(const TraceSpan& span, const TraceArguments& arguments) {
  begin_event();
  ++spans_;
  JsonWriter json(out_, 0);
  json.begin_object();
  json.key("name").text(span.name);
  json.key("cat").text(span.category);
  json.key("ph").text("X");
  json.key("ts").thousandths(span.begin_ns);
  json.key("dur").thousandths(span.duration_ns);
  write_place(span.at, json);
  if (!arguments.empty()) write_arguments(arguments, json);
  json.end_object();
}

void TraceEvents::arrow(bool begins, const std::string& id, TraceTrack at,
                        std::string_view category, std::int64_t at_ns) {
  begin_event();
  JsonWriter json(out_, 0);
  json.begin_object();
  json.key("name").text("message");
  json.key("cat").text(category);
  json.key("ph").text(begins ? "s" : "f");
  if (!begins) json.key("bp").text("e");  // it ends in the span around it, not in the next
  json.key("id").text(id);
  json.key("ts").thousandths(at_ns);
  write_place(at, json);
  json.end_object();
}

void TraceEvents::finish(const std::vector<std::pair<std::string, std::string>>& of) {
  if (events_ == 0) out_ << "{\"traceEvents\":[";
  out_ << "\n],\"displayTimeUnit\":\"ms\",\"otherData\":";
  {
    JsonWriter json(out_, 0);
    json.begin_object();
    for (const auto& [name, value] : of) json.key(name).text(value);
    json.end_object();
  }
  out_ << "}\n";
}

}  // namespace pippin

// SPDX-License-Identifier: Apache-2.0
#include "sweeps/probe_answers.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fmt/format.h>

#include "core/base/text.h"
#include "sweeps/yaml.h"

namespace pippin {

std::optional<double> bytes_in(const std::string& text) {
  constexpr std::string_view kUnits = "KMG";
  const auto unit =
      text.empty()
          ? std::string_view::npos
          : kUnits.find(static_cast<char>(std::toupper(static_cast<unsigned char>(text.back()))));
  if (unit == std::string_view::npos) return parse_number(text);
  constexpr int kBits = 10;
  const auto number = parse_number(std::string_view(text).substr(0, text.size() - 1));
  if (!number) return std::nullopt;
  const double bytes = std::ldexp(*number, kBits * static_cast<int>(unit + 1));
  return bytes == std::floor(bytes) ? std::optional(bytes) : std::nullopt;
}

namespace {

using Kind = ProbeOption::Kind;

/// "0.08" or "8%"; a bare number above 1 is none.
std::optional<double> share_of(const std::string& text) {
  constexpr double kPercent = 100;
  if (!text.ends_with('%')) return parse_number(text);
  const auto percent = parse_number(std::string_view(text).substr(0, text.size() - 1));
  return percent ? std::optional(*percent / kPercent) : std::nullopt;
}

/// The number that a text is to a probe's option.
std::optional<double> number_of(Kind kind, const std::string& text) {
  if (kind == Kind::kSize) return bytes_in(text);
  if (kind == Kind::kShare) return share_of(text);
  if (kind == Kind::kNumber) return parse_number(text);
  const auto whole = parse_integer(text);
  return whole ? std::optional(static_cast<double>(*whole)) : std::nullopt;
}

const char* noun_of(Kind kind) {
  if (kind == Kind::kSize) return "bytes, such as 64K or 32M,";
  if (kind == Kind::kShare) return "a fraction, or a percentage as 8%,";
  return kind == Kind::kWhole ? "a whole number" : "a number";
}

bool takes(const ProbeOption& option, const std::string& text) {
  const auto& choices = option.choices;
  if (option.kind == Kind::kWord) return true;
  if (option.kind == Kind::kChoice)
    return std::find(choices.begin(), choices.end(), text) != choices.end();
  const auto number = number_of(option.kind, text);
  return number && (!option.least || *number >= *option.least) &&
         (!option.most || *number <= *option.most);
}

std::string range_text(const ProbeOption& option) {
  if (!option.least || !option.most) return "";
  return fmt::format(" from {} to {}", number_text(*option.least), number_text(*option.most));
}

/// "; write 200000000" of 2e8.
std::string hint_of(const ProbeOption& option, const Value& value) {
  if (option.kind != Kind::kWhole || !value.number) return "";
  const std::string digits = fmt::format("{:.0f}", *value.number);
  return *value.number == std::floor(*value.number) && takes(option, digits) ? "; write " + digits
                                                                             : "";
}

std::map<std::string, ProbeOption> by_axes(const Probe& probe,
                                           const std::map<std::string, ProbeOption>& options) {
  std::map<std::string, ProbeOption> result;
  for (const auto& axis : probe.options) {
    const auto option = options.find(probe.option_of(axis));
    if (option != options.end()) result.emplace(axis, option->second);
  }
  return result;
}

}  // namespace

const ProbeAbilities* ProbeAnswers::on(const std::string& device) {
  if (!probe_ || !ask_) return nullptr;
  auto known = answers_.find(device);
  if (known == answers_.end()) {
    auto answer = ask_(probe_->name, device);
    if (answer) answer->options = by_axes(*probe_, answer->options);
    known = answers_.emplace(device, std::move(answer)).first;
  }
  return known->second ? &*known->second : nullptr;
}

std::string why_refused(const ProbeAbilities& probe, const std::string& name, const Value& value) {
  const auto found = probe.options.find(name);
  if (found == probe.options.end() || takes(found->second, value.text)) return "";
  const ProbeOption& option = found->second;
  const std::string wanted =
      option.kind == Kind::kChoice
          ? "knows " + join(option.choices, ", ")
          : fmt::format("takes {}{}", noun_of(option.kind), range_text(option));
  return fmt::format("{}: {} {}, not {}{}", name, probe.probe, wanted, in_quotes(value.text),
                     hint_of(option, value));
}

std::string why_too_old(const ProbeAbilities& probe, const Cluster& cluster) {
  const auto& capability = cluster.accelerator.compute_capability;
  if (!probe.least_capability || !capability || *capability >= *probe.least_capability) return "";
  return fmt::format(
      "device: {} runs on GPUs of compute capability {:.1f} and newer, and cluster {} has {} "
      "({:.1f}); take device: cpu, another cluster, or a command of your own",
      probe.probe, *probe.least_capability, cluster.name, cluster.accelerator.name, *capability);
}

}  // namespace pippin

// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/nodes_seen.h"

#include <algorithm>
#include <cctype>

#include "core/base/host_list.h"
#include "core/base/text.h"

namespace pippin {

namespace {

constexpr std::string_view kVariable = "NODELIST=", kField = "NodeList=", kRanks = "> ranks: ",
                           kSlowest = "slowest rank: ", kComputing = "computing (ms): ",
                           kMean = "mean of all ranks (ms): ", kOn = " on ", kBar = " | ";

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

bool is_of_host(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '.' || c == '_';
}

bool is_of_list(char c) { return is_of_host(c) || c == '[' || c == ']' || c == ','; }

/// What may be a list at the front of `text`; empty where nothing may.
std::string_view list_in(std::string_view text) {
  const auto quoted = text.find_first_not_of("\"'");
  text.remove_prefix(std::min(quoted, text.size()));
  const auto end = std::find_if_not(text.begin(), text.end(), is_of_list);
  return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

/// What stands between `key` and the next bar or the end; empty where there is no such key.
std::string_view after(std::string_view line, std::string_view key) {
  const auto at = line.find(key);
  if (at == std::string_view::npos) return {};
  const auto rest = line.substr(at + key.size());
  return trim(rest.substr(0, rest.find(kBar)));
}

/// Takes digits and a colon off the front.
bool take_number(std::string_view& text) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_digit);
  const auto length = static_cast<std::size_t>(end - text.begin());
  if (length == 0) return false;
  text.remove_prefix(length);
  return true;
}

bool take(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

/// What tells of nodes.
enum Sign : std::size_t {
  kVariableSign,
  kFieldSign,
  kRanksSign,
  kSlowestSign,
  kFirstOfNccl,
};

}  // namespace

std::vector<std::string_view> NodesSeen::signs() {
  return {kVariable, kField, kRanks, kSlowest,
          // What each process prints once or twice; most lines of NCCL are of channels.
          "] NCCL INFO Bootstrap", "] NCCL INFO NET/", "] NCCL INFO comm 0x",
          "] NCCL INFO ncclComm", "] NCCL INFO cudaDriverVersion"};
}

void NodesSeen::see(std::size_t sign, std::string_view line, std::size_t iterations) {
  if (sign == kVariableSign || sign == kFieldSign) return read_list(line);
  if (sign == kRanksSign) return read_ranks(line);
  if (sign >= kFirstOfNccl) return read_nccl(line);
  if (iterations > 1) read_slowest(line);  // the first lines are those of a warm-up
}

void NodesSeen::read_list(std::string_view line) {
  for (const auto key : {kVariable, kField}) {
    for (auto at = line.find(key); at != std::string_view::npos; at = line.find(key, at + 1)) {
      // "ReqNodeList=" is what was asked for.
      if (key == kField && at > 0 && std::isalpha(static_cast<unsigned char>(line[at - 1])))
        continue;
      const std::string_view list = list_in(line.substr(at + key.size()));
      if (list.empty() || (!lists_.empty() && lists_.back() == list)) continue;
      // Not expanded before it is known to be the last: a short text may name 100,000 nodes.
      constexpr std::size_t kKept = 8;
      if (lists_.size() == kKept) lists_.erase(lists_.begin());
      lists_.emplace_back(list);
    }
  }
}

void NodesSeen::read_nccl(std::string_view line) {
  const auto end = std::find_if_not(line.begin(), line.end(), is_of_host);
  const auto name = line.substr(0, static_cast<std::size_t>(end - line.begin()));
  auto rest = line.substr(name.size());
  const bool of_nccl = !name.empty() && take(rest, ':') && take_number(rest) && take(rest, ':') &&
                       take_number(rest) && rest.starts_with(" [");
  if (of_nccl && known_.emplace(name).second) heard_.push_back({std::string(name), ""});
}

void NodesSeen::read_ranks(std::string_view line) {
  const auto at = line.find(kRanks);
  if (at == std::string_view::npos) return;
  placed_.clear();
  for (auto rest = line.substr(at + kRanks.size()); !rest.empty();) {
    const auto part = rest.substr(0, rest.find(kBar));
    rest.remove_prefix(std::min(part.size() + kBar.size(), rest.size()));
    const auto on = part.find(kOn);
    if (on == std::string_view::npos) return;
    placed_.push_back(
        {printable(trim(part.substr(on + kOn.size()))), printable(trim(part.substr(0, on)))});
  }
}

void NodesSeen::read_slowest(std::string_view line) {
  const auto who = after(line, kSlowest);
  const auto on = who.find(kOn);
  if (on == std::string_view::npos) return;
  const auto rank = parse_integer(who.substr(0, on));
  const auto computing = parse_number(after(line, kComputing)),
             mean = parse_number(after(line, kMean));
  if (!rank || *rank < 0 || !computing || !mean || !(*computing > 0) || !(*mean > 0)) return;
  SlowestRank& sum = slowest_[{*rank, printable(who.substr(on + kOn.size()))}];
  ++sum.lines;
  sum.computing_ms += *computing;
  sum.mean_ms += *mean;
}

NodesSeen NodesSeen::of_job() const {
  constexpr std::size_t kMost = 1'000'000;
  NodesSeen of_job;
  of_job.listed_before_ = listed_before_ + listed().size();
  if (of_job.listed_before_ < kMost) of_job.lists_ = lists_;
  return of_job;
}

std::vector<RunNode> NodesSeen::listed() const {
  std::vector<RunNode> nodes;
  for (auto list = lists_.rbegin(); list != lists_.rend() && nodes.empty(); ++list) {
    const auto names = host_names(*list);
    if (!names) continue;
    nodes.reserve(names->size());
    for (const auto& name : *names) nodes.push_back({name, ""});
  }
  return nodes;
}

std::vector<RunNode> NodesSeen::nodes() const {
  if (!placed_.empty()) return placed_;
  auto nodes = listed();
  return nodes.empty() ? heard_ : nodes;
}

std::vector<SlowestRank> NodesSeen::slowest_ranks() const {
  std::vector<SlowestRank> ranks;
  for (const auto& [who, sum] : slowest_) {
    const auto lines = static_cast<double>(sum.lines);
    ranks.push_back(
        {who.first, who.second, sum.lines, sum.computing_ms / lines, sum.mean_ms / lines});
  }
  return ranks;
}

}  // namespace pippin

// SPDX-License-Identifier: Apache-2.0
#include "sweeps/estimate/direct_rates.h"

#include <algorithm>
#include <cmath>

#include "sweeps/estimate/measured.h"

namespace pippin {

namespace {

constexpr double kGiga = 1e9, kMicro = 1e-6;

/// That the busiest link carries; nothing where it cannot be said.
std::optional<double> bus_bytes(const CollectiveReading& reading) {
  const Collective& measured = reading.measured;
  const double seconds = measured.time_us * kMicro;
  std::string_view type = measured.number_type;
  if (type.empty()) type = "uint8";
  const auto bandwidth =
      measured.busbw_gb_per_s
          ? measured.busbw_gb_per_s
          : bus_bandwidth_gb_per_s({measured.operation, measured.bytes, type, reading.ranks},
                                   seconds);
  if (!bandwidth || *bandwidth <= 0) return std::nullopt;
  return *bandwidth * kGiga * seconds;
}

/// Both rates where sizes differ enough, else the bandwidth alone, of what is large.
TwoRates fit_link(const std::vector<TwoParts>& readings) {
  constexpr double kLarge = 1 << 20;
  TwoRates both = fit_two_rates(readings);
  if (both.first || both.second) return both;
  std::vector<TwoParts> large;
  for (TwoParts one : readings) {
    one.first = 0;
    if (one.second >= kLarge) large.push_back(one);
  }
  return fit_two_rates(large);
}

/// Of products of one size only the first is told, with the usual short side.
TwoRates fit_products(const std::vector<TwoParts>& readings) {
  TwoRates both = fit_two_rates(readings);
  return both.first && both.second ? both : fit_two_rates(readings, Rates().short_side);
}

/// Products at least half as large as the largest.
std::vector<TwoParts> large_of(std::vector<TwoParts> work) {
  double most = 0;
  for (const TwoParts& one : work) most = std::max(most, one.first);
  std::erase_if(work, [&](const TwoParts& one) { return one.first < most / 2; });
  return work;
}

const RateParameter& parameter_of(double Rates::*member) {
  return *std::find_if(rate_parameters().begin(), rate_parameters().end(),
                       [&](const RateParameter& one) { return one.member == member; });
}

DirectRate direct(double Rates::*member, double value, std::optional<double> sd,
                  const TwoRates& from) {
  const RateParameter& parameter = parameter_of(member);
  DirectRate rate{parameter.name, value, sd, from.readings, from.groups, false};
  rate.is_at_bound = !(value > parameter.least && value < parameter.most);
  rate.value = std::clamp(value, parameter.least, parameter.most);
  return rate;
}

/// Of independent errors.
std::optional<double> joined_sd(const FittedRate& a, const FittedRate& b) {
  if (!a.sd || !b.sd) return std::nullopt;
  return std::hypot(*a.sd, *b.sd);
}

double gb_per_s(const FittedRate& byte) { return 1 / byte.seconds / kGiga; }

void add_links(const MachineFit& fit, const Machine& machine, std::int64_t gpus_per_node,
               std::vector<DirectRate>& rates) {
  if (const auto& byte = fit.node.second)
    rates.push_back(
        direct(&Rates::link_share, gb_per_s(*byte) / machine.link_gb_per_s, byte->sd, fit.node));
  if (const auto& byte = fit.cluster.second)
    rates.push_back(
        direct(&Rates::node_share, gb_per_s(*byte) / machine.node_gb_per_s, byte->sd, fit.cluster));
  if (const auto& byte = fit.messages.second; byte && gpus_per_node > 0) {
    const double part = machine.node_gb_per_s / static_cast<double>(gpus_per_node);
    rates.push_back(direct(&Rates::message_share, gb_per_s(*byte) / part, byte->sd, fit.messages));
  }
}

void add_products(const MachineFit& fit, std::vector<DirectRate>& rates) {
  const auto& whole = fit.products.first;
  if (!whole) return;
  rates.push_back(direct(&Rates::product_share, 1 / whole->seconds, whole->sd, fit.products));
  if (const auto& sides = fit.products.second)
    rates.push_back(direct(&Rates::short_side, sides->seconds / whole->seconds,
                           joined_sd(*whole, *sides), fit.products));
}

}  // namespace

void add_reading(const CollectiveReading& reading, const Count& gpus_per_node,
                 MachineReadings& readings) {
  const auto bytes = bus_bytes(reading);
  if (!bytes || reading.ranks < 2 || reading.nodes < 1) return;
  if (reading.measured.wrong.value_or(0) > 0) return;
  const TwoParts one{1, *bytes, reading.measured.time_us * kMicro, reading.reading};
  if (reading.nodes == 1) return readings.node.push_back(one);
  if (reading.measured.operation == "sendrecv") return readings.messages.push_back(one);
  const bool whole = !gpus_per_node || reading.ranks == *gpus_per_node * reading.nodes;
  if (whole) readings.cluster.push_back(one);
}

void add_message(double bytes, double seconds, std::int64_t group, MachineReadings& readings) {
  if (bytes > 0 && seconds > 0) readings.messages.push_back({1, bytes, seconds, group});
}

void add_work(const CanaryGemm& shape, double seconds, std::int64_t group,
              MachineReadings& readings) {
  constexpr double kTera = 1e12;
  const double flops = 2 * static_cast<double>(shape.m) * static_cast<double>(shape.n) *
                       static_cast<double>(shape.k);
  if (flops > 0 && seconds > 0) readings.work.push_back({flops / kTera, 0, seconds, group});
}

void add_product(const Machine& machine, const CanaryGemm& shape, double seconds,
                 std::int64_t group, MachineReadings& readings) {
  const ProductWork work = product_work(machine, shape.m, shape.n, shape.k);
  if (seconds <= 0 || work.computing <= work.memory) return;
  readings.products.push_back({work.computing, work.sides, seconds, group});
}

MachineFit fit_machine(const MachineReadings& readings) {
  return {fit_link(readings.node), fit_link(readings.cluster), fit_link(readings.messages),
          fit_products(readings.products), fit_two_rates(large_of(readings.work))};
}

std::vector<DirectRate> direct_rates(const MachineFit& fit, const std::optional<Machine>& machine,
                                     std::int64_t gpus_per_node) {
  std::vector<DirectRate> rates;
  const TwoRates& calls = fit.node.first ? fit.node : fit.cluster;
  if (calls.first)
    rates.push_back(direct(&Rates::call_us, calls.first->seconds / kMicro, calls.first->sd, calls));
  if (!machine) return rates;
  add_links(fit, *machine, gpus_per_node, rates);
  add_products(fit, rates);
  return rates;
}

}  // namespace pippin

// SPDX-License-Identifier: Apache-2.0
#include "probes/gemm/run.h"

#include <algorithm>

#include "probes/common/text.h"
#include "probes/device/matmul.h"
#include "probes/device/rounding.h"
#include "probes/gemm/report.h"
#include "probes/gemm/steps.h"

namespace pippin::probes {

namespace {

void print(Log& log, const std::vector<std::string>& lines) {
  for (const auto& line : lines) log.line(line);
}

/// All ranks at once: they share a node's memory and power.
template <typename T>
ProductResult measure(Communicator& world, Device<T>& device, Clock& clock, const Product& product,
                      double seconds) {
  ProductBench<T> bench(device, clock, product);
  world.barrier();
  return {product, gathered(world, speed_of(product, bench.run_for(seconds)))};
}

DeviceNeeds needs_of(const std::vector<Product>& products) {
  const auto attention = std::find_if(products.begin(), products.end(),
                                      [](const Product& product) { return !product.linear(); });
  constexpr AttentionShape kNone{1, 1, 1, 1, 8};
  return {1, 1, attention == products.end() ? kNone : attention->shape, false};
}

}  // namespace

template <typename T>
void run_products(Communicator& world, const Nodes& nodes, const GemmSettings& settings,
                  Device<T>& device, Clock& clock, const std::string& library, TwoLogs& logs) {
  const std::vector<Product> products = chosen_products(settings);
  logs.table.line(" > probe: pippin gemm 1");
  logs.table.line(text("# ranks %d, nodes %d, threads %lld each, %s, %s", world.size(),
                       nodes.count(), static_cast<long long>(settings.threads),
                       settings.setup.precision.c_str(), library.c_str()));
  device.prepare(needs_of(products));
  if (settings.iterations > 0) return run_steps(world, settings, device, clock, logs.table);
  print(logs.table, product_heads());
  std::vector<ProductResult> results;
  for (const Product& product : products) {
    results.push_back(measure(world, device, clock, product,
                              settings.seconds / static_cast<double>(products.size())));
    logs.table.line(product_line(results.back()));
    print(logs.json, product_records(results.back(), nodes));
  }
  print(logs.table, summary_lines(results, nodes));
  print(logs.json, summary_records(results, nodes));
}

template void run_products(Communicator&, const Nodes&, const GemmSettings&, Device<Half>&, Clock&,
                           const std::string&, TwoLogs&);
template void run_products(Communicator&, const Nodes&, const GemmSettings&, Device<BFloat16>&,
                           Clock&, const std::string&, TwoLogs&);
template void run_products(Communicator&, const Nodes&, const GemmSettings&, Device<float>&, Clock&,
                           const std::string&, TwoLogs&);

namespace {

template <typename T>
void run_in(Communicator& world, const GemmSettings& settings, TwoLogs& logs) {
  const std::uint64_t free = free_bytes();
  const Nodes nodes = find_nodes(world);  // after which all have seen what is free
  Memory memory(free / static_cast<std::uint64_t>(nodes.ranks_of(nodes.of_rank[world.rank()])));
  Processor<T> device(memory, settings.threads);
  HostClock clock;
  run_products<T>(world, nodes, settings, device, clock, matmul_library(), logs);
}

}  // namespace

void run_products_on_processor(Communicator& world, const GemmSettings& settings, TwoLogs& logs) {
  if (settings.setup.precision == "bf16")
    run_in<BFloat16>(world, settings, logs);
  else if (settings.setup.precision == "fp16")
    run_in<Half>(world, settings, logs);
  else
    run_in<float>(world, settings, logs);
}

}  // namespace pippin::probes

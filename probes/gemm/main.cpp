#include <cstdio>
#include <string>
#include <vector>

#include "probes/comm/ranked_main.h"
#include "probes/common/json_log.h"
#include "probes/common/text.h"
#include "probes/device/cpu.h"
#include "probes/device/matmul.h"
#include "probes/gemm/report.h"
#include "probes/gemm/settings.h"

using namespace pippin::probes;

namespace {

constexpr const char* kIntro =
    "gemm: times the matrix products of a model and layout on every rank\n"
    "\n"
    "usage: gemm [--option VALUE]…";

void print(Log& log, const std::vector<std::string>& lines) {
  for (const auto& line : lines) log.line(line);
}

void print_head(TwoLogs& logs, const GemmSettings& settings, const Nodes& nodes) {
  logs.table.line(" > probe: pippin gemm 1");
  logs.table.line(text("# ranks %d, nodes %d, threads %lld each, float, %s",
                       static_cast<int>(nodes.of_rank.size()), nodes.count(),
                       static_cast<long long>(settings.threads), matmul_library().c_str()));
  print(logs.table, product_heads());
}

/// All ranks at once: they share a node's memory and power.
ProductResult measure(Communicator& world, Device<float>& device, const Product& product,
                      double seconds) {
  ProductBench bench(device, product);
  world.barrier();
  return {product, gathered(world, speed_of(product, bench.run_for(seconds)))};
}

ExitCode run(const std::vector<std::string>& arguments, Session& session) {
  Communicator& world = session.world();
  const bool first = world.rank() == 0;
  GemmSettings settings;
  const OptionTable options = gemm_options(settings);
  if (!parse_options(options, arguments)) {
    if (first) std::fputs(help_text(kIntro, options).c_str(), stdout);
    return ExitCode::kDone;
  }
  const std::vector<Product> products = chosen_products(settings);
  const std::uint64_t free = free_bytes();
  const Nodes nodes = find_nodes(world);
  TwoLogs logs(settings.json, first);
  print_head(logs, settings, nodes);

  Memory memory(free / nodes.ranks_of(nodes.of_rank[world.rank()]));
  CpuDevice<float> device(memory, settings.threads);
  std::vector<ProductResult> results;
  for (const Product& product : products) {
    results.push_back(
        measure(world, device, product, settings.seconds / static_cast<double>(products.size())));
    logs.table.line(product_line(results.back()));
    print(logs.json, product_records(results.back(), nodes));
  }
  print(logs.table, summary_lines(results, nodes));
  print(logs.json, summary_records(results, nodes));
  return ExitCode::kDone;
}

}  // namespace

int main(int argc, char* argv[]) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  return ranked_main("gemm", [&](Session& session) { return run(arguments, session); });
}

// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "harness/scrape/trainers/all.h"

namespace pippin {

namespace {

enum Text : std::size_t { kRate, kSigns, kTexts = kSigns };

// Source: Colossal-AI, examples/language/performance_evaluator.py, 2023-2025.
constexpr std::array<std::string_view, kTexts> kSaid{
    " samples/sec, TFLOPS per GPU by Megatron: ",
};

class Reader : public TrainerReader {
 public:
  explicit Reader(std::size_t) {}
  std::unique_ptr<TrainerReader> copy() const override { return std::make_unique<Reader>(*this); }

  /// "Throughput: 12.31 samples/sec, TFLOPS per GPU by Megatron: 171.42, TFLOPS per GPU: 160.01":
  /// the mean of a run, of which neither the batch nor the number of steps is printed.
  void read(const TrainerLine& line, TrainerLog& log) override {
    const auto at = line.text.find("Throughput: ");
    if (at == std::string_view::npos || !is_prefix(line.text.substr(0, at))) return;
    log.could_not_use(line.text,
                      "it is the mean of a run, and nothing says how many samples a step has");
  }
};

}  // namespace

constinit const TrainerFormat kColossalai{"colossalai", kSaid, kSigns, reader_of<Reader>};

}  // namespace pippin

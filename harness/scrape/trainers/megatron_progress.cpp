// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "harness/scrape/trainers/all.h"

namespace pippin {

namespace {

enum Text : std::size_t { kJob, kGpus, kSigns, kTexts = kSigns };

// Source: Megatron-LM, megatron/training/utils.py, append_to_progress_log().
constexpr std::array<std::string_view, kTexts> kSaid{"\tJob ID: ", "\t# GPUs: "};

class Reader : public TrainerReader {
 public:
  explicit Reader(std::size_t) {}
  std::unique_ptr<TrainerReader> copy() const override { return std::make_unique<Reader>(*this); }

  /// "2025-02-24 17:35:03	Job ID: 198424	# GPUs: 8	Saved checkpoint	Iteration:
  /// 100 Job throughput: 364.8 TFLOP/s/GPU	…": the rate is of the whole job, with its start and
  /// all saves.
  void read(const TrainerLine& line, TrainerLog& log) override {
    if (!line.has(kJob) || !line.has(kGpus)) return;
    log.could_not_use(line.text,
                      "it is Megatron-LM's progress.txt, which tells of saves and has no step "
                      "times: collect the log of the job");
  }
};

}  // namespace

constinit const TrainerFormat kMegatronProgress{"megatron-progress", kSaid, kSigns,
                                                reader_of<Reader>};

}  // namespace pippin

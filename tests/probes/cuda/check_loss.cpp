// SPDX-License-Identifier: Apache-2.0
// Cross-entropy over a vocabulary in parts, as ranks do it together.
#include <algorithm>

#include "check.h"

namespace check {

namespace {

/// `parts` ranks hold `part` rows each; of all rows `known` are no padding.
struct Vocabulary {
  std::int64_t rows, parts, part, known;
  int shift;

  std::int64_t whole() const { return parts * part; }
  VocabPart of(std::int64_t rank) const {
    return {rank * part, part, std::clamp<std::int64_t>(known - rank * part, 0, part)};
  }
  std::string line() const {
    return std::to_string(rows) + " rows, " + std::to_string(parts) + " x " + std::to_string(part) +
           ", " + std::to_string(known) + " known, from " + std::to_string(shift);
  }
};

std::vector<Vocabulary> vocabularies(bool large) {
  if (large)
    return {{512, 1, 50304, 50257, 0}, {256, 2, 64128, 128256, 0}, {64, 1, 50257, 50257, 1}};
  // The third rank of three has nothing but padding.
  return {{3, 1, 7, 7, 0},       {33, 2, 30, 50, 0},    {5, 3, 64, 100, 0},
          {3, 1, 5000, 4990, 0}, {2, 2, 1001, 1500, 1}, {1, 1, 20000, 20000, 0}};
}

struct Reference {
  double loss = 0;
  Numbers largest, sums, targets_logit, gradient;
};

Reference reference(const Vocabulary& v, const Numbers& logits, const Numbers& targets,
                    double scale) {
  Reference made;
  made.gradient.resize(logits.size());
  for (std::int64_t r = 0; r < v.rows; ++r) {
    const double* row = logits.data() + r * v.whole();
    const double most = *std::max_element(row, row + v.known);
    double sum = 0;
    for (std::int64_t i = 0; i < v.known; ++i) sum += std::exp(row[i] - most);
    const auto target = static_cast<std::int64_t>(targets[static_cast<std::size_t>(r)]);
    made.largest.push_back(most);
    made.sums.push_back(sum);
    made.targets_logit.push_back(row[target] - most);
    made.loss += std::log(sum) - (row[target] - most);
    for (std::int64_t i = 0; i < v.known; ++i)
      made.gradient[static_cast<std::size_t>(r * v.whole() + i)] =
          scale * (std::exp(row[i] - most) / sum - (i == target ? 1 : 0));
  }
  return made;
}

/// What a rank holds.
template <typename T>
struct Part {
  Part(const Vocabulary& v, std::int64_t rank, const Numbers& all)
      : vocab(v.of(rank)),
        logits(cut(v, rank, all), v.shift),
        largest(v.rows),
        sums(v.rows),
        targets_logit(v.rows),
        loss(Numbers{0.5}, 0) {}
  static Numbers cut(const Vocabulary& v, std::int64_t rank, const Numbers& all) {
    Numbers own;
    for (std::int64_t r = 0; r < v.rows; ++r)
      for (std::int64_t i = 0; i < v.part; ++i)
        own.push_back(all[static_cast<std::size_t>(r * v.whole() + rank * v.part + i)]);
    return own;
  }
  VocabPart vocab;
  Array<T> logits;
  Array<float> largest, sums, targets_logit;
  Array<double> loss;
};

template <typename T>
void check_vocabulary(Rig<T>& rig, const Vocabulary& v) {
  constexpr double kScale = 0.25, kLossScale = 8;
  const Numbers logits = rig.draw(v.rows * v.whole(), 4);
  Random random(++rig.seed);
  Numbers targets;
  for (std::int64_t r = 0; r < v.rows; ++r)
    targets.push_back(static_cast<double>(random.below(static_cast<std::uint64_t>(v.known))));
  Array<std::int32_t> target_array(targets, 0);
  const std::int32_t* ids = target_array.data();
  StepState host;
  host.loss_scale = kLossScale;
  Array<unsigned char> state(sizeof host);
  auto* on_device = reinterpret_cast<StepState*>(state.data());
  rig.device.to_device(sizeof host, &host, on_device);

  std::vector<std::unique_ptr<Part<T>>> parts;
  const auto rows = static_cast<std::size_t>(v.rows);
  Numbers largest(rows, -INFINITY), sums(rows), targets_logit(rows), gradient(logits.size());
  for (std::int64_t rank = 0; rank < v.parts; ++rank) {
    parts.push_back(std::make_unique<Part<T>>(v, rank, logits));
    Part<T>& part = *parts.back();
    rig.device.largest(v.rows, part.vocab, part.logits.data(), part.largest.data(),
                       part.sums.data());
    const Numbers own = part.largest.numbers();
    for (std::size_t r = 0; r < rows; ++r) largest[r] = std::max(largest[r], own[r]);
  }
  const Reference must = reference(v, logits, targets, kScale * kLossScale);
  rig.results.compare(v.line() + " largest", largest, must.largest, {0, 0});

  Array<float> all_largest(largest, 0);
  for (auto& part : parts) {
    rig.device.exponentials(v.rows, part->vocab, ids, all_largest.data(), part->logits.data(),
                            part->sums.data(), part->targets_logit.data());
    const Numbers own = part->sums.numbers(), logit = part->targets_logit.numbers();
    for (std::size_t r = 0; r < rows; ++r) {
      sums[r] += own[r];
      targets_logit[r] += logit[r];
    }
  }
  rig.results.compare(v.line() + " sums", sums, must.sums, {1e-5, 0});
  rig.results.compare(v.line() + " target", targets_logit, must.targets_logit, {1e-6, 1e-6});

  Array<float> all_sums(sums, 0), all_logits(targets_logit, 0);
  for (std::int64_t rank = 0; rank < v.parts; ++rank) {
    Part<T>& part = *parts[static_cast<std::size_t>(rank)];
    rig.device.cross_entropy(v.rows, part.vocab, ids, all_largest.data(), all_sums.data(),
                             all_logits.data(), static_cast<float>(kScale), on_device,
                             part.logits.data(), part.loss.data());
    const Numbers own = part.logits.numbers();
    for (std::int64_t i = 0; i < v.rows * v.part; ++i)
      gradient[static_cast<std::size_t>(i / v.part * v.whole() + rank * v.part + i % v.part)] =
          own[static_cast<std::size_t>(i)];
    rig.results.compare(v.line() + " loss", part.loss.numbers(), {0.5 + must.loss}, {1e-5, 1e-5});
  }
  rig.results.compare(v.line() + " gradient", gradient, must.gradient, rounded_to<T>(1e-6));
}

/// What is no number in a row must make its loss none.
template <typename T>
void check_not_a_number(Rig<T>& rig) {
  for (const double bad : {std::nan(""), double{INFINITY}}) {
    Numbers logits = rig.draw(1000);
    logits[777] = bad;
    Array<T> array(logits, 0);
    Array<float> largest(1), sums(1);
    rig.device.largest(1, {0, 1000, 1000}, array.data(), largest.data(), sums.data());
    rig.results.expect("no number makes no sum", std::isnan(sums.numbers()[0]));
  }
}

}  // namespace

template <typename T>
void check_loss(Rig<T>& rig) {
  rig.begin("cross-entropy, its three");
  for (const Vocabulary& v : vocabularies(rig.large)) check_vocabulary(rig, v);
  check_not_a_number(rig);
}

template void check_loss(Rig<BFloat16>&);
template void check_loss(Rig<Half>&);
template void check_loss(Rig<float>&);

}  // namespace check

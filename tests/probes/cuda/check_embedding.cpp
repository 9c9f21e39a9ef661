// SPDX-License-Identifier: Apache-2.0
#include "check.h"

namespace check {

namespace {

constexpr std::int64_t kVocab = 50, kSeq = 20;

/// Some come several times, and for one rank of two about half are the other's.
template <typename T>
Numbers draw_tokens(Rig<T>& rig, std::int64_t rows) {
  Random random(++rig.seed);
  Numbers tokens(static_cast<std::size_t>(rows));
  for (double& token : tokens) token = static_cast<double>(random.below(kVocab));
  return tokens;
}

template <typename T>
void check_embed(Rig<T>& rig, bool backward) {
  rig.begin(backward ? "embed_backward" : "embed");
  for (const Size& s : sizes(rig.large))
    for (const VocabPart& part : {VocabPart{0, 64, 50}, VocabPart{32, 32, 18}}) {
      const Numbers tokens = draw_tokens(rig, s.rows), table = rig.draw(part.rows * s.width),
                    dx = rig.draw(s.count());
      Numbers x(dx.size()), dtable = rig.template draw<float>(part.rows * s.width);
      Array<T> table_array(table, s.shift), x_array(s.count(), 0), dx_array(dx, 0);
      Array<float> dtable_array(dtable, s.shift);
      Array<std::int32_t> token_array(tokens, 0);
      const std::int32_t* ids = token_array.data();
      for (std::size_t i = 0; i < x.size(); ++i) {
        const auto width = static_cast<std::size_t>(s.width);
        const double row = tokens[i / width] - static_cast<double>(part.first);
        if (row < 0 || row >= static_cast<double>(part.rows)) continue;
        const std::size_t at = static_cast<std::size_t>(row) * width + i % width;
        x[i] = table[at];
        dtable[at] += dx[i];
      }
      if (backward) {
        rig.device.embed_backward(s.rows, s.width, part, ids, dx_array.data(), dtable_array.data());
        rig.results.compare(s.line(), dtable_array.numbers(), dtable,
                            {1e-5, 1e-6 * static_cast<double>(s.rows)});
      } else {
        rig.device.embed(s.rows, s.width, part, ids, table_array.data(), x_array.data());
        rig.results.compare(s.line(), x_array.numbers(), x, {0, 0});
      }
    }
}

template <typename T>
void check_positions(Rig<T>& rig, bool backward) {
  rig.begin(backward ? "positions_backward" : "add_positions");
  for (const Size& s : sizes(rig.large))
    for (const std::int64_t first : {0, 13}) {
      const Numbers positions = rig.draw(kSeq * s.width), dx = rig.draw(s.count());
      Numbers x = rig.draw(s.count()), dpositions = rig.template draw<float>(kSeq * s.width);
      Array<T> positions_array(positions, s.shift), x_array(x, 0), dx_array(dx, 0);
      Array<float> dpositions_array(dpositions, s.shift);
      for (std::size_t i = 0; i < x.size(); ++i) {
        const auto width = static_cast<std::size_t>(s.width);
        const std::size_t at =
            (static_cast<std::size_t>(first) + i / width) % kSeq * width + i % width;
        x[i] += positions[at];
        dpositions[at] += dx[i];
      }
      if (backward) {
        rig.device.positions_backward(s.rows, first, kSeq, s.width, dx_array.data(),
                                      dpositions_array.data());
        rig.results.compare(s.line(), dpositions_array.numbers(), dpositions,
                            {1e-5, 1e-6 * static_cast<double>(s.rows)});
      } else {
        rig.device.add_positions(s.rows, first, kSeq, s.width, positions_array.data(),
                                 x_array.data());
        rig.results.compare(s.line(), x_array.numbers(), x, rounded_to<T>());
      }
    }
}

}  // namespace

template <typename T>
void check_embedding(Rig<T>& rig) {
  for (const bool backward : {false, true}) {
    check_embed(rig, backward);
    check_positions(rig, backward);
  }
}

template void check_embedding(Rig<BFloat16>&);
template void check_embedding(Rig<Half>&);
template void check_embedding(Rig<float>&);

}  // namespace check

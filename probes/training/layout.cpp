// SPDX-License-Identifier: Apache-2.0
#include "probes/training/layout.h"

#include <string>

#include "probes/common/error.h"

namespace pippin::probes {

Place place_of(const Setup& s, std::int64_t rank) {
  return {rank % s.tp, rank / s.tp % s.dp, rank / s.tp / s.dp};
}

std::int64_t rank_at(const Setup& s, const Place& place) {
  return place.tp + s.tp * (place.dp + s.dp * place.pp);
}

bool splits_sequence(const Setup& s) { return s.tp > 1 && s.sequence_parallel == "1"; }

namespace {

void check_divides(const char* divisor_name, std::int64_t divisor, const std::string& name,
                   std::int64_t number) {
  if (number % divisor != 0)
    bad_layout(std::string(divisor_name) + " " + std::to_string(divisor) + " does not divide " +
               name + " " + std::to_string(number));
}

}  // namespace

void check_layout(const Setup& s, std::int64_t launched) {
  check_divides("--tp", s.tp, "--heads", s.heads);
  check_divides("--tp", s.tp, "--kv-heads", s.groups());
  check_divides("--tp", s.tp, "the MLP's width", s.ffn_width());
  if (splits_sequence(s)) check_divides("--sequence-parallel: --tp", s.tp, "--seq", s.seq);
  check_divides("--pp", s.pp, "--layers", s.layers);
  if (s.world() != launched)
    bad_layout("--tp " + std::to_string(s.tp) + " x --pp " + std::to_string(s.pp) + " x --dp " +
               std::to_string(s.dp) + " wants " + std::to_string(s.world()) +
               " ranks, launched were " + std::to_string(launched) + ": mpirun -n " +
               std::to_string(s.world()) + " …");
}

}  // namespace pippin::probes

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "db/database.h"
#include "db/sqlite.h"

namespace pippin::db {

/// The columns of run_digests, as `digest_at` reads them.
inline constexpr std::string_view kDigestColumns =
    "gbs, batch_grew, flagged, slowdown, unsteady, clean_lines, clean_mean_ms, clean_sd_ms, "
    "clean_min_ms, clean_p25_ms, clean_median_ms, clean_p75_ms, clean_p95_ms, clean_p99_ms, "
    "clean_max_ms, lines, mean_ms, sd_ms, min_ms, p25_ms, median_ms, p75_ms, p95_ms, "
    "p99_ms, max_ms, trend, times";

/// The digest in a row whose columns from `column` on are those above; nothing where it is none.
std::optional<RunDigest> digest_at(const Statement& row, int column);

/// Stores the digest of a run that has none, and in place of what it had.
void add_digest(Connection& connection, const DigestRecord& record, std::int64_t version);
void put_digest(Connection& connection, const DigestRecord& record, std::int64_t version);

}  // namespace pippin::db

#pragma once

#include <cstdint>
#include <optional>

#include "db/database.h"
#include "db/sqlite.h"

namespace pippin::db {

/// Reads what runs come to, with a statement that is prepared once.
class DigestReader {
 public:
  /// Digests of another version than `version` do not count.
  DigestReader(Connection& connection, std::int64_t version);
  /// Nothing where there is none.
  std::optional<RunDigest> of(std::int64_t run);

 private:
  std::int64_t version_;
  Statement row_;
};

void put_digest(Connection& connection, const DigestRecord& record, std::int64_t version);

}  // namespace pippin::db

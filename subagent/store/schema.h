// The tables of a store and how they came to be: one step a version.
#pragma once
#include "subagent/store/database.h"

namespace ptc {

constexpr int kStoreVersion = 4;

/// The script of all tables of a version, in words of all databases (`translated`).
std::string store_schema(int version = kStoreVersion);

// Both within a transaction.

/// Makes the tables in an empty database, or refuses it without `makes_tables`; refuses another version than today's,
/// and tables that are not ours.
Result<void> prepare_schema(DatabaseSource& source, Database& database, bool makes_tables);
/// Brings an older schema to today's; how many steps that took.
Result<int> migrate_schema(DatabaseSource& source, Database& database);

} // namespace ptc

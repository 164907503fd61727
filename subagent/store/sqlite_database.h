// The store's database in a SQLite file.
#pragma once
#include "subagent/store/database.h"
#include <set>

namespace ptc {

Result<std::unique_ptr<DatabaseSource>> sqlite_source(const std::string& path, Millis64 busy, OnStatement on_statement);

/// "TABLE.COLUMN" of all tables and views that a script in SQLite's words makes.
Result<std::set<std::string>> columns_of(const std::string& script);

} // namespace ptc

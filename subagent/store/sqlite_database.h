// The store's database in a SQLite file.
#pragma once
#include "subagent/store/database.h"

namespace ptc {

Result<std::unique_ptr<DatabaseSource>> sqlite_source(const std::string& path, Millis64 busy, OnStatement on_statement);

} // namespace ptc

// The store's database on a PostgreSQL server.
#pragma once
#include "subagent/store/database.h"

namespace ptc {

Result<std::unique_ptr<DatabaseSource>> postgres_source(const std::string& url, Millis64 busy,
                                                        OnStatement on_statement);

} // namespace ptc

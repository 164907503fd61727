// Which database a URL names.
#pragma once
#include "subagent/store/database.h"

namespace ptc {

/// The source that a URL names: `sqlite:FILE`, `postgres://..`, `postgresql://..`.
Result<std::unique_ptr<DatabaseSource>> database_source(const std::string& url, Millis64 busy,
                                                        OnStatement on_statement);

} // namespace ptc

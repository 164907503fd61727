#include "subagent/store/database_url.h"
#include "subagent/store/postgres_database.h"
#include "subagent/store/sqlite_database.h"

namespace ptc {

Result<std::unique_ptr<DatabaseSource>> database_source(const std::string& url, Millis64 busy, OnStatement hook) {
    constexpr std::string_view kSqlite = "sqlite:";
    if (url.starts_with(kSqlite) && url.size() > kSqlite.size())
        return sqlite_source(url.substr(kSqlite.size()), busy, std::move(hook));
    if (url.starts_with("postgres://") || url.starts_with("postgresql://"))
        return postgres_source(url, busy, std::move(hook));
    return Error(Reason::InvalidRequest,
                 "A store is named as `sqlite:FILE` or `postgres://USER@HOST/DATABASE`, which this is not.");
}

} // namespace ptc

#include "subagent/store/database.h"

namespace ptc {
namespace {

struct Word {
    std::string_view name, sqlite, postgres;
};

// Clocks are those of the statement's begin in both, so that an index can be searched with them.
constexpr Word kWords[] = {
    {"now", "now_ms()", "floor(extract(epoch from statement_timestamp()) * 1000)::bigint"},
    {"after_now", "(now_ms() + 1)", "(floor(extract(epoch from statement_timestamp()) * 1000)::bigint + 1)"},
    {"skip", "", "FOR NO KEY UPDATE SKIP LOCKED"},
    {"own", "", "FOR NO KEY UPDATE"},
    {"share", "", "FOR KEY SHARE"},
    {"skip_all", "", "FOR UPDATE SKIP LOCKED"},
    {"own_all", "", "FOR UPDATE"},
    {"mine", "1 = 1", "xmin = (pg_catalog.pg_current_xact_id_if_assigned())::xid"},
    {"too_large", "x'FF746F6F206C61726765FF'", "'\\xFF746F6F206C61726765FF'::bytea"},
    {"with_next", "1", "pg_catalog.set_config('synchronous_commit', 'off', true)"},
    {"id", "INTEGER PRIMARY KEY AUTOINCREMENT", "bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY"},
    {"blob", "BLOB", "bytea"},
    {"text", "TEXT", "text COLLATE \"C\""},
    {"real", "REAL", "double precision"},
};

} // namespace

std::int64_t Cell::integer() const {
    const auto* number = std::get_if<std::int64_t>(&held_);
    return number ? *number : 0;
}

double Cell::real() const {
    const auto* number = std::get_if<double>(&held_);
    return number ? *number : static_cast<double>(integer());
}

const std::string& Cell::text() const {
    static const std::string& nothing = *new std::string;
    const auto* text = std::get_if<std::string>(&held_);
    return text ? *text : nothing;
}

Result<void> check_sizes(Parameters parameters) {
    for (const Parameter& parameter : parameters) {
        const auto* bytes = std::get_if<Blob>(&parameter);
        if (bytes && bytes->bytes.size() > kMostCellBytes)
            return Error(Reason::InvalidRequest,
                         "What is to be stored is larger than " + std::to_string(kMostCellBytes >> 20) + " MiB.");
    }
    return {};
}

std::string with_question_marks(std::string_view sql) {
    std::string out(sql);
    char quote = 0;
    for (std::size_t i = 0; i + 1 < out.size(); ++i) {
        if (quote) {
            if (out[i] == quote) quote = 0;
        } else if (out[i] == '\'' || out[i] == '"') {
            quote = out[i];
        } else if (out[i] == '$' && out[i + 1] >= '0' && out[i + 1] <= '9') {
            out[i] = '?';
        }
    }
    return out;
}

std::string translated(std::string_view sql, const Dialect& dialect) {
    std::string out;
    bool is_read = true; ///< it is no part for the other one
    for (std::size_t i = 0; i < sql.size(); ++i) {
        const std::size_t end = sql[i] == '{' ? sql.find('}', i) : std::string_view::npos;
        if (end == std::string_view::npos) {
            if (is_read) out += sql[i];
            continue;
        }
        const std::string_view name = sql.substr(i + 1, end - i - 1);
        if (name == "sqlite" || name == "postgres" || name == "both")
            is_read = name == "both" || (name == "postgres") == dialect.is_postgres;
        if (name == "s" && is_read) out += dialect.schema;
        if (name == "losses_of_an_attempt" && is_read) out += std::to_string(kLossesOfAnAttempt);
        if (name == "most_bytes" && is_read) out += std::to_string(kMostCellBytes);
        if (name == "most_losses" && is_read) out += std::to_string(kMostLosses);
        for (const Word& word : kWords) {
            if (word.name == name && is_read) out += dialect.is_postgres ? word.postgres : word.sqlite;
        }
        i = end;
    }
    return dialect.is_postgres ? out : with_question_marks(out);
}

} // namespace ptc

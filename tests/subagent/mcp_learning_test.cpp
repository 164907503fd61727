// Which keys of results are names of fields, and which are data: forty tools of learnt_results.jsonl, each with some
// calls. They were written before the rule that they judge; it was made looking at every second row of a kind, the
// others are set aside.
#include "ptc/datum.h"
#include "subagent/mcp/learnt_types.h"
#include <fstream>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <vector>

namespace ptc {
namespace {

/// The type at "rows[].owner"; none where nothing is known there.
const Type* at(const Type& type, std::string_view place) {
    if (place.empty()) return &type;
    if (place.starts_with("[]")) return type.is(TypeKind::List) ? at(type.element(), place.substr(2)) : nullptr;
    if (place.starts_with('.')) place.remove_prefix(1);
    const std::string_view name = place.substr(0, place.find_first_of(".["));
    for (const Field& field : type.fields)
        if (field.name == name) return at(field.type, place.substr(name.size()));
    return nullptr;
}

struct Figures {
    int first = 0, last = 0; ///< of rows: what is right after one call, and after all
    std::string wrongs{};    ///< of those that are not set aside
};

/// Right is that of fields some are known, so that others are warned of, and of data none.
Figures figures(const std::string& keys, bool is_aside) {
    std::ifstream in(PTC_TEST_DATA "/subagent/learnt_results.jsonl");
    Figures found;
    std::string line;
    for (int i = 0; std::getline(in, line);) {
        const Datum row = Datum::from_json(line).value();
        if (*row["keys"].text() != keys || (i++ % 2 == 1) != is_aside) continue;
        std::optional<Type> known;
        bool is_right = false;
        std::string wrong;
        for (const Datum& call : row["calls"].items()) {
            Type type = mcp::learn(call[1], call[0]);
            known = known ? mcp::merged(*known, type) : type;
            const Type checked = mcp::names_only(*known);
            const Type* place = at(checked, *row["at"].text());
            is_right = (keys == "fields") == (place && place->is(TypeKind::Record));
            if (&call == &row["calls"].items().front() && is_right) ++found.first;
            wrong += (is_right ? " right: " : " wrong: ") + mcp::shown_type(*known);
        }
        if (is_right) ++found.last;
        if (!is_aside && wrong.find("wrong:") != std::string::npos)
            found.wrongs += *row["name"].text() + ":" + wrong + "\n";
    }
    return found;
}

TEST(McpLearning, KeysOfRealisticResultsAreFieldsOrData) {
    struct Row {
        const char* keys;
        bool is_aside;
        Figures least; ///< of ten
    };
    for (const Row& row :
         {Row{"fields", false, {8, 10, {}}},
          Row{"fields", true, {7, 8, {}}}, // of times that are polled without arguments nothing is said
          Row{"data", false, {10, 10, {}}}, Row{"data", true, {10, 10, {}}}}) {
        const Figures found = figures(row.keys, row.is_aside);
        const std::string name = row.keys + std::string(row.is_aside ? "_aside" : "");
        RecordProperty(name + "_after_one_call", found.first);
        RecordProperty(name + "_after_all", found.last);
        EXPECT_GE(found.first, row.least.first) << name << "\n" << found.wrongs;
        EXPECT_GE(found.last, row.least.last) << name;
    }
}

} // namespace
} // namespace ptc

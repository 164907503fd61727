// Runs small programs of calls to builtins without a compiler: `(name arg ..)` with literals, collections and further
// calls as arguments. What tests of builtins need, and no more: no special forms, no functions of the program.
#pragma once
#include "frontend/reader/reader.h"
#include "frontend/try.h"
#include "runtime/builtin.h"
#include "runtime/clock.h"
#include "runtime/map.h"
#include "runtime/number.h"
#include "runtime/print.h"
#include "runtime/regex.h"
#include "runtime/set.h"
#include "runtime/string.h"
#include "runtime/vector.h"
#include <gtest/gtest.h>
#include <initializer_list>
#include <string>
#include <vector>

namespace ptc::test {

/// A host that keeps what is printed, and whose clock stands still.
struct FakeHost : HostServices {
    bool print(std::string_view line) override {
        if (printed.size() >= max_lines) return false;
        printed.emplace_back(line);
        return true;
    }
    std::int64_t now_millis() override { return now; }
    std::vector<std::string> printed;
    std::size_t max_lines = SIZE_MAX;
    std::int64_t now = 1'700'000'000'000;
};

struct Case {
    const char* source;
    const char* expected; ///< what run gives
};

class BuiltinProgram : public testing::Test {
protected:
    Heap heap;
    ShapeTable shapes{heap};
    FakeHost host;

    /// The value of `source` as pr-str writes it, or "!reason".
    std::string run(std::string_view source) {
        Result<Value> value = evaluate(source);
        if (!value.ok()) return "!" + std::string(reason_name(value.error().reason));
        return print_to_string(heap, value.value(), PrintStyle::Readable);
    }
    /// The message and hint of the error that `source` ends in.
    std::string error_of(std::string_view source) {
        Result<Value> value = evaluate(source);
        if (value.ok()) return "no error";
        return value.error().message + " " + value.error().hint;
    }
    Result<Value> evaluate(std::string_view source) {
        Source text("test", std::string(source));
        Diagnostics diagnostics;
        Forms forms = read_forms(text, {}, diagnostics);
        if (diagnostics.has_errors()) return Error(diagnostics.all().front().error);
        return evaluate(forms.top_level().back());
    }
    void expect_all(std::initializer_list<Case> cases) {
        for (const Case& c : cases)
            EXPECT_EQ(run(c.source), c.expected) << c.source;
    }
    Result<Value> call(std::string_view name, std::vector<Value> args) {
        int index = find(name);
        if (index < 0) return Error(Reason::UnboundVar, std::string(name));
        const Builtin& builtin = builtin_at(static_cast<std::uint32_t>(index));
        if (!builtin.arity().accepts(args.size())) return Error(Reason::ArityError, std::string(name));
        Call context{heap, shapes, host, builtin};
        Result<Value> result = builtin.call(context, args);
        // As after each instruction: what a builtin charged without checking ends the run here.
        if (result.ok() && !heap.meter.charge(0)) return heap.meter.error();
        return result;
    }
    Value string(std::string_view text) { return make_string(heap, text).value(); }
    template <class... Values> static std::vector<Value> values(Values... v) {
        std::vector<Value> all;
        (all.push_back(std::move(v)), ...);
        return all;
    }

private:
    // What the compiler makes of the constants of Java's classes that examples name.
    static constexpr Case kConstants[] = {
        {"ChronoUnit/DAYS", "(ChronoUnit/valueOf \"DAYS\")"},
        {"ChronoUnit/HOURS", "(ChronoUnit/valueOf \"HOURS\")"},
        {"ChronoUnit/MONTHS", "(ChronoUnit/valueOf \"MONTHS\")"},
        {"DayOfWeek/MONDAY", "(DayOfWeek/valueOf \"MONDAY\")"},
        {"Month/MAY", "(Month/valueOf \"MAY\")"},
        {"Duration/ZERO", "(Duration/parse \"PT0S\")"},
        {"Locale/ENGLISH", "\"en\""},
        {"TextStyle/FULL", "\"FULL\""},
        {"TextStyle/SHORT", "\"SHORT\""},
        {"ZoneOffset/UTC", "\"Z\""},
        {"RoundingMode/HALF_UP", "\"HALF_UP\""},
        {"WeekFields/ISO", "\"WeekFields[MONDAY,4]\""},
        {"WeekFields/SUNDAY_START", "\"WeekFields[SUNDAY,1]\""},
        {"ChronoField/DAY_OF_WEEK", "\"DayOfWeek\""},
        {"ChronoField/EPOCH_DAY", "\"EpochDay\""},
        {"ChronoField/DAY_OF_MONTH", "\"DayOfMonth\""},
        {"IsoFields/QUARTER_OF_YEAR", "\"QuarterOfYear\""},
        {"IsoFields/WEEK_OF_WEEK_BASED_YEAR", "\"WeekOfWeekBasedYear\""},
        {"Pattern/CASE_INSENSITIVE", "2"},
        {"BigDecimal/ROUND_UP", "0"},
        {"BigDecimal/ROUND_HALF_UP", "4"},
        {"Locale/US", "\"en_US\""},
    };

    // The row of clojure.set/union is "union", that of clojure.set/index "set/index".
    static int find(std::string_view name) {
        if (name.starts_with("clojure.")) name.remove_prefix(8);
        int index = find_builtin(name);
        std::size_t slash = name.find('/');
        if (index >= 0 || slash == std::string_view::npos || name.size() == 1) return index;
        return find_builtin(name.substr(slash + 1));
    }
    Result<Value> evaluate(const Form& form) {
        switch (form.kind) {
        case FormKind::Nil: return Value();
        case FormKind::True: return Value::boolean(true);
        case FormKind::False: return Value::boolean(false);
        case FormKind::Integer: return make_integer(heap, form.integer);
        case FormKind::BigInteger: return parse_integer(heap, form.text());
        case FormKind::Float: return Value::number(form.number);
        case FormKind::String: return make_string(heap, form.text());
        case FormKind::Keyword: return make_keyword(heap, form.text());
        case FormKind::Regex: return make_regex(heap, form.text());
        case FormKind::Symbol: return builtin_value(form.text());
        case FormKind::List: {
            std::vector<Value> args = PTC_TRY(items(form.items().subspan(1)));
            return call(form.items()[0].text(), std::move(args));
        }
        case FormKind::Vector: {
            std::vector<Value> values = PTC_TRY(items(form.items()));
            return make_vector(heap, values);
        }
        case FormKind::Map: return map_of(form);
        case FormKind::Set: return set_of(form);
        default: return Error(Reason::InvalidForm, "not in tests of builtins");
        }
    }
    Result<Value> builtin_value(std::string_view name) {
        for (const Case& constant : kConstants) {
            if (name == constant.source) return evaluate(std::string_view(constant.expected));
        }
        int index = find(name);
        if (index < 0) return Error(Reason::UnboundVar, std::string(name));
        return Value::builtin(static_cast<std::uint32_t>(index));
    }
    Result<std::vector<Value>> items(std::span<const Form> forms) {
        std::vector<Value> values;
        for (const Form& form : forms)
            values.push_back(PTC_TRY(evaluate(form)));
        return values;
    }
    Result<Value> map_of(const Form& form) {
        std::vector<Value> values = PTC_TRY(items(form.items()));
        MapBuilder map(heap);
        for (std::size_t i = 0; i < values.size(); i += 2) {
            if (!map.put(std::move(values[i]), std::move(values[i + 1]))) break;
        }
        return map.finish();
    }
    Result<Value> set_of(const Form& form) {
        std::vector<Value> values = PTC_TRY(items(form.items()));
        Value set = empty_set();
        for (Value& value : values)
            set = PTC_TRY(set_conj(heap, std::move(set), std::move(value)));
        return set;
    }
};

/// Every row has a text, and an example that gives what it says. The example of an internal row shows what becomes a
/// call to it, which only a compiler can do.
#define EXPECT_ROWS_DOCUMENTED(rows)                                                                                   \
    for (const Builtin& row : rows) {                                                                                  \
        EXPECT_GT(std::string_view(row.doc).size(), 8u) << row.name;                                                   \
        ASSERT_NE(row.example.source, nullptr) << row.name;                                                            \
        if (row.category == Category::Internal) continue;                                                              \
        EXPECT_EQ(run(row.example.source), row.example.result) << row.name << ": " << row.example.source;              \
    }

} // namespace ptc::test

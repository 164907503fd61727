// Text to keywords and back, in single values and in the keys of nested maps. Any text but "" can be a keyword's name;
// as a key of nested data only those become keywords that a program can write without a namespace (DIV-35), and any
// other text stays a string. Nested data is rebuilt with a stack of its own, for fuel.
#include "frontend/try.h"
#include "runtime/access.h"
#include "runtime/builtins/key_conversion.h"
#include "runtime/builtins/tables.h"
#include "runtime/number.h"
#include "runtime/qualified_name.h"
#include "runtime/scratch.h"
#include "runtime/string.h"
#include <algorithm>
#include <cmath>
#include <string>

namespace ptc {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_keyword_char(char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '?' || c == '!';
}

// DIV-35: names that a program can also write, without operator characters.
bool is_keyword_name(std::string_view name) {
    return !name.empty() && is_letter(name.front()) && std::all_of(name.begin(), name.end(), is_keyword_char);
}

// A keyword has any text as its name, but not none; what stands before its first slash is its namespace.
Result<Value> keyword_named(Call& call, std::string_view name) {
    if (name.empty()) {
        return runtime_failure(call.who(), "a keyword has a name of at least one character.")
            .with_hint("Use the string itself as key.");
    }
    PTC_CHECK(charge(call, name.size() / 8));
    return make_keyword(call.heap, name);
}

/// (keyword "user" "name") is :user/name; a namespace may be nil.
Result<Value> keyword_in_namespace(Call& call, Args args) {
    for (std::size_t i = 0; i < 2; ++i) {
        if (!args[i].is_string() && !args[i].is_keyword() && !(i == 0 && args[i].is_nil()))
            return argument_error(call, args, i + 1, "a text");
    }
    if (text_of(args[1]).empty() || args[0].is_nil()) return keyword_named(call, text_of(args[1]));
    std::string name(text_of(args[0]));
    name.append("/").append(text_of(args[1]));
    return keyword_named(call, name);
}

// What is neither text nor keyword has no keyword, which is no error (GAP-S78); NaN and the infinities are refused.
Result<Value> keyword(Call& call, Args args) {
    if (args.size() == 2) return keyword_in_namespace(call, args);
    if (args[0].is_keyword()) return std::move(args[0]);
    if (args[0].is_double() && !std::isfinite(args[0].as_double())) {
        return runtime_failure(call.who(), number_for_message(args[0]) + " is no name.");
    }
    if (args[0].is(ObjectType::Symbol)) {
        return runtime_failure(call.who(), "a quoted name is no text.").with_hint("Write the keyword: `:name`.");
    }
    if (!args[0].is_string()) return Value();
    return keyword_named(call, text_of(args[0]));
}

/// What stands before the slash of :user/name.
Result<Value> call_namespace(Call& call, Args args) {
    if (args[0].is_nil() || (!args[0].is_keyword() && !args[0].is(ObjectType::Symbol)))
        return argument_error(call, args, 1, "a keyword");
    const std::size_t slash = namespace_end_of_name(text_of(args[0]));
    if (slash == std::string_view::npos) return Value();
    return make_string(call.heap, text_of(args[0]).substr(0, slash));
}

using ConvertKey = Result<Value> (*)(Heap&, Value);

// A text that is no keyword name stays a string.
Result<Value> keyword_key(Heap& heap, Value key) {
    if (key.is_string()) heap.meter.charge_unchecked(static_cast<std::int64_t>(text_of(key).size() / 8));
    if (!key.is_string() || !is_keyword_name(text_of(key))) return key;
    return make_keyword(heap, text_of(key));
}

Result<Value> string_key(Heap& heap, Value key) {
    if (!key.is_keyword()) return key;
    return make_string(heap, text_of(key));
}

/// Rebuilds nested collections with the keys of all maps converted. Its own stack: data may be nested deeper than
/// C++'s.
class KeyConversion {
public:
    KeyConversion(Call& call, ConvertKey convert) : call_(call), convert_(convert), levels_(call.heap) {}

    Result<Value> run(Value root) {
        if (!root.is_collection()) return root;
        PTC_CHECK(enter(root));
        for (;;) {
            PTC_CHECK(charge(call_, 1));
            Level& level = levels_.back();
            if (level.next < vector_length(level.items)) {
                Value item = vector_get(level.items, level.next);
                PTC_CHECK(item.is_collection() ? enter(item) : add(level, std::move(item)));
                continue;
            }
            Value done = std::move(level.result);
            levels_.pop();
            if (levels_.empty()) return done;
            PTC_CHECK(add(levels_.back(), std::move(done)));
        }
    }

private:
    struct Level {
        Value items;  ///< what is gone through: elements, or values of a map
        Value keys;   ///< of a map, beside its values
        Value result; ///< the converted ones so far
        std::size_t next = 0;
    };

    Result<void> enter(const Value& coll) {
        Level level;
        if (coll.is_map()) {
            level.keys = PTC_TRY(map_keys(call_.heap, coll));
            level.items = PTC_TRY(map_values(call_.heap, coll));
            level.result = empty_map();
        } else {
            level.items = PTC_TRY(to_vector(call_.heap, coll.copy(), call_.who()));
            level.result = coll.is_set() ? empty_set() : empty_vector();
        }
        PTC_CHECK(charge(call_, vector_length(level.items)));
        if (!levels_.push(std::move(level))) return call_.heap.out_of_memory();
        return {};
    }

    Result<void> add(Level& level, Value item) {
        if (level.result.is_map()) {
            Value key = PTC_TRY(convert_(call_.heap, vector_get(level.keys, level.next)));
            level.result =
                PTC_TRY(map_assoc_exact(call_.heap, std::move(level.result), std::move(key), std::move(item)));
        } else {
            level.result = PTC_TRY(conj_to(call_.heap, std::move(level.result), std::move(item), call_.who()));
        }
        ++level.next;
        return {};
    }

    Call& call_;
    ConvertKey convert_;
    ScratchStack<Level> levels_;
};

// Any text but "".
Result<Value> any_keyword_key(Heap& heap, Value key) {
    if (!key.is_string() || text_of(key).empty()) return key;
    heap.meter.charge_unchecked(static_cast<std::int64_t>(text_of(key).size() / 8));
    return make_keyword(heap, text_of(key));
}

Result<Value> keywordize_keys(Call& call, Args args) {
    return KeyConversion(call, keyword_key).run(std::move(args[0]));
}
Result<Value> stringify_keys(Call& call, Args args) { return KeyConversion(call, string_key).run(std::move(args[0])); }

constexpr Builtin kRows[] = {
    {.name = "keyword",
     .usage = "(keyword x) (keyword namespace name)",
     .doc =
         "The keyword of a text, which may be any but \"\"; a keyword stands for itself, and anything else gives nil. "
         "With two texts the keyword :namespace/name.",
     .example = {"(keyword \"foo\")", ":foo"},
     .work = Work::Text,
     .gives = {kinds::kKeyword | kinds::kNil, ResultRule::Gives},
     .model = BoundModel::KeywordOf,
     .call = keyword,
     .differs = "\"\" is refused, and a value that is no text gives nil."},
    {.name = "namespace",
     .usage = "(namespace x)",
     .doc = "What stands before the slash of a keyword; nil for a keyword without one.",
     .example = {"(namespace :user)", "nil"},
     .category = Category::Core,
     .gives = {kinds::kText | kinds::kNil},
     .model = BoundModel::Unknown,
     .call = call_namespace},
    {.name = "walk/keywordize-keys",
     .usage = "(clojure.walk/keywordize-keys form)",
     .doc = "Nested data with string keys of maps as keywords; a text that is no keyword name stays a string.",
     .example = {"(clojure.walk/keywordize-keys {\"a\" [{\"b\" 1}]})", "{:a [{:b 1}]}"},
     .category = Category::Walk,
     .work = Work::Inside,
     .gives = {kinds::kAny},
     .model = BoundModel::Unknown,
     .call = keywordize_keys},
    {.name = "walk/stringify-keys",
     .usage = "(clojure.walk/stringify-keys form)",
     .doc = "Nested data with keyword keys of maps as strings.",
     .example = {"(clojure.walk/stringify-keys {:a [{:b 1}]})", "{\"a\" [{\"b\" 1}]}"},
     .category = Category::Walk,
     .work = Work::Inside,
     .gives = {kinds::kAny},
     .model = BoundModel::Unknown,
     .call = stringify_keys},
};

} // namespace

Result<Value> with_keyword_keys(Call& call, Value data) {
    return KeyConversion(call, any_keyword_key).run(std::move(data));
}

std::span<const Builtin> name_builtins() { return kRows; }

} // namespace ptc

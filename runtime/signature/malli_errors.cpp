// The messages about a schema in the Malli form, for both of its sources: with a span when it is text, without one when
// a program made it as a value. Each says what stands there, what may stand there, and gives the spelling that was
// likely meant.
#include "runtime/signature/malli_errors.h"

#include "frontend/quoted.h"
#include "frontend/suggest.h"
#include "frontend/utf8.h"
#include "ptc/type.h"
#include <algorithm>
#include <array>

namespace ptc {
namespace {

constexpr std::string_view kSchemas =
    "Schemas are `:string`, `:int`, `:float`, `:bool`, `:keyword`, `:datetime`, `:any`, "
    "`:map`, `:nil`, `[:map [:id :int]]`, `[:vector :int]`, `[:enum \"a\" \"b\"]`, "
    "`[:or :int :nil]`, `[:maybe :int]` and `[:and :int [:> 0]]`.";

Error problem(MaybeSpan span, std::string message, std::string_view hint) {
    if (span) return Error(Reason::ParseError, *span, std::move(message), std::string(hint));
    return Error(Reason::ParseError, std::move(message)).with_hint(std::string(hint));
}

struct Foreign {
    std::string_view name, hint;
};
constexpr std::array kForeign = {
    Foreign{"tuple", "There are no tuples: name the parts, `[:map [:x :int] [:y :int]]`."},
    Foreign{"set", "Sets leave the sandbox as lists: `[:vector :int]`."},
    Foreign{"map-of", "A map with any keys is `:map`."},
    Foreign{"list", "A list is `[:vector :int]`."},
    Foreign{"vector", "A list is `[:vector :int]`; a list of anything `[:vector :any]`."},
    Foreign{"re", "Texts are `:string`, or a fixed set of them: `[:enum \"a\" \"b\"]`."},
    Foreign{"fn", "Schemas are data: functions cannot be part of them."},
    Foreign{"?", "A value that may be nil is `[:maybe :int]`."},
    Foreign{"optional", "An optional field is `[:name {:optional true} :string]`."},
};

} // namespace

Error malli_not_one_form(std::size_t found) {
    return problem(std::nullopt, found == 0 ? "The schema is empty." : "There is more than one schema.",
                   "Write one vector: `[:=> [:cat] [:map [:n :int]]]`.");
}

Error malli_not_a_schema(MaybeSpan span) { return problem(span, "This is not a schema.", kSchemas); }

Error malli_unknown_schema(MaybeSpan span, std::string_view name) {
    constexpr std::array<std::string_view, 17> kNames = {"string", "int", "float",      "bool",   "keyword", "datetime",
                                                         "any",    "map", "nil",        "maybe",  "vector",  "enum",
                                                         "or",     "and", "sequential", "double", "boolean"};
    const auto* row = std::ranges::find(kForeign, name, &Foreign::name);
    if (row != kForeign.end())
        return problem(span, quoted_token(":" + std::string(name)) + " is not a schema here.", row->hint);
    const std::vector<std::string> near = suggest(name, kNames, 1);
    const std::string hint =
        near.empty() ? std::string(kSchemas) : "Write `:" + near.front() + "`. " + std::string(kSchemas);
    return problem(span, quoted_token(":" + std::string(name)) + " is not a schema.", hint);
}

Error malli_wrong_size(MaybeSpan span, std::string_view name, std::string_view usage) {
    return problem(span, "`:" + std::string(name) + "` has too few or too many parts.",
                   "Write `" + std::string(usage) + "`.");
}

Error malli_no_parameters(MaybeSpan span) {
    return problem(span, "The parameters of a signature are `[:cat ..]`, or `[:catn [:name ..] ..]`.",
                   "Without parameters write `[:=> [:cat] :any]`.");
}

Error malli_no_function(Span span) {
    return problem(span, "This is the schema of a value; a signature in the Malli form is `[:=> [:cat] RESULT]`.",
                   "Write `[:=> [:cat] [:map [:n :int]]]`, or the short form, `{n :int}`.")
        .with_edit({span.begin, span.begin}, "[:=> [:cat] ")
        .with_edit({span.end, span.end}, "]");
}

Error malli_bad_entry(MaybeSpan span, std::string_view of) {
    return problem(span, "An entry of `:" + std::string(of) + "` is a vector of a name and a schema.",
                   of == "map" ? "Write `[:map [:id :int] [:name {:optional true} :string]]`."
                               : "Write `[:catn [:id :int]]`.");
}

Error malli_bad_name(MaybeSpan span, std::string_view name) {
    return problem(span, quoted_token(name) + " is not a name of a field.",
                   "Names start with a letter or `_`; letters, digits, `_` and `-` follow.");
}

Error malli_name_clash(MaybeSpan span, std::string_view first, std::string_view second) {
    return problem(span,
                   quoted_token(first) + " and " + quoted_token(second) +
                       " are the same name: hyphens count as underscores.",
                   "Rename one of them.");
}

Error malli_bad_property(MaybeSpan span, std::string_view of) {
    return problem(
        span, "`:" + std::string(of) + "` does not have these properties.",
        "Fields have `{:optional true}`, numbers `{:min 1 :max 10}`; that only declared fields are allowed is what "
        "strict validation does.");
}

Error malli_bad_choice(MaybeSpan span) {
    return problem(span, "A choice is a text, a keyword, a number, a boolean or nil.",
                   "Write `[:enum \"open\" \"done\"]`.");
}

Error malli_bad_comparison(MaybeSpan span) {
    return problem(span, "A comparison of `:and` is a vector of an operator and a number.",
                   "Write `[:and :int [:> 0] [:<= 100]]`; operators are `:>` `:>=` `:<` `:<=` `:=` and `:not=`.");
}

Error malli_needs_number(MaybeSpan span) {
    return problem(span, "Comparisons are for numbers.", "Write `[:and :int [:> 0]]` or `[:and :float [:< 1]]`.");
}

Error malli_too_deep(MaybeSpan span) {
    return problem(span, "Schemas are nested more than " + std::to_string(kMaxTypeNesting) + " deep.",
                   "Use `:map` or `:any` for what need not be checked.");
}

} // namespace ptc

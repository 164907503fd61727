// Regular expressions (spec 8.10): matches are strings, or vectors [match group1 ..] when the pattern has groups.
// Searching and its costs are in regex.h. `replace` with a function cannot be a builtin, since builtins call nothing:
// the core library takes the text apart, calls the function for each match and joins the parts, by the rows with %.
#include "runtime/regex.h"
#include "frontend/try.h"
#include "runtime/builtins/number_text.h"
#include "runtime/builtins/tables.h"
#include "runtime/builtins/text_arguments.h"
#include "runtime/builtins/text_errors.h"
#include "runtime/number.h"
#include "runtime/vector.h"

namespace ptc {
namespace {

/// Checks a (regex, string) pair of arguments.
Result<void> regex_and_text(const Call& call, Args args) {
    if (!args[0].is(ObjectType::Regex)) {
        Error error = argument_error(call, args, 1, "a regex");
        if (!args[0].is_string()) return error;
        return std::move(error).with_hint("Write the pattern as #\"..\" or (re-pattern s).");
    }
    PTC_CHECK(text_argument(call, args, 2));
    return {};
}

Result<Value> group_value(Heap& heap, const Value& string, ByteRange group) {
    if (!group.matched()) return Value();
    return part_of(heap, string, group.begin, group.end);
}

/// The last match of `search`, as re-find gives it: an optional group that took no part is nil (GAP-S92).
Result<Value> match_value(Heap& heap, const Value& string, const RegexSearch& search) {
    std::span<const ByteRange> groups = search.groups();
    if (groups.size() == 1) return group_value(heap, string, groups[0]);
    VectorBuilder result(heap);
    if (!result.reserve(groups.size())) return heap.out_of_memory();
    for (const ByteRange& group : groups) {
        if (!result.push(PTC_TRY(group_value(heap, string, group)))) return heap.out_of_memory();
    }
    return result.finish();
}

Result<Value> call_re_pattern(Call& call, Args args) {
    if (args[0].is(ObjectType::Regex)) return std::move(args[0]);
    return make_regex(call.heap, PTC_TRY(text_argument(call, args, 1)));
}

Result<Value> call_re_find(Call& call, Args args) {
    PTC_CHECK(regex_and_text(call, args));
    RegexSearch search(call.heap, args[0], text_of(args[1]));
    if (!PTC_TRY(search.next())) return Value();
    return match_value(call.heap, args[1], search);
}

Result<Value> call_re_matches(Call& call, Args args) {
    PTC_CHECK(regex_and_text(call, args));
    RegexSearch search(call.heap, args[0], text_of(args[1]));
    if (!PTC_TRY(search.full_match())) return Value();
    return match_value(call.heap, args[1], search);
}

Result<Value> call_re_seq(Call& call, Args args) {
    PTC_CHECK(regex_and_text(call, args));
    RegexSearch search(call.heap, args[0], text_of(args[1]));
    VectorBuilder matches(call.heap);
    while (PTC_TRY(search.next())) {
        if (!call.heap.meter.charge(1)) return call.heap.meter.error();
        if (!matches.push(PTC_TRY(match_value(call.heap, args[1], search)))) return call.heap.out_of_memory();
    }
    if (matches.size() == 0) return Value(); // GAP-S82
    return matches.finish();
}

// ---- replace with a function (GAP-S27), in core.ptc: take apart, call for each match, join

/// What lies between the first `limit` matches at even places, the matches at odd ones. Speaks as the function that the
/// program called, whose arguments these are.
Result<Value> match_parts(Call& call, Args args, const char* public_name, std::size_t limit) {
    const Call named{call.heap, call.shapes, call.host,
                     builtin_at(static_cast<std::uint32_t>(find_builtin(public_name)))};
    PTC_CHECK(number_to_string_argument(named, args, 1));
    if (!args[1].is(ObjectType::Regex)) {
        if (!args[1].is_string()) return argument_error(named, args, 2, "a string or a regex");
        return argument_error(named, args, 3, "a string")
            .with_hint("Only what a regex matches can be replaced by a function.");
    }
    RegexSearch search(call.heap, args[1], text_of(args[0]));
    VectorBuilder parts(call.heap);
    std::size_t from = 0;
    for (std::size_t count = 0; count < limit && PTC_TRY(search.next()); ++count) {
        if (!call.heap.meter.charge(2)) return call.heap.meter.error();
        if (!parts.push(PTC_TRY(part_of(call.heap, args[0], from, search.match().begin))))
            return call.heap.out_of_memory();
        if (!parts.push(PTC_TRY(match_value(call.heap, args[0], search)))) return call.heap.out_of_memory();
        from = search.match().end;
    }
    if (!parts.push(PTC_TRY(part_of(call.heap, args[0], from, text_of(args[0]).size()))))
        return call.heap.out_of_memory();
    return parts.finish();
}

Result<Value> call_match_parts(Call& call, Args args) { return match_parts(call, args, "replace", SIZE_MAX); }
Result<Value> call_first_match_parts(Call& call, Args args) { return match_parts(call, args, "replace-first", 1); }

/// The parts in one string. What the function gave for a match must be a string, as Clojure has it.
Result<Value> call_join_parts(Call& call, Args args) {
    if (!args[0].is_vector()) return argument_error(call, args, 1, "a vector");
    VectorReader parts(args[0]);
    StringBuilder out(call.heap);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const Value part = parts.at(i);
        if (!part.is_string()) return replacement_not_text(part);
        PTC_CHECK(charge_bytes_of_work(call.heap, text_of(part).size() + 8));
        if (!out.append(text_of(part))) return out.error();
    }
    return out.finish();
}

Result<Value> call_is_regex(Call&, Args args) { return Value::boolean(args[0].is(ObjectType::Regex)); }

/// Group `args[2]` (1 when left out) of the first match; nil when there is no such group or match.
Result<Value> extract(Call& call, Args args) {
    if (args[0].is_string()) args[0] = PTC_TRY(make_regex(call.heap, text_of(args[0])));
    if (!args[0].is(ObjectType::Regex)) return argument_error(call, args, 1, "a regex or a pattern string");
    PTC_CHECK(text_argument(call, args, 2));
    std::int64_t group = args.size() >= 3 ? PTC_TRY(index_argument(call, args, 3)) : 1;
    if (group < 0 || static_cast<std::size_t>(group) > regex_group_count(args[0])) return Value();
    RegexSearch search(call.heap, args[0], text_of(args[1]));
    if (!PTC_TRY(search.next())) return Value();
    return group_value(call.heap, args[1], search.groups()[static_cast<std::size_t>(group)]);
}

Result<Value> call_extract_int(Call& call, Args args) {
    Value text = PTC_TRY(extract(call, args));
    if (text.is_string()) {
        if (auto value = read_long(text_of(text))) return make_integer(call.heap, *value);
    }
    return args.size() == 4 ? std::move(args[3]) : Value();
}

constexpr const char* kNotInClojure = "Not in Clojure.";

constexpr Builtin kRows[] = {
    {.name = "re-pattern",
     .usage = "(re-pattern s)",
     .doc = "The regex of the pattern s, as #\"..\" writes it; a regex stands for itself.",
     .example = {"(re-find (re-pattern \"\\\\d+\") \"v12\")", "\"12\""},
     .category = Category::Regex,
     .cost = 50,
     .work = Work::Pattern,
     .gives = {kinds::kRegex},
     .model = BoundModel::Unknown,
     .call = call_re_pattern},
    {.name = "re-find",
     .usage = "(re-find re s)",
     .doc = "The first match of re in s: a string, or [match group1 ..] when re has groups; nil when there is none.",
     .example = {"(re-find #\"(\\w+)@(\\w+)\" \"to bob@site\")", "[\"bob@site\" \"bob\" \"site\"]"},
     .category = Category::Regex,
     .cost = 20,
     .work = Work::Pattern,
     .gives = {kinds::kAny},
     .model = BoundModel::Unknown,
     .call = call_re_find},
    {.name = "re-matches",
     .usage = "(re-matches re s)",
     .doc = "As re-find, when re matches the whole of s; nil otherwise.",
     .example = {"(re-matches #\"\\d+\" \"12a\")", "nil"},
     .category = Category::Regex,
     .cost = 20,
     .work = Work::Pattern,
     .gives = {kinds::kAny},
     .model = BoundModel::Unknown,
     .call = call_re_matches},
    {.name = "re-seq",
     .usage = "(re-seq re s)",
     .doc = "All matches of re in s, each as re-find gives it; nil when there is none.",
     .example = {"(re-seq #\"\\d+\" \"a1b22\")", "[\"1\" \"22\"]"},
     .category = Category::Regex,
     .cost = 20,
     .work = Work::Pattern,
     .gives = {kinds::kVector | kinds::kNil, ResultRule::GivesList},
     .model = BoundModel::Unknown,
     .call = call_re_seq,
     .traits = traits::kSequence},
    {.name = "match-parts%",
     .usage = "(match-parts% s re f)",
     .doc = "The text before, between and behind the matches, with the matches between.",
     .example = {"(match-parts% \"a1b\" #\"\\d\" inc)", "[\"a\" \"1\" \"b\"]"},
     .category = Category::Internal,
     .gives = {kinds::kAny},
     .model = BoundModel::Unknown,
     .call = call_match_parts},
    {.name = "first-match-parts%",
     .usage = "(first-match-parts% s re f)",
     .doc = "The text before and behind the first match, with the match between.",
     .example = {"(first-match-parts% \"a1b2\" #\"\\d\" inc)", "[\"a\" \"1\" \"b2\"]"},
     .category = Category::Internal,
     .gives = {kinds::kAny},
     .model = BoundModel::Unknown,
     .call = call_first_match_parts},
    {.name = "join-parts%",
     .usage = "(join-parts% parts)",
     .doc = "Strings joined; refuses what is none.",
     .example = {"(join-parts% [\"a\" \"b\"])", "\"ab\""},
     .category = Category::Internal,
     .gives = {kinds::kText},
     .model = BoundModel::Unknown,
     .call = call_join_parts},
    {.name = "regex?",
     .usage = "(regex? x)",
     .doc = "True if x is a regex.",
     .example = {"(regex? #\"a\")", "true"},
     .category = Category::Regex,
     .gives = {kinds::kBoolean, ResultRule::Gives},
     .model = BoundModel::Question,
     .call = call_is_regex,
     .differs = kNotInClojure},
    {.name = "extract",
     .usage = "(extract re s) (extract re s group)",
     .doc =
         "What a group of the first match of re in s matched (group 1 when not given, 0 is the whole match); nil when "
         "there is none. re may be a pattern string.",
     .example = {"(extract \"ID:(\\\\d+)\" \"ID:42\")", "\"42\""},
     .category = Category::String,
     .cost = 50,
     .work = Work::Pattern,
     .gives = {kinds::kText | kinds::kNil, ResultRule::Gives},
     .model = BoundModel::Unknown,
     .call = extract,
     .differs = kNotInClojure},
    {.name = "extract-int",
     .usage = "(extract-int re s) (extract-int re s group) (extract-int re s group default)",
     .doc = "As extract, read as an integer; default, or nil, when there is none.",
     .example = {"(extract-int \"age=(\\\\d+)\" \"age=25\")", "25"},
     .category = Category::String,
     .cost = 50,
     .work = Work::Pattern,
     .gives = {kinds::kNumber | kinds::kNil, ResultRule::Gives},
     .model = BoundModel::Unknown,
     .call = call_extract_int,
     .differs = kNotInClojure},
};

} // namespace

std::span<const Builtin> regex_builtins() { return kRows; }

} // namespace ptc

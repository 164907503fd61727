// The wording of what is wrong with texts, in one place so that all messages can be read together. Each says what was
// given, cut to a bounded excerpt, and what would be right.
#include "runtime/builtins/text_errors.h"
#include "frontend/quoted.h"
#include "runtime/print.h"
#include "runtime/runtime_errors.h"

namespace ptc {
Error output_exceeded(const char* who) {
    return Error(Reason::OutputExceeded, quoted(who) + " prints more than the output limit allows.")
        .with_hint("Print a summary or the first items, e.g. (println (take 5 rows)), and return the data itself.");
}

Error unreadable_text(const char* who, const char* expected, std::string_view got) {
    Error error(Reason::TypeError, quoted(who) + " needs " + expected + ", got " + quoted_excerpt(got) + ".");
    error.bad_call = {OperandKind::Text, 1, who};
    return error;
}

Error substring_out_of_range(std::int64_t start, std::int64_t end, std::size_t length) {
    return Error(Reason::TypeError, "`.substring` needs 0 <= start <= end <= " + std::to_string(length) +
                                        " (the length), got start " + std::to_string(start) + " and end " +
                                        std::to_string(end) + ".")
        .with_hint("`subs` cuts back to what is there instead: (subs s start end).");
}

Error index_out_of_range(const char* who, std::int64_t index, std::size_t length) {
    return Error(Reason::TypeError, quoted(who) + " needs an index from 0 to below " + std::to_string(length) +
                                        " (the length), got " + std::to_string(index) + ".")
        .with_hint("`nth` gives nil, or a default, when the index is out of range: (nth s i nil).");
}

Error split_by_text(std::string_view delimiter) {
    Error error(Reason::TypeError, "`split` needs a regex or a single character to split by, got the string " +
                                       quoted_excerpt(delimiter) + ".");
    error.hint = "Write it as a regex, #\"..\", with . * + ? | ( ) [ { ^ $ \\ escaped by a backslash.";
    error.bad_call = {OperandKind::Text, 2, "split"};
    return error;
}

Error malformed_replacement(const char* who, std::string_view replacement, const char* problem) {
    return Error(Reason::TypeError, quoted(who) + " needs a replacement whose $ and \\ are well-formed; in " +
                                        quoted_excerpt(replacement) + " " + problem + ".")
        .with_hint("$1 or ${name} stands for a group, \\$ for a dollar sign; (re-quote-replacement s) makes any text "
                   "literal.");
}

Error unknown_group(const char* who, std::string_view group, std::string_view pattern) {
    return Error(Reason::TypeError, quoted(who) + " refers to group " + quoted_excerpt(group) + ", which the pattern " +
                                        quoted_excerpt(pattern) + " does not have.")
        .with_hint("Groups are counted from 1 by their opening brackets; (?:..) does not count.");
}

Error replacement_not_text(const Value& got) {
    return Error(Reason::TypeError,
                 "A replacement function must give a string for each match, got " + describe_type(got) + ".")
        .with_hint("(str x) gives the text of any value, and \"\" for nil.");
}

Error no_such_date(const char* who, std::int64_t year, std::int64_t month, std::int64_t day) {
    return Error(Reason::TypeError, quoted(who) + " needs a day that exists, got year " + std::to_string(year) +
                                        ", month " + std::to_string(month) + ", day " + std::to_string(day) + ".")
        .with_hint("Months count from 1 to 12; .lengthOfMonth gives the last day of a month.");
}

Error mixed_times(const char* who, const char* first, const char* second) {
    return Error(Reason::TypeError, quoted(who) + " cannot compare " + first + " with " + second + ".")
        .with_hint(
            "Make both of one kind: (java.util.Date. date) turns a LocalDate into the Instant of its midnight in UTC.");
}

Error malformed_directive(std::string_view directive, const std::string& problem) {
    return Error(Reason::RuntimeError,
                 "`format` cannot use the directive " + quoted_excerpt(directive) + ": " + problem + ".")
        .with_hint(
            "Directives are %s %d %x %o %f %e %g %b %c %n %% with flags, width and precision, e.g. %-10s %05d %,.2f.");
}

Error missing_format_argument(std::string_view directive, std::size_t position, std::size_t given) {
    return Error(Reason::RuntimeError, "`format` has no argument for " + quoted_excerpt(directive) +
                                           ": it needs argument " + std::to_string(position) +
                                           " after the format string, got " + std::to_string(given) + ".")
        .with_hint("Give one argument for each directive; a literal percent sign is written %%.");
}

Error wrong_format_argument(std::string_view directive, const char* expected, const Value& got, const char* advice) {
    Error error(Reason::TypeError, "`format` needs " + std::string(expected) + " for " + quoted_excerpt(directive) +
                                       ", got " + describe_type(got) + ".");
    error.hint = advice;
    error.bad_call = {operand_kind(got), 2, "format"};
    return error;
}

} // namespace ptc

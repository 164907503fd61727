// Texts of the data that are used as what they only look like: "12.50" in an order of numbers, "false" as a test,
// "a,b" as a list. What the texts look like is known from all of them (texts.h).
#include "compiler/check/check_warnings.h"
#include "compiler/check/lints.h"
#include "compiler/check/near_key.h"
#include "compiler/language/form_questions.h"
#include <algorithm>

namespace ptc {
namespace {

const Texts* texts_of(const Fact* fact) { return fact && fact->kind == FactKind::String ? fact->texts : nullptr; }
bool are_numbers(const Texts& texts) {
    return texts.look == Texts::Integers || texts.look == Texts::Numbers || texts.look == Texts::Amounts;
}
constexpr std::string_view kAmountParser = "(fn [s] (parse-double (replace s #\"[^0-9.-]\" \"\")))";
std::string_view parser_of(const Texts& texts) {
    if (texts.look == Texts::Amounts) return kAmountParser;
    return texts.look == Texts::Integers ? "parse-long" : "parse-double";
}
bool is_written(const Form& form) { return !form.is(FormKind::Symbol) || form.text().front() != ' '; }

/// As words are compared: small letters, without what stands between words.
std::string plain_word(std::string_view text) {
    std::string plain;
    for (const char c : normal_key(text)) {
        if (c != '_' && c != ' ') plain += c;
    }
    return plain;
}

std::string splitter(const Texts& texts) {
    const std::string separator(texts.separator == "|" ? "\\|" : texts.separator);
    return "(split s #\"" + separator + "\")";
}

} // namespace

/// The edits put code around `form`.
void Lints::warn_of_texts(const Form& form, const char* message, std::string before, std::string behind) {
    if (report_.is_full()) return;
    report_.warn(texts_taken_for_others(form.span, message, std::move(before), std::move(behind)));
}

/// (if (:active u) ..), where the texts are "true" and "false".
void Lints::check_text_as_test(const Form& test, const Fact* fact) {
    const Texts* texts = texts_of(fact);
    if (!texts || texts->look != Texts::Flags || !is_written(test)) return report_.note_found(test.span);
    warn_of_texts(test, "These texts are \"true\" and \"false\": both are true as tests.", "(= \"true\" ", ")");
}

/// (filter :active users)
void Lints::check_texts_of_tests(const Form& function, const Fact* result) {
    const Texts* texts = texts_of(result);
    if (!texts || texts->look != Texts::Flags || !is_written(function)) return report_.note_found(function.span);
    warn_of_texts(function, "These texts are \"true\" and \"false\": both are true as tests.", "(comp #{\"true\"} ",
                  ")");
}

/// (sort-by :price rows), (sum-by :price rows)
void Lints::check_texts_of_keys(const CoreName& called, const Form& function, const Fact* result) {
    const Texts* texts = texts_of(result);
    const bool wants_numbers = (called.traits & traits::kNumbersBy) != 0;
    const bool orders = (called.traits & traits::kOrders) != 0;
    const bool counts =
        texts && are_numbers(*texts) && is_written(function) && (wants_numbers || (orders && texts->order_differs));
    if (!counts) return report_.note_found(function.span);
    warn_of_texts(function, "These are texts that spell numbers: they are ordered as texts are, and not added.",
                  "(comp " + std::string(parser_of(*texts)) + " ", ")");
}

/// (apply max prices), (reduce min prices)
void Lints::check_texts_compared(const Form& function, const Form& coll, const Fact& items) {
    const std::string_view name = function.text();
    const Texts* texts = texts_of(&items);
    const bool adds = texts && texts->look == Texts::Amounts && is_one_of(name, {"+", "*"});
    if ((!is_one_of(name, {"max", "min"}) && !adds) || !texts || !are_numbers(*texts)) return;
    const std::string map = "(map " + std::string(parser_of(*texts));
    if (is_written(coll)) return warn_of_texts(coll, "These are texts that spell numbers.", map + " ", ")");
    const std::uint32_t at = function.span.begin; // (->> prices (reduce max))
    for (const std::string_view head : {"(reduce ", "(apply "}) {
        const auto length = static_cast<std::uint32_t>(head.size());
        if (at < length || source_.text().substr(at - length, length) != head) continue;
        const Form step = [&] {
            Form form = function;
            form.span.begin = at - length;
            form.span.end = at - length;
            return form;
        }();
        warn_of_texts(step, "These are texts that spell numbers.", map + ") ", "");
    }
}

bool Lints::may_use_texts(std::span<const CallArgument> given) const {
    return report_.is_trial() ||
           std::ranges::any_of(given, [](const CallArgument& argument) { return texts_of(argument.fact) != nullptr; });
}

/// (pos? (:qty row))
void Lints::check_text_as_number(std::string_view name, std::span<const CallArgument> given) {
    if (given.empty() || !given[0].form) return;
    const Texts* texts = texts_of(given[0].fact);
    if (is_one_of(name, {"not", "true?", "false?"})) {
        if (texts && texts->look == Texts::Flags) check_text_as_test(*given[0].form, given[0].fact);
        return;
    }
    if (is_one_of(name, {"+", "-", "*", "/", "<", ">", "<=", ">="})) {
        for (const CallArgument& argument : given) {
            const Texts* amounts = texts_of(argument.fact);
            if (!amounts || amounts->look != Texts::Amounts || !argument.form || !is_written(*argument.form)) continue;
            warn_of_texts(*argument.form, "This is a text with a number in it.", "(parse-double (replace ",
                          " #\"[^0-9.-]\" \"\"))");
        }
        return;
    }
    if (is_one_of(name, {"parse-double", "parse-long"}) && texts && texts->look == Texts::Amounts &&
        is_written(*given[0].form))
        return warn_of_texts(*given[0].form, "This text is more than a number: parsed it is nil.", "(replace ",
                             " #\"[^0-9.-]\" \"\")");
    if (!is_one_of(name, {"pos?", "neg?", "zero?", "even?", "odd?"})) return;
    if (!texts || !are_numbers(*texts) || !is_written(*given[0].form)) return report_.note_found(given[0].form->span);
    warn_of_texts(*given[0].form, "This is a text that spells a number.", "(" + std::string(parser_of(*texts)) + " ",
                  ")");
}

/// (mapcat :genres songs): the items of a text are its characters.
void Lints::check_texts_of_lists(const Form& function, const Fact* result) {
    const Texts* texts = texts_of(result);
    if (!texts || texts->separator.empty() || !is_written(function)) return report_.note_found(function.span);
    warn_of_texts(function, "These are texts, whose items are characters.", "(comp (fn [s] " + splitter(*texts) + ") ",
                  ")");
}

/// (for [g (:genres song)] ..), (some #{"folk"} (:genres song))
void Lints::check_text_as_items(const Form& coll, const Fact* fact) {
    const Texts* texts = texts_of(fact);
    if (!texts || texts->separator.empty() || !is_written(coll)) return report_.note_found(coll.span);
    const std::string after = splitter(*texts).substr(sizeof "(split s" - 1);
    warn_of_texts(coll, "This is a text, whose items are characters.", "(split ", after);
}

/// (some #{"folk"} (:genres song)): no character is a word.
void Lints::check_words_in_text(std::string_view name, std::span<const CallArgument> given) {
    if (!is_one_of(name, {"some", "every?", "not-any?", "filter", "remove", "keep"}) || given.size() != 2) return;
    if (!given[0].form || !given[0].form->is(FormKind::Set) || !given[1].form) return;
    const bool are_words = given[0].form->size > 0 && std::ranges::all_of(given[0].form->items(), [](const Form& word) {
                               return word.is(FormKind::String) && word.size > 1;
                           });
    if (are_words) check_text_as_items(*given[1].form, given[1].fact);
}

/// (= (:status o) "Paid"), where the data have "paid". Whether it was reported.
bool Lints::check_word(const Form& literal, const Fact& other) {
    const Texts* texts = texts_of(&other);
    if (!texts || texts->words.empty() || !is_key_form(literal) || literal.size == 0) return false;
    std::string_view near;
    for (const std::string_view word : texts->words) {
        if (word == literal.text()) return false;
        if (plain_word(word) != plain_word(literal.text())) continue;
        if (!near.empty()) return false;
        near = word;
    }
    if (near.empty() || report_.is_full()) return false;
    report_.warn(other_word(literal.span, literal.text(), near));
    return true;
}

/// (= "folk" (:genres song)), where the field holds several words. Whether it was reported.
bool Lints::check_member(const Form& literal, const Form& form, const Fact& other) {
    const Texts* texts = other.kind == FactKind::List ? texts_of(other.item) : nullptr;
    if (!texts || !literal.is(FormKind::String) || !is_written(form)) return false;
    if (std::ranges::find(texts->words, literal.text()) == texts->words.end()) return false;
    const std::string_view text = source_.text();
    const std::uint32_t begin = std::min(literal.span.begin, form.span.begin);
    const std::uint32_t end = std::max(literal.span.end, form.span.end);
    if (begin < 3 || end >= text.size() || text[end] != ')' || text.substr(begin - 3, 3) != "(= ") return false;
    report_.warn(word_of_list({begin - 2, end}, source_.text(literal.span), source_.text(form.span)));
    return true;
}

/// (= 2024 (:date e)), (= true (:active u)). Whether it was reported.
bool Lints::check_looked_at(const Form& literal, const Form* form, const Fact& other) {
    const Texts* texts = texts_of(&other);
    if (!texts || report_.is_full()) return false;
    if (texts->look == Texts::Flags && (literal.is(FormKind::True) || literal.is(FormKind::False))) {
        const std::string text = literal.is(FormKind::True) ? "\"true\"" : "\"false\"";
        report_.warn(
            Error(Reason::NeverEqual, literal.span, "This is a boolean, compared with a text.", "Write `" + text + "`.")
                .with_edit(literal.span, text));
        return true;
    }
    const bool is_year = literal.is(FormKind::Integer) && literal.integer >= 1900 && literal.integer < 2200;
    if (texts->look != Texts::Dates || !literal.is(FormKind::Integer)) return false;
    if (is_year && form && is_written(*form))
        warn_of_texts(*form, "This is the text of a date.", "(parse-long (subs ", " 0 4))");
    return is_year && form && is_written(*form);
}

/// (:year (:date e)): a part of the text of a date. Whether there is one.
bool Lints::mend_part_of_date(const Form& key, const KeyRead& read, const Fact& value, Error& error) {
    const Texts* texts = texts_of(&value);
    if (!texts || texts->look != Texts::Dates || read.kind != KeyRead::Head || !read.around || read.around->size != 2)
        return false;
    const char* range = key.text() == "year"    ? " 0 4))"
                        : key.text() == "month" ? " 5 7))"
                        : key.text() == "day"   ? " 8 10))"
                                                : nullptr;
    const Form& map = read.around->items()[1];
    if (!range || !is_written(map)) return false;
    error.edits.push_back({{read.around->span.begin, map.span.begin},
                           read.around->is(FormKind::ShortFn) ? "#(parse-long (subs " : "(parse-long (subs "});
    error.edits.push_back({{map.span.end, read.around->span.end}, range});
    error.hint = "A part of a date is a part of its text: (subs date 0 4).";
    return true;
}

} // namespace ptc

// The engine behind rewrite.h, in four steps: the notation is read (alternatives, words of a pattern, parts of a text);
// a pattern and a count decide which alternative fits; its text becomes a list of items, each literal or an argument;
// the items become Pieces, of which edits are made that leave as much of the program in place as they can. Rows are
// read each time they are tried: they are short, and only tried where something is wrong or a lint may apply.
#include "compiler/language/rewrite.h"
#include "compiler/language/form_questions.h"
#include <algorithm>

namespace ptc {

// ---- Pieces

Pieces& Pieces::text(std::string_view literal) {
    if (literal.empty()) return *this;
    if (!pieces_.empty() && !pieces_.back().is_part)
        pieces_.back().literal += literal;
    else
        pieces_.push_back({std::string(literal), {}, false});
    return *this;
}

Pieces& Pieces::copy(Span part) {
    pieces_.push_back({{}, part, true});
    return *this;
}

namespace {

std::string_view text_at(std::string_view program, Span span) {
    const bool is_inside = span.begin <= span.end && span.end <= program.size();
    return is_inside ? program.substr(span.begin, span.end - span.begin) : kPoison;
}

} // namespace

std::string Pieces::str(std::string_view program) const {
    std::string all;
    for (const Piece& piece : pieces_)
        all += piece.is_part ? text_at(program, piece.part) : std::string_view(piece.literal);
    return all;
}

bool Pieces::keeps_order(Span whole) const {
    std::uint32_t at = whole.begin;
    for (const Piece& piece : pieces_) {
        if (!piece.is_part) continue;
        if (piece.part.begin < at || piece.part.end > whole.end) return false;
        at = piece.part.end;
    }
    return true;
}

const Pieces::Piece* Pieces::longest() const {
    const Piece* found = nullptr;
    for (const Piece& piece : pieces_) {
        if (piece.is_part && (!found || piece.part.size() > found->part.size())) found = &piece;
    }
    return found;
}

std::vector<Edit> Pieces::edits(std::string_view program, Span whole, Keep keep) const {
    const bool all_stay = keeps_order(whole);
    if (!all_stay && keep == Keep::None) return {{whole, str(program)}};
    const Piece* only = all_stay ? nullptr : longest();
    std::vector<Edit> edits;
    std::string text;
    std::uint32_t at = whole.begin;
    const auto replace_up_to = [&](std::uint32_t end) {
        if (text_at(program, {at, end}) != text) edits.push_back({{at, end}, text});
        text.clear();
    };
    for (const Piece& piece : pieces_) {
        const bool stays = piece.is_part && (all_stay || &piece == only);
        if (!stays) {
            text += piece.is_part ? text_at(program, piece.part) : std::string_view(piece.literal);
            continue;
        }
        replace_up_to(piece.part.begin);
        at = piece.part.end;
    }
    replace_up_to(whole.end);
    return edits;
}

// ---- Reading the notation

namespace {

constexpr std::string_view kBetween = " | ";
constexpr std::string_view kBecomes = " => ";
constexpr std::string_view kMore = " ..";

/// Of an alternative without its pattern, or with it.
RewriteAlternative alternative_of(std::string_view one) {
    const std::size_t becomes = one.find(kBecomes);
    if (becomes == one.npos) return {{}, one};
    RewriteAlternative made{one.substr(0, becomes), one.substr(becomes + kBecomes.size())};
    std::string_view words = made.pattern;
    made.is_open = words.ends_with(kMore);
    if (made.is_open) words.remove_suffix(kMore.size());
    made.arguments = made.pattern == "none" ? 0 : static_cast<std::size_t>(std::ranges::count(words, ' ')) + 1;
    return made;
}

/// Calls `visit` with each alternative until it returns true.
template <class Visit> bool any_alternative(std::string_view rewrite, Visit visit) {
    while (!rewrite.empty()) {
        const std::size_t end = std::min(rewrite.find(kBetween), rewrite.size());
        if (visit(alternative_of(rewrite.substr(0, end)))) return true;
        rewrite.remove_prefix(std::min(end + kBetween.size(), rewrite.size()));
    }
    return false;
}

/// The part of `words` up to the separator, which is taken away with it.
std::string_view take_word(std::string_view& words, char separator) {
    const std::size_t end = std::min(words.find(separator), words.size());
    const std::string_view word = words.substr(0, end);
    words.remove_prefix(std::min(end + 1, words.size()));
    return word;
}

/// A part of a text: literal, or some arguments.
struct Part {
    enum class Kind : std::uint8_t { Literal, Function, Argument, Rest, Inside };
    Kind kind = Kind::Literal;
    std::string_view literal{};
    std::size_t index = 0; ///< of the argument, or of the first one
};

std::vector<Part> parts_of(std::string_view text) {
    std::vector<Part> parts;
    while (!text.empty()) {
        const std::size_t dollar = std::min(text.find('$'), text.size());
        if (dollar > 0) parts.push_back({Part::Kind::Literal, text.substr(0, dollar), 0});
        text.remove_prefix(std::min(dollar + 1, text.size()));
        if (dollar > 0 && text.empty()) break;
        if (text.starts_with('f')) {
            parts.push_back({Part::Kind::Function, {}, 0});
            text.remove_prefix(1);
            continue;
        }
        Part part{Part::Kind::Argument, {}, 0};
        if (!text.empty() && '1' <= text.front() && text.front() <= '9') {
            part.index = static_cast<std::size_t>(text.front() - '1');
            text.remove_prefix(1);
        }
        if (text.starts_with('*')) {
            part.kind = Part::Kind::Rest;
            text.remove_prefix(1);
        } else if (text.starts_with("[]")) {
            part.kind = Part::Kind::Inside;
            text.remove_prefix(2);
        }
        parts.push_back(part);
    }
    return parts;
}

// ---- What fits

bool is_key(const Form& form) { return form.is(FormKind::Keyword) || form.is(FormKind::String); }
bool is_order(const Form& form) {
    return form.is(FormKind::Keyword) && (form.text() == "asc" || form.text() == "desc");
}

bool is_wrong_order(const Form& form) {
    if (form.is(FormKind::Symbol)) return form.text() == "reverse";
    return form.is(FormKind::Keyword) && is_one_of(form.text(), {"descending", "decreasing", "reverse", "reversed"});
}

/// How an argument must be written. The word may pick a part of it.
bool is_written_as(std::string_view word, std::span<RewriteArgument> arguments, std::size_t index) {
    const Form& form = *arguments[index].form;
    if (word == "written") return true;
    if (word == "keyword") return form.is(FormKind::Keyword);
    if (word == "key") return form.is(FormKind::Keyword) && !is_order(form);
    if (word == "order") return is_order(form);
    if (word == "wrong-order") return is_wrong_order(form);
    if (word == "text") return form.is(FormKind::String);
    if (word == "integer") return form.is(FormKind::Integer);
    if (word == "set") return form.is(FormKind::Set);
    if (word == "symbol") return form.is(FormKind::Symbol);
    if (word == "data") return form.is(FormKind::Symbol) && form.text().starts_with("data/");
    if (word == "code") return form.kind >= FormKind::Symbol && !form.is(FormKind::Vector);
    if (word == "keys") return form.is(FormKind::Vector) && form.size > 0 && std::ranges::all_of(form.items(), is_key);
    if (word == "numeral")
        return form.is(FormKind::String) && form.text().find_first_not_of("+-0123456789") == std::string_view::npos;
    if (word == "comparison")
        return form.is(FormKind::Symbol) && is_one_of(form.text(), {"<", ">", "<=", ">=", "compare"});
    if (word == "minus") {
        const Form* next = index + 1 < arguments.size() ? arguments[index + 1].form : nullptr;
        return form.is_symbol("-") && next && form.span.end == next->span.begin;
    }
    if (word == "negated-key") {
        const bool fits = form.is(FormKind::List) && form.size == 2 && form.items()[0].is_symbol("-") &&
                          form.items()[1].is(FormKind::Keyword);
        if (fits) arguments[index].span = form.items()[1].span;
        return fits;
    }
    if (word == "quoted-name") {
        const bool fits = form.is(FormKind::Quote) && form.size == 1 && form.items()[0].is(FormKind::Symbol);
        if (fits) arguments[index].span = form.items()[0].span;
        return fits;
    }
    return false;
}

bool has_pattern(const RewriteAlternative& one, const RewriteCall& call, const ValueQuestion& value_is) {
    const std::span<RewriteArgument> arguments = call.arguments;
    if (one.is_open ? arguments.size() < one.arguments : arguments.size() != one.arguments) return false;
    std::string_view pattern = one.pattern;
    for (std::size_t index = 0; index < one.arguments; ++index) {
        std::string_view words = take_word(pattern, ' ');
        while (!words.empty()) {
            const std::string_view word = take_word(words, '&');
            const bool is_passed = !arguments[index].form;
            bool fits = word == "any";
            if (word == "passed")
                fits = is_passed;
            else if (word.starts_with('<'))
                fits = value_is && value_is(word.substr(1, word.size() - 2), index);
            else if (!fits)
                fits = !is_passed && is_written_as(word, arguments, index);
            if (!fits) return false;
        }
    }
    return true;
}

/// Whether the text can be made of so many arguments.
bool has_count(std::string_view text, std::size_t count, bool may_drop) {
    std::size_t least = 0;
    bool is_open = may_drop;
    for (const Part& part : parts_of(text)) {
        if (part.kind == Part::Kind::Argument || part.kind == Part::Kind::Inside)
            least = std::max(least, part.index + 1);
        if (part.kind == Part::Kind::Rest) least = std::max(least, part.index);
        is_open = is_open || part.kind == Part::Kind::Rest;
    }
    return is_open ? count >= least : count == least;
}

} // namespace

bool is_name_text(std::string_view text) { return text.find_first_of("$([{") == text.npos; }

bool fits(const RewriteAlternative& one, const RewriteCall& call, const ValueQuestion& value_is) {
    for (RewriteArgument& argument : call.arguments)
        argument.span = argument.form ? argument.form->span : Span{};
    if (!one.pattern.empty() && !has_pattern(one, call, value_is)) return false;
    const bool may_drop = !one.pattern.empty() && !one.pattern.ends_with("..");
    return is_name_text(one.text) || has_count(one.text, call.arguments.size(), may_drop);
}

std::vector<RewriteAlternative> alternatives_of(std::string_view rewrite) {
    std::vector<RewriteAlternative> all;
    any_alternative(rewrite, [&](const RewriteAlternative& one) {
        all.push_back(one);
        return false;
    });
    return all;
}

std::optional<std::string_view> fitting_text(std::string_view rewrite, const RewriteCall& call,
                                             const ValueQuestion& value_is) {
    std::optional<std::string_view> found;
    any_alternative(rewrite, [&](const RewriteAlternative& one) {
        if (!fits(one, call, value_is)) return false;
        found = one.text;
        return true;
    });
    return found;
}

// ---- Making code

namespace {

/// A part of the code with its arguments one by one.
struct Item {
    std::string_view literal{};
    const Form* form = nullptr;
    Span span{};
    bool is_value = false; ///< the one that is passed in
};

std::vector<Item> items_of(std::string_view text, const RewriteCall& call) {
    std::vector<Item> items;
    for (const Part& part : parts_of(text)) {
        if (part.kind == Part::Kind::Literal || part.kind == Part::Kind::Function) {
            items.push_back({part.kind == Part::Kind::Literal ? part.literal : call.function});
            continue;
        }
        const std::size_t end = part.kind == Part::Kind::Rest ? call.arguments.size() : part.index + 1;
        for (std::size_t i = part.index; i < end; ++i) {
            if (i > part.index) items.push_back({" "});
            const RewriteArgument& argument = call.arguments[i];
            Span span = argument.span;
            if (part.kind == Part::Kind::Inside) span = {span.begin + 1, span.end - 1};
            items.push_back({{}, argument.form, span, !argument.form});
        }
    }
    return items;
}

/// Whether a step made of the text around the value is a call that gets the value where the step does: "(name " in
/// front of it, or only ")" behind it.
bool is_plain_step(std::string_view before, std::string_view after, bool passes_last) {
    const auto is_flat = [](std::string_view s) { return s.find_first_of("()[]{}") == s.npos; };
    if (!before.starts_with('(') || !after.ends_with(')')) return false;
    if (passes_last) return after == ")";
    return is_flat(before.substr(1)) && before.find(' ') == before.size() - 1;
}

/// Whether the code can be put into #(): nothing in it is a placeholder or a #() itself.
bool needs_name(std::span<const Item> items) {
    return std::ranges::any_of(items, [](const Item& item) {
        if (item.form) return needs_named_parameter(*item.form);
        return item.literal.find('%') != item.literal.npos || item.literal.find("#(") != item.literal.npos;
    });
}

/// Whether the value has to have a name.
bool is_wrapped(std::span<const Item> items, const RewriteCall& call) {
    std::string before;
    std::string after;
    std::size_t values = 0;
    for (const Item& item : items) {
        if (item.is_value)
            ++values;
        else
            (values == 0 ? before : after) += item.form ? std::string_view("_") : item.literal;
    }
    if (values == 0) return false;
    return !call.value_name.empty() || values > 1 || !is_plain_step(before, after, call.passes_last);
}

} // namespace

Pieces code_of(std::string_view text, const RewriteCall& call) {
    const std::vector<Item> items = items_of(text, call);
    const bool wrapped = is_wrapped(items, call);
    std::string_view name = call.value_name;
    if (name.empty()) name = needs_name(items) ? "it" : "%";
    Pieces pieces;
    const bool in_short_fn = call.is_short_fn && !text.starts_with('(');
    if (call.is_short_fn) pieces.text(in_short_fn ? "#(do " : "#");
    if (wrapped && name == "%")
        pieces.text("(#");
    else if (wrapped)
        pieces.text("((fn [").text(name).text("] ");
    for (const Item& item : items) {
        if (item.form)
            pieces.copy(item.span);
        else if (!item.is_value)
            pieces.text(item.literal);
        else if (wrapped)
            pieces.text(name);
    }
    if (wrapped) pieces.text(name == "%" ? ")" : "))");
    if (in_short_fn) pieces.text(")");
    return pieces;
}

std::string value_of(std::string_view rewrite, bool in_short_fn) {
    std::string found;
    any_alternative(rewrite, [&](const RewriteAlternative& one) {
        if (!one.pattern.empty()) return false; // nothing is known of its arguments
        if (is_name_text(one.text)) {
            found = one.text;
            return true;
        }
        const std::vector<Part> parts = parts_of(one.text);
        const auto takes = [](const Part& part) { return part.kind != Part::Kind::Literal; };
        const auto takes_more = [](const Part& part) { return part.index > 0 || part.kind == Part::Kind::Function; };
        if (std::ranges::none_of(parts, takes) || std::ranges::any_of(parts, takes_more)) return false;
        const bool named = in_short_fn || one.text.find('%') != one.text.npos || one.text.find("#(") != one.text.npos;
        std::string body;
        for (const Part& part : parts)
            body += part.kind == Part::Kind::Literal ? part.literal : named ? "x" : "%";
        found = named ? "(fn [x] " + body + ")" : "#" + body;
        return true;
    });
    return found;
}

std::string code_of(std::string_view rewrite, std::span<const std::string> arguments) {
    std::string code;
    any_alternative(rewrite, [&](const RewriteAlternative& one) {
        if (!one.pattern.empty()) return false;
        if (is_name_text(one.text)) {
            code = "(" + std::string(one.text);
            for (const std::string& argument : arguments)
                code += " " + argument;
            code += ")";
            return true;
        }
        if (!has_count(one.text, arguments.size(), false)) return false;
        for (const Part& part : parts_of(one.text)) {
            if (part.kind == Part::Kind::Literal) code += part.literal;
            if (part.index >= arguments.size() || part.kind == Part::Kind::Literal) continue;
            code += arguments[part.index];
            for (std::size_t i = part.index + 1; part.kind == Part::Kind::Rest && i < arguments.size(); ++i)
                code += " " + arguments[i];
        }
        return true;
    });
    return code;
}

// ---- Tests of tables

namespace {

const char* pattern_fault(std::string_view pattern, std::span<const std::string_view> value_words) {
    constexpr std::string_view kWords[] = {"any",   "none",    "passed",      "written", "keyword",     "key",
                                           "order", "keys",    "wrong-order", "text",    "negated-key", "numeral",
                                           "set",   "integer", "symbol",      "data",    "quoted-name", "comparison",
                                           "minus", "code",    ".."};
    while (!pattern.empty()) {
        std::string_view words = take_word(pattern, ' ');
        while (!words.empty()) {
            std::string_view word = take_word(words, '&');
            if (!word.starts_with('<')) {
                if (std::ranges::find(kWords, word) == std::end(kWords)) return "an unknown word in a pattern";
                continue;
            }
            if (!word.ends_with('>')) return "`<` without its `>`";
            word = word.substr(1, word.size() - 2);
            if (word.starts_with('!')) word.remove_prefix(1);
            if (word.ends_with('?')) word.remove_suffix(1);
            if (std::ranges::find(value_words, word) == value_words.end())
                return "an unknown kind of value in a pattern";
        }
    }
    return nullptr;
}

} // namespace

const char* rewrite_fault(std::string_view rewrite, std::span<const std::string_view> value_words) {
    const char* fault = nullptr;
    any_alternative(rewrite, [&](const RewriteAlternative& one) {
        fault = pattern_fault(one.pattern, value_words);
        if (!fault && one.text.empty()) fault = "an alternative without a text";
        const auto arguments = std::ranges::count(one.pattern, ' ') + 1;
        const bool is_closed = !one.pattern.empty() && one.pattern != "none" && !one.pattern.ends_with("..");
        if (!fault && is_closed && !has_count(one.text, static_cast<std::size_t>(arguments), true))
            fault = "a text that names an argument beyond the pattern";
        return fault != nullptr;
    });
    return fault;
}

} // namespace ptc

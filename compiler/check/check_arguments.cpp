// Calls of the language's functions that run and can never do what they look like, by the shapes of their arguments
// (call_habits.def).
#include "compiler/check/checker.h"
#include <algorithm>
#include <unordered_map>

namespace ptc {
namespace {

struct Habit {
    std::string_view functions;
    std::string_view shapes;
    std::string_view rewrite;
    std::string_view message;
};

constexpr Habit kHabits[] = {
#define PTC_CALL_HABIT(functions, shapes, rewrite, message) {functions, shapes, rewrite, message},
#include "compiler/check/call_habits.def"
};

constexpr std::size_t kMaxArguments = 3;

/// The rows for each function, in their order.
const std::vector<const Habit*>& habits_of(std::string_view function) {
    static const auto table = [] {
        std::unordered_map<std::string_view, std::vector<const Habit*>> made;
        for (const Habit& habit : kHabits) {
            for (std::size_t at = 0; at < habit.functions.size();) {
                const std::size_t end = std::min(habit.functions.find(' ', at), habit.functions.size());
                made[habit.functions.substr(at, end - at)].push_back(&habit);
                at = end + 1;
            }
        }
        return made;
    }();
    static const std::vector<const Habit*> none;
    const auto found = table.find(function);
    return found == table.end() ? none : found->second;
}

bool has_word(std::string_view words, std::string_view word) {
    for (std::size_t at = words.find(word); at != words.npos; at = words.find(word, at + 1)) {
        const std::size_t end = at + word.size();
        if ((at == 0 || words[at - 1] == ' ') && (end == words.size() || words[end] == ' ')) return true;
    }
    return false;
}

bool is_key(const Form& form) { return form.is(FormKind::Keyword) || form.is(FormKind::String); }
bool is_order(const Form& form) {
    return form.is(FormKind::Keyword) && (form.text() == "asc" || form.text() == "desc");
}
bool is_other_order(const Form& form) {
    constexpr std::string_view kWords = "descending decreasing reverse reversed desc";
    return (form.is(FormKind::Keyword) && !is_order(form) && has_word(kWords, form.text())) ||
           (form.is(FormKind::Symbol) && form.text() == "reverse");
}
/// What a threading form passes in is not written: its name is none that the reader gives.
bool is_passed_in(const Form& form) { return form.is(FormKind::Symbol) && form.text().front() == ' '; }
bool is_collection(const Fact& fact) {
    return fact.kind == FactKind::List || fact.kind == FactKind::Tuple || fact.kind == FactKind::Set;
}
bool is_map(const Fact& fact) { return fact.kind == FactKind::Record || fact.kind == FactKind::Dict; }
bool is_negated_key(const Form& form) {
    return form.is(FormKind::List) && form.size == 2 && form.items()[0].is_symbol("-") &&
           form.items()[1].is(FormKind::Keyword);
}
bool is_comparison(const Form& form) {
    constexpr std::string_view kWords = "< > <= >= compare";
    return form.is(FormKind::Symbol) && has_word(kWords, form.text());
}
bool holds_keys(const Form& form) {
    return form.is(FormKind::Vector) && form.size > 0 && std::ranges::all_of(form.items(), is_key);
}

/// A call as it would be written in its place: parts of the program and text between them.
class Rewriting {
public:
    /// `passed`: the index of the argument that a threading form passes in, or beyond all.
    Rewriting(const Source& source, const Form& list, std::span<const Span> arguments, std::size_t passed)
        : source_(source), list_(list), arguments_(arguments), passed_(passed),
          name_(unused_name(source.text(list.span))) {}

    std::vector<Edit> edits(std::string_view rewrite) {
        read(rewrite);
        keep_parts();
        std::vector<Edit> edits;
        std::uint32_t at = list_.span.begin;
        std::string text;
        const auto replace_up_to = [&](std::uint32_t end) {
            if (source_.text({at, end}) != text) edits.push_back({{at, end}, text});
            text.clear();
        };
        for (const Piece& piece : pieces_) {
            if (!piece.stays) {
                text += piece.is_part ? source_.text(piece.part) : std::string_view(piece.literal);
                continue;
            }
            replace_up_to(piece.part.begin);
            at = piece.part.end;
        }
        replace_up_to(list_.span.end);
        return edits;
    }

private:
    struct Piece {
        std::string literal;
        Span part{};
        bool is_part = false;
        bool stays = false; ///< where it is; others are copied
    };

    void read(std::string_view rewrite) {
        const bool is_step = passed_ < arguments_.size() && rewrite.find(placeholder(passed_)) != rewrite.npos;
        const bool is_short = !is_step && source_.text(list_.span).starts_with("#(");
        if (is_step) literal("((fn [" + name_ + "] ");
        if (is_short) literal(rewrite.starts_with('(') ? "#" : "#(identity ");
        for (std::size_t i = 0; i < rewrite.size(); ++i) {
            if (rewrite[i] != '$') {
                literal(std::string(1, rewrite[i]));
                continue;
            }
            const char which = rewrite[++i];
            const bool inside = i + 1 < rewrite.size() && rewrite[i + 1] == '*';
            i += inside ? 1 : 0;
            const auto index = static_cast<std::size_t>(which - '1');
            if (which == 'f')
                literal(std::string(list_.items()[0].text()));
            else if (index == passed_)
                literal(name_);
            else if (inside)
                part({arguments_[index].begin + 1, arguments_[index].end - 1});
            else
                part(arguments_[index]);
        }
        if (is_step) literal("))");
        if (is_short && !rewrite.starts_with('(')) literal(")");
    }

    /// All parts stay where they are when they keep their order, else the longest: edits inside of them fit to these.
    void keep_parts() {
        Piece* longest = nullptr;
        std::uint32_t end = 0;
        bool in_order = true;
        for (Piece& piece : pieces_) {
            if (!piece.is_part) continue;
            in_order = in_order && piece.part.begin >= end;
            end = piece.part.end;
            if (!longest || piece.part.size() > longest->part.size()) longest = &piece;
        }
        for (Piece& piece : pieces_)
            piece.stays = piece.is_part && (in_order || &piece == longest);
    }

    static std::string placeholder(std::size_t index) { return "$" + std::to_string(index + 1); }
    void literal(std::string text) { pieces_.push_back({std::move(text), {}, false, false}); }
    void part(Span span) { pieces_.push_back({{}, span, true, false}); }
    static std::string unused_name(std::string_view text) {
        for (const char* name : {"x", "it", "value"}) {
            if (text.find(name) == text.npos) return name;
        }
        return "passed-in";
    }

    const Source& source_;
    const Form& list_;
    std::span<const Span> arguments_;
    std::size_t passed_;
    std::string name_;
    std::vector<Piece> pieces_;
};

} // namespace

/// Whether the letter of a shape describes the argument. `span`: what $n stands for.
bool Checker::has_shape(char shape, std::span<const Argument> given, std::size_t index, Span& span) {
    const Form& form = *given[index].form;
    const Fact& fact = *shape_fact(given[index]);
    const Fact& last = *shape_fact(given.back());
    const bool passed_in = is_passed_in(form);
    span = form.span;
    switch (shape) {
    case '.': return !passed_in;
    case '~': return passed_in;
    case 'k': return form.is(FormKind::Keyword) && !is_order(form);
    case 'o': return is_order(form);
    case 'O': return is_other_order(form);
    case 'K': return holds_keys(form);
    case 'i': return form.is(FormKind::Integer);
    case 't': return form.is(FormKind::String);
    case 's': return form.is(FormKind::Set);
    case 'f': return is_function_literal(form) || (form.is(FormKind::Symbol) && meaning_of(form.text()).core);
    case 'c': return is_comparison(form);
    case 'y':
        return form.is_symbol("-") && index + 1 < given.size() && form.span.end == given[index + 1].form->span.begin;
    case 'd': return form.is(FormKind::Symbol) && form.text().starts_with("data/");
    case 'w': return !passed_in && !is_key(form) && form.kind >= FormKind::Symbol && !form.is(FormKind::Vector);
    case 'l': return is_collection(fact);
    case 'm': return form.is(FormKind::Map) || is_map(fact);
    case 'n': return fact.kind == FactKind::Numeric;
    case 'T': return fact.kind == FactKind::String;
    case 'N':
        if (!is_negated_key(form)) return false;
        span = form.items()[1].span;
        return true;
    case 'Q':
        if (shape_fact(given[0])->kind != FactKind::Record) return false; // others may have symbols as keys
        if (!form.is(FormKind::Quote) || form.size != 1 || !form.items()[0].is(FormKind::Symbol)) return false;
        span = form.items()[0].span;
        return true;
    case 'F': return form.is(FormKind::Keyword) && items_have(last, form);
    case 'P':
        return holds_keys(form) && form.size > 1 &&
               std::ranges::all_of(form.items(), [&](const Form& key) { return items_have(last, key); });
    case 'G': return form.is(FormKind::Keyword) && leads_on(*given[0].fact, form, *given[index + 1].form);
    default: return false;
    }
}

/// A name in the place of a function has not been looked at.
const Fact* Checker::shape_fact(const Argument& argument) {
    if (argument.fact && argument.fact->kind != FactKind::Any) return argument.fact;
    return argument.form->is(FormKind::Symbol) ? check_symbol(*argument.form) : Facts::any();
}

/// Whether `key` is a field of the items of `coll` that has no fields of its own.
bool Checker::items_have(const Fact& coll, const Form& key) {
    const Fact* item = is_collection(coll) ? facts_.item_of(&coll) : Facts::any();
    const FactPart* field = item->kind == FactKind::Record ? Facts::find(*item, key.text()) : nullptr;
    return field && field->fact->kind != FactKind::Any && !is_map(*field->fact);
}

bool Checker::leads_on(const Fact& map, const Form& key, const Form& next) {
    const FactPart* field = map.kind == FactKind::Record ? Facts::find(map, key.text()) : nullptr;
    return field && field->fact->kind == FactKind::Record && is_key(next) && Facts::find(*field->fact, next.text());
}

void Checker::check_argument_shapes(std::string_view function, const Form& list, std::span<const Argument> given) {
    if (given.empty() || given.size() > kMaxArguments || only_errors_ || is_full()) return;
    std::array<Span, kMaxArguments> spans{};
    for (const Habit* habit : habits_of(function)) {
        if (habit->shapes.size() != given.size()) continue;
        std::size_t passed = given.size();
        bool fits = true;
        for (std::size_t i = 0; i < given.size() && fits; ++i) {
            fits = has_shape(habit->shapes[i], given, i, spans[i]);
            if (is_passed_in(*given[i].form)) passed = i;
        }
        if (!fits) continue;
        Rewriting rewriting(source_, list, {spans.data(), given.size()}, passed);
        return warn(misused_call(list.span, habit->message, rewriting.edits(habit->rewrite), source_));
    }
}

} // namespace ptc

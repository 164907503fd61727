// Names that mean nothing: misspelt ones, those of other languages, and those that lack data/, tool/ or a keyword's
// colon.
//
// unknown_name asks what the name can be, from the certain to the guessed: syntax of other languages around it, a
// definition that comes in a foreign way, a value of the context, a row of foreign.def, a dotted name, a near name of
// the program, a near function, a noun that may be data. The order matters more than any single rule: a name that the
// program itself knows wins over the language's, which win over guesses.
#include "compiler/repair/rules.h"
#include "frontend/suggest.h"
#include <algorithm>
#include <unordered_map>
#include <vector>

namespace ptc::repair {
namespace {

/// Typing errors that a repair puts right; a hint may guess more freely.
std::size_t tolerance(std::size_t length) { return length < 6 ? 1 : length < 12 ? 2 : 3; }

std::string bare(std::string_view name) {
    std::string letters;
    for (const char c : name) {
        if (c != '-' && c != '_' && c != '?' && c != '!')
            letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    return letters;
}

bool is_sure(std::string_view name, std::string_view candidate) {
    if (bare(name) == bare(candidate)) return true;
    if (name.size() < 2 || candidate.size() < 2) return false;
    const std::size_t distance = edit_distance(name, candidate, 3);
    if (name.size() < 4 && distance * 2 > name.size()) return false;
    return distance <= tolerance(name.size());
}

/// Functions of the language are many: a name that is near one by chance is not to call it.
bool is_sure_of_function(std::string_view name, std::string_view candidate) {
    if (bare(name) == bare(candidate)) return true;
    if (name.empty() || candidate.empty() || name.front() != candidate.front()) return false;
    if (name.size() < 4 && name.size() == candidate.size()) // fro is for, foo is not
        return std::is_permutation(name.begin(), name.end(), candidate.begin());
    return edit_distance(name, candidate, 3) * 3 <= std::max(name.size(), candidate.size());
}

/// The nearest of `candidates` when it is near enough to be put in.
std::string nearest(std::string_view name, std::span<const std::string_view> candidates) {
    const std::vector<std::string> near = suggest(name, candidates, 1);
    return !near.empty() && is_sure(name, near.front()) ? near.front() : std::string();
}

std::vector<std::string_view> own_names(const Code& code, const Place& place) {
    std::vector<std::string_view> names = code.locals(place);
    for (const std::string_view name : code.definitions())
        names.push_back(name);
    if (const KnownNames* const globals = code.surroundings().globals) {
        const std::vector<std::string_view> all = globals->all();
        names.insert(names.end(), all.begin(), all.end());
    }
    // The name itself is what the program seems to define: nothing better is known.
    std::erase(names, place.form().text());
    return names;
}

std::vector<std::string_view> language_names(const Code& code, bool called) {
    std::vector<std::string_view> names;
    for (const CoreName& entry : code.core().names()) {
        if (entry.name.empty() || entry.name.back() == '%' || entry.name.front() == '.') continue;
        if (called || entry.core || entry.builtin >= 0) names.push_back(entry.name);
    }
    return names;
}

Proposal renamed(const Form& name, std::string text) {
    if (text.empty() || text == name.text()) return std::nullopt;
    return replace(name, std::move(text));
}

bool has_tool(const Code& code, std::string_view name) {
    return std::any_of(code.surroundings().tools.begin(), code.surroundings().tools.end(),
                       [&](const ToolInfo& tool) { return tool.name == name; });
}

/// The function around `place`, innermost, that has parameters or placeholders.
const Form* enclosing_function(const Place& place) {
    for (std::size_t i = 1; i < place.forms.size(); ++i) {
        if (is_function_literal(*place.forms[i]) || calls(*place.forms[i], "defn")) return place.forms[i];
    }
    return nullptr;
}

/// Context and tools by their bare names.
Proposal without_prefix(const Subject& subject) {
    const std::string name(subject.name());
    if (has_tool(subject.code, name) && subject.call) {
        if (find_foreign(name) && subject.call->size() != 1) return std::nullopt; // (add 1 2)
        return replace(subject.symbol(), "tool/" + name, "Tools are called as tool/name.");
    }
    if (const Form* function = enclosing_function(subject.place); function && !function->is(FormKind::ShortFn)) {
        // (fn [order] (:id orders)): the parameter, which nothing else names
        const std::string one = name.ends_with('s') ? name.substr(0, name.size() - 1) : "";
        const auto parameter = std::ranges::find_if(function->items(), [&](const Form& part) {
            return part.is(FormKind::Vector) && part.size > 0 && part.items()[0].is_symbol(one);
        });
        const auto uses_it = [&](const Form& part) { return mentions(part, one); };
        if (parameter != function->items().end() && std::none_of(parameter + 1, function->items().end(), uses_it))
            return replace(subject.symbol(), one);
    }
    if (is_data_name(subject.code, name))
        return replace(subject.symbol(), "data/" + name, "Values of the context are read as data/name.");
    return std::nullopt;
}

/// {name "x"}: a key without its colon.
Proposal bare_key(const Subject& subject) {
    const Form* around = subject.place.around();
    if (!around || !around->is(FormKind::Map) || subject.place.index() % 2 != 0) return std::nullopt;
    if (subject.name().find_first_of("/.%&'") != std::string_view::npos) return std::nullopt;
    // The other keys too: `name` and `count` are functions, but not meant as such.
    Repair repair;
    const std::vector<std::string_view> own = own_names(subject.code, subject.place);
    for (std::size_t i = 0; i < around->size; i += 2) {
        const Form& key = around->items()[i];
        const bool plain = key.is(FormKind::Symbol) && key.text().find_first_of("/.%&'") == std::string_view::npos;
        if (plain && std::find(own.begin(), own.end(), key.text()) == own.end())
            repair.edits.push_back(insertion(key.span.begin, ":"));
    }
    repair.hint = "Keys are keywords: {:name value}.";
    return repair;
}

void collect_unknown(const Code& code, const Form& form, std::vector<std::string_view>& names) {
    if (form.is(FormKind::Symbol)) {
        const std::string_view name = form.text();
        const bool known = code.core_name(name) || name.find_first_of("/.") != name.npos || is_placeholder(form);
        if (!known && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
        return;
    }
    if (!has_items(form)) return;
    for (const Form& item : form.items())
        collect_unknown(code, item, names);
}

void replace_symbol(const Form& form, std::string_view name, const std::string& text, std::vector<Edit>& edits) {
    if (form.is_symbol(name)) edits.push_back({form.span, text});
    if (!has_items(form)) return;
    for (const Form& item : form.items())
        replace_symbol(item, name, text, edits);
}

/// #(* x 2), #(+ acc x): names that were meant to be parameters.
Proposal placeholder_instead(const Subject& subject, const Form& function) {
    std::vector<std::string_view> unknown;
    collect_unknown(subject.code, function, unknown);
    const std::vector<std::string_view> own = own_names(subject.code, subject.place);
    std::erase_if(unknown, [&](std::string_view name) { return std::find(own.begin(), own.end(), name) != own.end(); });
    if (unknown.size() > 2) return std::nullopt;
    // #(= (:status %) paid): it has its parameter
    if (std::any_of(function.items().begin(), function.items().end(), has_placeholder)) return std::nullopt;
    Repair repair;
    for (std::size_t i = 0; i < unknown.size(); ++i) {
        const std::string text = unknown.size() == 1 ? "%" : "%" + std::to_string(i + 1);
        replace_symbol(function, unknown[i], text, repair.edits);
    }
    repair.edits = in_order(std::move(repair.edits));
    repair.hint = "The parameters of #() are %, %1, %2 ..";
    repair.covers = function.span;
    return repair;
}

/// (fn [x] (* y 2)): the one parameter that the body never uses must have been meant.
Proposal unused_parameter(const Subject& subject) {
    const Form* function = enclosing_function(subject.place);
    if (!function) return std::nullopt;
    if (function->is(FormKind::ShortFn)) return placeholder_instead(subject, *function);
    const FormSpan parts = function->items();
    std::size_t at = 1;
    while (at < parts.size() && !parts[at].is(FormKind::Vector))
        ++at;
    if (at == parts.size()) return std::nullopt;
    std::string_view unused;
    for (const Form& parameter : parts[at].items()) {
        const bool may_be_meant = parameter.is(FormKind::Symbol) && !parameter.text().starts_with('_') &&
                                  parameter.text().find('/') == std::string_view::npos; // that one is wrong itself
        if (!may_be_meant) continue;
        const auto used = [&](const Form& form) { return mentions(form, parameter.text()); };
        if (std::any_of(parts.begin() + static_cast<std::ptrdiff_t>(at) + 1, parts.end(), used)) continue;
        if (!unused.empty()) return std::nullopt;
        unused = parameter.text();
    }
    return unused.empty() ? std::nullopt : renamed(subject.symbol(), std::string(unused));
}

/// is-empty?, isEmpty, is_empty: the predicate without the verb.
std::string predicate_like(const Code& code, std::string_view name) {
    if (name.size() < 5 || !name.starts_with("is")) return {};
    const bool upper = 'A' <= name[2] && name[2] <= 'Z';
    if (!upper && name[2] != '-' && name[2] != '_') return {};
    std::string plain(name.substr(upper ? 2 : 3));
    plain[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(plain[0])));
    if (!plain.ends_with('?')) plain += '?';
    return code.core_name(plain) ? plain : std::string();
}

/// Whether it may be called with so many arguments; special forms count otherwise.
bool takes(const CoreName& name, std::size_t arguments) {
    if (name.special >= 0) return true;
    return name.core ? name.core->arity(arguments) != nullptr : name.arity.accepts(arguments);
}

Proposal near_function(const Subject& subject) {
    std::vector<std::string_view> names = language_names(subject.code, subject.call.has_value());
    const bool is_call = subject.call && subject.call->whole->is(FormKind::List);
    if (is_call) { // (lst 1 2) is no call of last
        std::erase_if(
            names, [&](std::string_view name) { return !takes(*subject.code.core_name(name), subject.call->size()); });
    }
    std::string near = nearest(subject.name(), names);
    if (!is_sure_of_function(subject.name(), near)) return std::nullopt;
    Proposal found = renamed(subject.symbol(), near);
    const CoreName* entry = subject.code.core_name(near);
    if (found && entry && entry->special >= 0 && subject.call)
        found->covers = subject.call->whole->span; // it binds names
    return found;
}

/// (get-users): the tool users, or data/users
Proposal fetched(const Subject& subject) {
    for (const std::string_view verb : {"get-", "fetch-", "load-", "list-", "get_", "fetch_"}) {
        if (!subject.name().starts_with(verb) || !subject.call) continue;
        const std::string name(subject.name().substr(verb.size()));
        if (has_tool(subject.code, name))
            return replace(subject.symbol(), "tool/" + name, "Tools are called as tool/name.");
        if (is_data_name(subject.code, name) && subject.call->size() == 0 && subject.call->whole->is(FormKind::List))
            return replace(*subject.call->whole, "data/" + name, "Values of the context are read as data/name.");
    }
    return std::nullopt;
}

Proposal misspelt(const Subject& subject) {
    const std::vector<std::string_view> own = own_names(subject.code, subject.place);
    if (const std::string starred = "*" + std::string(subject.name()); std::ranges::find(own, starred) != own.end()) {
        Repair repair; // (fn [a *more] (count more))
        for (const Form& form : subject.code.top_level())
            replace_symbol(form, starred, "& " + std::string(subject.name()), repair.edits);
        repair.hint = "[a b & more]";
        repair.covers = {0, static_cast<std::uint32_t>(subject.code.source().size())}; // calls with more arguments, too
        return repair;
    }
    if (Proposal found = renamed(subject.symbol(), nearest(subject.name(), own))) return found;
    if (Proposal found = renamed(subject.symbol(), own_name_with_affix(subject.name(), own))) return found;
    if (Proposal found = bare_key(subject)) return found;
    const bool is_head = subject.call && subject.call->whole != &subject.symbol();
    if (is_head && subject.place.in_short_fn()) { // #(evn? %)
        if (Proposal found = near_function(subject)) return found;
        if (Proposal found = affixed_name(subject)) return found;
    }
    if (Proposal found = unused_parameter(subject)) return found;
    if (const auto& names = subject.code.surroundings().data_names; names && !subject.call) {
        const std::vector<std::string_view> candidates(names->begin(), names->end());
        if (const std::string near = nearest(subject.name(), candidates); !near.empty())
            return replace(subject.symbol(), "data/" + near, "Values of the context are read as data/name.");
    }
    if (Proposal found = renamed(subject.symbol(), predicate_like(subject.code, subject.name()))) return found;
    if (Proposal found = near_function(subject)) return found;
    if (Proposal found = fetched(subject)) return found;
    if (Proposal found = affixed_name(subject)) return found;
    // Nearly a name of another language: where it is called, and where what is written for it is no plain value.
    const Foreign* foreign = is_head ? nearest_foreign(subject.name()) : nullptr;
    return foreign && foreign->rewrite != "nil" ? rewrite_foreign(subject, *foreign) : std::nullopt;
}

/// (fn f [x] ..) (f 1)
Proposal named_function_literal(const Code& code, const Place& place) {
    for (const Form& form : code.top_level()) {
        if (!calls(form, "fn") || form.size < 4 || !form.items()[1].is_symbol(place.form().text()) ||
            form.span.begin >= place.form().span.begin)
            continue;
        return Repair{{{form.items()[0].span, "defn"}}, "(defn name [x] ..) defines a function.", {}};
    }
    return std::nullopt;
}

/// A name that the program itself defines in a foreign way, or later: mending that mends this.
bool is_meant_definition(const Code& code, const Place& place) {
    std::string_view name = place.form().text();
    if (name.starts_with("->") && name.size() > 2) name.remove_prefix(2);
    const std::vector<std::string_view> names = code.definitions();
    if (std::find(names.begin(), names.end(), name) != names.end()) return true;
    const std::vector<std::string_view> locals = code.locals(place);
    return std::find(locals.begin(), locals.end(), name) != locals.end();
}

/// {keys [a b]}, {:keys [a b] as all}: an option without its colon.
Proposal bare_option(const Place& place) {
    const Form* around = place.around();
    if (around && around->is(FormKind::Map) && place.index() % 2 == 1 && place.around(2)) {
        const Form& option = around->items()[place.index() - 1];
        if (option.is_symbol("as")) return Repair{{insertion(option.span.begin, ":")}, "{:keys [a b] :as all}", {}};
    }
    const Form* map = place.around(2);
    if (!map || !map->is(FormKind::Map) || !place.around()->is(FormKind::Vector)) return std::nullopt;
    const Place vector = place.outer();
    if (vector.index() % 2 == 0) return std::nullopt;
    const Form& option = map->items()[vector.index() - 1];
    if (!option.is_symbol("keys") && !option.is_symbol("strs")) return std::nullopt;
    Repair repair{{insertion(option.span.begin, ":")}, "{:keys [a b]}", map->span};
    return repair;
}

bool is_own_name_near(const Subject& subject) {
    const std::vector<std::string_view> own = own_names(subject.code, subject.place);
    return subject.name().size() > 2 && !nearest(subject.name(), own).empty();
}

/// Words in front of a program that stands in brackets: `clojure`, `user=>`, <code>.
Proposal stray_words(const Subject& subject) {
    const Place& place = subject.place;
    const FormSpan forms = place.top_level;
    if (place.around() || is_own_name_near(subject)) return std::nullopt;
    const auto is_word = [](const Form& form) { return form.is(FormKind::Symbol) || form.is(FormKind::Keyword); };
    std::size_t count = 0;
    while (count < forms.size() && is_word(forms[count]) && !is_operator(forms[count]))
        ++count;
    if (place.index() >= count || count == forms.size() || !forms[count].is(FormKind::List)) return std::nullopt;
    const Span words{forms[0].span.begin, forms[count].span.begin};
    Repair repair{{{words, ""}}, "A program is code alone.", words};
    const Form& last = forms.back();
    if (last.is(FormKind::Symbol) && last.text().starts_with("</")) repair.edits.push_back({last.span, ""});
    return repair;
}

/// /ERROR/
Proposal slashed_regex(const Form& form) {
    const std::string_view name = form.text();
    if (name.size() < 3 || name.front() != '/' || name.back() != '/') return std::nullopt;
    return replace(form, "#\"" + std::string(name.substr(1, name.size() - 2)) + "\"", "A regex is written #\"..\".");
}

/// /[a-z]+/g, which is read as several forms: `place` is in one of them.
Proposal spread_regex(const Code& code, const Place& place) {
    const std::string_view text = code.source();
    const std::size_t line = text.rfind('\n', place.form().span.begin) + 1;
    const auto is_edge = [](char c) { return std::string_view(" \t\r\n,()[]{}").find(c) != std::string_view::npos; };
    for (std::size_t begin = place.form().span.begin; begin-- > line;) {
        if (text[begin] == '"' || text[begin] == ';') return std::nullopt;
        if (text[begin] != '/' || (begin > line && !is_edge(text[begin - 1]))) continue;
        const std::size_t close =
            text.find_first_of("/\"\n", std::max<std::size_t>(begin + 1, place.form().span.begin));
        if (close == text.npos || text[close] != '/') return std::nullopt;
        const std::size_t end = std::min(text.find_first_not_of("gimsuy", close + 1), text.size());
        const std::string_view pattern = text.substr(begin + 1, close - begin - 1);
        if ((end < text.size() && !is_edge(text[end])) || pattern.empty() || pattern.front() == ' ')
            return std::nullopt;
        if (pattern.find_first_of("[(.*+?|^$") == pattern.npos) return std::nullopt;
        const bool ignores_case = text.substr(close, end - close).find('i') != std::string_view::npos;
        const Span whole{static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
        return Repair{{{whole, (ignores_case ? "#\"(?i)" : "#\"") + std::string(pattern) + "\""}},
                      "A regex is written #\"..\".",
                      whole};
    }
    return std::nullopt;
}

/// (= (:region o) EU): a text without its quotes.
Proposal text_without_quotes(const Subject& subject) {
    const Place& place = subject.place;
    const Form* around = place.around();
    if (!around || !calls_one_of(*around, {"=", "not="}) || around->size != 3 || place.index() == 0)
        return std::nullopt;
    const Form& other = around->items()[3 - place.index()];
    const bool is_read = is_call(other) && other.size > 1 &&
                         (other.items()[0].is(FormKind::Keyword) || calls_one_of(other, {"get", "get-in"}));
    if (!is_read || !is_plain_name(subject.name())) return std::nullopt;
    return replace(subject.symbol(), "\"" + std::string(subject.name()) + "\"", "A text stands in double quotes.");
}

/// Whether an operator stands in the list around it; % is none where it is a placeholder.
bool has_operator(const Place& place) {
    return std::ranges::any_of(place.around()->items(), [&](const Form& item) {
        return is_operator(item) && !(item.is_symbol("%") && place.in_short_fn());
    });
}

} // namespace

Proposal unknown_name(const Code& code, const Place& place) {
    const Subject subject{code, place, call_of_head(place)};
    if (Proposal found = slashed_regex(place.form())) return found;
    if (Proposal found = spread_regex(code, place)) return found;
    const bool is_tag = subject.name().starts_with('<') && subject.name().ends_with('>') && subject.name().size() > 2;
    if (Proposal found = is_tag ? stray_words(subject) : std::nullopt) return found;
    if (Proposal found = inside_bracketed_arguments(code, place)) return found;
    if (Proposal found = comprehension(code, place)) return found;
    using SyntaxRule = Proposal (*)(const Code&, const Place&);
    for (const SyntaxRule rule : {foreign_comment, prefixed_string, single_quotes, arrow, noise_word, assignment,
                                  bracketed_arguments, split_bindings}) {
        if (Proposal found = rule(code, place)) return found;
    }
    if (Proposal found = bare_option(place)) return found;
    if (Proposal found = names_of_map(code, place)) return found;
    if (Proposal found = keys_without_colon(code, place)) return found;
    if (Proposal found = named_function_literal(code, place)) return found;
    if (is_meant_definition(code, place)) return Repair{};
    if (Proposal found = whole_context(subject)) return found;
    if (Proposal found = pipes(code, place)) return found;
    if (Proposal found = place.around() ? written_value(code, place.outer()) : std::nullopt) return found;
    const bool is_path = subject.name().find('.') != std::string_view::npos && !find_foreign(subject.name());
    if (is_path && !subject.name().starts_with("clojure.")) {
        if (Proposal found = dotted_call(subject)) return found;
    }
    if (place.around() && is_call(*place.around()) && has_operator(place) && !find_foreign(subject.name()) &&
        !is_own_name_near(subject) && nearest(subject.name(), language_names(code, true)).empty()) {
        if (Proposal found = infix(code, place.outer())) return found;
    }
    const bool counts = subject.name() == "++" || subject.name() == "--";
    if (place.around() && (counts || is_operator(place.form())) && place.index() > 0) {
        if (Proposal found = infix(code, place.outer())) return found;
    }
    if (Proposal found = infix_in_place(code, place)) return found;
    if (Proposal found = without_prefix(subject)) return found;
    const bool is_key = place.around() && place.around()->is(FormKind::Map) && place.index() % 2 == 0; // {total 5}
    if (Proposal found = is_key && !is_own_name_near(subject) ? bare_key(subject) : std::nullopt) return found;
    if (const Foreign* foreign = find_foreign(subject.name()); foreign && !is_own_name_near(subject))
        return rewrite_foreign(subject, *foreign);
    if (subject.name().starts_with("clojure.")) {
        if (Proposal found = affixed_name(subject)) return found;
    }
    if (Proposal found = dotted_name(subject)) return found;
    if (Proposal found = touching_operators(code, place)) return found;
    if (Proposal found = stray_words(subject)) return found;
    if (Proposal found = misspelt(subject)) return found;
    const bool is_upper = std::ranges::none_of(subject.name(), [](char c) { return 'a' <= c && c <= 'z'; });
    if (Proposal found = is_upper ? std::nullopt : context_value(subject)) return found;
    if (Proposal found = text_without_quotes(subject)) return found;
    if (Proposal found = is_upper ? context_value(subject) : std::nullopt) return found;
    return Repair{}; // nothing near enough to be put in
}

// ---- Qualified names

namespace {

std::string_view member_of(std::string_view name) { return name.substr(name.find('/') + 1); }
std::string_view space_of(std::string_view name) { return name.substr(0, name.find('/')); }

/// What the member of a foreign namespace is here: a function, or a row of the table.
Proposal plain_member(const Subject& subject, std::string_view member) {
    const std::string_view space = space_of(subject.name());
    const bool is_text =
        space == "clojure.string" || space == "str" || space == "string" || space == "s" || space == "strings";
    if (const Foreign* foreign = is_text ? find_foreign("text/" + std::string(member)) : nullptr)
        return rewrite_foreign(subject, *foreign);
    const bool is_class = !space.empty() && std::isupper(static_cast<unsigned char>(space.front())) != 0;
    if (const CoreName* entry = subject.code.core_name(member); entry && entry->special < 0 && !is_class) {
        return renamed(subject.symbol(), std::string(member));
    }
    for (const char* prefix : {"set/", "walk/", "json/", "Math/", "string/"}) {
        const std::string qualified = prefix + std::string(member);
        if (subject.code.core_name(qualified)) return renamed(subject.symbol(), qualified);
    }
    if (const Foreign* foreign = find_foreign(member)) return rewrite_foreign(subject, *foreign);
    return std::nullopt;
}

} // namespace

Proposal unknown_qualified(const Code& code, const Place& place) {
    const Subject subject{code, place, call_of_head(place)};
    const std::string_view name = subject.name();
    if (code.surroundings().prelude && code.surroundings().prelude->protects(name))
        return std::nullopt; // the error says what there is
    if (Proposal found = slashed_regex(place.form())) return found;
    if (Proposal found = bracketed_arguments(code, place)) return found;
    for (const std::string_view thread : {"->>", "->"}) { // (->>data/orders ..)
        if (!name.starts_with(thread) || !place.around() || place.index() != 0) continue;
        const auto end = static_cast<std::uint32_t>(place.form().span.begin + thread.size());
        return Repair{{insertion(end, " ")}, "A name ends where a blank stands.", place.around()->span};
    }
    if (const Foreign* foreign = find_foreign(name)) return rewrite_foreign(subject, *foreign);
    std::string dotted(name);
    std::replace(dotted.begin(), dotted.end(), '/', '.');
    if (const Foreign* foreign = find_foreign(dotted)) return rewrite_foreign(subject, *foreign);
    const std::string_view space = space_of(name);
    const std::string_view member = member_of(name);
    if (space.find("json") != space.npos || space.starts_with("cheshire")) { // clojure.data.json/write-str
        if (const Foreign* foreign = find_foreign("json/" + std::string(member)))
            return rewrite_foreign(subject, *foreign);
    }
    if (space == "tools" || space == "Tool" || space == "tool-call")
        return renamed(subject.symbol(), "tool/" + std::string(member));
    if (space == "context" || space == "input" || space == "inputs" || space == "Data")
        return renamed(subject.symbol(), "data/" + std::string(member));
    if (Proposal found = plain_member(subject, member)) return found;
    std::vector<std::string_view> names = language_names(code, subject.call.has_value());
    std::vector<std::string> qualified;
    for (const std::string_view candidate : names) {
        if (candidate.find('/') != candidate.npos && candidate != "/") qualified.emplace_back(member_of(candidate));
    }
    names.insert(names.end(), qualified.begin(), qualified.end());
    const std::string near = nearest(member, names);
    if (!near.empty()) {
        if (space == "clojure.string" || space == "clojure.core" || space == "str") {
            if (code.core_name(near)) return renamed(subject.symbol(), std::string(space) + "/" + near);
        }
        return plain_member(subject, near);
    }
    return dotted_name(subject);
}

Proposal unknown_method(const Code& code, const Place& place) {
    const Subject subject{code, place, call_of_head(place)};
    if (subject.name() == ".") return rewrite_foreign(subject, *find_foreign(subject.name()));
    if (subject.name() == "..") return std::nullopt; // a form of the language, not where it stands
    if (!find_foreign(subject.name()) && !subject.name().starts_with(".-")) {
        const bool is_new = place.around() && calls_one_of(*place.around(), {"new"});
        std::vector<std::string_view> methods; // behind new, classes: constructors without their dots
        for (const CoreName& entry : code.core().names()) {
            if (entry.name.size() < 2) continue;
            if (is_new && entry.name.back() == '.') methods.push_back(entry.name.substr(0, entry.name.size() - 1));
            if (!is_new && entry.name.front() == '.' && entry.name[1] != '.') methods.push_back(entry.name);
        }
        if (Proposal found = renamed(subject.symbol(), nearest(subject.name(), methods))) return found;
    }
    return method_call(subject);
}

// ---- Definitions that come too late

namespace {

/// The name that a form of the top level defines; "" for any other.
std::string_view defined_name(const Form& form) {
    const bool defines = calls_one_of(form, {"def", "defn", "defonce"}) && form.size > 2;
    return defines && form.items()[1].is(FormKind::Symbol) ? form.items()[1].text() : std::string_view();
}

/// Whether `form` names what `user` defines, itself or by way of definitions between the two: moved above it, one of
/// them would come too early in turn.
bool leads_back(const Code& code, const Form& form, const Form& user) {
    std::unordered_map<std::string_view, const Form*> between;
    for (const Form& other : code.top_level()) {
        if (other.span.begin < user.span.begin || other.span.begin >= form.span.begin) continue;
        if (const std::string_view name = defined_name(other); !name.empty()) between.emplace(name, &other);
    }
    std::vector<const Form*> open{&form};
    while (!open.empty()) {
        const Form& next = *open.back();
        open.pop_back();
        if (next.is(FormKind::Symbol)) {
            const auto found = between.find(next.text());
            if (found == between.end()) continue;
            if (found->second == &user) return true;
            open.push_back(found->second);
            between.erase(found);
        } else if (has_items(next)) {
            for (const Form& item : next.items())
                open.push_back(&item);
        }
    }
    return false;
}

} // namespace

Proposal early_use(const Code& code, const Place& place) {
    if (place.empty()) return std::nullopt;
    const Form& user = *place.forms.back();
    const std::string_view name = place.form().text();
    for (const Form& form : code.top_level()) {
        if (defined_name(form) != name) continue;
        if (form.span.begin <= user.span.begin || leads_back(code, form, user)) return std::nullopt;
        Repair repair;
        repair.edits = {insertion(user.span.begin, code.copy(form) + "\n"), removal(code, form)};
        repair.hint = "Move the definition above this form.";
        repair.covers = form.span;
        return repair;
    }
    return std::nullopt;
}

// ---- Placeholders

namespace {

/// (map (* % 2) xs): the list should be #(..).
const Form* list_in_function_place(const Code& code, const Place& place) {
    for (std::size_t i = 1; i + 1 < place.forms.size(); ++i) {
        const Form& list = *place.forms[i];
        const Form& around = *place.forms[i + 1];
        if (!list.is(FormKind::List) || !is_call(around)) continue;
        const std::optional<CallSite> call = call_at(place.outer(i + 1));
        const std::string_view name = code.core_function(around.items()[0]);
        if (!call || name.empty()) continue;
        const std::vector<std::string_view> parameters = parameters_of(code.usage(name), call->size());
        for (std::size_t k = 0; k < parameters.size() && k < call->size(); ++k) {
            if (call->arguments[k].is(list) && (kinds_of_parameter(parameters[k]) & kFunctionKind) != 0 &&
                kinds_of_parameter(parameters[k]) != kAnyKind)
                return &list;
        }
    }
    return nullptr;
}

} // namespace

Proposal stray_placeholder(const Code& code, const Place& place) {
    const std::string_view name = place.form().text();
    if (place.index() % 2 == 1 && place.around() && !place.in_short_fn()) {
        if (Proposal found = infix(code, place.outer())) return found;
    }
    if (!place.in_short_fn()) {
        if (Proposal found = infix_in_place(code, place)) return found;
    }
    if (name.size() > 2 && name[1] == '.') return dotted_name({code, place, call_of_head(place)});
    if (name == "%") {
        if (const auto call = call_of_head(place); call && call->size() == 2 && call->whole->is(FormKind::List)) {
            const bool fills_in = call->has(0) && call->arguments[0]->is(FormKind::String);
            return fills_in ? replace(place.form(), "format", "A text with places is (format \"%s items\" x).")
                            : replace(place.form(), "mod", "The remainder is (mod a b).");
        }
    }
    const Form* function = enclosing_function(place);
    if (function && !function->is(FormKind::ShortFn)) {
        const Form* parameters = nullptr;
        for (const Form& part : function->items()) {
            if (part.is(FormKind::Vector) && !parameters) parameters = &part;
        }
        if (parameters && parameters->size == 0 && calls(*function, "fn") && function->size == 3 &&
            function->items()[2].is(FormKind::List)) {
            Repair repair;
            const Form& body = function->items()[2];
            repair.edits = {{{function->span.begin, body.span.begin}, "#"},
                            {{function->span.end - 1, function->span.end}, ""}};
            repair.hint = "Placeholders name the parameters of #().";
            repair.covers = function->span;
            return repair;
        }
        const std::size_t index = name == "%" || name == "%1" ? 0
                                  : name.size() == 2          ? static_cast<std::size_t>(name[1] - '1')
                                                              : 99;
        if (parameters && index < parameters->size && parameters->items()[index].is(FormKind::Symbol))
            return renamed(place.form(), std::string(parameters->items()[index].text()));
        return std::nullopt;
    }
    if (const Form* list = list_in_function_place(code, place)) {
        Repair repair;
        repair.edits = {insertion(list->span.begin, "#")};
        repair.hint = "Placeholders name the parameters of #().";
        repair.covers = list->span;
        return repair;
    }
    return std::nullopt;
}

} // namespace ptc::repair

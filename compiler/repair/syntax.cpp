// Comments, strings, calls and assignments as other languages write them.
//
// The reader has taken such text for forms: f(x, y) is a name with a list behind it, x = 5 three forms of a body, `//
// note` words. These rules look at what touches what and what shares a line, which says more than the forms do. They
// come before all rules that take the words for code.
#include "compiler/repair/rules.h"
#include "frontend/reader/reader.h"
#include "frontend/reader/repairs.h"
#include <algorithm>

namespace ptc::repair {
namespace {

const Form* next_sibling(const Place& place) {
    const std::size_t at = place.index() + 1;
    return at < place.siblings().size() ? &place.siblings()[at] : nullptr;
}

/// The next sibling when nothing stands between.
const Form* touching_sibling(const Place& place) {
    const Form* next = next_sibling(place);
    return next && Code::touch(place.form(), *next) ? next : nullptr;
}

std::uint32_t line_end(const Code& code, std::uint32_t at) {
    return static_cast<std::uint32_t>(std::min(code.source().find('\n', at), code.source().size()));
}

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\r") == text.npos; }

} // namespace

// ---- Comments

Proposal foreign_comment(const Code& code, const Place& place) {
    const Form& symbol = place.form();
    const std::string_view name = symbol.text();
    const bool is_block = name.starts_with("/*");
    const bool is_line = name.starts_with("//") || (name.starts_with("--") && name != "--");
    const bool is_dashes = name == "--" && next_sibling(place);
    if (!is_block && !is_line && !is_dashes) return std::nullopt;
    const bool is_head = place.around() && is_call(*place.around()) && place.index() == 0;
    // (a // b): what would be a comment has the closing bracket.
    const bool divides = name == "//" && place.around() && place.index() > 0 && next_sibling(place) &&
                         code.on_one_line({symbol.span.begin, place.around()->span.end});
    if (is_head || divides) return std::nullopt;
    Repair repair;
    repair.hint = "A comment begins with `;` and goes on to the end of its line.";
    const std::uint32_t begin = symbol.span.begin;
    if (!is_block) {
        repair.edits = {{{begin, begin + 2}, ";"}};
        repair.covers = {begin, line_end(code, begin)};
        return repair;
    }
    const std::size_t close = code.source().find("*/", begin + 2);
    if (close == std::string_view::npos) return std::nullopt;
    const auto end = static_cast<std::uint32_t>(close + 2);
    repair.covers = {begin, end};
    if (code.on_one_line({begin, end}) && is_blank(code.text({end, line_end(code, end)})))
        repair.edits = {{{begin, begin + 2}, ";"}, {{end - 2, end}, ""}};
    else
        repair.edits = {{{begin, end}, ""}};
    return repair;
}

// ---- Strings

namespace {

struct TextParts {
    std::string code; ///< the arguments of str
    bool has_code = false;
};

/// One {..} of an f-string: a name, a call, or operators; what stands behind a colon is a format.
std::string interpolated(const Code& code, std::string_view inside) {
    std::string format;
    const std::size_t colon = inside.rfind(':');
    if (colon != inside.npos && colon > 0 && inside.find_first_of("()[]{}\" ", colon) == inside.npos &&
        inside.find_first_of(".0123456789%,", colon) == colon + 1) {
        format = std::string(inside.substr(colon + 1));
        std::erase(format, ',');
        inside = inside.substr(0, colon);
    }
    const Source part("", std::string(inside));
    Diagnostics problems;
    const Forms forms = read_forms(part, {}, problems);
    std::string text(inside);
    if (!problems.has_errors()) {
        const Code inner(part, forms.top_level(), code.core(), code.surroundings());
        if (const std::string prefix = prefix_of(inner, forms.top_level()); !prefix.empty()) text = prefix;
    }
    if (format.empty()) return text;
    return "(format \"%" + format + "\" " + text + ")";
}

TextParts interpolate(const Code& code, std::string_view inside) {
    TextParts parts;
    std::string literal;
    const auto close_literal = [&] {
        if (!literal.empty()) parts.code += " \"" + literal + "\"";
        literal.clear();
    };
    for (std::size_t i = 0; i < inside.size(); ++i) {
        const bool is_double = i + 1 < inside.size() && inside[i + 1] == inside[i];
        if ((inside[i] == '{' || inside[i] == '}') && is_double) {
            literal += inside[i++];
            continue;
        }
        const std::size_t close = inside[i] == '{' ? inside.find('}', i) : inside.npos;
        if (close == inside.npos) {
            const bool dollar = inside[i] == '$' && i + 1 < inside.size() && inside[i + 1] == '{';
            if (!dollar) literal += inside[i];
            continue;
        }
        close_literal();
        parts.code += " " + interpolated(code, inside.substr(i + 1, close - i - 1));
        parts.has_code = true;
        i = close;
    }
    close_literal();
    return parts;
}

bool takes_regex(const Place& place) {
    const Form* list = place.around();
    if (!list || !is_call(*list) || !list->items()[0].is(FormKind::Symbol)) return false;
    const std::string_view head = list->items()[0].text();
    return head.find("re-") != head.npos || head.find("split") != head.npos || head.find("replace") != head.npos;
}

} // namespace

Proposal prefixed_string(const Code& code, const Place& place) {
    const Form* string = touching_sibling(place);
    if (!string || !string->is(FormKind::String) || code.text(*string).front() != '"') return std::nullopt;
    const std::string_view prefix = place.form().text();
    const Span both{place.form().span.begin, string->span.end};
    if (prefix == "r" || prefix == "R") {
        if (takes_regex(place)) return replace(place.form(), "#", "A regex is written #\"..\".");
        return replace(place.form(), "", "A string is written \"..\", without a letter in front.");
    }
    if (prefix == "f" || prefix == "F" || prefix == "$" || prefix == "s" || prefix == "fr" || prefix == "rf") {
        const std::string_view raw = code.text(*string);
        const TextParts parts = interpolate(code, raw.substr(1, raw.size() - 2));
        Repair repair;
        repair.hint = "Texts are put together by (str \"..\" x ..).";
        repair.covers = both;
        if (parts.has_code)
            repair.edits = {{both, "(str" + parts.code + ")"}};
        else
            repair.edits = {{place.form().span, ""}};
        return repair;
    }
    if (prefix == "b" || prefix == "u" || prefix == "B" || prefix == "U" || prefix == "L")
        return replace(place.form(), "", "A string is written \"..\", without a letter in front.");
    return std::nullopt;
}

Proposal single_quotes(const Code& code, const Place& place) {
    Span word = place.form().span;
    const std::string_view text = code.source();
    if (text[word.end - 1] != '\'') { // a word in the middle of the text
        const std::size_t close = text.find_first_of("'\"\n", word.end);
        if (close == text.npos || text[close] != '\'') return std::nullopt;
        word.end = static_cast<std::uint32_t>(close + 1);
        if (word.end < text.size() && std::string_view(" \t\r\n,)]}").find(text[word.end]) == std::string_view::npos)
            return std::nullopt;
    }
    const std::size_t line = text.rfind('\n', word.begin) + 1;
    for (std::size_t at = word.begin; at-- > line;) {
        if (text[at] == '"') return std::nullopt;
        const bool opens = text[at] == '\'' &&
                           (at == line || std::string_view(" \t,([{").find(text[at - 1]) != std::string_view::npos);
        if (!opens) continue;
        const auto begin = static_cast<std::uint32_t>(at);
        Repair repair;
        repair.edits = {{{begin, begin + 1}, "\""}, {{word.end - 1, word.end}, "\""}};
        repair.hint = "Strings are written in double quotes.";
        repair.covers = {begin, word.end};
        return repair;
    }
    return std::nullopt;
}

// ---- Calls

namespace {

/// What a name is called here when it is called by another name of the same arguments.
std::string own_name(const Code& code, std::string_view name) {
    if (code.core_name(name)) return std::string(name);
    const Foreign* foreign = find_foreign(name);
    if (foreign && !foreign->rewrite.empty() && foreign->rewrite.find_first_of("($@") == std::string_view::npos)
        return std::string(foreign->rewrite);
    return std::string(name);
}

/// a.b(x).c(y), one link after the other.
struct Link {
    const Form* name;
    const Form* arguments;
};

std::vector<Link> chain_from(const Place& place) {
    const FormSpan items = place.siblings();
    std::vector<Link> links;
    for (std::size_t i = place.index(); i + 1 < items.size(); i += 2) {
        const bool follows = links.empty() || (Code::touch(items[i - 1], items[i]) && items[i].text().starts_with('.'));
        if (!items[i].is(FormKind::Symbol) || !follows || !items[i + 1].is(FormKind::List) ||
            !Code::touch(items[i], items[i + 1]))
            break;
        links.push_back({&items[i], &items[i + 1]});
    }
    return links;
}

std::string arguments_text(const Code& code, const Form& list) {
    std::string text;
    bool has_arrow = false;
    for (std::size_t i = 0; i < list.size;) {
        std::size_t length = 1;
        const std::string function = arrow_function(code, list.items(), i, &length, true);
        has_arrow = has_arrow || !function.empty();
        text += (text.empty() ? "" : " ") + (function.empty() ? code.copy(list.items()[i]) : function);
        i += function.empty() ? 1 : length;
    }
    if (has_arrow) return text;
    const std::string_view all = code.text(list);
    return std::string(all.substr(1, all.size() - 2));
}

std::string step_text(const Code& code, std::string_view method, const Form& arguments) {
    const std::string inside = arguments_text(code, arguments);
    return "(" + std::string(method) + (inside.empty() ? "" : " ") + inside + ")";
}

} // namespace

std::string operand_text(const Code& code, FormSpan operand) {
    std::string text = code.copy(operand[0]);
    for (std::size_t i = 1; i < operand.size(); ++i) {
        const Form& link = operand[i];
        const bool is_called = i + 1 < operand.size() && operand[i + 1].is(FormKind::List);
        if (link.is(FormKind::List)) { // f(x), o.f(x)
            const std::size_t dot = text.rfind('.');
            const bool has_dot = dot != text.npos && dot > 0 && dot + 1 < text.size();
            const std::string inside = arguments_text(code, link);
            text = has_dot
                       ? "(" + text.substr(dot) + " " + text.substr(0, dot) + (inside.empty() ? "" : " ") + inside + ")"
                       : step_text(code, own_name(code, text), link);
        } else if (link.is(FormKind::Symbol) && is_called) { // .f(x)
            const std::string inside = arguments_text(code, operand[++i]);
            text = "(" + std::string(link.text()) + " " + text + (inside.empty() ? "" : " ") + inside + ")";
        } else {
            text = linked_text(code, std::move(text), link);
        }
    }
    return text;
}

Proposal bracketed_arguments(const Code& code, const Place& place) {
    const std::vector<Link> links = chain_from(place);
    if (links.empty()) return std::nullopt;
    const bool is_head = place.around() && is_call(*place.around()) && place.index() == 0;
    const Span all{links.front().name->span.begin, links.back().arguments->span.end};
    const std::string_view name = place.form().text();
    const std::size_t dot = name.rfind('.');
    const bool has_dot = dot != name.npos && dot > 0 && dot + 1 < name.size();
    Repair repair;
    repair.covers = all;
    repair.hint = "A call is written (f x y), with the bracket before the function.";
    if (links.size() == 1 && !has_dot) {
        const Form& list = *links[0].arguments;
        if (is_head && place.around()->size != 2) return std::nullopt; // (f (g x) y), only badly laid out
        const Span opening{list.span.begin, list.span.begin + 1};
        const Span closing{list.span.end - 1, list.span.end};
        if (!is_head) repair.edits.push_back(insertion(all.begin, "("));
        if (const std::string own = own_name(code, name); own != name) repair.edits.push_back({place.form().span, own});
        repair.edits.push_back({opening, list.size == 0 ? "" : " "});
        if (is_head) repair.edits.push_back({closing, ""});
        return repair;
    }
    std::string text = has_dot ? std::string(name.substr(0, dot)) : "";
    std::size_t first = 0;
    if (!has_dot) text = step_text(code, own_name(code, name), *links[first++].arguments);
    for (std::size_t i = first; i < links.size(); ++i) {
        const std::string method = i == 0 ? std::string(name.substr(dot)) : std::string(links[i].name->text());
        text += " " + step_text(code, method, *links[i].arguments);
    }
    text = "(-> " + text + ")";
    if (is_head && place.around()->size == 1 + links.size() * 2 - 1)
        repair.edits = {{place.around()->span, text}};
    else
        repair.edits = {{all, text}};
    return repair;
}

Proposal inside_bracketed_arguments(const Code& code, const Place& place) {
    for (std::size_t i = 1; i < place.forms.size(); ++i) {
        const Place list = place.outer(i);
        if (!list.form().is(FormKind::List) || list.index() == 0) continue;
        const Form& before = list.siblings()[list.index() - 1];
        if (!before.is(FormKind::Symbol) || !Code::touch(before, list.form())) continue;
        // (f(x)) and (let [..](f x)) are something else.
        if (list.around() && is_call(*list.around()) && list.index() == 1) continue;
        Place name = list;
        name.forms.front() = &before;
        if (Proposal found = assignment(code, name)) return found;
        return bracketed_arguments(code, name);
    }
    return std::nullopt;
}

// ---- Comprehensions

namespace {

std::size_t find_word(FormSpan items, std::size_t from, std::string_view word) {
    while (from < items.size() && !items[from].is_symbol(word))
        ++from;
    return from;
}

/// The body of a comprehension as code; of {k: v for ..}, an entry.
std::string comprehended(const Code& code, FormSpan body, bool is_map, FormSpan pattern) {
    if (!is_map) return expression_of(code, body);
    for (std::size_t i = 1; i < body.size(); ++i) {
        if (i != operand_length(body)) continue;
        std::string key = expression_of(code, body.first(i));
        const auto names_key = [&](const Form& name) {
            return name.is(FormKind::Symbol) && ":" + code.copy(name) == key;
        };
        if (std::ranges::any_of(pattern, names_key)) key.erase(0, 1); // what was `k:`
        const std::string value = expression_of(code, body.subspan(i));
        if (!key.empty() && !value.empty()) return "[" + key + " " + value + "]";
    }
    return {};
}

} // namespace

Proposal comprehension(const Code& code, const Place& place) {
    for (std::size_t i = 1; i < place.forms.size() && i < 6; ++i) {
        const Form& around = *place.forms[i];
        const bool is_map = around.is(FormKind::Map);
        if (!around.is(FormKind::Vector) && !is_map && !is_call(around)) continue;
        const FormSpan items = around.items();
        const std::size_t at = find_word(items, 0, "for");
        if (at > 0 && at + 2 == items.size() && items[at + 1].is(FormKind::Vector) && items[at + 1].size >= 2 &&
            around.is(FormKind::Vector)) { // [x for [x xs]]
            const std::string body = expression_of(code, items.first(at));
            if (!body.empty())
                return replace(around, "(for " + code.copy(items[at + 1]) + " " + body + ")",
                               "A comprehension is (for [x coll :when test] body).");
        }
        if (at == 0 || at + 3 >= items.size()) continue;
        const std::size_t in = find_word(items, at + 1, "in");
        if (in == at + 1 || in + 1 >= items.size()) continue;
        const std::size_t test = find_word(items, in + 2, "if");
        // (sum x for x in xs): the head stays.
        const bool has_head = is_call(around) && at > 1 && items[0].is(FormKind::Symbol) && !is_operator(items[1]) &&
                              !Code::touch(items[0], items[1]);
        const FormSpan body = items.subspan(has_head ? 1 : 0, at - (has_head ? 1 : 0));
        const std::string body_text = comprehended(code, body, is_map, items.subspan(at + 1, in - at - 1));
        const std::string coll = expression_of(code, items.subspan(in + 1, test - in - 1));
        if (body_text.empty() || coll.empty()) continue;
        std::string pattern = std::string(code.text({items[at + 1].span.begin, items[in - 1].span.end}));
        if (in > at + 2) pattern = "[" + pattern + "]";
        std::string condition;
        if (test < items.size()) {
            condition = expression_of(code, items.subspan(test + 1));
            if (condition.empty()) continue;
            condition = " :when " + condition;
        }
        std::string text = "(for [" + pattern + " " + coll + condition + "] " + body_text + ")";
        if (is_map) text = "(into {} " + text + ")";
        const bool keeps_head = has_head && !calls(around, "list");
        const Span span = keeps_head ? Span{body.front().span.begin, items.back().span.end} : around.span;
        return Repair{{{span, text}}, "A comprehension is (for [x coll :when test] body).", around.span};
    }
    return std::nullopt;
}

// ---- Assignments

namespace {

bool is_declaration(const Form& form) {
    constexpr std::string_view kWords[] = {"const", "let",   "var",  "val",    "def",   "set",
                                           "my",    "local", "auto", "define", "global"};
    return form.is(FormKind::Symbol) &&
           std::find(std::begin(kWords), std::end(kWords), form.text()) != std::end(kWords);
}

bool is_assignment_sign(const Form& form) {
    const bool is_colon = form.is(FormKind::Keyword) && form.text() == "="; // :=
    return is_colon || form.is_symbol("=") || form.is_symbol(":=") || form.is_symbol("<-");
}

/// The forms of the line that `place`, at the top level, stands on.
FormSpan line_of(const Code& code, const Place& place) {
    const FormSpan all = place.siblings();
    std::size_t first = place.index();
    while (first > 0 && code.on_one_line({all[first - 1].span.end, all[first].span.begin}))
        --first;
    std::size_t end = place.index() + 1;
    while (end < all.size() && code.on_one_line({all[end - 1].span.end, all[end].span.begin}))
        ++end;
    return all.subspan(first, end - first);
}

std::string expression_text(const Code& code, FormSpan run) {
    if (const std::string prefix = prefix_of(code, run); !prefix.empty()) return prefix;
    if (run.size() == 2 && run[0].is(FormKind::Symbol) && run[1].is(FormKind::List) && Code::touch(run[0], run[1]))
        return step_text(code, own_name(code, run[0].text()), run[1]);
    return run.size() == 1 ? code.copy(run[0]) : std::string();
}

Proposal statement(const Code& code, FormSpan line) {
    std::size_t at = is_declaration(line[0]) ? 1 : 0;
    if (at + 2 >= line.size() || !line[at].is(FormKind::Symbol) || !is_assignment_sign(line[at + 1]))
        return std::nullopt;
    const FormSpan run = line.subspan(at + 2);
    const std::string value = expression_text(code, run);
    if (value.empty()) return std::nullopt;
    Pieces pieces;
    pieces.text("(def ").copy(line[at]).text(" ");
    if (run.size() == 1)
        pieces.copy(run[0]);
    else
        pieces.text(value);
    pieces.text(")");
    const Span all{line.front().span.begin, line.back().span.end};
    return Repair{pieces.edits(code.source(), all), "A name is defined by (def name value).", all};
}

} // namespace

Proposal lone_sign(const Form& regex) {
    const std::string_view pattern = regex.text();
    if (pattern.size() != 1 || std::string_view("*+?([{").find(pattern.front()) == std::string_view::npos)
        return std::nullopt;
    return Repair{
        {insertion(regex.span.begin + 2, "\\")}, "In a regex a sign that is meant as it stands has a `\\`.", {}};
}

Proposal assignment(const Code& code, const Place& place) {
    if (!place.around()) {
        const FormSpan line = line_of(code, place);
        if (line.size() < 3) return std::nullopt;
        if (Proposal found = statement(code, line)) return found;
        const std::string prefix = prefix_of(code, line);
        if (prefix.empty()) return std::nullopt;
        const Span all{line.front().span.begin, line.back().span.end};
        return Repair{{{all, prefix}}, "The function comes first: (+ a b), (> a b).", all};
    }
    const Form& list = *place.around();
    const bool at_top = !place.around(2) || calls(*place.around(2), "do");
    if (!is_call(list) || !at_top || list.size < 3) return std::nullopt;
    if (place.index() == 0) { // (x = 5)
        if (Proposal found = statement(code, list.items())) {
            // The brackets are there already.
            Pieces pieces;
            const FormSpan items = list.items();
            const std::size_t at = is_declaration(items[0]) ? 1 : 0;
            pieces.text("(def ").copy(items[at]).text(" ").text(expression_text(code, items.subspan(at + 2))).text(")");
            return Repair{pieces.edits(code.source(), list.span), "A name is defined by (def name value).", list.span};
        }
    }
    if (place.index() == 1 && list.size == 3 && list.items()[0].is_symbol("set")) { // (set x 5)
        Repair repair = replace(list.items()[0], "def", "A name is defined by (def name value).");
        repair.covers = list.span;
        return repair;
    }
    return std::nullopt;
}

// ---- Arrows and other words that are no code

namespace {

bool names_parameters(const Form& form) {
    if (form.is(FormKind::Symbol)) return true;
    return (form.is(FormKind::List) || form.is(FormKind::Vector)) &&
           std::all_of(form.items().begin(), form.items().end(), [](const Form& f) { return f.is(FormKind::Symbol); });
}

std::string parameters_text(const Code& code, const Form& form) {
    const std::string text = code.copy(form);
    return form.is(FormKind::Symbol) ? "[" + text + "]" : "[" + text.substr(1, text.size() - 2) + "]";
}

} // namespace

std::string arrow_function(const Code& code, FormSpan items, std::size_t at, std::size_t* length, bool to_end) {
    if (at + 2 >= items.size() || !is_arrow(items[at + 1]) || !names_parameters(items[at])) return {};
    std::size_t end = at + 3;
    while (end + 1 < items.size() && is_operator(items[end]))
        end += 2;
    if (to_end && (end == items.size() || end == at + 3)) end = items.size();
    const FormSpan body = items.subspan(at + 2, end - at - 2);
    std::string text = prefix_of(code, body);
    if (text.empty()) {
        for (const Form& form : body)
            text += (text.empty() ? "" : " ") + code.copy(form);
    }
    *length = end - at;
    return "(fn " + parameters_text(code, items[at]) + " " + text + ")";
}

Proposal arrow(const Code& code, const Place& place) {
    const std::string hint = "A function is written (fn [x] ..), or #(.. % ..).";
    for (std::size_t i = 0; i + 1 < place.forms.size() && i < 2; ++i) {
        const Form& around = *place.forms[i + 1];
        if (!is_call(around)) continue;
        const auto index = static_cast<std::size_t>(place.forms[i] - around.first);
        const std::size_t at = is_arrow(*place.forms[i]) && index > 0 ? index - 1 : index;
        const Place list = place.outer(i + 1);
        const bool is_arguments = list.index() > 0 && Code::touch(list.siblings()[list.index() - 1], around);
        const bool is_whole = at == 0 && around.is(FormKind::List) && !is_arguments;
        std::size_t length = 0;
        const bool is_head = at > 0 || is_whole || is_arguments;
        if (!is_head || (at > 0 && calls_one_of(around, {"fn", "defn"})) || calls(around, "cond") ||
            calls(around, "case"))
            continue;
        const std::string text = arrow_function(code, around.items(), at, &length, is_whole);
        if (text.empty()) continue;
        const Span span =
            is_whole ? around.span : Span{around.items()[at].span.begin, around.items()[at + length - 1].span.end};
        return Repair{{{span, text}}, hint, span};
    }
    if (!is_arrow(place.form()) || !place.around()) return std::nullopt;
    const Form& around = *place.around();
    const bool in_pairs = around.is(FormKind::Map) || calls(around, "cond") || calls(around, "case");
    const bool in_function = (calls(around, "fn") || calls(around, "defn")) && place.index() > 0 &&
                             place.siblings()[place.index() - 1].is(FormKind::Vector);
    if (!in_pairs && !in_function) return std::nullopt;
    Repair repair;
    for (const Form& item : around.items()) {
        if (is_arrow(item) && &item != &around.items()[0]) repair.edits.push_back(removal(code, item));
    }
    repair.hint = in_function ? hint : "Pairs are written side by side, without an arrow.";
    repair.covers = around.span;
    return repair;
}

Proposal noise_word(const Code& code, const Place& place) {
    const Form& symbol = place.form();
    const Form* around = place.around();
    if (!around || !is_call(*around)) return std::nullopt;
    if (symbol.is_symbol("return") && place.index() > 0 && next_sibling(place)) {
        Repair repair{{removal(code, symbol)}, "The last form of a body is its value.", {}};
        return repair;
    }
    if (symbol.is_symbol("then") && calls(*around, "when") && place.index() == 2 && next_sibling(place))
        return Repair{{removal(code, symbol)}, "(when test body)", {}};
    if (symbol.is_symbol("in") && calls(*around, "let") && place.index() == 2 && next_sibling(place)) // let x = 1 in ..
        return Repair{{removal(code, symbol)}, "The body stands behind the vector of bindings.", {}};
    if (symbol.is_symbol("else") && calls(*around, "when") && around->size == 5 && place.index() == 3)
        return Repair{{{around->items()[0].span, "if"}, removal(code, symbol)}, "(if test then else)", {}};
    const bool in_if = place.around(2) && (calls(*place.around(2), "if") || calls(*place.around(2), "when"));
    if (in_if && place.index() == 0 && around->size >= 2 &&
        (symbol.is_symbol("else") || symbol.is_symbol("then"))) { // (if c a (else b))
        if (around->size > 2) return Repair{{{symbol.span, "do"}}, "(if test then else)", {}};
        return Repair{
            {{{around->span.begin, around->items()[1].span.begin}, ""}, {{around->span.end - 1, around->span.end}, ""}},
            "(if test then else)",
            {}};
    }
    const bool folds = calls(*around, "reduce") && place.index() == 1;
    if (folds && (symbol.is_symbol("and") || symbol.is_symbol("or")))
        return replace(symbol, "(fn [a b] (" + std::string(symbol.text()) + " a b))",
                       "and and or are no functions; this one does the same.");
    if (calls(*around, "apply") && place.index() == 1 && around->size == 3) {
        const Span both{around->items()[0].span.begin, symbol.span.end};
        if (symbol.is_symbol("and"))
            return Repair{{{both, "every? identity"}}, "(every? identity coll) is true when all items are.", {}};
        if (symbol.is_symbol("or"))
            return Repair{{{both, "some identity"}}, "(some identity coll) gives the first that is true.", {}};
    }
    return std::nullopt;
}

Proposal split_bindings(const Code& code, const Place& place) {
    const std::string_view name = place.form().text();
    // (let [x 1] [y 2] (+ x y))
    for (std::size_t i = 0; i + 1 < place.forms.size(); ++i) {
        const Form& list = *place.forms[i + 1];
        const bool binds = calls(list, "let") || calls(list, "for") || calls(list, "doseq") || calls(list, "loop");
        if (!binds || list.size < 4 || !list.items()[1].is(FormKind::Vector)) continue;
        std::size_t end = 2;
        bool binds_name = false;
        while (end + 1 < list.size && list.items()[end].is(FormKind::Vector) && list.items()[end].size >= 2 &&
               list.items()[end].size % 2 == 0 && !list.items()[end].items()[0].is(FormKind::Keyword) &&
               list.items()[end].items()[0].is(FormKind::Symbol)) {
            for (std::size_t k = 0; k < list.items()[end].size; k += 2)
                binds_name = binds_name || mentions(list.items()[end].items()[k], name);
            ++end;
        }
        if (!binds_name) continue;
        Repair repair;
        for (std::size_t k = 1; k < end; ++k) {
            const Span span = list.items()[k].span;
            if (k > 1) repair.edits.push_back({{span.begin, span.begin + 1}, ""});
            if (k + 1 < end) repair.edits.push_back({{span.end - 1, span.end}, ""});
        }
        repair.hint = "All bindings stand in one vector: [x 1 y 2].";
        repair.covers = list.span;
        return repair;
    }
    // (let [x 5]) (+ x 1)
    for (const Form& form : code.top_level()) {
        if (!calls(form, "let") || form.size != 2 || !form.items()[1].is(FormKind::Vector) ||
            form.span.begin > place.form().span.begin)
            continue;
        const Form& bindings = form.items()[1];
        bool found = bindings.size % 2 == 0;
        bool plain = true;
        for (std::size_t k = 0; k < bindings.size; k += 2)
            plain = plain && bindings.items()[k].is(FormKind::Symbol);
        found = found && plain && mentions(bindings, name);
        if (!found) continue;
        Pieces pieces;
        for (std::size_t k = 0; k + 1 < bindings.size; k += 2)
            pieces.text(k > 0 ? " (def " : "(def ")
                .copy(bindings.items()[k])
                .text(" ")
                .copy(bindings.items()[k + 1])
                .text(")");
        return Repair{pieces.edits(code.source(), form.span),
                      "let binds names for its own body only; def defines them for what follows.", form.span};
    }
    return std::nullopt;
}

// ---- Operators that touch their operands

namespace {

bool is_operator_char(char c) { return std::string_view("+-*/<>=!%&|").find(c) != std::string_view::npos; }

bool is_operand(const Code& code, const Place& place, std::string_view text) {
    if (text.empty()) return false;
    if (is_number(text) || text == "true" || text == "false") return true;
    if (text.starts_with("data/")) return true;
    if (const std::size_t dot = text.find('.'); dot != text.npos && dot > 0 && dot + 1 < text.size())
        text = text.substr(0, dot); // user.name
    const std::vector<std::string_view> locals = code.locals(place);
    if (std::find(locals.begin(), locals.end(), text) != locals.end()) return true;
    const std::vector<std::string_view> names = code.definitions();
    return std::find(names.begin(), names.end(), text) != names.end();
}

std::string_view operator_function(std::string_view op) {
    if (op == "==" || op == "===" || op == "=") return "=";
    if (op == "!=" || op == "!==" || op == "<>") return "not=";
    if (op == "&&") return "and";
    if (op == "||") return "or";
    if (op == "**") return "pow";
    if (op == "//") return "quot";
    if (op == "%") return "mod";
    if (op == "+" || op == "-" || op == "*" || op == "/" || op == "<" || op == ">" || op == "<=" || op == ">=")
        return op;
    return {};
}

/// `inside`: what goes between the brackets of a call.
Proposal as_call(const Place& place, const std::string& inside) {
    const Form* list = place.around();
    const std::string hint = "The function comes first: (+ a b), (> a b).";
    if (list && is_call(*list) && place.index() == 0 && list->size == 1) return replace(place.form(), inside, hint);
    return replace(place.form(), "(" + inside + ")", hint);
}

} // namespace

Proposal touching_operators(const Code& code, const Place& place) {
    const std::string_view name = place.form().text();
    if (name.size() < 2) return std::nullopt;
    if (name.front() == '!' && is_operand(code, place, name.substr(1)))
        return as_call(place, "not " + std::string(name.substr(1)));
    if (name.front() == '$' && is_operand(code, place, name.substr(1)))
        return replace(place.form(), std::string(name.substr(1)), "A name is written as it is.");
    if (const std::size_t sign = name.find("->"); sign != name.npos && sign > 0 && // user->name
                                                  is_operand(code, place, name.substr(0, sign)) &&
                                                  is_plain_name(name.substr(sign + 2)) && sign + 2 < name.size())
        return replace(place.form(),
                       "(:" + std::string(name.substr(sign + 2)) + " " + std::string(name.substr(0, sign)) + ")",
                       "A field of a map is read by (:key m).");
    if (name.front() == '-' && is_operand(code, place, name.substr(1)))
        return as_call(place, "- " + std::string(name.substr(1)));
    if (name.front() == '!' && name.size() > 1 && code.core_name(name.substr(1)) && place.around() &&
        is_call(*place.around()) && place.index() == 0) {
        // (!empty? x)
        const Form& list = *place.around();
        Repair repair;
        repair.edits = {insertion(list.span.begin, "(not "),
                        {{place.form().span.begin, place.form().span.begin + 1}, ""},
                        insertion(list.span.end, ")")};
        repair.hint = "Negation is written (not x).";
        return repair;
    }
    if (name.front() == '!' && name.ends_with('?') && code.core_name(name.substr(1))) { // (filter !empty? xs)
        const std::string test(name.substr(1));
        bool last = false;
        if (is_step(place, &last)) return replace(place.form(), test + " not", "Negation is written (not x).");
        return replace(place.form(), "(complement " + test + ")", "(complement f) is the opposite of a test.");
    }
    if (name.ends_with("++") && is_operand(code, place, name.substr(0, name.size() - 2)))
        return as_call(place, "inc " + std::string(name.substr(0, name.size() - 2)));
    if (name.ends_with("--") && is_operand(code, place, name.substr(0, name.size() - 2)))
        return as_call(place, "dec " + std::string(name.substr(0, name.size() - 2)));
    for (std::size_t begin = 1; begin < name.size(); ++begin) {
        if (!is_operator_char(name[begin])) continue;
        std::size_t end = begin;
        while (end < name.size() && is_operator_char(name[end]))
            ++end;
        const std::string_view function = operator_function(name.substr(begin, end - begin));
        const std::string_view left = name.substr(0, begin);
        const std::string_view right = name.substr(end);
        if (!function.empty() && is_operand(code, place, left) && is_operand(code, place, right))
            return as_call(place, std::string(function) + " " + std::string(left) + " " + std::string(right));
    }
    return std::nullopt;
}

} // namespace ptc::repair

// Texts with placeholders as other languages have them: "Hello ${name}", "{} items", (str "%d items" n). A text is
// taken as it is here, so what stands between the braces is shown and not its value. A placeholder counts as one where
// what it names can be seen from there; in braces alone it must be a variable, as braces stand in texts for other
// reasons.
#include "compiler/check/check_warnings.h"
#include "compiler/check/lints.h"
#include "compiler/language/form_questions.h"
#include "frontend/reader/reader.h"
#include <algorithm>

namespace ptc {
namespace {

constexpr std::size_t kMaxText = 2000; ///< bytes that are looked at

std::string_view trimmed(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(' ');
    return begin == text.npos ? std::string_view() : text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

/// .2f, 5d: a directive of format behind its sign.
bool is_directive(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789.,-+sdf") == text.npos &&
           std::string_view("sdf").find(text.back()) != std::string_view::npos &&
           text.find_first_of("sdf") == text.size() - 1;
}

bool touch(const Form& left, const Form& right) { return left.span.end == right.span.begin; }

std::size_t directives(std::string_view text) {
    std::size_t count = 0;
    for (std::size_t at = text.find('%'); at != text.npos; at = text.find('%', at + 1)) {
        const std::size_t end = text.find_first_not_of("0123456789.,-+", at + 1);
        count += end != text.npos && std::string_view("sdf").find(text[end]) != std::string_view::npos ? 1 : 0;
    }
    return count;
}

bool is_in(char c, std::string_view chars) { return chars.find(c) != chars.npos; }

/// "{} of {:.2f}" as "%s of %.2f"; "" when it has other than `count` places, or others than these.
std::string with_directives(std::string_view raw, std::size_t count) {
    std::string text;
    std::size_t places = 0;
    for (std::size_t i = 0; i < raw.size(); ++i) {
        const bool is_percent = raw[i] == '%' && (i + 1 == raw.size() || is_in(raw[i + 1], " ).,;:!"));
        if ((raw[i] == '%' && !is_percent) || raw[i] == '}') return {};
        if (is_percent) text += '%';
        if (raw[i] != '{') {
            text += raw[i];
            continue;
        }
        const std::size_t end = raw.find('}', i);
        if (end == raw.npos) return {};
        std::string_view inside = raw.substr(i + 1, end - i - 1);
        if (inside == std::to_string(places)) inside = {};
        if (!inside.empty() && (inside[0] != ':' || !is_directive(inside.substr(1)))) return {};
        text += "%" + std::string(inside.empty() ? "s" : inside.substr(1));
        ++places;
        i = end;
    }
    return places == count && places > 0 ? text : std::string();
}

} // namespace

/// Whether every name in `form` means something here.
bool Lints::all_known(const Form& form) {
    if (form.is(FormKind::Symbol)) {
        const std::string_view name = form.text();
        if (name.starts_with("data/") || name.starts_with("ctx/") || name.front() == '%') return true;
        const NamesInScope::Meaning meaning = names_.meaning_of(name);
        return meaning.variable || meaning.global || meaning.core;
    }
    if (!has_items(form)) return true;
    return std::ranges::all_of(form.items(), [&](const Form& item) { return all_known(item); });
}

/// The members behind the name in user.address[0].name, as code around it; "" when there is something else.
std::string Lints::members_code(std::string_view base, std::string_view members) {
    std::string code(base);
    while (!members.empty()) {
        const bool is_index = members.front() == '[';
        const std::size_t end = is_index ? members.find(']') : members.find_first_of(".[", 1);
        if (members.size() < 2 || (!is_index && members.front() != '.') || (is_index && end == members.npos)) return {};
        std::string_view member = members.substr(1, end == members.npos ? end : end - 1);
        members = end == members.npos ? std::string_view() : members.substr(is_index ? end + 1 : end);
        if (!is_index && member.ends_with('?')) member.remove_suffix(1);                      // user?.name
        if (is_index && member.size() > 2 && member.front() == '\'' && member.back() == '\'') // ['name']
            member = member.substr(1, member.size() - 2);
        else if (is_index && member.starts_with(':'))
            member.remove_prefix(1);
        const bool is_number = !member.empty() && member.find_first_not_of("0123456789") == member.npos;
        if (is_index && is_number)
            code = "(nth " + code + " " + std::string(member) + ")";
        else if (member.empty() || !is_plain_name(member))
            return {};
        else if (!is_index && (member == "length" || member == "size"))
            code = "(count " + code + ")";
        else
            code = "(:" + std::string(member) + " " + code + ")";
    }
    return code;
}

/// count(xs), a + b: the code of a call or of values with one operator between them, all known; "" for others.
std::string Lints::expression_code(std::string_view inside) {
    const Source& part = parts_.emplace_back("", std::string(inside));
    Diagnostics problems;
    const Forms forms = read_forms(part, {}, problems);
    const FormSpan items = forms.top_level();
    if (problems.has_errors() || items.empty()) return {};
    if (items.size() == 1) return inside.front() == '(' && all_known(items[0]) ? std::string(inside) : std::string();
    if (items.size() == 2) {
        const bool is_call = items[0].is(FormKind::Symbol) && items[1].is(FormKind::List) && touch(items[0], items[1]);
        if (is_call && items[0].is_symbol("len") && all_known(items[1]))
            return "(count " + std::string(part.text(items[1].span).substr(1));
        if (!is_call || !all_known(items[0]) || !all_known(items[1]) || !names_.meaning_of(items[0].text()).core)
            return {};
        const std::string_view arguments = part.text(items[1].span);
        return "(" + std::string(items[0].text()) + " " + std::string(arguments.substr(1));
    }
    std::string code = items[1].is(FormKind::Symbol) ? std::string(items[1].text()) : std::string();
    if (items.size() % 2 == 0 || !is_one_of(code, {"+", "-", "*", "/"})) return {};
    bool has_variable = false;
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (i % 2 == 1 && !items[i].is_symbol(items[1].text())) return {};
        if (i % 2 == 1) continue;
        const bool is_variable = items[i].is(FormKind::Symbol) && names_.meaning_of(items[i].text()).variable;
        if (!is_variable && !items[i].is(FormKind::Integer) && !items[i].is(FormKind::Float)) return {};
        has_variable = has_variable || is_variable;
        code += " " + std::string(part.text(items[i].span));
    }
    return has_variable ? "(" + code + ")" : std::string();
}

/// What a placeholder stands for, as code; "" for what is none. `marked`: it has a sign in front, ${..} or #{..}.
std::string Lints::placeholder_code(std::string_view inside, bool marked) {
    inside = trimmed(inside);
    if (inside.empty() || inside.find_first_of("\\\"{}") != inside.npos) return {};
    std::string_view directive;
    if (const std::size_t colon = inside.find(':'); colon != inside.npos && is_directive(inside.substr(colon + 1))) {
        directive = inside.substr(colon + 1);
        inside = inside.substr(0, colon);
    }
    std::string code;
    const std::size_t end = std::min(inside.find_first_of(".["), inside.size());
    std::string_view base = inside.substr(0, end);
    if (base.ends_with('?') && end < inside.size()) base.remove_suffix(1);
    const NamesInScope::Meaning meaning = is_plain_name(base) ? names_.meaning_of(base) : NamesInScope::Meaning();
    const bool is_name = meaning.variable || (meaning.global && !meaning.global->function);
    const bool is_data_name = base.starts_with("data/") && is_plain_name(base.substr(5));
    const bool is_parameter = base == "%" || base == "%1" || base == "%2";
    constexpr std::string_view kFixed = ".toFixed(";
    const std::size_t fixed = inside.find(kFixed);
    if (is_name && fixed != inside.npos && inside.size() == fixed + kFixed.size() + 2 && inside.back() == ')')
        return "(format \"%." + std::string(inside.substr(inside.size() - 2, 1)) + "f\" " +
               members_code(base, inside.substr(end, fixed - end)) + ")";
    if (is_name || (marked && (is_data_name || is_parameter))) code = members_code(base, inside.substr(end));
    if (code.empty()) code = expression_code(inside);
    if (code.empty() || directive.empty()) return code;
    return "(format \"%" + std::string(directive) + "\" " + code + ")";
}

namespace {

/// A place in a text, from its first sign to its last.
struct TextPlace {
    std::size_t end = 0; ///< behind it; 0 for none
    std::string_view inside;
    bool is_marked = false;
    bool is_certain = false; ///< such signs stand for nothing else
};

TextPlace between(std::string_view text, std::size_t at, std::string_view opening, std::string_view closing) {
    const std::size_t begin = at + opening.size();
    const std::size_t end = text.substr(at).starts_with(opening) ? text.find(closing, begin) : text.npos;
    if (end == text.npos) return {};
    return {end + closing.size(), text.substr(begin, end - begin), true, false};
}

/// ${x} #{x} %{x} {x} {{x}} <%= x %> \\(x)
TextPlace place_at(std::string_view text, std::size_t at) {
    for (const auto& [opening, closing] : {std::pair<std::string_view, std::string_view>{"{{", "}}"},
                                           {"<%=", "%>"},
                                           {"\\\\(", ")"},
                                           {"%{", "}"},
                                           {"~{", "}"},
                                           {"@{", "}"}}) {
        if (const TextPlace place = between(text, at, opening, closing); place.end != 0) return place;
    }
    for (const std::string_view opening : {"${", "#{"}) {
        TextPlace place = between(text, at, opening, "}");
        place.is_certain = true;
        if (place.end != 0) return place;
    }
    TextPlace place = between(text, at, "{", "}");
    place.is_marked = false;
    return place;
}

} // namespace

/// "Hello ${name}", "#{(count xs)} items"
void Lints::check_interpolated(const Form& text) {
    const std::string_view raw = source_.text(text.span);
    if (report_.is_full() || raw.size() < 5 || raw.size() > kMaxText || raw.front() != '"') return;
    const std::string_view inner = raw.substr(1, raw.size() - 2);
    const bool may_have_signs =
        std::ranges::any_of(inner, [](char c) { return c == '{' || c == '$' || c == '<' || c == '\\'; });
    const bool has_signs = may_have_signs && (inner.find_first_of("{$") != inner.npos ||
                                              inner.find("<%=") != inner.npos || inner.find("\\\\(") != inner.npos);
    if (!has_signs || mentions_replace_()) return; // replaced: filled in by the program
    const bool calls_tools = mentions_tools_();
    std::string code = "(str";
    std::string literal;
    bool has_code = false;
    const auto close_literal = [&] {
        if (!literal.empty()) code += " \"" + literal + "\"";
        literal.clear();
    };
    for (std::size_t i = 0; i < inner.size(); ++i) {
        const TextPlace place = place_at(inner, i);
        if (inner[i] == '$' && place.end == 0) { // "Total: $total"
            std::size_t end = i + 1;
            while (end < inner.size() && is_plain_name(inner.substr(end, 1)))
                ++end;
            while (end > i + 1 && (inner[end - 1] == '-' || inner[end - 1] == '_'))
                --end;
            const std::string_view name = inner.substr(i + 1, end - i - 1);
            if (!name.empty() && names_.meaning_of(name).variable) {
                close_literal();
                code += " " + std::string(name);
                has_code = true;
                i = end - 1;
                continue;
            }
        }
        if (place.end == 0 || (!place.is_marked && calls_tools)) {
            literal += inner[i];
            continue;
        }
        const std::string inside = placeholder_code(place.inside, place.is_marked);
        if (inside.empty()) {
            if (place.is_certain) return;
            literal += inner[i];
            continue;
        }
        close_literal();
        code += " " + inside;
        has_code = true;
        i = place.end - 1;
    }
    close_literal();
    if (has_code) report_.warn(interpolated(text.span, code + ")"));
}

namespace {

/// "~a: ~d" as "%s: %d", of Common Lisp; "" when it has other than `count` places.
std::string lisp_places(std::string_view raw, std::size_t count) {
    std::string text;
    std::size_t places = 0;
    for (std::size_t i = 0; i < raw.size(); ++i) {
        if (raw[i] == '%') return {};
        if (raw[i] != '~') {
            text += raw[i];
            continue;
        }
        const std::size_t kind = raw.find_first_not_of("0123456789,", i + 1);
        if (kind == raw.npos) return {};
        const auto sign = static_cast<char>(raw[kind] | 0x20);
        const std::string_view digits = raw.substr(i + 1, kind - i - 1);
        if (raw[kind] == '%' || sign == 'n') {
            text += "\\n";
        } else if (sign == 'a' || sign == 's' || sign == 'd') {
            text += sign == 'd' ? "%d" : "%s";
            ++places;
        } else if (sign == 'f' || sign == '$') {
            text += digits.starts_with(',') ? "%." + std::string(digits.substr(1)) + "f" : "%.2f";
            ++places;
        } else {
            return {};
        }
        i = kind;
    }
    return places == count && places > 0 ? text : std::string();
}

/// "%i of %v", "%1 of %2", "$1 of $2", "{1} of {0}" as format has it; "" when nothing needs that, or something else
/// does.
std::string own_places(std::string_view raw, std::size_t count) {
    std::string text;
    std::size_t places = 0;
    std::size_t own = 0;
    bool is_other = false;
    for (std::size_t i = 0; i < raw.size(); ++i) {
        const std::size_t end = raw.find_first_not_of("0123456789", i + 1);
        const std::string_view number = raw.substr(i + 1, end == raw.npos ? end : end - i - 1);
        const std::size_t place = number.size() == 1 ? static_cast<std::size_t>(number[0] - '0') : kMaxText;
        const bool is_numbered = place >= 1 && place <= count; // $5 with one value is a price
        const char behind = end == raw.npos ? ' ' : raw[end];
        const bool is_sign = raw[i] == '%' || raw[i] == '$';
        const std::size_t letter = raw.find_first_not_of("0123456789.,-+'", i + 1);
        const std::string_view rest = letter == raw.npos ? std::string_view() : raw.substr(letter);
        const bool is_long =
            raw[i] == '%' && (rest.starts_with("ld") || rest.starts_with("lf") || rest.starts_with("lld"));
        const bool is_percent = raw[i] == '%' && (i + 1 == raw.size() || std::string_view(").,;:!").find(raw[i + 1]) !=
                                                                             std::string_view::npos);
        if (is_long || is_percent) {
            text += raw.substr(i, is_long ? letter - i : 1);
            text += is_long ? rest.substr(rest.find_first_not_of('l'), 1) : "%";
            own += is_long ? 1 : 0;
            is_other = true;
            i = is_long ? letter + rest.find_first_not_of('l') : i;
            continue;
        }
        if (raw.substr(i).starts_with("%%")) {
            text += "%%";
            ++i;
            continue;
        }
        if (raw[i] == '%' && number.empty() && is_one_of(std::string_view(&behind, 1), {"i", "u", "v"})) {
            text += behind == 'v' ? "%s" : "%d";
            i = end;
            ++places;
        } else if (is_sign && is_numbered && std::string_view("sdfx$.,").find(behind) == std::string_view::npos) {
            text += "%" + std::string(number) + "$s";
            i += number.size();
            ++places;
        } else if (raw[i] == '{' && place < count && behind == '}') {
            text += "%" + std::to_string(place + 1) + "$s";
            i = end;
            ++places;
        } else {
            own += raw[i] == '%' ? 1 : 0;
            text += raw[i];
        }
    }
    return (places > 0 || is_other) && places + own == count && (own == 0 || text.find("$s") == text.npos)
               ? text
               : std::string();
}

/// The names in "{a} has {b}" or "%(a)s has %(b)d", and the text with directives instead.
std::vector<std::string_view> named_places(std::string_view raw, std::string& text) {
    std::vector<std::string_view> names;
    for (std::size_t i = 0; i < raw.size(); ++i) {
        const bool is_python = raw.substr(i).starts_with("%(");
        if (raw[i] == '%' && !is_python) return {};
        if (raw[i] != '{' && !is_python) {
            text += raw[i];
            continue;
        }
        const std::size_t begin = i + (is_python ? 2 : 1);
        const std::size_t end = raw.find(is_python ? ')' : '}', begin);
        std::string_view name = end == raw.npos ? std::string_view() : raw.substr(begin, end - begin);
        if (name.starts_with(':')) name.remove_prefix(1);
        if (name.empty() || !is_plain_name(name) || name.find_first_not_of("0123456789") == name.npos) return {};
        if (is_python && (end + 1 >= raw.size() || std::string_view("sd").find(raw[end + 1]) == std::string_view::npos))
            return {};
        names.push_back(name);
        text += is_python ? "%" + std::string(1, raw[end + 1]) : "%s";
        i = is_python ? end + 1 : end;
    }
    return names;
}

/// What the names of a text stand for: fields of the one argument, or values behind keywords. Empty when neither fits.
std::string named_values(const Source& source, std::span<const std::string_view> names,
                         std::span<const Form> arguments) {
    std::string values;
    for (const std::string_view name : names) {
        const Form* value = nullptr;
        for (std::size_t i = 0; i + 1 < arguments.size(); i += 2) {
            if (arguments[i].is(FormKind::Keyword) && arguments[i].text() == name) value = &arguments[i + 1];
        }
        if (arguments.size() > 1 && !value) return {};
        if (!values.empty()) values += " ";
        values += value ? std::string(source.text(value->span))
                        : "(:" + std::string(name) + " " + std::string(source.text(arguments[0].span)) + ")";
    }
    return values;
}

} // namespace

/// (format nil "~a items" n), (format "%i items" n), (format "{name}" user)
void Lints::check_format(const Form& list, FormSpan arguments) {
    const bool has_port = arguments.size() > 1 && arguments[1].is(FormKind::String) &&
                          (arguments[0].is(FormKind::Nil) || arguments[0].is(FormKind::True) ||
                           arguments[0].is(FormKind::False) || arguments[0].is_symbol("t"));
    if (has_port) arguments = arguments.subspan(1);
    if (arguments.empty() || !arguments[0].is(FormKind::String)) return;
    const Form& first = arguments[0];
    const std::string_view raw = source_.text(first.span);
    if (raw.size() < 2 || raw.size() > kMaxText || raw.front() != '"') return;
    const std::string_view inner = raw.substr(1, raw.size() - 2);
    const FormSpan values = arguments.subspan(1);
    std::string text;
    if (!values.empty()) {
        text = with_directives(inner, values.size());
        if (text.empty()) text = lisp_places(inner, values.size());
        if (text.empty()) text = own_places(inner, values.size());
        if (text.empty() && values.size() == 1 && inner.size() > 1 && is_directive(inner))
            text = "%" + std::string(inner);
    }
    Error warning = python_places(first.span, "\"" + text + "\"");
    if (text.empty()) warning.edits.clear();
    if (has_port) warning.edits.push_back({{list.items()[0].span.end, first.span.begin}, " "});
    const bool takes_apart = values.size() == 1 && values[0].is(FormKind::Vector) && values[0].size > 1 &&
                             directives(inner) == values[0].size;
    if (takes_apart) {
        warning.edits.push_back({{values[0].span.begin, values[0].span.begin + 1}, ""});
        warning.edits.push_back({{values[0].span.end - 1, values[0].span.end}, ""});
    }
    if (warning.edits.empty() && !values.empty()) {
        std::string mended;
        const std::vector<std::string_view> names = named_places(inner, mended);
        const bool is_value = values.size() == 1 ? values[0].is(FormKind::Symbol) : values.size() % 2 == 0;
        const std::string given = names.empty() || !is_value ? std::string() : named_values(source_, names, values);
        if (!given.empty()) {
            warning.edits.push_back({first.span, "\"" + mended + "\""});
            warning.edits.push_back({{values.front().span.begin, values.back().span.end}, given});
        }
    }
    if (!warning.edits.empty()) report_.warn(std::move(warning));
}

/// (format "{} items" n), (str "%d items" n)
void Lints::check_formatted(std::string_view function, const Form& list, FormSpan arguments) {
    if (report_.is_full()) return;
    if (function == "format") {
        check_format(list, arguments);
        return;
    }
    if (arguments.size() < 2 || !arguments[0].is(FormKind::String)) return;
    const std::string_view raw = source_.text(arguments[0].span);
    if (raw.size() < 2 || raw.size() > kMaxText || raw.front() != '"') return;
    const std::string_view inner = raw.substr(1, raw.size() - 2);
    const bool has_texts =
        std::ranges::any_of(arguments.subspan(1), [](const Form& f) { return f.is(FormKind::String); });
    if (has_texts) return;
    if (directives(inner) == arguments.size() - 1) {
        report_.warn(format_by_str(list.items()[0].span));
        return;
    }
    const std::string text = with_directives(inner, arguments.size() - 1);
    if (text.empty() || inner == "{}") return;
    Error warning = format_by_str(list.items()[0].span);
    warning.edits.push_back({arguments[0].span, "\"" + text + "\""});
    report_.warn(std::move(warning));
}

} // namespace ptc

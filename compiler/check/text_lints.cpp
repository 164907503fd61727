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

std::size_t directives(std::string_view text) {
    std::size_t count = 0;
    for (std::size_t at = text.find('%'); at != text.npos; at = text.find('%', at + 1)) {
        const std::size_t end = text.find_first_not_of("0123456789.,-+", at + 1);
        count += end != text.npos && std::string_view("sdf").find(text[end]) != std::string_view::npos ? 1 : 0;
    }
    return count;
}

/// "{} of {:.2f}" as "%s of %.2f"; "" when it has other than `count` places, or others than these.
std::string with_directives(std::string_view raw, std::size_t count) {
    std::string text;
    std::size_t places = 0;
    for (std::size_t i = 0; i < raw.size(); ++i) {
        if (raw[i] == '%' || raw[i] == '}') return {};
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
    const std::size_t dot = inside.find('.');
    const std::string_view base = inside.substr(0, dot);
    const NamesInScope::Meaning meaning = is_plain_name(base) ? names_.meaning_of(base) : NamesInScope::Meaning();
    const bool is_name = meaning.variable || (meaning.global && !meaning.global->function);
    if (is_name) {
        code = base;
        for (std::size_t at = dot; at != inside.npos;) {
            const std::size_t next = inside.find('.', at + 1);
            const std::string_view member = inside.substr(at + 1, next == inside.npos ? next : next - at - 1);
            if (member.empty() || !is_plain_name(member)) return {};
            code = "(:" + std::string(member) + " " + code + ")";
            at = next;
        }
    } else if (inside.starts_with("data/") && marked) {
        code = inside;
    } else if (inside.front() == '(') {
        const Source part("", std::string(inside));
        Diagnostics problems;
        const Forms forms = read_forms(part, {}, problems);
        if (problems.has_errors() || forms.top_level().size() != 1 || !all_known(forms.top_level()[0])) return {};
        code = inside;
    }
    if (code.empty() || directive.empty()) return code;
    return "(format \"%" + std::string(directive) + "\" " + code + ")";
}

/// "Hello ${name}", "#{(count xs)} items"
void Lints::check_interpolated(const Form& text) {
    const std::string_view raw = source_.text(text.span);
    if (report_.is_full() || raw.size() < 5 || raw.size() > kMaxText || raw.front() != '"') return;
    const std::string_view inner = raw.substr(1, raw.size() - 2);
    const bool is_template = source_.text().find("replace") != std::string_view::npos; // filled in by the program
    if (inner.find_first_of("{$") == inner.npos || is_template) return;
    const bool calls_tools = source_.text().find("tool/") != std::string_view::npos;
    std::string code = "(str";
    std::string literal;
    bool has_code = false;
    const auto close_literal = [&] {
        if (!literal.empty()) code += " \"" + literal + "\"";
        literal.clear();
    };
    for (std::size_t i = 0; i < inner.size(); ++i) {
        const bool marked = (inner[i] == '$' || inner[i] == '#') && i + 1 < inner.size() && inner[i + 1] == '{';
        if (inner[i] == '$' && !marked) { // "Total: $total"
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
        const std::size_t open = marked ? i + 1 : i;
        const std::size_t close = inner[open] == '{' ? inner.find('}', open) : inner.npos;
        if (close == inner.npos || (!marked && calls_tools)) {
            literal += inner[i];
            continue;
        }
        const std::string inside = placeholder_code(inner.substr(open + 1, close - open - 1), marked);
        if (inside.empty()) {
            if (marked) return;
            literal += inner[i];
            continue;
        }
        close_literal();
        code += " " + inside;
        has_code = true;
        i = close;
    }
    close_literal();
    if (has_code) report_.warn(interpolated(text.span, code + ")"));
}

/// (format "{} items" n), (str "%d items" n)
void Lints::check_formatted(std::string_view function, const Form& list, FormSpan arguments) {
    if (arguments.size() < 2 || !arguments[0].is(FormKind::String) || report_.is_full()) return;
    const std::string_view raw = source_.text(arguments[0].span);
    if (raw.size() < 2 || raw.size() > kMaxText || raw.front() != '"') return;
    const std::string_view inner = raw.substr(1, raw.size() - 2);
    if (function == "format") {
        const std::string text = with_directives(inner, arguments.size() - 1);
        if (!text.empty()) report_.warn(python_places(arguments[0].span, "\"" + text + "\""));
        return;
    }
    const bool has_texts =
        std::ranges::any_of(arguments.subspan(1), [](const Form& f) { return f.is(FormKind::String); });
    if (function == "str" && !has_texts && directives(inner) == arguments.size() - 1)
        report_.warn(format_by_str(list.items()[0].span));
}

} // namespace ptc

// A program that has errors, as repairs look at it: its text, its forms and what surrounds each of them.
#pragma once
#include "compiler/language/core_library.h"
#include "compiler/language/form_questions.h"
#include "compiler/language/rewrite.h"
#include "compiler/repair/surroundings.h"
#include "frontend/form.h"
#include "ptc/source.h"
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptc::repair {

using FormSpan = std::span<const Form>;

/// A form and those around it, innermost first. Empty for a place outside of all forms.
struct Place {
    std::vector<const Form*> forms;
    FormSpan top_level;

    [[nodiscard]] bool empty() const { return forms.empty(); }
    [[nodiscard]] const Form& form() const { return *forms.front(); }
    /// The form `levels` around it; null outside of the outermost.
    [[nodiscard]] const Form* around(std::size_t levels = 1) const {
        return levels < forms.size() ? forms[levels] : nullptr;
    }
    [[nodiscard]] FormSpan siblings() const { return around() ? around()->items() : top_level; }
    [[nodiscard]] std::size_t index() const { return static_cast<std::size_t>(&form() - siblings().data()); }
    /// The place of the form `levels` around it.
    [[nodiscard]] Place outer(std::size_t levels = 1) const;
    /// The place of an item of it.
    [[nodiscard]] Place inner(const Form& item) const;
    /// Whether some form around it, or it itself, is #(..).
    [[nodiscard]] bool in_short_fn() const;
};

/// What stands in for a form that the program does not write at the place where a rule reads it: the value that a
/// threading form passes in. It is of no kind that rules ask for, and lies outside of every text: its text is kPoison.
[[nodiscard]] const Form& unwritten();

/// Borrows all that it is made of.
class Code {
public:
    Code(const Source& source, FormSpan top_level, const CoreLibrary& core, const Surroundings& surroundings)
        : source_(source), top_level_(top_level), core_(core), surroundings_(surroundings) {}

    [[nodiscard]] const Surroundings& surroundings() const { return surroundings_; }
    [[nodiscard]] const CoreLibrary& core() const { return core_; }
    [[nodiscard]] FormSpan top_level() const { return top_level_; }
    [[nodiscard]] std::string_view source() const { return source_.text(); }
    /// kPoison for what is not in the text.
    [[nodiscard]] std::string_view text(Span span) const {
        return span.begin <= span.end && span.end <= source().size() ? source_.text(span) : kPoison;
    }
    [[nodiscard]] std::string_view text(const Form& form) const { return source_.text(form.span); }
    [[nodiscard]] std::string copy(const Form& form) const { return std::string(text(form)); }

    /// The innermost form that holds `span`.
    [[nodiscard]] Place find(Span span) const;
    /// Nothing, not even a blank, stands between the two.
    [[nodiscard]] static bool touch(const Form& left, const Form& right) { return left.span.end == right.span.begin; }
    [[nodiscard]] bool on_one_line(Span span) const { return text(span).find('\n') == std::string_view::npos; }

    /// Whether a comment may begin in front of `at`, on its line.
    [[nodiscard]] bool has_semicolon_before(std::uint32_t at) const;

    /// What a plain name means when the program does not define it; null for nothing.
    [[nodiscard]] const CoreName* core_name(std::string_view name) const;
    /// The name of a function of the language, without its namespace; "" when it is none.
    [[nodiscard]] std::string_view core_function(const Form& form) const;
    /// Whether it names a function of the language that says this of itself (runtime/function_facts.h).
    [[nodiscard]] bool has_trait(const Form& head, Traits trait) const;
    /// "(get m key) (get m key default)", "" for what is no function of the language.
    [[nodiscard]] std::string_view usage(std::string_view name) const;
    /// Names that forms around `place` bind, innermost first.
    [[nodiscard]] std::vector<std::string_view> locals(const Place& place) const;
    /// Names that the program defines, or tries to define in the way of another language.
    [[nodiscard]] std::vector<std::string_view> definitions() const;

private:
    const Source& source_;
    FormSpan top_level_;
    const CoreLibrary& core_;
    const Surroundings& surroundings_;
    struct Semicolon {
        std::uint32_t at;
        std::uint32_t line_end;
    };
    /// The first one of each line that has one; made when first asked for, as one question may come for each form.
    mutable std::optional<std::vector<Semicolon>> semicolons_;
};

/// (fn ..), #(..).
[[nodiscard]] bool is_function_literal(const Form& form);
/// The vector of parameters of (fn [x] ..) and (defn f [x] ..), or the bindings of (loop [i 0] ..); null without one.
[[nodiscard]] const Form* parameters_of_literal(const Form& function);
/// (let [..] ..), (for [..] ..) and their kin.
[[nodiscard]] bool calls_binding_form(const Form& form);

} // namespace ptc::repair

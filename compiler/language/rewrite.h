// "This shape becomes that text": the one notation in which foreign.def, call_lints.def and call_repairs.def say what
// is written instead of a call, and what makes edits of it. Whoever finds the call (the checker, a repair) lends its
// arguments and answers what their values are known to be; everything else is here.
//
//     rewrite     = alternative { " | " alternative }      the first one that fits the call counts
//     alternative = [ pattern " => " ] text
//     pattern     = word { " " word } [ " .." ]            a word for each argument; `..`: more may follow
//
// A text without `$`, `(` and other brackets is a name and takes the place of the function. Other texts are code and
// take the place of the whole call:
//
//     $1 .. $9    an argument as it is written
//     $2*         the arguments from the second on, with blanks between them; $* is $1*
//     $1[]        what stands between the brackets of an argument
//     $f          the function as it is written
//
// Code fits a call that has all the arguments it names and no more, with $n* at least those in front. Behind a pattern
// without `..` it may leave arguments out.
//
// A word of a pattern is what an argument looks like, or in angle brackets what its value is known to be. `a&b` asks
// for both.
//
//     any           whatever it is                  passed      not written: a threading form passes it in
//     none          no argument at all              written     not `passed`
//     keyword       :price                          key         a keyword that is no order
//     order         :asc :desc                      wrong-order :descending, reverse: an order that does not exist
//     keys          [:a "b"]                        negated-key (- :key); $n is the key
//     text          "x"                             numeral     "12": a text that spells an integer
//     integer       12                              symbol      a name
//     set           #{..}                           quoted-name 'x; $n is the name
//     comparison    < > <= >= compare               minus       - that touches the next argument
//     data          data/x                          code        a name, call, map or set: no literal, no vector
//
//     <number>      the value is one; the words are those that the caller knows (value_words below)
//     <number?>     it may be one                   <!number>   it cannot be one
//
// For a step of a threading form the text is a step again: the value that is passed in gets a name where the text does
// not put it where the step would.
#pragma once
#include "frontend/form.h"
#include "ptc/error.h"
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ptc {

/// The text of what the program does not write. An edit that holds it is made of nothing and must be dropped.
inline constexpr std::string_view kPoison{"\0", 1};

/// A new text for a stretch of a program, made of literal text and of parts of the program.
class Pieces {
public:
    /// Which parts stay where they are when they do not keep their order; the others are copied.
    enum class Keep : std::uint8_t {
        None,
        Longest, ///< so that edits inside of it fit to these
    };
    Pieces& text(std::string_view literal);
    Pieces& copy(Span part);
    Pieces& copy(const Form& form) { return copy(form.span); }
    /// The whole text. A part outside of the program is kPoison.
    [[nodiscard]] std::string str(std::string_view program) const;
    /// The edits that make this of `whole`: of the gaps between the parts that stay.
    [[nodiscard]] std::vector<Edit> edits(std::string_view program, Span whole, Keep keep = Keep::None) const;
    [[nodiscard]] bool empty() const { return pieces_.empty(); }

private:
    struct Piece {
        std::string literal;
        Span part{};
        bool is_part = false;
    };
    [[nodiscard]] const Piece* longest() const;
    [[nodiscard]] bool keeps_order(Span whole) const;
    std::vector<Piece> pieces_;
};

/// An argument of a call that is rewritten.
struct RewriteArgument {
    const Form* form = nullptr; ///< null: a threading form passes it in
    Span span{};                ///< what $n stands for: the form, or the part of it that a pattern picks
};

/// A call, or a step of a threading form. Borrows everything; a pattern changes the spans of its arguments.
struct RewriteCall {
    std::string_view function;
    std::span<RewriteArgument> arguments;
    bool is_short_fn = false; ///< #(f ..)
    bool passes_last = false; ///< a step gets its value as last argument
    /// What the value that is passed in is called, in (fn [NAME] ..). Empty: % if that can be, else `it`, and no name
    /// at all where the text puts the value where the step does.
    std::string_view value_name{};
};

/// Whether the value of the argument `index` is known to be what a word between angle brackets says.
using ValueQuestion = std::function<bool(std::string_view word, std::size_t index)>;

/// An alternative, taken apart as far as it says for how many arguments it is.
struct RewriteAlternative {
    std::string_view pattern;  ///< "" without one
    std::string_view text;     ///< what the call becomes
    std::size_t arguments = 0; ///< that the pattern has words for
    bool is_open = false;      ///< more may follow
};
/// For tables that are asked often: those of `rewrite`, in order.
[[nodiscard]] std::vector<RewriteAlternative> alternatives_of(std::string_view rewrite);
/// Whether it fits the call.
[[nodiscard]] bool fits(const RewriteAlternative& alternative, const RewriteCall& call, const ValueQuestion& value_is);

/// The text of the first alternative that fits the call; none when there is none.
[[nodiscard]] std::optional<std::string_view> fitting_text(std::string_view rewrite, const RewriteCall& call,
                                                           const ValueQuestion& value_is);
/// A name takes the place of the function, other texts that of the call.
[[nodiscard]] bool is_name_text(std::string_view text);
/// The code that `text` makes of the call.
[[nodiscard]] Pieces code_of(std::string_view text, const RewriteCall& call);

/// What stands for a name that is used as a value: a name, or a function of one argument; "" when there is none.
[[nodiscard]] std::string value_of(std::string_view rewrite, bool in_short_fn);
/// The code that is made of arguments that are texts, of which nothing is known; "" when nothing fits.
[[nodiscard]] std::string code_of(std::string_view rewrite, std::span<const std::string> arguments);

/// Null when all of `rewrite` can be read and asks only for `value_words`; else what is wrong. For tests of tables.
[[nodiscard]] const char* rewrite_fault(std::string_view rewrite, std::span<const std::string_view> value_words);

} // namespace ptc

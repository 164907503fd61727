// What the grammar's tokens turn into: a shift-reduce builder of Forms.
//
// Brackets live on an explicit stack, so depth is a limit and never a C++ stack overflow, and every token costs a fixed
// amount of work. A token that is wrong is reported and stands for one form, so that counts after it still fit. Once
// brackets do not match, nesting means nothing: the builder goes on looking at tokens only, and bracket_repair.h
// finds out afterwards what was meant.
#pragma once
#include "frontend/reader/syntax_token.h"
#include "ptc/diagnostic.h"
#include "ptc/source.h"
#include <boost/container/small_vector.hpp>
#include <vector>

namespace ptc {

/// What the grammar calls for each token and bracket: makes the forms. Owns its stack of open brackets; borrows the
/// forms, the diagnostics and the list of tokens, which outlive it. For one text and one thread.
class FormBuilder {
public:
    /// The bytes of one token, inside the source's text.
    using Token = std::string_view;

    /// Every token of a well-formed text is appended to `tokens`, unless that is null.
    FormBuilder(const Source& source, const ReadLimits& limits, Diagnostics& diagnostics, Forms& forms,
                std::vector<SyntaxToken>* tokens = nullptr);

    /// True after a breach that makes the rest not worth reading; the grammar then stops.
    [[nodiscard]] bool stopped() const { return stopped_; }

    void symbol(Token token);
    void keyword(Token token);
    void integer(Token token);
    void real(Token token);
    void string(Token token);
    void regex(Token token);
    void character(Token token);
    void special_number(Token token); ///< ##Inf and what looks like it
    void other_number(Token token);   ///< 0xFF, 2r101, 1N, 1M, 1/3, and what is no number
    void quoted_symbol(Token token);
    void var(Token token);
    void discard(Token token);
    void quote_prefix(Token token); ///< ' before anything but a symbol
    void metadata(Token token);
    void comment(Token token);
    void open(FormKind kind, char closer, Token token);
    void close(Token token);

    // What is not PTC-Lisp, or not finished.
    void unterminated_string(Token token);
    void bad_keyword(Token token);
    void bad_name(Token token);
    void smart_string(Token token);
    void reader_conditional(Token token);
    void unsupported_prefix(Token token); ///< ` ~ ~@, and @ in front of nothing; @x is (deref x)
    void unsupported_dispatch(Token token);
    void bad_character(Token token);

    /// Ends the text: hands the top-level forms over, or repairs the brackets. An unterminated string is left to the
    /// caller, who reads the text again with the missing quote in place.
    void finish();
    static constexpr std::uint32_t kNone = UINT32_MAX;
    /// Where a string starts that the text's end cuts off, or kNone.
    [[nodiscard]] std::uint32_t unterminated_at() const { return unterminated_at_; }
    /// Brackets do not match, or a string is open at the end.
    [[nodiscard]] bool is_broken() const { return broken_; }

private:
    struct Frame {
        FormKind kind;
        char closer;
        std::uint32_t begin;      ///< offset of the opening token
        std::uint32_t first_item; ///< index into pending_
    };
    /// A prefix that waits for the form after it, in the frame at `depth`.
    struct Prefix {
        enum Kind : std::uint8_t { Discard, Quote, Deref, Metadata, Conditional, MapNamespace } kind;
        std::uint32_t depth;
        std::uint32_t begin;
        std::uint32_t count; ///< #_#_#_ is one entry, so that a megabyte of them costs nothing
    };

    [[nodiscard]] std::uint32_t offset(const char* at) const { return static_cast<std::uint32_t>(at - text_.data()); }
    [[nodiscard]] Span span(Token token) const { return {offset(token.data()), offset(token.data() + token.size())}; }
    [[nodiscard]] Form atom(FormKind kind, Token token) const {
        Form form;
        form.kind = kind;
        form.span = span(token);
        return form;
    }
    void record(SyntaxToken::Kind kind, FormKind form, Token token) {
        if (tokens_) [[unlikely]]
            record(kind, form, span(token));
    }
    void record(SyntaxToken::Kind kind, FormKind form, Span span);
    void add(const Form& form) {
        if (tokens_) [[unlikely]]
            record(SyntaxToken::Atom, form.kind, form.span);
        push(form);
    }
    void push(const Form& form);
    void add_text(FormKind kind, Token token, std::string_view text);
    void add_integer(Token token, Token digits);
    void add_placeholder(Token token);
    std::string_view unescape(Token token);
    std::span<const Form> store(std::size_t first_item);
    std::string_view store(std::string_view bytes);
    void push_prefix(Prefix::Kind kind, Token token);
    /// A prefix is a level as well: '@'@a is (quote (deref ..)).
    bool is_nested_too_deep(Token token) {
        return frames_.size() + prefixes_.size() >= limits_.max_nesting && stop_too_deep(token);
    }
    bool stop_too_deep(Token token);
    void resolve_prefix();
    void quote_last(const Prefix& prefix);
    void deref_last(const Prefix& prefix);
    [[nodiscard]] bool is_metadata(const Prefix& prefix, const Form& form) const;
    void warn(Error warning);
    void report_prefix(const Prefix& prefix, const Form* form);
    void report_dangling_prefixes();
    [[nodiscard]] Span touching_key(Token colon) const;
    void break_structure();
    void report(Error error);
    void stop(Error error);

    const Source& source_;
    std::string_view text_;
    const ReadLimits& limits_;
    Diagnostics& diagnostics_;
    Forms& forms_;
    std::vector<SyntaxToken>* tokens_;
    boost::container::small_vector<Form, 32> pending_; ///< finished forms whose parent is still open
    boost::container::small_vector<Frame, 16> frames_;
    std::vector<Prefix> prefixes_;
    std::uint32_t form_count_ = 0;
    std::uint32_t unterminated_at_ = kNone;
    bool stopped_ = false;
    bool broken_ = false;
};

} // namespace ptc

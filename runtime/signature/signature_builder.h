// What the grammar of signatures calls: makes the tree on an explicit stack and keeps the first error.
#pragma once
#include "ptc/signature_text.h"
#include "runtime/signature/signature_errors.h"

namespace ptc {

/// What the grammar calls for each part of a signature: makes the types. Owns what it has made until that is taken;
/// tokens are parts of the text, which outlives it. For one text and one thread.
class SignatureBuilder {
public:
    using Token = std::string_view; ///< a part of the text

    explicit SignatureBuilder(std::string_view text) : text_(text) {}

    // A member that returns false has recorded an error, which ends the parse.
    bool open_params(Token bracket);
    bool close_params();
    bool open_list(Token bracket);
    bool empty_list(Token bracket); ///< always false
    void close_list();
    bool open_record(Token bracket);
    bool close_record();
    void name(Token name) { open_.back().name = name; }
    void end_field();

    bool primitive(Token name); ///< with its colon
    void nil(Token name);       ///< `:nil`, which only a union may hold
    bool begin_union();         ///< the type just made is its first alternative
    void end_alternative();
    void end_union() { close(); }
    bool end_type();
    void optional() { current_.is_optional = true; }

    bool open_bounds(Token bracket);
    void bound_operator(Token op) { operator_ = *bound_op(op); }
    bool bound(Token number);
    bool range_start(Token number);
    bool range_end(Token number);

    bool open_choices(Token bracket);
    void choice_word(Token word);
    void choice_keyword(Token keyword); ///< with its colon
    void choice_string(Token quoted);
    bool choice_number(Token number);
    bool close_choices(Token bracket);

    /// Records that something else stands at `at`; the first error stays. Always false.
    bool mismatch(Expected expected, const char* at);

    [[nodiscard]] const std::optional<Error>& error() const { return error_; }
    Signature take() { return {std::move(params_), std::move(current_)}; }

private:
    struct Open {
        Type type;
        std::uint32_t at = 0;
        Token name;                 ///< of the field that is being read
        std::size_t first_name = 0; ///< of this record's fields in names_
    };
    [[nodiscard]] std::uint32_t offset(const char* at) const { return static_cast<std::uint32_t>(at - text_.data()); }
    [[nodiscard]] Span span(Token token) const;
    bool fail(Error error);
    bool open(TypeKind kind, Token at);
    void close();
    bool check_names(std::size_t first);
    bool number(Token token, Number& value);
    bool add_bound(Bound::Op op, Token token);

    std::string_view text_;
    std::vector<Open> open_;
    std::vector<Token> names_; ///< of the fields of the open records, innermost last
    std::vector<Field> params_;
    Type current_;   ///< the type that was completed last
    Token last_nil_; ///< where the last `:nil` stands
    Bound::Op operator_ = Bound::Op::AtLeast;
    std::optional<Error> error_;
};

} // namespace ptc

// Records and protocols. A record is a map that knows the name of its type (record-of%), and there is nothing else to
// add to the language: what a program says of them becomes functions, multimethods and tests; what reify makes is a
// record of its methods. A map from elsewhere, which has no type, is one too when it has the fields and no other record
// of the program has all of them.
#pragma once
#include "compiler/language/form_maker.h"
#include "ptc/diagnostic.h"
#include <optional>
#include <string>

namespace ptc {

/// The records and protocols of one program. Borrows its forms.
class Records {
public:
    Records(FormMaker& make, Diagnostics& diagnostics) : make_(make), diagnostics_(diagnostics) {}

    /// Notes what a form of the top level declares, if it is one of these.
    void declare(const Form& form);
    [[nodiscard]] bool empty() const { return types_.empty() && protocols_.empty(); }
    /// Reports it when they are more than there may be. Called when all are declared.
    [[nodiscard]] bool are_too_many();
    /// Whether `form` is said otherwise here; then what it becomes is added to `out`. Called when all are declared.
    bool define(const Form& form, std::vector<Form>& out);
    /// What names records in other forms: (Name. x ..), (instance? Name x), (satisfies? Protocol x), (reify Protocol
    /// ..).
    void say(const Form& form);

private:
    struct Protocol {
        std::string_view name;
        const Form* form;                 ///< of the top level
        std::vector<const Form*> methods; ///< (name [this ..] ..)
        mutable Form test;                ///< made once: nil before
    };
    struct Type {
        std::string_view name;
        std::span<const Form> fields;
        std::vector<std::string_view> names; ///< of the fields, sorted
        mutable Form keys;                   ///< the fields as keywords, made once: nil before
        mutable std::optional<bool> is_told_apart;
    };
    /// The methods of one protocol for one type.
    struct Part {
        std::string_view protocol;
        const Form* type; ///< its name, nil for that of nothing
        std::span<const Form> methods;
        bool is_inline; ///< in the record's own definition, where its fields are names
    };

    void add_parts(const Form& type, std::span<const Form> body, bool is_inline);
    [[nodiscard]] const Type* find_type(std::string_view name) const;
    [[nodiscard]] const Protocol* find_protocol(std::string_view name) const;
    /// By its fields alone.
    [[nodiscard]] bool is_told_apart(const Type& record) const;
    [[nodiscard]] bool can_be_tested(const Type& record) const;
    /// Whether all that is declared can be said in other words. One that cannot is left to the analyzer, which refuses
    /// it.
    [[nodiscard]] bool is_supported() const;
    [[nodiscard]] bool can_be_said() const;

    void define_constructors(const Form& form, std::vector<Form>& out);
    void define_protocol(const Protocol& protocol, Span span, std::vector<Form>& out);
    void define_methods(const Form& form, std::vector<Form>& out);
    void define_part(const Part& part, Span span, std::vector<Form>& out);
    [[nodiscard]] Form clause_of(const Form& method, const Type* record);
    [[nodiscard]] Form test_of(const Type& record, const Form& value, Span span);
    [[nodiscard]] Form kind_of(const Protocol& protocol, const Form& value, Span span);
    [[nodiscard]] Form kind_of_any(const Protocol& protocol, const Form& value, Span span);
    [[nodiscard]] Form test_of(const Protocol& protocol, Span span);
    [[nodiscard]] std::optional<Form> reified(const Form& form);
    [[nodiscard]] Form method_in(const Form& value, std::string_view name, Span span);
    [[nodiscard]] Form reified_method(const Form& name, Span span);
    [[nodiscard]] Form is_reified(const Protocol& protocol, const Form& value, Span span);

    /// Reports a method that a protocol of the program does not have.
    bool is_of(const Protocol& protocol, const Form& method);

    FormMaker& make_;
    Diagnostics& diagnostics_;
    std::vector<Protocol> protocols_;
    std::vector<Type> types_;
    std::vector<Part> parts_;
    mutable std::optional<bool> is_supported_; ///< known when all are declared
    bool has_reify_ = false;
    bool hides_tests_ = false; ///< the program calls a function of its own instance? or satisfies?
};

} // namespace ptc

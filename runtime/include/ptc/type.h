// Types as signatures write them: one tree behind the text form, the Malli form, JSON Schema and C++ types. Whatever
// reads one of these makes this tree, and whatever writes one starts from it.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ptc {

enum class TypeKind : std::uint8_t {
    Any,
    String,
    Int,
    Float,
    Bool,
    Keyword,
    DateTime,
    Nil,    ///< only as an alternative of a Union or from the Malli form
    Map,    ///< any map: `:map`
    List,   ///< `items` has the element type
    Record, ///< `fields`: a map with named fields; more are allowed
    Enum,   ///< `choices`: one of these values
    Union,  ///< `items`: one of these types, at least two, none of them optional
};

/// A number as a bound or a choice writes it; `1` and `1.0` differ.
using Number = std::variant<std::int64_t, double>;

bool is_less(const Number& a, const Number& b);

/// A limit on a number: `:int[>0]`.
struct Bound {
    enum class Op : std::uint8_t { Greater, AtLeast, Less, AtMost, Equal, NotEqual };
    Op op = Op::Greater;
    Number limit;
    friend bool operator==(const Bound&, const Bound&) = default;
};

/// A keyword among the choices of an Enum.
struct KeywordChoice {
    std::string name; ///< without the colon
    friend bool operator==(const KeywordChoice&, const KeywordChoice&) = default;
};

/// A value of an Enum; monostate is nil.
using Choice = std::variant<std::monostate, bool, std::int64_t, double, std::string, KeywordChoice>;

struct Field;

/// A node of the tree; owns what is below it. Trees are at most kMaxTypeNesting deep, so recursion over one is bounded.
struct Type {
    TypeKind kind = TypeKind::Any;
    bool is_optional = false; ///< `?`: nil passes, and so does an absent field or parameter
    std::vector<Type> items;
    std::vector<Field> fields;
    std::vector<Choice> choices;
    std::vector<Bound> bounds; ///< of an Int or Float; all of them hold

    // In the body: every file that has a signature would compile the walk over trees otherwise.
    Type();
    explicit Type(TypeKind k);
    Type(const Type& other);
    Type(Type&& other) noexcept;
    Type& operator=(const Type& other);
    Type& operator=(Type&& other) noexcept;
    ~Type();
    static Type list(Type element);
    static Type record(std::vector<Field> fields);

    [[nodiscard]] bool is(TypeKind k) const { return kind == k; }
    [[nodiscard]] const Type& element() const { return items.front(); }
    friend bool operator==(const Type& a, const Type& b);
};

struct Field {
    std::string name; ///< as written, hyphens included; "" for a parameter without a name (Malli)
    Type type;
    friend bool operator==(const Field&, const Field&) = default;
};

/// A field that a value has and no signature can write, as `user id` or `$ref`: records allow others than they name, so
/// it may be there, and programs read it by a text key. The name kAnyField (ptc/schema_reader.h) stands for any field.
struct UnwrittenField {
    std::string path; ///< of the map that has it: "" of the whole value, `rows[].owner`; `[]` is a step into a list
    std::string name;
    friend bool operator==(const UnwrittenField&, const UnwrittenField&) = default;
};

/// Brackets within brackets of a type.
inline constexpr std::uint32_t kMaxTypeNesting = 512;

/// "int" for Int and so on: the primitives' names without the colon. "" for List, Record, Enum and Union.
std::string_view primitive_name(TypeKind kind);
/// The primitive called `name` (without the colon), `boolean` included; not `nil`.
std::optional<TypeKind> primitive_kind(std::string_view name);
/// ">=" and so on.
std::string_view bound_name(Bound::Op op);
std::optional<Bound::Op> bound_op(std::string_view name);

/// Field names match whatever their hyphens and underscores: the form with underscores.
std::string normalized_name(std::string_view name);
bool names_match(std::string_view a, std::string_view b);
/// A leading `_`: the value is never shown to a model.
inline bool is_firewalled(std::string_view name) { return name.starts_with('_'); }

/// `type` as the text form writes it: `{id :int, tags [:string]?}`. Parses back to the same tree. Every type can be
/// said, save Nil outside of a Union, which gives `:nil`.
std::string type_text(const Type& type);
void append_type_text(std::string& out, const Type& type);
/// True if the text form needs `:enum[..]`, `a|b`, bounds or `:nil`.
bool needs_extended_text(const Type& type);

/// `type` without its firewalled fields.
Type public_type(const Type& type);
/// Where the firewalled fields are: `_ids`, `rows[]._token`; `[]` is a step into a list.
std::vector<std::string> firewalled_paths(const Type& type);

} // namespace ptc

// Values as hosts see them: a plain tree, independent of any VM.
#pragma once
#include "ptc/limits.h"
#include "ptc/result.h"
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace ptc {

class Datum;

namespace typed {
template <class T>
concept Character = std::same_as<T, char> || std::same_as<T, wchar_t> || std::same_as<T, char8_t> ||
    std::same_as<T, char16_t> || std::same_as<T, char32_t>;
template <class T>
concept Integer = std::integral<T> && !std::same_as<T, bool> && !Character<T> && sizeof(T) <= sizeof(std::int64_t);

struct Path;
/// What an integer type can hold.
struct IntegerRange {
    std::int64_t least;
    std::uint64_t most;
};
template <Integer T>
inline constexpr IntegerRange range_of{static_cast<std::int64_t>(std::numeric_limits<T>::min()),
                                       static_cast<std::uint64_t>(std::numeric_limits<T>::max())};

// `datum` as a C++ type that needs no template; `path` says in messages where it stands, null for nowhere. Only values
// of the type itself are taken: a float is no integer, an integer is a float.
Result<std::uint64_t> read_integer(const Datum& datum, IntegerRange range, const Path* path); ///< in two's complement
Result<double> read_float(const Datum& datum, const Path* path);
Result<bool> read_bool(const Datum& datum, const Path* path);
Result<std::string_view> view_text(const Datum& datum, const Path* path); ///< of a text, or a keyword's name
Result<std::string> read_text(const Datum& datum, const Path* path);      ///< the same, copied

/// What Datum::as reads without ptc/typed.h.
template <class T>
concept Plain = std::same_as<T, bool> || Integer<T> || std::floating_point<T> || std::same_as<T, std::string> ||
    std::same_as<T, std::string_view>;
} // namespace typed

/// A value that crosses the boundary between host and program. Copies are deep. Maps keep their entries in the
/// language's key order when they come from a program. Any number of threads may read one; it has no limits of its own.
class Datum {
public:
    struct Keyword {
        std::string name;
        friend bool operator==(const Keyword&, const Keyword&) = default;
    };
    struct BigInteger {
        std::string digits;
        friend bool operator==(const BigInteger&, const BigInteger&) = default;
    };
    /// A value that has no other form: the text that `pr-str` gives, or of a date or time its ISO text, and what it is
    /// ("function", "instant", ..). An instant comes back as what it was when it is given to a program.
    struct Opaque {
        std::string text;
        std::string type;
        friend bool operator==(const Opaque&, const Opaque&) = default;
    };
    using List = std::vector<Datum>;
    struct Set {
        List items;
        friend bool operator==(const Set&, const Set&) = default;
    };
    using Map = std::vector<std::pair<Datum, Datum>>;

    // Copies, moves and the like are in datum.cpp: every file that has a Datum would compile the walk over the
    // alternatives otherwise. So are the functions that give a copy.
    Datum() noexcept; ///< nil
    Datum(std::nullptr_t) noexcept;
    Datum(bool b) noexcept;
    Datum(int i) noexcept;
    Datum(std::int64_t i) noexcept;
    Datum(double d) noexcept;
    /// Of every other integer type. One beyond an std::int64_t is a big integer, as programs have it.
    template <typed::Integer T>
    requires(!std::same_as<T, int> && !std::same_as<T, std::int64_t>) Datum(T i) : Datum(static_cast<std::int64_t>(i)) {
        if constexpr (std::is_unsigned_v<T> && sizeof(T) == sizeof(std::int64_t)) {
            if (i > static_cast<T>(INT64_MAX)) set_unsigned(i);
        }
    }
    template <typed::Character T> Datum(T) = delete; ///< a text or a number? Say which
    Datum(std::string s) noexcept;
    Datum(std::string_view s);
    Datum(const char* s);
    Datum(Keyword k) noexcept;
    Datum(BigInteger i) noexcept;
    Datum(Opaque o) noexcept;
    Datum(List items) noexcept;
    Datum(Set items) noexcept;
    Datum(Map entries) noexcept;
    Datum(const Datum& other);
    Datum(Datum&& other) noexcept;
    Datum& operator=(const Datum& other);
    Datum& operator=(Datum&& other) noexcept;
    ~Datum();
    /// A list of texts.
    static Datum texts(const std::vector<std::string>& items);
    /// A map with text keys.
    static Datum object(std::vector<std::pair<std::string, Datum>> entries);

    [[nodiscard]] bool is_nil() const { return kind_ == Kind::Nil; }
    template <class T> [[nodiscard]] const T* get_if() const { return kind_ == kind_of<T>() ? part<T>() : nullptr; }
    /// Makes it a T, which is given back to be filled.
    template <class T, class... Arguments> T& emplace(Arguments&&... arguments) {
        clear();
        T* made = ::new (static_cast<void*>(value_)) T(std::forward<Arguments>(arguments)...);
        kind_ = kind_of<T>();
        return *made;
    }
    /// The value at a text or keyword key of a map; null when absent or not a map.
    [[nodiscard]] const Datum* find(std::string_view key) const;
    /// The value at a text or keyword key of a map; nil when absent or not a map, so that `d["user"]["name"]` needs no
    /// checks between. It reads only: a Datum is changed by `emplace`, or made anew.
    [[nodiscard]] const Datum& operator[](std::string_view key) const& {
        const Datum* found = find(key);
        return found ? *found : nil();
    }
    [[nodiscard]] Datum operator[](std::string_view key) &&;
    /// The item of a list, counted from 0; nil when there is none, or it is not a list.
    template <typed::Integer Index> [[nodiscard]] const Datum& operator[](Index index) const& {
        return std::in_range<std::size_t>(index) ? item(static_cast<std::size_t>(index)) : nil();
    }
    template <typed::Integer Index> [[nodiscard]] Datum operator[](Index index) && {
        return std::as_const(*this)[index];
    }
    /// As a bool, an integer, a float, a std::string or a Datum; as every type that ptc/typed.h lists where that header
    /// is included. validation_error says what there is when it is none, or an integer is out of range. Text of digits
    /// is no integer, and 2.0 is none: `to_int64` takes whole floats. A std::string_view is the Datum's own text, as
    /// long as that lives and is not changed; of a temporary it does not compile.
    template <class T> [[nodiscard]] Result<T> as() const&;
    template <class T> [[nodiscard]] Result<T> as() &&;
    /// What a list or a set holds; nothing of any other value: `for (const Datum& order : data["orders"].items())`.
    [[nodiscard]] const List& items() const&;
    [[nodiscard]] List items() &&;
    /// The entries of a map; nothing of any other value: `for (const auto& [key, value] : d.entries())`.
    [[nodiscard]] const Map& entries() const&;
    [[nodiscard]] Map entries() &&;
    /// How many items or entries there are.
    [[nodiscard]] std::size_t size() const { return items().size() + entries().size(); }
    [[nodiscard]] const std::string* text() const { return get_if<std::string>(); }
    [[nodiscard]] const List* list() const { return get_if<List>(); }
    [[nodiscard]] const Map* map() const { return get_if<Map>(); }
    /// An integer or a whole double that fits.
    [[nodiscard]] bool to_int64(std::int64_t* out) const;
    [[nodiscard]] bool to_double(double* out) const;

    /// Exact: every number keeps its digits, an object gives a map with text keys. invalid_json on malformed text,
    /// limit_exceeded for more values or text than a Datum may have, timeout or memory_exceeded beyond `limits`.
    static Result<Datum> from_json(std::string_view json, const ImportLimits& limits = {});
    /// Compact JSON; keywords become text, what has no JSON form becomes its printed text.
    [[nodiscard]] std::string to_json() const;
    friend bool operator==(const Datum& a, const Datum& b);

private:
    static const Datum& nil();
    [[nodiscard]] const Datum& item(std::size_t index) const;
    void set_unsigned(std::uint64_t i);

    // What a std::variant would be, of which each host's file would make some four hundred classes.
    enum class Kind : std::uint8_t { Nil, Bool, Integer, Float, BigInteger, Text, Keyword, Opaque, List, Set, Map };
    template <class T> static constexpr Kind kind_of() {
        if constexpr (std::same_as<T, bool>)
            return Kind::Bool;
        else if constexpr (std::same_as<T, std::int64_t>)
            return Kind::Integer;
        else if constexpr (std::same_as<T, double>)
            return Kind::Float;
        else if constexpr (std::same_as<T, BigInteger>)
            return Kind::BigInteger;
        else if constexpr (std::same_as<T, std::string>)
            return Kind::Text;
        else if constexpr (std::same_as<T, Keyword>)
            return Kind::Keyword;
        else if constexpr (std::same_as<T, Opaque>)
            return Kind::Opaque;
        else if constexpr (std::same_as<T, List>)
            return Kind::List;
        else if constexpr (std::same_as<T, Set>)
            return Kind::Set;
        else {
            static_assert(std::same_as<T, Map>, "ptc::Datum: no value is one of these.");
            return Kind::Map;
        }
    }
    /// `act` with the std::type_identity of what a `kind` has in `value_`; of nil nothing is called.
    template <class Act> static void with_alternative(Kind kind, Act act);
    /// `value_`, which is a T.
    template <class T> [[nodiscard]] T* part() { return std::launder(reinterpret_cast<T*>(value_)); }
    template <class T> [[nodiscard]] const T* part() const { return std::launder(reinterpret_cast<const T*>(value_)); }
    /// From nil: what `other` is, which keeps a husk of it.
    void take(Datum& other) noexcept;
    /// To nil.
    void clear() noexcept;

    alignas(std::string) std::byte value_[sizeof(Opaque)];
    Kind kind_ = Kind::Nil;
};

template <class T> Result<T> Datum::as() const& {
    if constexpr (std::same_as<T, bool>) {
        return typed::read_bool(*this, nullptr);
    } else if constexpr (typed::Integer<T>) {
        return typed::read_integer(*this, typed::range_of<T>, nullptr).transform([](std::uint64_t bits) {
            return static_cast<T>(bits);
        });
    } else if constexpr (std::floating_point<T>) {
        return typed::read_float(*this, nullptr).transform([](double value) { return static_cast<T>(value); });
    } else if constexpr (std::same_as<T, std::string>) {
        return typed::read_text(*this, nullptr);
    } else if constexpr (std::same_as<T, std::string_view>) {
        return typed::view_text(*this, nullptr);
    } else if constexpr (std::same_as<T, Datum>) {
        return *this;
    } else {
        static_assert(
            requires { decode<T>(*this); }, "ptc::Datum::as: this type needs #include <ptc/typed.h>.");
        return decode<T>(*this);
    }
}

template <class T> Result<T> Datum::as() && {
    static_assert(!std::same_as<T, std::string_view>,
                  "ptc::Datum::as: a std::string_view would outlive this temporary Datum. Read a std::string, or keep "
                  "the Datum.");
    if constexpr (typed::Plain<T> || std::same_as<T, Datum>) {
        return std::as_const(*this).template as<T>();
    } else {
        static_assert(
            requires { decode<T>(*this); }, "ptc::Datum::as: this type needs #include <ptc/typed.h>.");
        return decode<T>(std::move(*this)); // which refuses types with views in them
    }
}

} // namespace ptc

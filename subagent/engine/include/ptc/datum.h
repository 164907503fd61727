// Values as hosts see them: a plain tree, independent of any VM.
#pragma once
#include "ptc/limits.h"
#include "ptc/result.h"
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace ptc {

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
    // alternatives otherwise.
    Datum() noexcept : value_() {} ///< nil
    Datum(std::nullptr_t) noexcept : value_() {}
    Datum(bool b) noexcept;
    Datum(int i) noexcept;
    Datum(std::int64_t i) noexcept;
    Datum(double d) noexcept;
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

    [[nodiscard]] bool is_nil() const { return std::holds_alternative<std::monostate>(value_); }
    template <class T> [[nodiscard]] const T* get_if() const { return std::get_if<T>(&value_); }
    /// Makes it a T, which is given back to be filled.
    template <class T, class... Arguments> T& emplace(Arguments&&... arguments) {
        return value_.template emplace<T>(std::forward<Arguments>(arguments)...);
    }
    /// The value at a text or keyword key of a map; null when absent or not a map.
    [[nodiscard]] const Datum* find(std::string_view key) const;
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
    std::variant<std::monostate, bool, std::int64_t, double, BigInteger, std::string, Keyword, Opaque, List, Set, Map>
        value_;
};

} // namespace ptc

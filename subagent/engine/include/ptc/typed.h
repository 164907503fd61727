// C++ types as signature types: which type a C++ type is, and how its values cross the boundary.
//
//   std::string, std::string_view        :string        std::vector<T>, list, deque, set     [T]
//   bool                                 :bool          std::map<std::string, T>             :map
//   integers                             :int           std::optional<T>                     T?
//   double, float                        :float         std::variant<A, B>                   A|B  (std::monostate: nil)
//   enums, by Boost.Describe             :enum[..]      structs, by Boost.Describe           {field T, ..}
//   std::chrono::system_clock points     :datetime      boost::json::value, Datum            :any
//
// An integer outside of its C++ type's range is refused when it is decoded, with its path, like any other fault.
// A std::string_view that is decoded is the text in the Datum, alone or within another type: an argument of a tool has
// it until the call ends. A const char* is :string as well, of results only.
#pragma once
#include "ptc/check_report.h"
#include "ptc/datum.h"
#include "ptc/signature_text.h"
#include <array>
#include <boost/describe.hpp>
#include <boost/json/value.hpp>
#include <chrono>
#include <concepts>
#include <deque>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <variant>
#include <vector>

namespace ptc {

namespace typed {

/// The place of a value while it is decoded, for messages: `results[0].id`.
struct Path {
    const Path* parent = nullptr;
    std::string_view field{};
    std::size_t index = 0;
    [[nodiscard]] std::string text() const;
};
/// validation_error: `results[0].id: expected int, got ..`.
Error mismatch(const Path& path, std::string_view expected, const Datum& got);
/// The point in time of an ISO 8601 text with an offset, in microseconds since 1970; nothing for any other text.
std::optional<std::int64_t> read_time(std::string_view text);
std::string write_time(std::int64_t microseconds);
/// "app::search" of what a compiler writes of &app::search; without the namespaces that have no name.
std::string plain_function_name(std::string_view written);
Datum from_json_value(const boost::json::value& value);
boost::json::value to_json_value(const Datum& datum);
/// To a union; alternatives of alternatives are its own, and when one is optional the whole is.
void add_alternative(Type& alternatives, Type type);

template <class T> struct IsOptional : std::false_type {};
template <class T> struct IsOptional<std::optional<T>> : std::true_type {};
template <class T> struct IsVariant : std::false_type {};
template <class... T> struct IsVariant<std::variant<T...>> : std::true_type {};
template <class T> struct IsSequence : std::false_type {};
template <class T> struct IsSequence<std::vector<T>> : std::true_type {};
template <class T> struct IsSequence<std::list<T>> : std::true_type {};
template <class T> struct IsSequence<std::deque<T>> : std::true_type {};
template <class T> struct IsSequence<std::set<T>> : std::true_type {};
template <class T> struct IsTextMap : std::false_type {};
template <class T> struct IsTextMap<std::map<std::string, T>> : std::true_type {};
template <class T> struct IsTextMap<std::unordered_map<std::string, T>> : std::true_type {};

template <class T>
concept Enum = std::is_enum_v<T> && boost::describe::has_describe_enumerators<T>::value;
template <class T>
concept Struct = std::is_class_v<T> && boost::describe::has_describe_members<T>::value;
template <class T>
concept Text = std::same_as<T, std::string> || std::same_as<T, std::string_view> || std::same_as<T, const char*>;
using TimePoint = std::chrono::system_clock::time_point;
template <class T>
concept Nothing = std::same_as<T, std::monostate> || std::same_as<T, std::nullptr_t>;
template <class T>
concept Json = std::same_as<T, boost::json::value>;

template <class> inline constexpr bool always_false = false;
template <class T> constexpr void refuse_type() {
    static_assert(always_false<T>, "ptc: this C++ type has no signature type. Use std::string, integers, double, bool, "
                                   "std::vector, std::map<std::string, T>, std::optional, std::variant, "
                                   "boost::json::value or ptc::Datum; describe your own struct with "
                                   "BOOST_DESCRIBE_STRUCT(Type, (), (fields..)) and your own enum with "
                                   "BOOST_DESCRIBE_ENUM(Type, values..).");
}

template <class T>
using Members = boost::describe::describe_members<T, boost::describe::mod_public | boost::describe::mod_inherited>;
template <class T> using Enumerators = boost::describe::describe_enumerators<T>;

} // namespace typed

namespace typed {

/// The type of T as a part of the structs `Outer`.
template <class T, class... Outer> Type type_within() {
    if constexpr (std::same_as<T, bool>) {
        return Type(TypeKind::Bool);
    } else if constexpr (Integer<T>) {
        Type type(TypeKind::Int);
        if constexpr (std::is_unsigned_v<T>) type.bounds.push_back({Bound::Op::AtLeast, std::int64_t{0}});
        return type;
    } else if constexpr (std::floating_point<T>) {
        return Type(TypeKind::Float);
    } else if constexpr (Text<T>) {
        return Type(TypeKind::String);
    } else if constexpr (std::same_as<T, TimePoint>) {
        return Type(TypeKind::DateTime);
    } else if constexpr (Nothing<T> || std::same_as<T, Datum> || Json<T> || std::is_void_v<T>) {
        Type type(TypeKind::Any); // a type cannot say nil alone
        type.is_optional = Nothing<T>;
        return type;
    } else if constexpr (IsOptional<T>::value) {
        Type type = type_within<typename T::value_type, Outer...>();
        type.is_optional = true;
        return type;
    } else if constexpr (IsSequence<T>::value) {
        return Type::list(type_within<typename T::value_type, Outer...>());
    } else if constexpr (IsTextMap<T>::value) {
        return Type(TypeKind::Map);
    } else if constexpr (IsVariant<T>::value) {
        return []<class... Alternatives>(std::type_identity<std::variant<Alternatives...>>) {
            Type type(TypeKind::Union);
            (add_alternative(type, Nothing<Alternatives> ? Type(TypeKind::Nil) : type_within<Alternatives, Outer...>()),
             ...);
            return type;
        }(std::type_identity<T>());
    } else if constexpr (Enum<T>) {
        Type type(TypeKind::Enum);
        boost::mp11::mp_for_each<Enumerators<T>>([&](auto e) { type.choices.emplace_back(std::string(e.name)); });
        return type;
    } else if constexpr ((std::same_as<T, Outer> || ...)) {
        return Type(TypeKind::Map);
    } else if constexpr (Struct<T>) {
        std::vector<Field> fields;
        boost::mp11::mp_for_each<Members<T>>([&](auto member) {
            using Member = std::remove_cvref_t<decltype(std::declval<T&>().*member.pointer)>;
            fields.push_back({member.name, type_within<Member, T, Outer...>()});
        });
        return Type::record(std::move(fields));
    } else {
        refuse_type<T>();
        return Type(TypeKind::Any);
    }
}

/// Whether a decoded T refers into the Datum. `Outer`: the structs that T is a part of.
template <class T, class... Outer> constexpr bool borrows() {
    if constexpr (std::same_as<T, std::string_view>) {
        return true;
    } else if constexpr ((std::same_as<T, Outer> || ...)) {
        return false; // what else is in it says so
    } else if constexpr (IsOptional<T>::value || IsSequence<T>::value) {
        return borrows<typename T::value_type, Outer...>();
    } else if constexpr (IsTextMap<T>::value) {
        return borrows<typename T::mapped_type, Outer...>();
    } else if constexpr (IsVariant<T>::value) {
        return []<class... One>(std::type_identity<std::variant<One...>>) {
            return (borrows<One, Outer...>() || ...);
        }(std::type_identity<T>());
    } else if constexpr (Struct<T>) {
        return []<class... Member>(boost::mp11::mp_list<Member...>) {
            return (borrows<std::remove_cvref_t<decltype(std::declval<T&>().*Member::pointer)>, T, Outer...>() || ...);
        }(boost::mp11::mp_rename<Members<T>, boost::mp11::mp_list>());
    } else {
        return false;
    }
}
template <class T>
concept Borrowing = borrows<T>();

} // namespace typed

/// The signature type of T. A struct that holds itself (a tree) is a plain `:map` where it does.
template <class T> Type type_of() { return typed::type_within<T>(); }

/// `value` as a Datum.
template <class T> Datum encode(const T& value) {
    using namespace typed;
    if constexpr (std::same_as<T, bool>) {
        return Datum(value);
    } else if constexpr (Integer<T>) {
        return Datum(value);
    } else if constexpr (std::floating_point<T>) {
        return Datum(static_cast<double>(value));
    } else if constexpr (Text<T>) {
        return Datum(std::string_view(value));
    } else if constexpr (std::same_as<T, TimePoint>) {
        using namespace std::chrono;
        return Datum(
            Datum::Opaque{write_time(duration_cast<microseconds>(value.time_since_epoch()).count()), "instant"});
    } else if constexpr (Nothing<T>) {
        return Datum();
    } else if constexpr (std::same_as<T, Datum>) {
        return value;
    } else if constexpr (Json<T>) {
        return from_json_value(value);
    } else if constexpr (IsOptional<T>::value) {
        return value ? encode(*value) : Datum();
    } else if constexpr (IsSequence<T>::value) {
        Datum::List items;
        for (const auto& item : value)
            items.push_back(encode<typename T::value_type>(item));
        return Datum(std::move(items));
    } else if constexpr (IsTextMap<T>::value) {
        Datum::Map entries;
        for (const auto& [key, item] : value)
            entries.emplace_back(Datum(key), encode(item));
        return Datum(std::move(entries));
    } else if constexpr (IsVariant<T>::value) {
        return std::visit([](const auto& one) { return encode(one); }, value);
    } else if constexpr (Enum<T>) {
        Datum name(static_cast<std::int64_t>(value)); // of a value that has no name
        boost::mp11::mp_for_each<Enumerators<T>>([&](auto e) {
            if (e.value == value) name = Datum(e.name);
        });
        return name;
    } else if constexpr (!Struct<T>) {
        typed::refuse_type<T>();
        return Datum();
    } else {
        Datum::Map entries;
        boost::mp11::mp_for_each<Members<T>>(
            [&](auto member) { entries.emplace_back(Datum(member.name), encode(value.*member.pointer)); });
        return Datum(std::move(entries));
    }
}

namespace typed {

template <class T> Result<T> decode(const Datum& datum, const Path& path);

template <class T> Result<T> decode_sequence(const Datum& datum, const Path& path) {
    if (!datum.list()) return mismatch(path, "list", datum);
    T items;
    std::size_t index = 0;
    for (const Datum& item : *datum.list()) {
        Result<typename T::value_type> one = decode<typename T::value_type>(item, Path{&path, {}, index++});
        if (!one.ok()) return one.take_error();
        items.insert(items.end(), std::move(one).value());
    }
    return items;
}

template <class T> Result<T> decode_map(const Datum& datum, const Path& path) {
    if (!datum.map()) return mismatch(path, "map", datum);
    T entries;
    for (const auto& [key, item] : *datum.map()) {
        const auto* keyword = key.template get_if<Datum::Keyword>();
        const std::string* name = keyword ? &keyword->name : key.text();
        if (!name) return mismatch(path, "map with text keys", datum);
        Result<typename T::mapped_type> one = decode<typename T::mapped_type>(item, Path{&path, *name});
        if (!one.ok()) return one.take_error();
        entries.insert_or_assign(*name, std::move(one).value());
    }
    return entries;
}

/// The first alternative that the value can be decoded as.
template <class... T> Result<std::variant<T...>> decode_variant(const Datum& datum, const Path& path) {
    std::optional<std::variant<T...>> found;
    const auto attempt = [&]<class One>(std::type_identity<One>) {
        if (found) return;
        Result<One> one = decode<One>(datum, path);
        if (one.ok()) found.emplace(std::in_place_type<One>, std::move(one).value());
    };
    (attempt(std::type_identity<T>()), ...);
    if (!found) return mismatch(path, "one of its types", datum);
    return std::move(*found);
}

template <class T> Result<T> decode_enum(const Datum& datum, const Path& path) {
    const auto* keyword = datum.get_if<Datum::Keyword>();
    const std::string* name = keyword ? &keyword->name : datum.text();
    std::optional<T> found;
    std::string names;
    boost::mp11::mp_for_each<Enumerators<T>>([&](auto e) {
        names += (names.empty() ? "" : " ") + std::string(e.name);
        if (name && *name == e.name) found = e.value;
    });
    if (!found) return mismatch(path, "enum[" + names + "]", datum);
    return *found;
}

template <class T> Result<T> decode_struct(const Datum& datum, const Path& path) {
    if (!datum.map()) return mismatch(path, "map", datum);
    T object{};
    ErrorPtr error;
    boost::mp11::mp_for_each<Members<T>>([&](auto member) {
        if (error) return;
        using Member = std::remove_cvref_t<decltype(object.*member.pointer)>;
        static const Datum kNil;
        const Datum* part = datum.find(member.name);
        Result<Member> one = decode<Member>(part ? *part : kNil, Path{&path, member.name});
        if (one.ok())
            object.*member.pointer = std::move(one).value();
        else
            error = one.take_error();
    });
    if (error) return error;
    return object;
}

template <class T> Result<T> decode(const Datum& datum, const Path& path) {
    if constexpr (std::same_as<T, bool>) {
        return read_bool(datum, &path);
    } else if constexpr (Integer<T>) {
        return read_integer(datum, range_of<T>, &path).transform([](std::uint64_t bits) {
            return static_cast<T>(bits);
        });
    } else if constexpr (std::floating_point<T>) {
        return read_float(datum, &path).transform([](double value) { return static_cast<T>(value); });
    } else if constexpr (std::same_as<T, std::string>) {
        return read_text(datum, &path);
    } else if constexpr (std::same_as<T, std::string_view>) {
        return view_text(datum, &path);
    } else if constexpr (std::same_as<T, TimePoint>) {
        const auto* opaque = datum.get_if<Datum::Opaque>();
        const std::string* text = opaque ? &opaque->text : datum.text();
        const std::optional<std::int64_t> time = text ? read_time(*text) : std::nullopt;
        if (!time) return mismatch(path, "datetime", datum);
        return TimePoint(std::chrono::microseconds(*time));
    } else if constexpr (Nothing<T>) {
        return datum.is_nil() ? Result<T>(T()) : mismatch(path, "nil", datum);
    } else if constexpr (std::same_as<T, Datum>) {
        return datum;
    } else if constexpr (Json<T>) {
        return to_json_value(datum);
    } else if constexpr (IsOptional<T>::value) {
        if (datum.is_nil()) return T();
        Result<typename T::value_type> value = decode<typename T::value_type>(datum, path);
        if (!value.ok()) return value.take_error();
        return T(std::move(value).value());
    } else if constexpr (IsSequence<T>::value) {
        return decode_sequence<T>(datum, path);
    } else if constexpr (IsTextMap<T>::value) {
        return decode_map<T>(datum, path);
    } else if constexpr (IsVariant<T>::value) {
        return [&]<class... One>(std::type_identity<std::variant<One...>>) {
            return decode_variant<One...>(datum, path);
        }(std::type_identity<T>());
    } else if constexpr (Enum<T>) {
        return decode_enum<T>(datum, path);
    } else if constexpr (Struct<T>) {
        return decode_struct<T>(datum, path);
    } else if constexpr (std::same_as<T, const char*> || std::same_as<T, char*>) {
        static_assert(always_false<T>, "ptc: a const char* is a type of results only. Take a std::string or a "
                                       "std::string_view.");
        return mismatch(path, "string", datum);
    } else {
        refuse_type<T>();
        return mismatch(path, "another type", datum);
    }
}

} // namespace typed

/// A Datum as a T: validation_error with the path of what does not fit.
template <class T> Result<T> decode(const Datum& datum) { return typed::decode<T>(datum, {}); }
/// Refused: the views in a T would outlive the Datum.
template <typed::Borrowing T> Result<T> decode(Datum&& datum) {
    static_assert(typed::always_false<T>,
                  "ptc: a std::string_view would outlive this temporary Datum. Read a std::string, or keep the Datum.");
    return typed::decode<T>(datum, {});
}

} // namespace ptc

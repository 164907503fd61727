// Random types and values of them, for property tests. Sizes are bounded here and not by RapidCheck, whose trees grow
// beyond all memory; names are distinct by the rule of signatures.
#pragma once
#include "ptc/signature_text.h"
#include <rapidcheck.h>

namespace ptc::testing {

/// Up to `most` of them. RapidCheck's own containers grow with its size, and trees of them beyond all memory.
template <class T> rc::Gen<std::vector<T>> few(int most, rc::Gen<T> gen, int least = 0) {
    return rc::gen::mapcat(rc::gen::inRange(least, most + 1), [gen = std::move(gen)](int count) {
        return rc::gen::container<std::vector<T>>(static_cast<std::size_t>(count), gen);
    });
}

inline rc::Gen<std::string> any_name() {
    return rc::gen::map(rc::gen::pair(rc::gen::elementOf(std::string("abcXYZ_")),
                                      rc::gen::container<std::string>(rc::gen::elementOf(std::string("ab0_-")))),
                        [](std::pair<char, std::string> parts) { return parts.first + parts.second.substr(0, 6); });
}

inline rc::Gen<Number> any_number() {
    return rc::gen::oneOf(
        rc::gen::map(rc::gen::arbitrary<std::int64_t>(), [](std::int64_t i) { return Number(i); }),
        rc::gen::map(rc::gen::inRange<std::int64_t>(-99, 100), [](std::int64_t i) { return Number(i); }),
        rc::gen::map(rc::gen::inRange<std::int64_t>(-99999, 100000),
                     [](std::int64_t i) { return Number(static_cast<double>(i) / 8); }),
        rc::gen::element(Number(1e300), Number(-1e-7), Number(0.1)));
}

inline rc::Gen<Choice> any_choice() {
    using rc::gen::map;
    return rc::gen::oneOf(
        map(any_name(), [](std::string name) { return Choice(std::move(name)); }),
        map(any_name(), [](std::string name) { return Choice(KeywordChoice{std::move(name)}); }),
        map(rc::gen::container<std::string>(rc::gen::inRange<char>(1, 127)),
            [](std::string text) { return Choice(std::move(text)); }),
        map(any_number(), [](const Number& n) { return std::visit([](auto v) { return Choice(v); }, n); }),
        rc::gen::element(Choice(true), Choice(false), Choice(std::monostate()), Choice(std::string("é\"\\\n"))));
}

rc::Gen<Type> any_type(int depth);

/// Distinct, hyphens and underscores counting as equal.
inline rc::Gen<std::vector<Field>> any_fields(int depth) {
    return rc::gen::map(few(4, rc::gen::pair(any_name(), any_type(depth))),
                        [](std::vector<std::pair<std::string, Type>> pairs) {
                            std::vector<Field> fields;
                            for (auto& [name, type] : pairs) {
                                bool is_new = true;
                                for (const Field& field : fields)
                                    is_new = is_new && !names_match(field.name, name);
                                if (is_new) fields.push_back({name, std::move(type)});
                            }
                            return fields;
                        });
}

inline rc::Gen<Type> any_scalar() {
    const auto plain =
        rc::gen::map(rc::gen::element(TypeKind::Any, TypeKind::String, TypeKind::Int, TypeKind::Float, TypeKind::Bool,
                                      TypeKind::Keyword, TypeKind::DateTime, TypeKind::Map),
                     [](TypeKind kind) { return Type(kind); });
    const auto bounded = rc::gen::map(
        rc::gen::tuple(rc::gen::element(TypeKind::Int, TypeKind::Float),
                       few(3, rc::gen::map(rc::gen::pair(rc::gen::element(Bound::Op::Greater, Bound::Op::AtLeast,
                                                                          Bound::Op::Less, Bound::Op::AtMost,
                                                                          Bound::Op::Equal, Bound::Op::NotEqual),
                                                         any_number()),
                                           [](const std::pair<Bound::Op, Number>& p) {
                                               return Bound{p.first, p.second};
                                           }))),
        [](std::tuple<TypeKind, std::vector<Bound>> parts) {
            Type type(std::get<0>(parts));
            type.bounds = std::move(std::get<1>(parts));
            return type;
        });
    const auto choices = rc::gen::map(few(4, any_choice(), 1), [](std::vector<Choice> all) {
        Type type(TypeKind::Enum);
        type.choices = std::move(all);
        return type;
    });
    return rc::gen::oneOf(plain, plain, plain, bounded, choices);
}

inline rc::Gen<Type> any_type(int depth) {
    const auto optional = [](rc::Gen<Type> gen) {
        return rc::gen::map(rc::gen::pair(std::move(gen), rc::gen::inRange(0, 4)), [](std::pair<Type, int> parts) {
            parts.first.is_optional = parts.first.is_optional || parts.second == 0;
            return std::move(parts.first);
        });
    };
    if (depth <= 0) return optional(any_scalar());
    const auto list = rc::gen::map(rc::gen::lazy([depth] { return any_type(depth - 1); }),
                                   [](Type element) { return Type::list(std::move(element)); });
    const auto record = rc::gen::map(rc::gen::lazy([depth] { return any_fields(depth - 1); }),
                                     [](std::vector<Field> fields) { return Type::record(std::move(fields)); });
    const auto alternatives =
        rc::gen::map(few(3, rc::gen::lazy([depth] { return any_type(depth - 1); })), [](std::vector<Type> items) {
            Type type(TypeKind::Union);
            for (Type& item : items) {
                item.is_optional = false;
                if (!item.is(TypeKind::Union)) type.items.push_back(std::move(item));
            }
            while (type.items.size() < 2)
                type.items.emplace_back(type.items.empty() ? TypeKind::String : TypeKind::Nil);
            return type;
        });
    return optional(rc::gen::oneOf(any_scalar(), list, record, record, alternatives));
}

inline rc::Gen<Signature> any_signature(int depth = 3) {
    return rc::gen::map(rc::gen::pair(any_fields(depth), any_type(depth)),
                        [](std::pair<std::vector<Field>, Type> parts) {
                            return Signature{std::move(parts.first), std::move(parts.second)};
                        });
}

} // namespace ptc::testing

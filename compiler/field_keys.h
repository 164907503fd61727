// Keys that are written in a program, as the passes over fields tell them apart. A map that lacks a key is read and
// written at another spelling of it (runtime/shape.h), so two keys that differ may mean one field of some maps.
#pragma once
#include "compiler/language/tree.h"
#include "runtime/builtin.h"
#include "runtime/string.h"
#include <algorithm>
#include <optional>

namespace ptc {

inline const Value& as_value(const Bits& constant) { return reinterpret_cast<const Value&>(constant); }

/// A keyword or a string.
inline bool is_text_key(const Bits& constant) {
    return as_value(constant).is_keyword() || as_value(constant).is_string();
}
inline bool is_text_key(const Node& n) { return n.kind == NodeKind::Constant && is_text_key(n.constant); }

/// Whether they are one key in all maps.
inline bool is_one_key(const Bits& a, const Bits& b) {
    return a == b ||
           (as_value(a).is_keyword() == as_value(b).is_keyword() && text_of(as_value(a)) == text_of(as_value(b)));
}
/// Whether they mean one field in some map.
inline bool may_be_one_key(const Bits& a, const Bits& b) {
    const auto is_same = [](char x, char y) { return x == y || ((x == '-' || x == '_') && (y == '-' || y == '_')); };
    return a == b || std::ranges::equal(text_of(as_value(a)), text_of(as_value(b)), is_same);
}

inline bool is_call_of(const Node& n, Instruction instruction) {
    return n.kind == NodeKind::CallBuiltin && builtin_at(n.index).instruction == instruction;
}

/// (:key map), (get map :key), or what a pattern {:keys [key]} takes: the key, without a default.
inline std::optional<Bits> key_of_access(const Node& n) {
    if (is_call_of(n, Instruction::Get) && n.children.size() == 2 && is_text_key(*n.children[1]))
        return n.children[1]->constant;
    const bool is_access = (n.kind == NodeKind::KeywordCall || n.kind == NodeKind::Field) && n.children.size() == 1;
    if (is_access && is_text_key(n.constant)) return n.constant;
    return std::nullopt;
}

} // namespace ptc

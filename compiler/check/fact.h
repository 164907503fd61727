// What is known of a value before the program runs: its kind, its fields, the kind of its items. What the checker works
// with.
#pragma once
#include "compiler/check/texts.h"
#include "compiler/language/fact_kind.h"
#include "frontend/arena.h"
#include "runtime/kinds.h"
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace ptc {

struct Fact;

/// The name in the program under which a Record came from outside: "tool/users", "data/orders".
struct Origin : std::string_view {
    Origin() = default;
    Origin(std::string_view name, bool seen = false) : std::string_view(name), is_seen(seen) {}
    bool is_seen = false; ///< it is what results have looked like: others may have more fields
};

/// A field of a Record (a keyword or string key; they find each other), or an element of a Tuple ("").
struct FactPart {
    std::string_view name;
    const Fact* fact;
};

/// Immutable, in the arena of its Facts, or static. Everything that is not `non_nil` may be nil as well.
struct Fact {
    FactKind kind = FactKind::Any;
    bool non_nil = false;
    const Fact* item = nullptr;
    std::span<const FactPart> parts;
    Origin origin;
    const Fact* entry_of = nullptr; ///< of a Tuple: the Record that it is an entry of
    const Texts* texts = nullptr;   ///< of a String that comes from outside: what all at its place look like
    bool is_atom = false;           ///< what (atom x) gives, of which nothing else is known
};

/// Makes facts. Bounded in memory and in the work for each, whatever is asked: beyond that, Any.
class Facts {
public:
    static constexpr std::size_t kMaxParts = 256;  ///< of a Record as it is written or declared
    static constexpr std::size_t kMaxDerived = 64; ///< of one that is made from others
    static constexpr std::size_t kMaxTuple = 16;

    explicit Facts(Arena& arena) : arena_(arena) {}

    static const Fact* any();
    static const Fact* never();
    static const Fact* nil();
    static const Fact* atom();
    /// A scalar.
    static const Fact* of(FactKind kind, bool non_nil);
    /// A text from outside. `texts` must outlive the fact.
    const Fact* text(const Texts* texts, bool non_nil);
    /// A scalar where the kinds say no more than that; else anything.
    static const Fact* of_kinds(Kinds kinds);

    const Fact* list(const Fact* item, bool non_nil = true) { return container(FactKind::List, item, non_nil); }
    const Fact* set(const Fact* item) { return container(FactKind::Set, item, true); }
    const Fact* dict(const Fact* values) { return container(FactKind::Dict, values, true); }
    const Fact* function(const Fact* result) { return container(FactKind::Function, result, true); }
    const Fact* tuple(std::span<const Fact* const> elements);
    const Fact* record(std::span<const FactPart> fields, Origin origin, bool non_nil = true);
    /// The same value, or nil.
    const Fact* or_nil(const Fact* fact);
    /// The same value where it is known not to be nil.
    const Fact* not_nil(const Fact* fact);
    /// One of two values.
    const Fact* join(const Fact* a, const Fact* b) { return join(a, b, 0); }
    /// An element as `map` and `first` meet it: of a map, its entries.
    const Fact* item_of(const Fact* coll);
    /// The element at `index`.
    const Fact* element_of(const Fact* coll, std::size_t index);
    /// A Record with one more field, or perhaps another value in a field. What is no Record gives Any.
    const Fact* with_field(const Fact* record, std::string_view name, const Fact* value);
    /// All fields of both; `b` wins. Any unless both are Records.
    const Fact* merged(const Fact* a, const Fact* b);

    /// The field that `key` finds: itself, or with underscores for its hyphens (spec 7.5). A field that came from
    /// outside may have been given with hyphens for the underscores of its declaration.
    static const FactPart* find(const Fact& record, std::string_view key);

private:
    static constexpr std::size_t kMaxBytes = 4u << 20;
    static constexpr std::uint32_t kMaxJoinDepth = 8;
    const Fact* container(FactKind kind, const Fact* item, bool non_nil);
    const Fact* join(const Fact* a, const Fact* b, std::uint32_t depth);
    const Fact* join_records(const Fact& a, const Fact& b, std::uint32_t depth);
    const Fact* join_tuples(const Fact& a, const Fact& b, std::uint32_t depth);
    const Fact* make(Fact fact);
    std::span<FactPart> parts(std::size_t count); ///< empty when memory is used up

    Arena& arena_;
    std::size_t bytes_ = 0;
};

} // namespace ptc

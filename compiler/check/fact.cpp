// Facts are a lattice of finite height: Any above all, Never below all. Joining two facts gives what holds for both;
// where a bound on memory, depth or size is reached the answer is Any, never a guess. Scalars are static, everything
// else lies in the arena of its Facts.
#include "compiler/check/fact.h"
#include <algorithm>
#include <memory>

namespace ptc {
namespace {

constexpr Fact scalar(FactKind kind, bool non_nil) {
    Fact fact;
    fact.kind = kind;
    fact.non_nil = non_nil;
    return fact;
}

constexpr Fact kScalars[2][5] = {
    {scalar(FactKind::Nil, false), scalar(FactKind::Bool, false), scalar(FactKind::Numeric, false),
     scalar(FactKind::String, false), scalar(FactKind::Keyword, false)},
    {scalar(FactKind::Nil, false), scalar(FactKind::Bool, true), scalar(FactKind::Numeric, true),
     scalar(FactKind::String, true), scalar(FactKind::Keyword, true)},
};
constexpr Fact kAny;
constexpr Fact kNever = scalar(FactKind::Never, true);
constexpr Fact kAtom = [] {
    Fact fact;
    fact.is_atom = true;
    return fact;
}();

char folded(char c) { return c == '-' ? '_' : c; }

bool equal_folded(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return folded(x) == folded(y); });
}

/// `key` with underscores for its hyphens is `name`.
bool finds(std::string_view key, std::string_view name) {
    return std::equal(key.begin(), key.end(), name.begin(), name.end(), [](char k, char n) { return folded(k) == n; });
}

} // namespace

const Fact* Facts::any() { return &kAny; }
const Fact* Facts::never() { return &kNever; }
const Fact* Facts::atom() { return &kAtom; }
const Fact* Facts::nil() { return &kScalars[0][0]; }

const Fact* Facts::of(FactKind kind, bool non_nil) {
    if (kind < FactKind::Nil || kind > FactKind::Keyword) return kind == FactKind::Never ? never() : any();
    return &kScalars[non_nil ? 1 : 0][static_cast<std::size_t>(kind) - static_cast<std::size_t>(FactKind::Nil)];
}

const Fact* Facts::text(const Texts* texts, bool non_nil) {
    if (!texts) return of(FactKind::String, non_nil);
    Fact fact = scalar(FactKind::String, non_nil);
    fact.texts = texts;
    const Fact* made = make(fact);
    return made->kind == FactKind::Any ? of(FactKind::String, non_nil) : made;
}

// ---- Memory

const Fact* Facts::make(Fact fact) {
    bytes_ += sizeof(Fact);
    if (bytes_ > kMaxBytes) return any();
    return new (arena_.allocate(sizeof(Fact), alignof(Fact))) Fact(fact);
}

std::span<FactPart> Facts::parts(std::size_t count) {
    bytes_ += count * sizeof(FactPart);
    if (bytes_ > kMaxBytes || count == 0) return {};
    auto* made = static_cast<FactPart*>(arena_.allocate(count * sizeof(FactPart), alignof(FactPart)));
    std::uninitialized_fill_n(made, count, FactPart{});
    return {made, count};
}

// ---- Making

const Fact* Facts::of_kinds(Kinds mask) {
    using namespace kinds;
    const bool non_nil = (mask & kNil) == 0;
    const auto is_only = [&](Kinds some) { return (mask & kNonNil & ~some) == 0; };
    if (is_only(0)) return nil();
    if (is_only(kBoolean)) return of(FactKind::Bool, non_nil);
    if (is_only(kNumber)) return of(FactKind::Numeric, non_nil);
    if (is_only(kText)) return of(FactKind::String, non_nil);
    if (is_only(kKeyword)) return of(FactKind::Keyword, non_nil);
    return any();
}

const Fact* Facts::container(FactKind kind, const Fact* item, bool non_nil) {
    Fact fact = scalar(kind, non_nil);
    fact.item = item;
    return make(fact);
}

const Fact* Facts::tuple(std::span<const Fact* const> elements) {
    if (elements.size() > kMaxTuple) {
        const Fact* item = elements[0];
        for (const Fact* element : elements.subspan(1))
            item = join(item, element);
        return list(item);
    }
    Fact fact = scalar(FactKind::Tuple, true);
    const std::span<FactPart> made = parts(elements.size());
    if (made.size() != elements.size()) return any();
    for (std::size_t i = 0; i < elements.size(); ++i)
        made[i] = {{}, elements[i]};
    fact.parts = made;
    return make(fact);
}

const Fact* Facts::record(std::span<const FactPart> fields, Origin origin, bool non_nil) {
    if (fields.size() > kMaxParts) return dict(any());
    Fact fact = scalar(FactKind::Record, non_nil);
    const std::span<FactPart> made = parts(fields.size());
    if (made.size() != fields.size()) return any();
    std::copy(fields.begin(), fields.end(), made.begin());
    fact.parts = made;
    fact.origin = origin;
    return make(fact);
}

const Fact* Facts::or_nil(const Fact* fact) {
    if (!fact->non_nil || fact->kind == FactKind::Never) return fact->kind == FactKind::Never ? nil() : fact;
    if (fact->texts) return text(fact->texts, false);
    if (fact->kind <= FactKind::Keyword) return of(fact->kind, false);
    Fact unsure = *fact;
    unsure.non_nil = false;
    return make(unsure);
}

const Fact* Facts::not_nil(const Fact* fact) {
    if (fact->kind == FactKind::Nil) return never();
    if (fact->non_nil || fact->kind == FactKind::Any) return fact;
    if (fact->texts) return text(fact->texts, true);
    if (fact->kind <= FactKind::Keyword) return of(fact->kind, true);
    Fact certain = *fact;
    certain.non_nil = true;
    return make(certain);
}

// ---- Joining

const Fact* Facts::join(const Fact* a, const Fact* b, std::uint32_t depth) {
    if (a == b || b->kind == FactKind::Never) return a;
    if (a->kind == FactKind::Never) return b;
    if (a->kind == FactKind::Any || b->kind == FactKind::Any) return any();
    if (a->kind == FactKind::Nil) return or_nil(b);
    if (b->kind == FactKind::Nil) return or_nil(a);
    if (depth > kMaxJoinDepth) return any();
    const bool non_nil = a->non_nil && b->non_nil;
    if (a->kind == FactKind::Tuple && b->kind == FactKind::Tuple && a->parts.size() == b->parts.size())
        return join_tuples(*a, *b, depth);
    const bool vectors = (a->kind == FactKind::List || a->kind == FactKind::Tuple) &&
                         (b->kind == FactKind::List || b->kind == FactKind::Tuple);
    if (vectors) return list(join(item_of(a), item_of(b), depth + 1), non_nil);
    if (a->kind != b->kind) return any();
    switch (a->kind) {
    case FactKind::Record: return join_records(*a, *b, depth);
    case FactKind::Dict:
    case FactKind::Set: return container(a->kind, join(a->item, b->item, depth + 1), non_nil);
    case FactKind::Function: return any();
    case FactKind::String: return text(a->texts == b->texts ? a->texts : nullptr, non_nil);
    default: return of(a->kind, non_nil);
    }
}

const Fact* Facts::join_tuples(const Fact& a, const Fact& b, std::uint32_t depth) {
    Fact fact = scalar(FactKind::Tuple, a.non_nil && b.non_nil);
    const std::span<FactPart> made = parts(a.parts.size());
    if (made.size() != a.parts.size()) return any();
    for (std::size_t i = 0; i < made.size(); ++i)
        made[i] = {{}, join(a.parts[i].fact, b.parts[i].fact, depth + 1)};
    fact.parts = made;
    return make(fact);
}

const Fact* Facts::join_records(const Fact& a, const Fact& b, std::uint32_t depth) {
    const std::size_t limit = a.origin.empty() ? kMaxDerived : kMaxParts;
    if (a.parts.size() > limit || b.parts.size() > limit) return dict(any());
    // Where `other` has the field, most often at the same place; or its size.
    const auto place = [](const Fact& other, std::string_view name, std::size_t hint) {
        if (hint < other.parts.size() && other.parts[hint].name == name) return hint;
        std::size_t i = 0;
        while (i < other.parts.size() && other.parts[i].name != name)
            ++i;
        return i;
    };
    std::size_t count = a.parts.size();
    for (std::size_t i = 0; i < b.parts.size(); ++i)
        count += place(a, b.parts[i].name, i) == a.parts.size() ? 1 : 0;
    if (count > limit) return dict(any());
    Fact fact = scalar(FactKind::Record, a.non_nil && b.non_nil);
    const std::span<FactPart> made = parts(count);
    if (made.size() != count) return any();
    std::size_t at = 0;
    for (; at < a.parts.size(); ++at) {
        const FactPart& part = a.parts[at];
        const std::size_t other = place(b, part.name, at);
        made[at] = {part.name,
                    other == b.parts.size() ? or_nil(part.fact) : join(part.fact, b.parts[other].fact, depth + 1)};
    }
    for (std::size_t i = 0; i < b.parts.size(); ++i) {
        if (place(a, b.parts[i].name, i) == a.parts.size()) made[at++] = {b.parts[i].name, or_nil(b.parts[i].fact)};
    }
    fact.parts = made;
    fact.origin = a.origin.empty() ? b.origin : a.origin;
    return make(fact);
}

// ---- Parts

const Fact* Facts::item_of(const Fact* coll) {
    switch (coll->kind) {
    case FactKind::List:
    case FactKind::Set: return coll->item;
    case FactKind::String: return of(FactKind::String, true);
    case FactKind::Dict: {
        const Fact* entry[2] = {any(), coll->item};
        return tuple(entry);
    }
    case FactKind::Tuple:
    case FactKind::Record: {
        const Fact* item = never();
        for (const FactPart& part : coll->parts)
            item = join(item, part.fact);
        if (item->kind == FactKind::Never) item = any(); // it has none
        if (coll->kind == FactKind::Tuple) return item;
        const Fact* entry[2] = {any(), item};
        Fact made = *tuple(entry);
        if (made.kind == FactKind::Tuple) made.entry_of = coll;
        return make(made);
    }
    default: return any();
    }
}

const Fact* Facts::element_of(const Fact* coll, std::size_t index) {
    if (coll->kind == FactKind::Tuple) return index < coll->parts.size() ? coll->parts[index].fact : nil();
    if (coll->kind == FactKind::List || coll->kind == FactKind::String) return or_nil(item_of(coll));
    return any();
}

const Fact* Facts::with_field(const Fact* record, std::string_view name, const Fact* value) {
    if (record->kind != FactKind::Record || record->parts.size() >= kMaxDerived) {
        return record->kind == FactKind::Record ? dict(any()) : any();
    }
    std::size_t at = 0;
    while (at < record->parts.size() && record->parts[at].name != name)
        ++at;
    // A write to what is there in another spelling (find) changes that field: nothing is known of either then.
    if (at == record->parts.size() && find(*record, name)) return dict(any());
    const std::span<FactPart> made = parts(std::max(at + 1, record->parts.size()));
    if (made.empty()) return any();
    std::copy(record->parts.begin(), record->parts.end(), made.begin());
    // A literal may have the keyword and the string of one text: which one is written is not known.
    made[at] = {name, at < record->parts.size() ? join(made[at].fact, value) : value};
    Fact fact = *record;
    fact.non_nil = true;
    fact.parts = made;
    return make(fact);
}

const Fact* Facts::merged(const Fact* a, const Fact* b) {
    if (a->kind != FactKind::Record || b->kind != FactKind::Record || b->parts.size() > kMaxDerived) return any();
    const Fact* result = a;
    for (const FactPart& part : b->parts) {
        // Where b or its field is nil it may be absent: then a's field stays.
        const FactPart* before = b->non_nil && part.fact->non_nil ? nullptr : find(*result, part.name);
        result = with_field(result, part.name, before ? join(before->fact, part.fact) : part.fact);
        if (result->kind != FactKind::Record) return result;
    }
    if (result->origin.empty() && !b->origin.empty()) {
        Fact from_outside = *result;
        from_outside.origin = b->origin;
        result = make(from_outside);
    }
    return result;
}

const FactPart* Facts::find(const Fact& record, std::string_view key) {
    const FactPart* close = nullptr;
    for (const FactPart& part : record.parts) {
        if (part.name == key) return &part;
        if (part.name.size() != key.size()) continue;
        if (finds(key, part.name) || (!record.origin.empty() && equal_folded(key, part.name))) close = &part;
    }
    return close;
}

} // namespace ptc

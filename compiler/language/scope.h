// Names while a program is analysed: bindings in scope, what a name turns out to be, and the program's own definitions.
// Scopes are linked lists and a form is looked at in the scope where it was written (Site), which is what makes
// inlining hygienic.
#pragma once
#include "compiler/language/tree.h"
#include "frontend/form.h"
#include <cstring>

namespace ptc {

struct CoreFunction;
struct Binding;
struct Lambda;
class KnownNames;

/// The last `count` bytes of a text as a number, the first of them on top; fewer than eight. Bytes are read in pieces
/// that overlap rather than one by one: most names are as short as that.
inline std::uint64_t last_bytes(const char* end, std::size_t count) {
    const char* first = end - count;
    if (count >= 4) {
        std::uint32_t high, low;
        std::memcpy(&high, first, 4);
        std::memcpy(&low, end - 4, 4);
        return std::uint64_t{__builtin_bswap32(high)} << (8 * (count - 4)) | __builtin_bswap32(low);
    }
    if (count == 0) return 0;
    const auto byte = [first](std::size_t i) { return std::uint64_t{static_cast<unsigned char>(first[i])}; };
    const std::size_t middle = count / 2, last = count - 1;
    return byte(0) << (8 * last) | byte(middle) << (8 * (last - middle)) | byte(last);
}

/// Names are hashed once a look-up; bindings and tables compare the hash before the text.
inline std::uint32_t name_hash(std::string_view name) {
    std::uint64_t h = name.size() * 0x9E3779B97F4A7C15;
    std::size_t i = 0;
    for (; i + 8 <= name.size(); i += 8) {
        std::uint64_t word;
        std::memcpy(&word, name.data() + i, 8);
        h = (h ^ word) * 0xD6E8FEB86659FD93;
        h ^= h >> 32;
    }
    h = (h ^ last_bytes(name.data() + name.size(), name.size() - i)) * 0xD6E8FEB86659FD93;
    return static_cast<std::uint32_t>(h ^ h >> 32);
}

/// Whether two names are the same. Without a call: most are short, and their hashes are equal already.
inline bool same_name(std::string_view a, std::string_view b) {
    if (a.size() != b.size()) return false;
    const char *x = a.data(), *y = b.data();
    std::size_t left = a.size();
    for (; left >= 8; left -= 8, x += 8, y += 8) {
        if (std::memcmp(x, y, 8) != 0) return false;
    }
    return last_bytes(x + left, left) == last_bytes(y + left, left);
}

/// Where a form was written. Forms of the core library carry no positions of the program: their nodes take the span of
/// the call that is being inlined.
struct Site {
    const Binding* scope = nullptr;
    bool core = false;
    bool in_short_fn = false; ///< inside of #(): another #() may not stand here
    Span span;
};

/// A form that stands for a parameter of an inlined function: looked at again, at its own site, wherever the parameter
/// is used. Only forms without work and effects are passed on like this: names of functions, scalars, function
/// literals.
struct Argument {
    const Form* form = nullptr;
    Site site;
    const Lambda* lambda = nullptr; ///< when it is a function literal, or a combinator such as (comp f g)
};

enum class BindingKind : std::uint8_t {
    Local,    ///< a variable of a frame
    Node,     ///< a parameter of an inlined function: a constant, or a node that is used once, in place
    Argument, ///< see above
    Self,     ///< the name of a named function literal, inside of it
};

/// One name in scope. Scopes are linked lists, so that the body of an inlined function literal can be analysed in the
/// scope where it was written while its caller's scope stays as it is. Every so many names there is an IndexedBinding,
/// at which a search ends.
struct Binding {
    static constexpr std::uint8_t kBetweenIndexes = 32;
    std::string_view name;
    std::uint32_t hash = 0;
    BindingKind kind = BindingKind::Local;
    std::uint8_t until_index = kBetweenIndexes; ///< bindings behind it that have none; 0: it is an IndexedBinding
    const Binding* outer = nullptr;
    union {
        Local* local = nullptr;
        const ptc::Node* node;
        const Argument* argument;
        Function* self;
    };
};

/// The names of a scope by their hash, two bits of it a step: what a name means, hidden ones left out. Immutable, as
/// scopes are: that of an inner scope shares most of its nodes.
struct ScopeIndex {
    const ScopeIndex* below[4] = {};
    const Binding* binding = nullptr;

    [[nodiscard]] static const Binding* find(const ScopeIndex* node, std::string_view name, std::uint32_t hash) {
        for (std::uint32_t bits = hash; node; node = node->below[bits & 3], bits >>= 2) {
            if (node->binding->hash == hash && same_name(node->binding->name, name)) return node->binding;
        }
        return nullptr;
    }
    /// `node` with `binding` in it, in front of one of the same name.
    [[nodiscard]] static const ScopeIndex* with(const ScopeIndex* node, const Binding* binding, Arena& arena) {
        const ScopeIndex* root = nullptr;
        const ScopeIndex** place = &root;
        for (std::uint32_t bits = binding->hash;; bits >>= 2) {
            auto* copy = new (arena.allocate(sizeof(ScopeIndex), alignof(ScopeIndex))) ScopeIndex;
            *place = copy;
            if (node) *copy = *node;
            const bool is_here =
                !node || (node->binding->hash == binding->hash && node->binding->name == binding->name);
            if (is_here) copy->binding = binding;
            if (is_here) return root;
            place = &copy->below[bits & 3];
            node = node->below[bits & 3];
        }
    }
};

struct IndexedBinding : Binding {
    const ScopeIndex* index = nullptr; ///< of itself and all further out
};

inline const Binding* find_binding(const Binding* scope, std::string_view name, std::uint32_t hash) {
    for (; scope; scope = scope->outer) {
        if (scope->hash == hash && same_name(scope->name, name)) return scope;
        if (scope->until_index == 0)
            return ScopeIndex::find(static_cast<const IndexedBinding*>(scope)->index, name, hash);
    }
    return nullptr;
}

/// One clause of a function literal, for a number of arguments. The one with `&` is the last.
struct FnClause {
    const Form* params = nullptr; ///< the vector, or null for #(): then `count` placeholders
    std::span<const Form> body;
    std::uint32_t count = 0; ///< parameters before `&`
    bool variadic = false;
    [[nodiscard]] bool accepts(std::size_t n) const { return variadic ? n >= count : n == count; }
};

/// A function literal taken apart.
struct Lambda {
    std::string_view name; ///< (fn name [..] ..)
    Span span;
    std::span<const FnClause> clauses;
    Site site; ///< where it was written
};

/// What the program defines, and what the session had defined before.
struct GlobalName {
    std::string_view name;
    std::uint32_t hash = 0;
    bool is_looked_at = false; ///< `laziness` is known
    std::uint8_t laziness = 0; ///< of its value, or of what it gives: compiler/analyze/endless.h
    bool in_session = false;
    bool is_absent = false;              ///< nothing has it: it was asked for
    bool by_need_in_session = false;     ///< there it is, or may give, a sequence by need
    bool is_sequence_in_session = false; ///< there it is one
    bool defined = false;                ///< by a definition above the form that is being analysed
    bool function = false;               ///< some definition makes it a function: bodies above may use it
    std::uint32_t definitions = 0;       ///< in the whole program
    Span first_definition;
    std::string_view doc;              ///< of the definition that was analysed last, as are
    std::span<const FnClause> clauses; ///< its parameters, when it is a function
    const Form* definition = nullptr;  ///< the newest one, wherever it stands
    const Form* top_level = nullptr;   ///< the definition, when it is a top-level form
    Function* known = nullptr;         ///< its function, the first arity, when calls may go there directly
};

/// A text that is a constant of the program, as keyword and as string; 0 until it is.
struct ConstantText {
    std::string_view name;
    std::uint32_t hash = 0;
    Bits keyword = 0;
    Bits string = 0;
};

/// Entries by name, open addressing, in an arena. Entries stay where they are.
template <class Entry> class NameTable {
public:
    explicit NameTable(Arena& arena) : arena_(arena) {}
    [[nodiscard]] Entry* find(std::string_view name, std::uint32_t hash) const {
        if (count_ == 0) return nullptr;
        for (std::uint32_t i = hash & mask_;; i = (i + 1) & mask_) {
            Entry* entry = slots_[i];
            if (!entry) return nullptr;
            if (entry->hash == hash && same_name(entry->name, name)) return entry;
        }
    }
    Entry& add(std::string_view name, std::uint32_t hash) {
        if (Entry* entry = find(name, hash)) return *entry;
        if ((count_ + 1) * 2 > capacity()) grow();
        auto* entry = new (arena_.allocate(sizeof(Entry), alignof(Entry))) Entry;
        entry->name = name;
        entry->hash = hash;
        place(entry);
        ++count_;
        return *entry;
    }
    [[nodiscard]] std::uint32_t size() const { return count_; }
    template <class Visit> void each(Visit visit) const {
        for (std::uint32_t i = 0; i < capacity(); ++i) {
            if (slots_[i]) visit(*slots_[i]);
        }
    }

private:
    [[nodiscard]] std::uint32_t capacity() const { return slots_ ? mask_ + 1 : 0; }
    void place(Entry* entry) {
        std::uint32_t i = entry->hash & mask_;
        while (slots_[i])
            i = (i + 1) & mask_;
        slots_[i] = entry;
    }
    void grow() {
        const std::uint32_t old_capacity = capacity();
        Entry** old = slots_;
        const std::uint32_t size = old_capacity ? old_capacity * 2 : 16;
        slots_ = static_cast<Entry**>(arena_.allocate(size * sizeof(Entry*), alignof(Entry*)));
        std::memset(slots_, 0, size * sizeof(Entry*));
        mask_ = size - 1;
        for (std::uint32_t i = 0; i < old_capacity; ++i) {
            if (old[i]) place(old[i]);
        }
    }
    Arena& arena_;
    Entry** slots_ = nullptr;
    std::uint32_t mask_ = 0;
    std::uint32_t count_ = 0;
};

/// The names of a program, and of what its session has those that were asked for.
class GlobalNames {
public:
    /// `session`: null when it has none. Both are borrowed.
    GlobalNames(Arena& arena, const KnownNames* session) : arena_(arena), session_(session), names_(arena) {}
    [[nodiscard]] GlobalName* find(std::string_view name, std::uint32_t hash) const {
        GlobalName* found = names_.find(name, hash);
        if (!found && session_) found = &look_up(name, hash);
        return found && !found->is_absent ? found : nullptr;
    }
    GlobalName& add(std::string_view name, std::uint32_t hash) {
        if (GlobalName* found = find(name, hash)) return *found;
        GlobalName& made = names_.add(name, hash);
        made.is_absent = false;
        ++own_;
        return made;
    }
    /// Those that the session does not have.
    [[nodiscard]] std::size_t own_count() const { return own_; }
    template <class Visit> void each(Visit visit) const {
        names_.each([&](GlobalName& name) {
            if (!name.is_absent) visit(name);
        });
    }

private:
    /// The entry of a name that was not asked for yet: of the session, or absent.
    GlobalName& look_up(std::string_view name, std::uint32_t hash) const;
    Arena& arena_;
    const KnownNames* session_;
    mutable NameTable<GlobalName> names_;
    std::size_t own_ = 0;
};

/// A plain name, as a pattern: binds one variable.
inline bool is_binding_name(const Form& pattern) {
    if (!pattern.is(FormKind::Symbol)) return false;
    const std::string_view name = pattern.text();
    return name != "&" && name.front() != '%' && name.front() != '.' &&
           (name.find('/') == std::string_view::npos || name == "/");
}

} // namespace ptc

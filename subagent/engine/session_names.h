// The names of a session, as the compiler of its next program asks for them.
#pragma once
#include "compiler/language/known_names.h"
#include "vm/namespace.h"
#include <string_view>
#include <unordered_set>
#include <vector>

namespace ptc {

/// The names that are bound in a namespace, which is borrowed: until the next definition.
class BoundNames final : public KnownNames {
public:
    explicit BoundNames(const Namespace& names) : names_(names) {}
    [[nodiscard]] bool has(std::string_view name) const override;
    /// Looks at each.
    [[nodiscard]] std::size_t size() const override;
    [[nodiscard]] std::vector<std::string_view> all() const override;

private:
    const Namespace& names_;
};

/// Those of `names` that are not among `others`; both are borrowed.
class NamesWithout final : public KnownNames {
public:
    NamesWithout(const KnownNames& names, const std::unordered_set<std::string_view>& others)
        : names_(names), others_(others) {}
    [[nodiscard]] bool has(std::string_view name) const override { return !others_.contains(name) && names_.has(name); }
    [[nodiscard]] std::size_t size() const override;
    [[nodiscard]] std::vector<std::string_view> all() const override;

private:
    const KnownNames& names_;
    const std::unordered_set<std::string_view>& others_;
};

/// Views into the namespace: until the next definition.
struct SessionNames {
    const KnownNames* bound = nullptr; ///< borrowed; null: none
    /// Those that are sequences by need.
    std::vector<std::string_view> sequences{};
    /// These, and those that may give one: functions that make some, and functions that use one of these names. To name
    /// too many costs what asking costs when programs run.
    std::vector<std::string_view> by_need{};
    /// What earlier programs have declared (compiler/language/declarations.h), and whether that is remembered.
    std::string_view declarations{};
    bool are_of_session = false;
};

/// `bound` names the same namespace.
SessionNames names_of(const Namespace& names, const BoundNames& bound);
/// Of these the declarations alone.
std::string_view declarations_of(const Namespace& names);

} // namespace ptc

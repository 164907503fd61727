// The names that a session has, as the compiler of its next program asks for them. A session may have thousands, and a
// program names few: so a name is asked for when it is met.
#pragma once
#include <cstddef>
#include <span>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace ptc {

/// Borrowed for the compilation, as what it gives is.
class KnownNames {
public:
    virtual ~KnownNames() = default;
    [[nodiscard]] virtual bool has(std::string_view name) const = 0;
    [[nodiscard]] virtual std::size_t size() const = 0;
    /// Looks at each of them: for messages.
    [[nodiscard]] virtual std::vector<std::string_view> all() const = 0;
};

/// Those of a list, whose texts are borrowed.
class ListedNames final : public KnownNames {
public:
    explicit ListedNames(std::span<const std::string_view> names) : names_(names.begin(), names.end()) {}
    [[nodiscard]] bool has(std::string_view name) const override { return names_.contains(name); }
    [[nodiscard]] std::size_t size() const override { return names_.size(); }
    [[nodiscard]] std::vector<std::string_view> all() const override { return {names_.begin(), names_.end()}; }

private:
    std::unordered_set<std::string_view> names_;
};

} // namespace ptc

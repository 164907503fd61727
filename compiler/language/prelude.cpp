#include "compiler/language/prelude.h"
#include <algorithm>

namespace ptc {

std::string_view effect_name(PreludeEffect effect) {
    switch (effect) {
    case PreludeEffect::Unknown: return "unknown";
    case PreludeEffect::Read: return "read";
    case PreludeEffect::Write: return "write";
    }
    return "unknown";
}

std::size_t namespace_end(std::string_view name) {
    const std::size_t slash = name.find('/');
    if (slash == std::string_view::npos || slash == 0 || slash + 1 == name.size()) return std::string_view::npos;
    return slash;
}

const PreludeNamespace* Prelude::find_namespace(std::string_view name) const {
    const auto at = std::ranges::lower_bound(namespaces_, name, {}, &PreludeNamespace::name);
    return at != namespaces_.end() && at->name == name ? &*at : nullptr;
}

const PreludeMember* Prelude::find(std::string_view qualified) const {
    const auto at = by_name_.find(qualified);
    return at == by_name_.end() ? nullptr : at->second;
}

bool Prelude::protects(std::string_view name) const {
    const std::size_t end = namespace_end(name);
    return end != std::string_view::npos && find_namespace(name.substr(0, end));
}

std::string_view Prelude::add(std::string name, std::string doc, std::vector<PreludeMember> members,
                              std::vector<std::shared_ptr<const Program>> programs, std::shared_ptr<const void> owned) {
    const std::string_view space = names_.emplace_back(name);
    PreludeNamespace made{std::move(name), std::move(doc), {}};
    for (PreludeMember& member : members) {
        const PreludeMember& kept = members_.emplace_back(std::move(member));
        members_.back().space = space;
        by_name_.emplace(kept.name, &kept);
        if (kept.is_public) made.exports.push_back(&kept);
    }
    std::ranges::sort(made.exports, {}, &PreludeMember::name);
    namespaces_.insert(std::ranges::lower_bound(namespaces_, made.name, {}, &PreludeNamespace::name), std::move(made));
    std::ranges::move(programs, std::back_inserter(programs_));
    owned_.push_back(std::move(owned));
    return space;
}

} // namespace ptc

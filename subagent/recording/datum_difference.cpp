#include "subagent/recording/datum_difference.h"
#include "frontend/utf8.h"
#include "subagent/agent/firewall.h"
#include <algorithm>
#include <unordered_map>

namespace ptc {
namespace {

constexpr std::size_t kBefore = 40;
constexpr std::size_t kShown = 160;
constexpr const char* kNothing = "nothing";

/// Part of a JSON text that has the byte at `offset`.
std::string cut_around(const std::string& json, std::size_t offset) {
    if (json.size() <= kShown) return json;
    std::size_t begin = offset > kBefore ? offset - kBefore : 0;
    while (begin < json.size() && utf8::is_continuation(static_cast<unsigned char>(json[begin])))
        ++begin;
    const std::string_view rest = std::string_view(json).substr(begin);
    const std::string_view shown = utf8::prefix(rest, kShown);
    return (begin > 0 ? "…" : "") + std::string(shown) +
           (shown.size() < rest.size() ? "… (" + std::to_string(json.size()) + " bytes)" : "");
}

class Comparison {
public:
    explicit Comparison(const std::function<bool(std::string_view)>& is_ignored) : is_ignored_(is_ignored) {}

    std::optional<DatumDifference> compare(const std::string& path, const Datum* a, const Datum* b, bool is_secret) {
        if (a && b && a->map() && b->map()) return compare_maps(path, *a, *b, is_secret);
        if (a && b && a->list() && b->list()) return compare_lists(path, *a->list(), *b->list(), is_secret);
        if (a && b && *a == *b) return std::nullopt;
        if (is_secret) return DatumDifference{path, "(firewalled)", "(firewalled)"};
        const std::string left = a ? a->to_json() : kNothing;
        const std::string right = b ? b->to_json() : kNothing;
        const auto offset = static_cast<std::size_t>(std::ranges::mismatch(left, right).in1 - left.begin());
        return DatumDifference{path, cut_around(left, offset), cut_around(right, offset)};
    }

private:
    std::optional<DatumDifference> compare_maps(const std::string& path, const Datum& a, const Datum& b,
                                                bool is_secret) {
        std::unordered_map<std::string_view, const Datum*> left, right;
        for (const auto& [key, value] : *a.map())
            left.emplace(key_name(key), &value);
        for (const auto& [key, value] : *b.map())
            right.emplace(key_name(key), &value);
        const auto look = [&](std::string_view name, const Datum* in_a, const Datum* in_b) {
            if (is_ignored_ && is_ignored_(name)) return std::optional<DatumDifference>();
            return compare((path.empty() ? "" : path + ".") + std::string(name), in_a, in_b,
                           is_secret || name.starts_with('_'));
        };
        for (const auto& [key, value] : *a.map()) {
            const auto found = right.find(key_name(key));
            if (auto parts = look(key_name(key), &value, found == right.end() ? nullptr : found->second)) return parts;
        }
        for (const auto& [key, value] : *b.map()) {
            if (left.contains(key_name(key))) continue;
            if (auto parts = look(key_name(key), nullptr, &value)) return parts;
        }
        return std::nullopt;
    }

    std::optional<DatumDifference> compare_lists(const std::string& path, const Datum::List& a, const Datum::List& b,
                                                 bool is_secret) {
        for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
            const Datum* left = i < a.size() ? &a[i] : nullptr;
            const Datum* right = i < b.size() ? &b[i] : nullptr;
            if (auto found = compare(path + "[" + std::to_string(i) + "]", left, right, is_secret)) return found;
        }
        return std::nullopt;
    }

    const std::function<bool(std::string_view)>& is_ignored_;
};

} // namespace

std::optional<DatumDifference> first_difference(const Datum& a, const Datum& b,
                                                const std::function<bool(std::string_view member)>& is_ignored) {
    return Comparison(is_ignored).compare("", &a, &b, false);
}

} // namespace ptc

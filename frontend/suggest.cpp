// Names near to one that does not exist. Two ways of being near count. Names that differ only in case and in marks that
// people leave out are one name, whatever their length; else the distance is that of typing errors (a letter too many,
// too few, another one, two swapped), of which a longer name may hold more. Only three rows of the table of distances
// are kept, and names beyond a fixed length are only compared.
#include "frontend/suggest.h"
#include "frontend/quoted.h"
#include "frontend/work.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace ptc {
namespace {

constexpr std::size_t kMaxBytes = 64;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

/// Name without case and the marks that people leave out: `Sort_By`, `sortBy` and `sort-by` are one.
std::string skeleton(std::string_view name) {
    std::string bare;
    for (const char c : name) {
        if (c != '-' && c != '_' && c != '?' && c != '!') bare += lower(c);
    }
    return bare;
}

std::string_view last_part(std::string_view name) {
    const std::size_t slash = name.rfind('/');
    return slash == name.npos || slash + 1 == name.size() ? name : name.substr(slash + 1);
}

/// Typing errors that a name of this length may hold and still be recognised.
std::size_t tolerance(std::size_t length) { return length <= 2 ? 1 : length <= 5 ? 2 : 3; }

struct Ranked {
    std::size_t distance;
    std::size_t length_difference;
    bool lacks_only; ///< letters are missing or too many, none are other ones
    std::string_view name;
};

/// Whether `name` is `candidate` without some of its letters.
bool lacks_only(std::string_view name, std::string_view candidate) {
    std::size_t at = 0;
    for (const char c : candidate)
        at += at < name.size() && lower(name[at]) == lower(c) ? 1 : 0;
    return at == name.size();
}

/// Distance in half steps, so that a difference in case or marks is nearer than any typing error; `limit` + 1 means
/// far.
std::size_t half_distance(std::string_view name, std::string_view candidate, std::size_t limit) {
    if (name == candidate) return 0;
    const std::string bare = skeleton(name);
    if (!bare.empty() && bare == skeleton(candidate)) return 1;
    const std::string_view own = last_part(name);
    const std::string_view other = last_part(candidate);
    if (own.size() >= 2 && (own.size() < name.size() || other.size() < candidate.size()) && own == other) return 2;
    return std::min(edit_distance(name, candidate, limit), limit + 1) * 2;
}

} // namespace

std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit) {
    if (a.size() > kMaxBytes || b.size() > kMaxBytes) return a == b ? 0 : limit + 1;
    const std::size_t gap = a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
    if (gap > limit) return limit + 1;
    using Row = std::array<std::uint8_t, kMaxBytes + 1>;
    std::array<Row, 3> rows{};
    Row* before = &rows[0]; // row i - 2, for swapped neighbours
    Row* above = &rows[1];
    Row* current = &rows[2];
    // Only cells near the diagonal can be within the limit: those of a row from `low` to `high`, far ones beside them.
    limit = std::min(limit, kMaxBytes);
    const auto far = static_cast<std::uint8_t>(limit + 1);
    for (std::size_t j = 0; j <= std::min(limit + 1, b.size()); ++j)
        (*above)[j] = static_cast<std::uint8_t>(j);
    for (std::size_t i = 1; i <= a.size(); ++i) {
        const std::size_t low = i > limit ? i - limit : 1, high = std::min(i + limit, b.size());
        (*current)[low - 1] = low == 1 ? static_cast<std::uint8_t>(i) : far;
        std::uint8_t least = (*current)[low - 1];
        for (std::size_t j = low; j <= high; ++j) {
            const int change = lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1;
            int best = std::min({(*above)[j] + 1, (*current)[j - 1] + 1, (*above)[j - 1] + change});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                best = std::min(best, (*before)[j - 2] + 1);
            (*current)[j] = static_cast<std::uint8_t>(best);
            least = std::min(least, (*current)[j]);
        }
        if (high < b.size()) (*current)[high + 1] = far;
        if (least > limit) return limit + 1;
        std::swap(before, above);
        std::swap(above, current);
    }
    return (*above)[b.size()];
}

std::vector<std::string> suggest(std::string_view name, std::span<const std::string_view> candidates, std::size_t max) {
    if (name.empty() || name.size() > kMaxBytes) return {};
    const std::size_t limit = tolerance(name.size());
    constexpr std::size_t kWorkPerLetter = 2;
    std::vector<Ranked> near;
    for (const std::string_view candidate : candidates) {
        if (candidate.empty() || candidate.size() > kMaxBytes) continue;
        if (!work::charge(kWorkPerLetter * (name.size() + candidate.size()))) return {};
        const std::size_t distance = half_distance(name, candidate, limit);
        // Half of a short name wrong makes it another name.
        if (distance > limit * 2 || distance > candidate.size() + 1 || distance >= name.size() * 2) continue;
        const std::size_t gap =
            candidate.size() > name.size() ? candidate.size() - name.size() : name.size() - candidate.size();
        const bool is_qualified = name.find('/') != name.npos || candidate.find('/') != candidate.npos;
        near.push_back(
            {distance, gap, !is_qualified && (lacks_only(name, candidate) || lacks_only(candidate, name)), candidate});
    }
    const auto nearer = [](const Ranked& a, const Ranked& b) {
        if (a.distance != b.distance) return a.distance < b.distance;
        if (a.lacks_only != b.lacks_only) return a.lacks_only;
        if (a.length_difference != b.length_difference) return a.length_difference < b.length_difference;
        return a.name < b.name;
    };
    std::sort(near.begin(), near.end(), nearer);
    std::vector<std::string> names;
    for (const Ranked& ranked : near) {
        if (names.size() == max) break;
        if (names.empty() || names.back() != ranked.name) names.emplace_back(ranked.name);
    }
    return names;
}

std::string did_you_mean(std::span<const std::string> names) {
    if (names.empty()) return {};
    std::string text = "Did you mean ";
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
        text += quoted(names[i]);
    }
    return text + "?";
}

} // namespace ptc

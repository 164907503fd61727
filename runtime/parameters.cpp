// What a parameter takes follows from its name in the usage text: `n` is a number, `coll` a collection, `f` is called.
// So a usage says it once, in words that people read as well. A test refuses usages with a name that this table does
// not have.
#include "runtime/parameters.h"

#include <algorithm>
#include <iterator>

namespace ptc {
namespace {

using namespace kinds;

struct Parameter {
    std::string_view name;
    Kinds takes;
};

// Sorted by name.
constexpr Parameter kParameters[] = {
    {"a", kAny},
    {"adjuster", kAny},
    {"args", kAny},
    {"b", kAny},
    {"branch?", kCallable},
    {"bytes", kAny},
    {"c", kAny},
    {"c1", kItems},
    {"c2", kItems},
    {"c3", kItems},
    {"caps", kAny},
    {"cause", kAny},
    {"cf", kCallable},
    {"charset", kAny},
    {"child", kAny},
    {"children", kCallable},
    {"class", kAny},
    {"coll", kItems},
    {"coll1", kItems},
    {"coll2", kItems},
    {"colls", kItems},
    {"comparator", kFunction},
    {"date", kAny},
    {"day", kAny},
    {"default", kAny},
    {"depth", kAny},
    {"descending?", kAny},
    {"duration", kAny},
    {"end", kNumber},
    {"end-date", kAny},
    {"entry", kVector},
    {"expected", kAny},
    {"f", kCallable},
    {"field", kAny},
    {"fmt", kText},
    {"form", kAny},
    {"formatter", kAny},
    {"from", kItems},
    {"fs", kCallable},
    {"g", kCallable},
    {"group", kAny},
    {"groups", kAny},
    {"h", kCallable},
    {"hierarchy", kMap},
    {"hour", kAny},
    {"i", kAny},
    {"id", kAny},
    {"index", kNumber},
    {"init", kAny},
    {"inner", kCallable},
    {"instant", kAny},
    {"item", kAny},
    {"items", kAny},
    {"k", kAny},
    {"k1", kAny},
    {"k2", kAny},
    {"key", kAny},
    {"key-fn", kAny},
    {"keys", kVector | kSet},
    {"kinds", kAny},
    {"kmap", kMap},
    {"ks", kVector | kSet},
    {"kvs", kAny},
    {"limit", kNumber},
    {"loc", kMap},
    {"locale", kAny},
    {"m", kMap | kNil},
    {"make-node", kCallable},
    {"map", kMap | kNil},
    {"maps", kMap | kNil},
    {"match", kText | kRegex},
    {"message", kAny},
    {"minute", kAny},
    {"mode", kAny},
    {"month", kAny},
    {"more", kAny},
    {"most", kAny},
    {"n", kNumber},
    {"name", kAny},
    {"names", kAny},
    {"namespace", kAny},
    {"nano", kAny},
    {"nested", kAny},
    {"numbers", kAny},
    {"offset", kAny},
    {"options", kAny},
    {"out", kAny},
    {"outer", kCallable},
    {"p", kCallable},
    {"pad", kAny},
    {"parent", kAny},
    {"part", kText},
    {"parts", kAny},
    {"path", kVector},
    {"period", kAny},
    {"position", kAny},
    {"pred", kCallable},
    {"prefix", kText},
    {"present", kAny},
    {"q", kCallable},
    {"radix", kAny},
    {"re", kRegex | kText},
    {"replacement", kAny},
    {"replacements", kAny},
    {"rest", kAny},
    {"result", kAny},
    {"rf", kCallable},
    {"root", kAny},
    {"rows", kAny},
    {"rows1", kAny},
    {"rows2", kAny},
    {"s", kText | kNil},
    {"s1", kAny},
    {"s2", kAny},
    {"scale", kNumber},
    {"second", kAny},
    {"separator", kText},
    {"set", kSet},
    {"sets", kSet},
    {"smap", kAny},
    {"start", kNumber},
    {"step", kNumber},
    {"style", kAny},
    {"suffix", kText},
    {"summary", kAny},
    {"test", kCallable},
    {"test1", kCallable},
    {"test2", kCallable},
    {"text", kAny},
    {"time", kAny},
    {"to", kAny},
    {"total", kAny},
    {"unit", kAny},
    {"v", kVector},
    {"v1", kAny},
    {"v2", kAny},
    {"vals", kAny},
    {"value", kAny},
    {"values", kAny},
    {"who", kAny},
    {"x", kAny},
    {"xform", kCallable},
    {"xform2", kCallable},
    {"xs", kAny},
    {"y", kAny},
    {"year", kAny},
    {"zone", kAny},
};

constexpr bool before(const Parameter& a, const Parameter& b) { return a.name < b.name; }
static_assert(std::is_sorted(std::begin(kParameters), std::end(kParameters), before));

} // namespace

std::optional<Kinds> kinds_of_parameter(std::string_view name) {
    const auto* const at = std::lower_bound(std::begin(kParameters), std::end(kParameters), Parameter{name, 0}, before);
    if (at == std::end(kParameters) || at->name != name) return std::nullopt;
    return at->takes;
}

bool takes_test(std::string_view usage) {
    const std::string_view first = usage.substr(std::min(usage.find(' '), usage.size()));
    return first.starts_with(" pred ") || first.starts_with(" pred)");
}

} // namespace ptc

#include "compiler/language/java_classes.h"
#include <algorithm>
#include <iterator>

namespace ptc {
namespace {

struct Row {
    std::string_view name, test;
};
constexpr Row kRows[] = {
#define PTC_CLASS(name, test) {name, test},
#include "compiler/language/java_classes.def"
};
static_assert(std::is_sorted(std::begin(kRows), std::end(kRows),
                             [](const Row& a, const Row& b) { return a.name < b.name; }));

} // namespace

std::string_view class_test(std::string_view name) {
    const std::string_view plain = name.substr(name.rfind('.') + 1);
    const auto* const row = std::lower_bound(std::begin(kRows), std::end(kRows), plain,
                                             [](const Row& a, std::string_view b) { return a.name < b; });
    return row != std::end(kRows) && row->name == plain ? row->test : std::string_view();
}

} // namespace ptc

#include "frontend/format/format_style.h"

namespace ptc {
namespace {

struct Row {
    std::string_view name;
    FormStyle style;
};

constexpr FormStyle kBindings{FormStyle::Body, 1, true};

constexpr Row kStyles[] = {
    {"let", kBindings},
    {"loop", kBindings},
    {"for", kBindings},
    {"doseq", kBindings},
    {"if-let", kBindings},
    {"when-let", kBindings},
    {"if-some", kBindings},
    {"when-some", kBindings},
    {"when-first", kBindings},
    {"if", {FormStyle::Body, 1}},
    {"if-not", {FormStyle::Body, 1}},
    {"when", {FormStyle::Body, 1}},
    {"when-not", {FormStyle::Body, 1}},
    {"do", {FormStyle::Body, 0}},
    {"fold%", {FormStyle::Body, 1}},
    {"update%", {FormStyle::Body, 1}},
    {"as->", {FormStyle::Body, 2}},
    {"comment", {FormStyle::LooseBody, 0}},
    {"def", {FormStyle::LooseBody, 1}},
    {"defonce", {FormStyle::LooseBody, 1}},
    {"task", {FormStyle::LooseBody, 1}},
    {"defn", {FormStyle::Function}},
    {"defn-", {FormStyle::Function}}, // of preludes, as `ns`
    {"ns", {FormStyle::LooseBody, 1}},
    {"fn", {FormStyle::Function}},
    {"cond", {FormStyle::Pairs, 0}},
    {"case", {FormStyle::Pairs, 1}},
    {"condp", {FormStyle::Pairs, 2}},
    {"cond->", {FormStyle::Pairs, 1}},
    {"cond->>", {FormStyle::Pairs, 1}},
    {"assoc", {FormStyle::CallPairs, 1}},
    {"hash-map", {FormStyle::CallPairs, 0}},
    {"->", {FormStyle::Steps}},
    {"->>", {FormStyle::Steps}},
    {"some->", {FormStyle::Steps}},
    {"some->>", {FormStyle::Steps}},
};

} // namespace

FormStyle style_of(std::string_view name) {
    for (const Row& row : kStyles) {
        if (row.name == name) return row.style;
    }
    return {};
}

} // namespace ptc

#include "compiler/language/special_forms.h"
#include "compiler/language/name_index.h"
#include <iterator>

namespace ptc {
namespace {

using namespace form_columns;

constexpr SpecialForm kSpecialForms[] = {
#define PTC_SPECIAL_FORM(name, handler, check, shadowing, ...) {name, SpecialForm::shadowing, __VA_ARGS__},
#include "compiler/language/special_forms.def"
};

constexpr NameIndex<std::size(kSpecialForms)> kRowsByName([](std::size_t row) {
    return std::string_view(kSpecialForms[row].name);
});

} // namespace

std::span<const SpecialForm> special_forms() { return kSpecialForms; }

const SpecialForm* special_form_of(std::string_view name) {
    const std::size_t row = kRowsByName.find(name);
    return row < std::size(kSpecialForms) ? &kSpecialForms[row] : nullptr;
}

bool binds_pairs(std::string_view name) {
    if (name == "let*") return true; // of other Lisps
    const SpecialForm* form = special_form_of(name);
    return form && form->style.binds;
}

bool is_tail(Tails tails, std::size_t index, std::size_t size) {
    const bool is_last = index + 1 == size;
    switch (tails.shape) {
    case Tails::None: return false;
    case Tails::Last:
    case Tails::Guarded: return is_last && index >= tails.first;
    case Tails::From: return index >= tails.first;
    case Tails::Results:
        return index >= tails.first ? is_last || (index - tails.first) % 2 == 0
                                    : is_last && index + 1 == tails.first && index > 1;
    }
    return false;
}

} // namespace ptc

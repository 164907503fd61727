// When two forms are written alike: what a Clojure reader would call the same key. The order in maps and sets does not
// count. Two functions or regexes never are the same.
#pragma once
#include "frontend/form.h"
#include <vector>

namespace ptc {

bool same_form(const Form& a, const Form& b);
/// Equal for forms that are the same. Charges each form in it to the thread's work::Scope; when that is over it is any
/// number.
std::uint64_t form_hash(const Form& form);

/// Forms, of which it finds those that are the same. Borrows them.
class SameForms {
public:
    explicit SameForms(std::size_t most); ///< so many will be added
    /// The last one before that is the same; null for none.
    const Form* add(const Form& form);

private:
    struct Slot {
        std::uint64_t hash = 0;
        const Form* form = nullptr;
    };
    std::vector<Slot> slots_; ///< a power of two, half of them free
};

} // namespace ptc

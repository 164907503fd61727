#include "compiler/repair/call_site.h"
#include <algorithm>

namespace ptc::repair {

bool is_threading(std::string_view head) {
    const SpecialForm* special = special_form_of(head);
    return special && special->head && special->head->shape == KnownHead::Threading && head != "as->";
}

bool is_step(const Place& place, bool* passes_last) {
    const Form* list = place.around();
    if (!list || !is_call(*list) || !list->items()[0].is(FormKind::Symbol)) return false;
    const std::string_view head = list->items()[0].text();
    if (!is_threading(head)) return false;
    const std::size_t index = place.index();
    const bool is_conditional = head.starts_with("cond");
    if (is_conditional ? index < 3 || index % 2 == 0 : index < 2) return false;
    *passes_last = head.ends_with("->>");
    return true;
}

std::optional<CallSite> call_at(const Place& place) {
    if (place.empty()) return std::nullopt;
    CallSite call;
    call.whole = &place.form();
    bool last = false;
    if (is_step(place, &last)) {
        call.thread = place.around();
        call.passes_last = last;
    }
    if (is_call(place.form())) {
        call.head = &place.form().items()[0];
        for (const Form& argument : place.form().items().subspan(1))
            call.arguments.append(&argument);
    } else if (call.thread && (place.form().is(FormKind::Symbol) || place.form().is(FormKind::Keyword))) {
        call.head = call.whole;
    } else {
        return std::nullopt;
    }
    if (call.thread && last) call.arguments.append(nullptr);
    if (call.thread && !last) call.arguments.prepend(nullptr);
    return call;
}

std::optional<CallSite> call_of_head(const Place& place) {
    if (place.around() && is_call(*place.around()) && place.index() == 0) return call_at(place.outer());
    bool last = false;
    if (is_step(place, &last)) return call_at(place);
    return std::nullopt;
}

const Form* threaded_value(const CallSite& call) {
    if (!call.thread) return nullptr;
    const FormSpan items = call.thread->items();
    const auto at = static_cast<std::size_t>(call.whole - items.data());
    if (items[0].text().starts_with("cond")) return at == 3 ? &items[1] : &items[at - 2];
    return &items[at - 1];
}

} // namespace ptc::repair

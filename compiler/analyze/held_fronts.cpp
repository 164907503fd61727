#include "compiler/analyze/held_fronts.h"
#include "compiler/analyze/analysis.h"
#include "compiler/analyze/endless.h"
#include <algorithm>

namespace ptc {
namespace {

constexpr std::uint32_t kMostForms = 32; ///< that are searched: a test is short

/// Finds (first s), (empty? s) .. in what is computed in any case.
class FrontSearch {
public:
    explicit FrontSearch(Analyzer& a) : a_(a) {}

    /// The name of a local that is not held yet; null: there is none, or something else is computed before.
    const Form* in(const Form& form) {
        const Form* found = nullptr;
        (void)goes_on(form, found);
        return found;
    }

private:
    /// Finds a look in a form, or whether what comes behind the form may be looked at: nothing in it does anything but
    /// look at fronts that are held.
    bool goes_on(const Form& form, const Form*& found) {
        if (form.kind < FormKind::List) return true;
        if (left_ == 0 || !form.is(FormKind::List) || form.size < 2 || !form.items()[0].is(FormKind::Symbol))
            return false;
        --left_;
        const std::string_view head = form.items()[0].text();
        if (a_.names.is_own(head)) return false;
        if (form.size == 2 && looks_at_front(head) && form.items()[1].is(FormKind::Symbol)) {
            if (is_unheld(form.items()[1])) found = &form.items()[1];
            return is_held(form.items()[1]);
        }
        const CoreName* name = a_.core.lookup(head, name_hash(head));
        if (!name) return false;
        const bool is_shortcut = head == "and" || head == "or" || head == "if" || head == "when";
        if (name->special >= 0 && !is_shortcut) return false;
        for (const Form& part : form.items().subspan(1, is_shortcut ? 1 : form.size - 1)) {
            if (!goes_on(part, found)) return false;
        }
        return false; // the call itself comes now
    }

    static bool looks_at_front(std::string_view head) {
        constexpr std::string_view kLooks[] = {"first", "rest", "next", "empty?", "seq", "second"};
        return std::ranges::find(kLooks, head) != std::end(kLooks);
    }
    [[nodiscard]] const Local* local(const Form& symbol) const {
        const std::string_view name = symbol.text();
        const Binding* found = find_binding(a_.at.site.scope, name, name_hash(name));
        return found && found->kind == BindingKind::Local ? found->local : nullptr;
    }
    [[nodiscard]] bool is_held(const Form& symbol) const {
        const Local* found = local(symbol);
        return found && found->has_front;
    }
    [[nodiscard]] bool is_unheld(const Form& symbol) const {
        const Local* found = local(symbol);
        return found && !found->has_front && laziness_of(a_, symbol) != Laziness::None;
    }

    Analyzer& a_;
    std::uint32_t left_ = kMostForms;
};

} // namespace

bool has_fronts(Analyzer& a, const Form& form) {
    return a.names.has_lazy() && !a.at.site.core && FrontSearch(a).in(form);
}

void hold_fronts(Analyzer& a, const Form& form, Let& let) {
    if (!a.names.has_lazy() || a.at.site.core) return;
    while (const Form* name = FrontSearch(a).in(form)) {
        const Laziness laziness = laziness_of(a, *name);
        Form* call = a.nodes.allocate<Form>(2);
        std::construct_at(&call[0], hidden_name(" with-front%", name->span));
        std::construct_at(&call[1], *name);
        Local* held = let.temporary(a.analyze(call_of({call, 2}, name->span), kValue));
        held->laziness = static_cast<std::uint8_t>(laziness);
        held->has_front = true;
        a.names.bind(name->text(), held);
    }
}

HeldFronts::HeldFronts(Analyzer& a, const Form& form) : a_(a), scope_(a.at.site.scope), let_(a.nodes) {
    hold_fronts(a, form, let_);
}

HeldFronts::~HeldFronts() { a_.at.site.scope = scope_; }

Node* HeldFronts::finish(Node* node, Span span, Tail tail) { return let_.finish(node, span, tail); }

} // namespace ptc

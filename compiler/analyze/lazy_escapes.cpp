// Whether sequences that are computed by need may get anywhere in a program.
//
// One walk over the text, before the analysis. A call that makes such a sequence, or hands one on (map, filter, rest),
// has to be an argument of a call that reads one and gives none. Bound to a name, given to a function of the program or
// to a special form, or put into a collection, it may be anywhere. So it may where a function that makes one is used as
// a value, or is called by a form that adds an argument to it, and where the name of a function on which all this rests
// is used as anything but the head of a call: it may be bound to something else there. To say yes is always right, and
// costs what asking costs.
#include "compiler/analyze/lazy_escapes.h"
#include "compiler/analyze/endless.h"
#include "compiler/analyze/names.h"
#include "compiler/language/core_library.h"
#include "frontend/work.h"
#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace ptc {
namespace {

class EscapeSearch {
public:
    EscapeSearch(const Names& names, const CoreLibrary& core) : names_(names), core_(core) {}

    bool escapes(FormSpan top_level) {
        visit_all(top_level);
        return escaped_ || std::any_of(relied_on_.begin(), relied_on_.end(),
                                       [&](std::string_view name) { return other_uses_.contains(name); });
    }

private:
    /// Forms whose values go where nothing is known of.
    void visit_all(FormSpan forms) {
        for (const Form& form : forms)
            escaped_ = visit(form) || escaped_;
    }

    /// Whether the form is a sequence by need, which whoever asks takes care of.
    bool visit(const Form& form) {
        if (escaped_ || !work::charge(1)) return escaped_ = true;
        if (form.is(FormKind::Symbol) || form.is(FormKind::Var)) {
            note_use(form.text());
            return false;
        }
        if (form.kind < FormKind::List || form.size == 0) return false;
        const FormSpan parts = form.items();
        if (form.is(FormKind::Map)) note_pattern(parts);
        const bool is_list = form.is(FormKind::List) || form.is(FormKind::ShortFn);
        if (!is_list || !parts[0].is(FormKind::Symbol)) {
            visit_all(parts);
            return false;
        }
        const bool is_by_need = visit_call(parts);
        if (form.is(FormKind::List)) return is_by_need;
        escaped_ = escaped_ || is_by_need; // a short function gives it
        return false;
    }

    bool visit_call(FormSpan parts) {
        const std::string_view head = parts[0].text();
        if (head == "->" || head == "->>") return visit_thread(parts, head == "->>");
        if (head == "let" && parts.size() > 1 && parts[1].is(FormKind::Vector)) {
            visit_bindings(parts[1].items());
            visit_all(parts.subspan(2));
            return false;
        }
        if (defines_name(parts)) other_uses_.insert(head);
        if (is_step_of_maker(head, parts.size())) escaped_ = true;
        std::vector<bool> by_need;
        for (const Form& argument : parts.subspan(1))
            by_need.push_back(visit_argument(head, argument));
        return call(head, by_need);
    }

    /// (map first xs) binds no name; (fn first [xs] ..) and (catch Exception first ..) do.
    bool visit_argument(std::string_view head, const Form& argument) {
        const CoreName* name = core_.lookup(head, name_hash(head));
        const bool is_bound = (name && name->special >= 0) || head == "catch";
        if (is_bound || !argument.is(FormKind::Symbol)) return visit(argument);
        note_value(argument.text());
        return false;
    }

    /// (let [[a b] (iterate f x)] ..) takes two items there and keeps no more of the sequence.
    void visit_bindings(FormSpan bindings) {
        for (std::size_t i = 0; i < bindings.size(); ++i) {
            const bool is_by_need = visit(bindings[i]);
            const bool is_taken_apart = i % 2 == 1 && takes_items(bindings[i - 1]);
            escaped_ = escaped_ || (is_by_need && !is_taken_apart);
        }
    }

    /// A pattern of items alone: neither the rest nor the whole gets a name.
    static bool takes_items(const Form& pattern) {
        return pattern.is(FormKind::Vector) && std::ranges::none_of(pattern.items(), [](const Form& item) {
                   return item.is_symbol("&") || item.is(FormKind::Keyword);
               });
    }

    /// A name that is used as a value.
    void note_value(std::string_view name) {
        const CoreName* found = core_.lookup(name, name_hash(name));
        if (found && (found->endless < kNeverEndless || found->name == "lazy-seq")) escaped_ = true;
    }

    /// A name that is used as a value, or bound to one.
    void note_use(std::string_view name) {
        note_value(name);
        const std::size_t end = name.size() > 1 ? name.rfind('/') : std::string_view::npos;
        other_uses_.insert(end == std::string_view::npos ? name : name.substr(end + 1));
    }

    /// {:keys [take :first a/nth]} binds names.
    void note_pattern(FormSpan entries) {
        for (std::size_t i = 0; i + 1 < entries.size(); i += 2) {
            if (!entries[i].is(FormKind::Keyword) || !entries[i + 1].is(FormKind::Vector)) continue;
            for (const Form& name : entries[i + 1].items()) {
                if (name.is(FormKind::Keyword) || name.is(FormKind::Symbol)) note_use(name.text());
            }
        }
    }

    /// (take [n coll] ..) and (take ([n coll] ..) ..): a function of letfn, or a method.
    static bool defines_name(FormSpan parts) {
        const auto is_parameters = [](const Form& form) { return form.is(FormKind::Vector); };
        return parts.size() > 1 && (is_parameters(parts[1]) || (parts[1].is(FormKind::List) && parts[1].size > 0 &&
                                                                is_parameters(parts[1].items()[0])));
    }

    /// (iterate inc) in (cond-> 1 true (iterate inc)), which is given one argument more where nobody looks.
    bool is_step_of_maker(std::string_view head, std::size_t size) const {
        const CoreName* name = core_.lookup(head, name_hash(head));
        return name && name->endless < kNeverEndless && name->endless == size;
    }

    bool visit_thread(FormSpan parts, bool last) {
        bool is_by_need = parts.size() > 1 && visit(parts[1]);
        for (std::size_t i = 2; i < parts.size(); ++i) {
            const Form& step = parts[i];
            const bool is_call = step.is(FormKind::List) && step.size > 0;
            const Form& head = is_call ? step.items()[0] : step;
            if (!head.is(FormKind::Symbol)) {
                escaped_ = escaped_ || is_by_need;
                visit_all({&step, 1});
                is_by_need = false;
                continue;
            }
            std::vector<bool> by_need;
            for (const Form& argument : is_call ? step.items().subspan(1) : FormSpan{})
                by_need.push_back(visit_argument(head.text(), argument));
            by_need.insert(last ? by_need.end() : by_need.begin(), is_by_need);
            is_by_need = call(head.text(), by_need);
        }
        return is_by_need;
    }

    /// A call with arguments that are by need, or are not; whether it gives a sequence by need.
    bool call(std::string_view head, const std::vector<bool>& by_need) {
        const std::size_t count = by_need.size();
        const bool takes_any = std::find(by_need.begin(), by_need.end(), true) != by_need.end();
        const bool is_known = !names_.globals().find(head, name_hash(head));
        if (is_known && makes_lazy(core_, head, count)) {
            escaped_ = escaped_ || takes_any || head == "lazy-seq";
            return true;
        }
        if (is_from_elsewhere(head)) return escaped_ = true;
        if (!takes_any) return false;
        const CoreName* name = is_known ? core_.lookup(head, name_hash(head)) : nullptr;
        if (!name || name->special >= 0) return escaped_ = true;
        relied_on_.insert(head);
        const CoreFunction* variant = lazy_variant(core_, head, count);
        if (variant && variant->keeps_rest) return escaped_ = true;
        escaped_ = escaped_ || (head == "reduce" && count == 3 && by_need[1]); // its function may get it
        bool all = true;
        for (std::size_t i = 0; i < count; ++i) {
            const bool is_read = variant ? i >= variant->first_lazy : reads_collection(*name, count, i);
            escaped_ = escaped_ || (by_need[i] && !is_read);
            all = all && (by_need[i] || !is_read);
        }
        return variant && variant->lazy && (all || !variant->lazy_if_all);
    }

    /// A function of a prelude, which may give anything.
    bool is_from_elsewhere(std::string_view head) const {
        const std::size_t end = head.size() > 1 ? head.find('/') : std::string_view::npos;
        return names_.has_prelude() && end != std::string_view::npos && end > 0 && !head.starts_with("tool/") &&
               !head.starts_with("data/") && !core_.lookup(head, name_hash(head));
    }

    const Names& names_;
    const CoreLibrary& core_;
    std::unordered_set<std::string_view> relied_on_;  ///< functions that take what they need
    std::unordered_set<std::string_view> other_uses_; ///< names that are not only called
    bool escaped_ = false;
};

} // namespace

bool lazy_may_escape(const Names& names, const CoreLibrary& core, FormSpan top_level) {
    return EscapeSearch(names, core).escapes(top_level);
}

} // namespace ptc

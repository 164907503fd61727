// EDN is a part of the language's syntax, so its reader is the program's reader and this file turns forms into values.
// What is code and no data (`#(...)`, a quoted form) is an error with its span. Forms nest as deep as the reader's
// limit allows; open containers are on a stack whose memory the heap is charged for.
#include "runtime/edn.h"
#include "frontend/reader/reader.h"
#include "frontend/try.h"
#include "frontend/work.h"
#include "runtime/function.h"
#include "runtime/map.h"
#include "runtime/number.h"
#include "runtime/regex.h"
#include "runtime/scratch.h"
#include "runtime/set.h"
#include "runtime/vector.h"
#include <cassert>

namespace ptc {
namespace {

Error no_data(const Form& form, const char* what) {
    return Error(Reason::ParseError, form.span, std::string(what) + " is code, not data.");
}

/// Turns forms into values, bottom up.
class DataReader {
public:
    explicit DataReader(Heap& heap) : heap_(heap), values_(heap), open_(heap) {}

    Result<Value> read(const Form& root) {
        const Form* form = &root;
        for (std::uint32_t read = 1;; ++read) {
            if (read % kAtOnce == 0 && !heap_.meter.look()) return heap_.meter.error();
            if (is_container(*form)) {
                if (!open_.push({form, 0, values_.size()})) return heap_.out_of_memory();
            } else if (!values_.push(PTC_TRY(leaf(*form)))) {
                return heap_.out_of_memory();
            }
            while (!open_.empty() && open_.back().next == open_.back().form->size) {
                Open done = open_.back();
                open_.pop();
                Value built =
                    PTC_TRY(container(*done.form, {values_.data() + done.values, values_.size() - done.values}));
                values_.resize_down(done.values);
                if (!values_.push(std::move(built))) return heap_.out_of_memory();
            }
            if (open_.empty()) return std::move(values_.back());
            form = &open_.back().form->items()[open_.back().next++];
        }
    }

private:
    static constexpr std::uint32_t kAtOnce = 4096; ///< forms, which are paid for, between two looks at the clock
    struct Open {
        const Form* form;
        std::size_t next;
        std::size_t values; ///< where its values begin
    };

    static bool is_container(const Form& form) {
        return form.is(FormKind::List) || form.is(FormKind::Vector) || form.is(FormKind::Map) || form.is(FormKind::Set);
    }

    Result<Value> leaf(const Form& form) {
        switch (form.kind) {
        case FormKind::Nil: return Value();
        case FormKind::True: return Value::boolean(true);
        case FormKind::False: return Value::boolean(false);
        case FormKind::Integer: return make_integer(heap_, form.integer);
        case FormKind::BigInteger: return parse_integer(heap_, form.text());
        case FormKind::Float: return Value::number(form.number);
        case FormKind::String: return make_string(heap_, form.text());
        case FormKind::Keyword: return make_keyword(heap_, form.text());
        case FormKind::Symbol: return make_symbol(heap_, form.text());
        case FormKind::Var: return make_var(heap_, form.text());
        case FormKind::Regex: return make_regex(heap_, form.text());
        case FormKind::Quote:
            if (form.items()[0].is(FormKind::Symbol)) return make_symbol(heap_, form.items()[0].text());
            return no_data(form, "A quoted form");
        case FormKind::ShortFn: return no_data(form, "`#(...)`");
        case FormKind::List:
        case FormKind::Vector:
        case FormKind::Map:
        case FormKind::Set: break;
        }
        return no_data(form, "This");
    }

    Result<Value> container(const Form& form, std::span<Value> items) {
        if (form.is(FormKind::Map)) {
            MapBuilder map(heap_);
            for (std::size_t i = 0; i + 1 < items.size(); i += 2)
                map.put(std::move(items[i]), std::move(items[i + 1]));
            return map.finish();
        }
        if (form.is(FormKind::Set)) {
            Value set = empty_set();
            for (Value& item : items)
                set = PTC_TRY(set_conj(heap_, std::move(set), std::move(item)));
            return set;
        }
        if (items.empty()) return empty_vector();
        return make_vector(heap_, items);
    }

    Heap& heap_;
    ScratchStack<Value> values_;
    ScratchStack<Open> open_;
};

} // namespace

Result<Value> parse_edn(Heap& heap, [[maybe_unused]] ShapeTable& shapes, std::string_view text) {
    assert(heap.shapes == &shapes); // maps take their shapes from there
    if (text.size() >= UINT32_MAX) return Error(Reason::ParseError, "The text is longer than 4 GiB.");
    // Forms take about as much again as they have text; both go when the values are built.
    constexpr std::size_t kFormBytesPerByte = 2 * sizeof(Form);
    std::size_t scratch = text.size() * kFormBytesPerByte;
    if (!heap.meter.charge(static_cast<std::int64_t>(text.size()))) return heap.meter.error();
    if (!heap.charge_bytes(scratch)) return heap.out_of_memory();
    Source source("data", std::string(text));
    ReadLimits limits;
    limits.max_bytes = UINT32_MAX;
    limits.max_forms = UINT32_MAX;
    Diagnostics diagnostics;
    const work::Scope scope([&heap] { return heap.meter.look(); });
    Forms forms = read_forms(source, limits, diagnostics);
    Result<Value> value = [&]() -> Result<Value> {
        if (work::is_over()) return heap.meter.error();
        if (diagnostics.has_errors()) return diagnostics.all().front().error;
        if (forms.top_level().size() != 1)
            return Error(Reason::ParseError,
                         "Data is one value, not " + std::to_string(forms.top_level().size()) + ".");
        return DataReader(heap).read(forms.top_level()[0]);
    }();
    heap.refund_bytes(scratch);
    return value;
}

} // namespace ptc

// Values of a VM as trees of the host, and back. A value may share its parts, a tree cannot, so a small value can be a
// huge tree: both directions count depth, values and bytes of text, and charge the heap's meter for the work. Maps
// leave in the order of their sorted view, whatever represents them.
#include "subagent/engine/convert.h"
#include "frontend/try.h"
#include "runtime/json.h"
#include "runtime/keyed.h"
#include "runtime/map.h"
#include "runtime/number.h"
#include "runtime/print.h"
#include "runtime/set.h"
#include "runtime/string.h"
#include "runtime/time.h"
#include "runtime/vector.h"
#include "subagent/engine/opaque_values.h"
#include <algorithm>
#include <charconv>

namespace ptc {
namespace {

/// `way` is "leave" or "enter".
Error too_deep(std::string_view way) {
    return Error(Reason::LimitExceeded, "A value nested more than " + std::to_string(kMaxBoundaryDepth) +
                                            " levels deep cannot " + std::string(way) + " the sandbox.");
}

Error too_large() {
    return Error(Reason::LimitExceeded,
                 "More than " + std::to_string(kMaxBoundaryValues) + " values cannot leave the sandbox at once.");
}

Error too_much_text() {
    return Error(Reason::LimitExceeded,
                 "More than " + std::to_string(kMaxBoundaryBytes) + " bytes of text cannot leave the sandbox at once.");
}

Error too_large_tree(std::size_t most) {
    return Error(Reason::LimitExceeded, "A value that takes more than " + std::to_string(most) +
                                            " bytes outside of the sandbox, where nothing is shared, cannot leave it.")
        .with_hint("Give a part of it, or a summary.");
}

Error too_late() {
    return Error(Reason::Timeout, "Moving a value across the boundary took longer than there is time.");
}

constexpr std::size_t kWorkOfValue = 4; ///< of work::Scope

std::string text_key(Heap& heap, const Value& key, KeyStyle keys) {
    std::string text = key.is_string() || key.is_keyword() ? std::string(text_of(key))
                                                           : print_to_string(heap, key, PrintStyle::Readable, 256);
    // Of a number the mark is a sign.
    if (keys != KeyStyle::Input && !key.is_number()) std::replace(text.begin(), text.end(), '-', '_');
    return text;
}

class Exporter {
public:
    Exporter(Heap& heap, KeyStyle keys, Opaques opaques)
        : heap_(heap), keys_(keys), opaques_(opaques), most_tree_bytes_(std::max(heap.limit(), kMinTreeBytes)) {}

    Result<Datum> convert(const Value& v) {
        Datum out;
        PTC_CHECK(convert(v, 0, out));
        return out;
    }

private:
    /// `out`, which is nil so far, becomes the value: results of rows are many, and none of them is moved.
    Result<void> convert(const Value& v, unsigned depth, Datum& out) {
        if (depth > kMaxBoundaryDepth) return too_deep("leave");
        if (++values_ > kMaxBoundaryValues) return too_large();
        if (!work::charge(kWorkOfValue)) return too_late();
        PTC_CHECK(grow(sizeof(Datum) + (v.is_collection() ? kBlockBytes : 0)));
        if (v.is_nil()) return {};
        if (v.is_vector()) return items_into(v, out.emplace<Datum::List>(), depth);
        if (v.is_map()) return map(v, out.emplace<Datum::Map>(), depth);
        if (v.is_set()) return items_into(PTC_TRY(set_items(heap_, v)), out.emplace<Datum::Set>().items, depth);
        if (v.is_string() || v.is_keyword()) return text(v, out);
        if (v.is_boolean())
            out = Datum(v.is_true());
        else if (v.is_double())
            out = Datum(v.as_double());
        else if (v.is_integer())
            return integer(v, out);
        else
            return opaque(v, out);
        return {};
    }
    Result<void> text(const Value& v, Datum& out) {
        PTC_CHECK(pay_for(text_of(v)));
        // Tools see text only: keywords do not exist outside of the language.
        if (v.is_string() || keys_ == KeyStyle::Tool || keys_ == KeyStyle::Input)
            out.emplace<std::string>(text_of(v));
        else
            out.emplace<Datum::Keyword>().name = text_of(v);
        return {};
    }
    Result<void> integer(const Value& v, Datum& out) {
        std::int64_t i = 0;
        if (fits_int64(v, &i)) {
            out = Datum(i);
            return {};
        }
        if (!heap_.meter.charge(number_text_cost(v))) return heap_.meter.error();
        Datum::BigInteger big{number_to_text(v)};
        PTC_CHECK(pay_for(big.digits));
        out = Datum(std::move(big));
        return {};
    }
    Result<void> opaque(const Value& v, Datum& out) {
        std::string text;
        if (is_time(v) && opaques_ == Opaques::AsValues)
            text = whole_time_text(v);
        else if (is_time(v))
            append_time(v, text);
        else
            text = print_to_string(heap_, v, PrintStyle::Readable); // a function's has its parameters
        PTC_CHECK(pay_for(text));
        out = Datum(Datum::Opaque{std::move(text), type_name(v)});
        return {};
    }
    /// Counts what the tree takes outside of the heap.
    Result<void> grow(std::size_t bytes) {
        tree_bytes_ += bytes;
        return tree_bytes_ > most_tree_bytes_ ? Result<void>(too_large_tree(most_tree_bytes_)) : Result<void>();
    }
    Result<void> pay_for(std::string_view text) {
        bytes_ += text.size();
        if (bytes_ > kMaxBoundaryBytes) return too_much_text();
        PTC_CHECK(grow(text.size() + kBlockBytes));
        if (!heap_.meter.charge(static_cast<std::int64_t>(text.size() / 8))) return heap_.meter.error();
        return {};
    }
    Result<void> items_into(const Value& vector, Datum::List& out, unsigned depth) {
        const VectorReader reader(vector);
        if (reader.size() > kMaxBoundaryValues - values_) return too_large(); // before there is room for them
        if (!heap_.meter.charge(static_cast<std::int64_t>(reader.size()))) return heap_.meter.error();
        out.reserve(reader.size());
        for (std::size_t i = 0; i < reader.size(); ++i)
            PTC_CHECK(convert(reader.at(i), depth + 1, out.emplace_back()));
        return {};
    }
    Result<void> map(const Value& v, Datum::Map& entries, unsigned depth) {
        const MapView view = PTC_TRY(MapView::of(heap_, v));
        if (view.size() > kMaxBoundaryValues - values_) return too_large();
        if (!heap_.meter.charge(static_cast<std::int64_t>(view.size()))) return heap_.meter.error();
        entries.reserve(view.size());
        for (std::size_t i = 0; i < view.size(); ++i) {
            const Value& key_value = view.key(i);
            auto& [key, value] = entries.emplace_back();
            if (keys_ != KeyStyle::AsIs) {
                std::string text = text_key(heap_, key_value, keys_);
                PTC_CHECK(pay_for(text));
                key = Datum(std::move(text));
            } else {
                if (key_value.is_string() || key_value.is_keyword()) PTC_CHECK(pay_for(text_of(key_value)));
                PTC_CHECK(convert(key_value, depth + 1, key));
            }
            PTC_CHECK(convert(view.value(i), depth + 1, value));
        }
        if (keys_ != KeyStyle::AsIs) PTC_CHECK(sort_and_check(entries, view));
        return {};
    }
    Result<void> sort_and_check(Datum::Map& entries, const MapView& view) {
        std::sort(entries.begin(), entries.end(),
                  [](const auto& a, const auto& b) { return *a.first.text() < *b.first.text(); });
        for (std::size_t i = 1; i < entries.size(); ++i) {
            if (*entries[i].first.text() == *entries[i - 1].first.text()) return clash(*entries[i].first.text(), view);
        }
        return {};
    }
    /// Two keys of the map are `name` as text.
    Error clash(const std::string& name, const MapView& view) {
        std::string both;
        for (std::size_t i = 0; i < view.size(); ++i) {
            if (text_key(heap_, view.key(i), keys_) != name) continue;
            both +=
                (both.empty() ? "`" : " and `") + print_to_string(heap_, view.key(i), PrintStyle::Readable, 60) + "`";
        }
        const Reason reason = keys_ == KeyStyle::Normal ? Reason::ValidationError : Reason::InvalidToolArgs;
        return Error(reason, "The keys " + both + " become the same name `" + name +
                                 "` when text keys with underscores are made of them.")
            .with_hint("Keep one of them.");
    }

    static constexpr std::size_t kBlockBytes = 16; ///< what an allocator adds to each block

    Heap& heap_;
    KeyStyle keys_;
    Opaques opaques_;
    std::size_t most_tree_bytes_;
    std::size_t values_ = 0;
    std::size_t bytes_ = 0;
    std::size_t tree_bytes_ = 0;
};

class Importer {
public:
    Importer(Heap& heap, Opaques opaques) : heap_(heap), opaques_(opaques) {}

    Result<Value> convert(const Datum& d, unsigned depth) {
        if (depth > kMaxBoundaryDepth) return too_deep("enter");
        if (!work::charge(kWorkOfValue)) return too_late();
        if (d.is_nil()) return Value();
        if (const bool* b = d.get_if<bool>()) return Value::boolean(*b);
        if (const auto* i = d.get_if<std::int64_t>()) return make_integer(heap_, *i);
        if (const double* x = d.get_if<double>()) return Value::number(*x);
        if (const auto* big = d.get_if<Datum::BigInteger>()) return parse_integer(heap_, big->digits);
        if (const std::string* s = d.text()) return make_string(heap_, *s);
        if (const auto* k = d.get_if<Datum::Keyword>()) return make_keyword(heap_, k->name);
        if (const auto* o = d.get_if<Datum::Opaque>()) return opaque(*o);
        if (const auto* items = d.list()) {
            VectorBuilder builder(heap_);
            for (const Datum& item : *items) {
                if (!builder.push(PTC_TRY(convert(item, depth + 1)))) break;
            }
            return builder.finish();
        }
        if (const auto* set = d.get_if<Datum::Set>()) {
            Value result = empty_set();
            for (const Datum& item : set->items)
                result = PTC_TRY(set_conj(heap_, std::move(result), PTC_TRY(convert(item, depth + 1))));
            return result;
        }
        MapBuilder builder(heap_);
        for (const auto& [key, value] : *d.map()) {
            Value k = PTC_TRY(convert(key, depth + 1));
            if (!builder.put(std::move(k), PTC_TRY(convert(value, depth + 1)))) break;
        }
        return builder.finish();
    }

private:
    /// Points in time come back as what they were, anything else as text, unless it is to be a value.
    Result<Value> opaque(const Datum::Opaque& o) {
        if (opaques_ == Opaques::AsValues || o.type == "instant") {
            if (std::optional<Result<Value>> made = value_of_opaque(heap_, o.type, o.text)) return std::move(*made);
        }
        return make_string(heap_, o.text);
    }
    Heap& heap_;
    Opaques opaques_;
};

} // namespace

namespace {

/// Adds to `looked_at` how many values that took.
bool is_plain(Heap& heap, const Value& value, std::size_t& looked_at) {
    constexpr std::size_t kMostLookedAt = 50'000;
    std::vector<Value> open;
    open.push_back(value.copy());
    for (; !open.empty(); ++looked_at) {
        const Value v = std::move(open.back());
        open.pop_back();
        if (looked_at + open.size() > kMostLookedAt) return false;
        if (v.is_nil() || v.is_boolean() || v.is_number() || v.is_string() || v.is_keyword()) continue;
        if (v.is_vector()) {
            const VectorReader items(v);
            if (vector_ends(v) != 0 || items.size() > kMostLookedAt) return false;
            for (std::size_t i = 0; i < items.size(); ++i)
                open.push_back(items.at(i));
        } else if (v.is(ObjectType::Record) || ((v.is_map() || v.is_set()) && order_of(v) == 0)) {
            const Result<Value> parts = v.is_map() ? map_entries(heap, v) : set_items(heap, v);
            if (!parts.ok()) return false;
            const VectorReader items(parts.value());
            for (std::size_t i = 0; i < items.size(); ++i)
                open.push_back(items.at(i));
        } else {
            return false;
        }
    }
    return true;
}

} // namespace

bool is_plain(Heap& heap, const Value& value) {
    std::size_t looked_at = 0;
    const bool is = is_plain(heap, value, looked_at);
    (void)work::charge(looked_at); // the answer is right all the same
    return is;
}

Result<Datum> to_datum(Heap& heap, const Value& value, KeyStyle keys, Opaques opaques) {
    return Exporter(heap, keys, opaques).convert(value);
}

Result<Value> from_datum(Heap& heap, const Datum& datum, Opaques opaques) {
    return Importer(heap, opaques).convert(datum, 0);
}

} // namespace ptc

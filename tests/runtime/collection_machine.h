// A little machine whose instructions are bytes: it runs operations on our collections and on the standard ones side by
// side. Registers share values as programs do, so every version that is still held must stay what it was. Used with
// random bytes by the tests and with chosen ones by the fuzzer.
#pragma once
#include "frontend/try.h"
#include "runtime/map.h"
#include "runtime/number.h"
#include "runtime/set.h"
#include "runtime/shape.h"
#include "runtime/string.h"
#include "runtime/vector.h"
#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace ptc::test {

/// What stands for a number in our collections: every third is a string, every seventh a vector, so that ownership
/// matters.
inline Result<Value> item_of(Heap& heap, int n) {
    if (n % 3 == 0) return make_string(heap, "item " + std::to_string(n));
    if (n % 7 == 0) {
        Value inside[2] = {Value::small_integer(n), PTC_TRY(make_string(heap, std::to_string(n)))};
        return make_vector(heap, inside);
    }
    return Value::small_integer(n);
}
/// Keys of all kinds: integers, doubles, keywords, strings, vectors, maps. `text_only`: keys that records may have.
inline Result<Value> key_of(Heap& heap, int n, bool text_only) {
    std::string text = "key" + std::to_string(n);
    int kind = text_only ? n % 2 : n % 6;
    switch (kind) {
    case 0: return make_keyword(heap, text);
    case 1: return make_string(heap, text);
    case 2: return Value::small_integer(n);
    case 3: return Value::number(n + 0.5);
    case 4: return item_of(heap, n * 7);
    default: {
        Value map = empty_map();
        map = PTC_TRY(map_assoc(heap, std::move(map), PTC_TRY(make_keyword(heap, "id")), Value::small_integer(n)));
        return map_assoc(heap, std::move(map), Value::small_integer(n), Value::boolean(true));
    }
    }
}

/// The bytes of a program, zero when they are used up.
class ByteStream {
public:
    explicit ByteStream(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
    bool done() const { return next_ >= bytes_.size(); }
    std::uint8_t byte() { return done() ? 0 : bytes_[next_++]; }
    std::size_t below(std::size_t n) { return n == 0 ? 0 : (byte() | static_cast<std::size_t>(byte()) << 8) % n; }

private:
    std::span<const std::uint8_t> bytes_;
    std::size_t next_ = 0;
};

/// Runs until the bytes are used up. `problem` says what went wrong first; an operation that finds the heap full ends
/// the run with `heap_full` set, which is no problem.
template <class Kind> class Machine {
public:
    using Model = typename Kind::Model;
    static constexpr std::size_t kRegisters = 5;

    explicit Machine(Heap& heap) : heap_(heap) {
        for (auto& r : registers_)
            r.value = Kind::empty();
    }
    /// Register 0 starts with this value.
    void preset(Value value, Model model) { registers_[0] = {std::move(value), std::move(model)}; }

    void run(ByteStream in) {
        while (!in.done() && problem.empty() && !heap_full) {
            std::uint8_t op = in.byte();
            std::size_t to = in.below(kRegisters), from = in.below(kRegisters);
            if (op % 8 == 0) { // share
                if (to != from) registers_[to] = {registers_[from].value.copy(), registers_[from].model};
                continue;
            }
            Register work = op & 0x10 ? Register{registers_[from].value.copy(), registers_[from].model}
                                      : std::move(registers_[from]);
            if (!(op & 0x10)) registers_[from] = {Kind::empty(), {}};
            heap_full = !Kind::step(heap_, op, in, work.value, work.model, registers_[(from + 1) % kRegisters]);
            if (heap_full) return;
            registers_[to] = std::move(work);
            check(registers_[to], in.below(4) == 0);
        }
        if (heap_full) return;
        for (const Register& r : registers_)
            check(r, true);
    }

    struct Register {
        Value value;
        Model model;
    };
    std::string problem;
    bool heap_full = false;

private:
    void check(const Register& r, bool thorough) {
        if (problem.empty() && !Kind::same(heap_, r.value, r.model, thorough, &heap_full) && !heap_full)
            problem = "differs from the model of size " + std::to_string(r.model.size());
    }
    Heap& heap_;
    std::array<Register, kRegisters> registers_;
};

/// `statement` of a step: false from the step when it fails.
#define PTC_STEP(target, ...)                                                                                          \
    do {                                                                                                               \
        auto step_result = (__VA_ARGS__);                                                                              \
        if (!step_result.ok()) return false;                                                                           \
        target = std::move(step_result).value();                                                                       \
    } while (false)

struct VectorKind {
    using Model = std::vector<int>;
    static Value empty() { return empty_vector(); }

    template <class Register>
    static bool step(Heap& heap, std::uint8_t op, ByteStream& in, Value& v, Model& model, const Register& other) {
        int n = static_cast<int>(in.below(1000));
        Value item;
        switch (op % 8) {
        case 1: // many at the end
            for (std::size_t i = in.below(90); i > 0; --i, ++n) {
                PTC_STEP(item, item_of(heap, n));
                PTC_STEP(v, vector_conj(heap, std::move(v), std::move(item)));
                model.push_back(n);
            }
            return true;
        case 2:
            PTC_STEP(item, item_of(heap, n));
            PTC_STEP(v, vector_conj(heap, std::move(v), std::move(item)));
            model.push_back(n);
            return true;
        case 3:
            for (std::size_t i = op & 0x20 ? in.below(70) : 1; i > 0 && !model.empty(); --i, ++n) {
                std::size_t at = in.below(model.size());
                if (op & 0x40) item = vector_take(v, at);
                PTC_STEP(item, item_of(heap, n));
                PTC_STEP(v, vector_assoc(heap, std::move(v), at, std::move(item)));
                model[at] = n;
            }
            return true;
        case 4:
            for (std::size_t i = op & 0x20 ? in.below(40) : 1; i > 0; --i, ++n) {
                PTC_STEP(item, item_of(heap, n));
                PTC_STEP(v, vector_cons(heap, std::move(item), std::move(v)));
                model.insert(model.begin(), n);
            }
            return true;
        case 5: {
            std::size_t start = op & 0x20 ? std::min<std::size_t>(1, model.size()) : in.below(model.size() + 1);
            std::size_t end = op & 0x40 ? model.size() : start + in.below(model.size() - start + 1);
            PTC_STEP(v, vector_slice(heap, std::move(v), start, end));
            model = Model(model.begin() + static_cast<std::ptrdiff_t>(start),
                          model.begin() + static_cast<std::ptrdiff_t>(end));
            return true;
        }
        case 6:
            if (model.size() + other.model.size() > 5000) return true;
            PTC_STEP(v, vector_concat(heap, std::move(v), other.value));
            model.insert(model.end(), other.model.begin(), other.model.end());
            return true;
        default: {
            // 3k + 1 is never a string, and 21k + 1 never a vector
            std::size_t length = in.below(op & 0x20 ? 500 : 20);
            PTC_STEP(v, make_range(heap, 1, 1 + 21 * static_cast<std::int64_t>(length), 21));
            model.clear();
            for (std::size_t i = 0; i < length; ++i)
                model.push_back(1 + 21 * static_cast<int>(i));
            return true;
        }
        }
    }

    static bool same(Heap& heap, const Value& v, const Model& model, bool thorough, bool* heap_full) {
        if (vector_length(v) != model.size()) return false;
        std::size_t step = thorough ? 1 : model.size() / 7 + 1;
        for (std::size_t i = 0; i < model.size(); i += step) {
            auto expected = item_of(heap, model[i]);
            if (!expected.ok()) return !(*heap_full = true);
            if (!equal(heap, vector_get(v, i), expected.value())) return false;
        }
        return true;
    }
};

/// Keys all texts (records as long as there are few) or of all kinds, from the same small set.
template <bool text_only> struct MapKind {
    using Model = std::map<int, int>;
    static Value empty() { return empty_map(); }

    template <class Register>
    static bool step(Heap& heap, std::uint8_t op, ByteStream& in, Value& m, Model& model, const Register& other) {
        int n = static_cast<int>(in.below(1000));
        int range = op & 0x80 ? 300 : 20;
        std::size_t times = op & 0x20 ? in.below(60) : 1;
        Value key, item;
        switch (op % 8) {
        case 1:
        case 2:
        case 3:
            for (; times > 0; --times, ++n) {
                int k = static_cast<int>(in.byte()) * 7 % range;
                PTC_STEP(key, key_of(heap, k, text_only));
                bool found = false;
                if (op & 0x40) item = map_take(heap, m, key, &found);
                if ((op & 0x40) && found != (model.count(k) == 1)) return false;
                PTC_STEP(item, item_of(heap, n));
                PTC_STEP(m, map_assoc(heap, std::move(m), std::move(key), std::move(item)));
                model[k] = n;
            }
            return true;
        case 4:
        case 5:
            for (; times > 0; --times) {
                int k = static_cast<int>(in.byte()) * 7 % range;
                PTC_STEP(key, key_of(heap, k, text_only));
                PTC_STEP(m, map_dissoc(heap, std::move(m), key));
                model.erase(k);
            }
            return true;
        case 6:
            PTC_STEP(m, map_merge(heap, std::move(m), other.value));
            for (auto [k, value] : other.model)
                model[k] = value;
            return true;
        default: {
            MapBuilder builder(heap);
            model.clear();
            for (; times > 0; --times, ++n) {
                int k = static_cast<int>(in.byte()) * 7 % range;
                PTC_STEP(key, key_of(heap, k, text_only));
                PTC_STEP(item, item_of(heap, n));
                builder.put(std::move(key), std::move(item));
                model[k] = n;
            }
            PTC_STEP(m, builder.finish());
            return true;
        }
        }
    }

    static bool same(Heap& heap, const Value& m, const Model& model, bool thorough, bool* heap_full) {
        if (map_count(m) != model.size()) return false;
        for (auto [k, n] : model) {
            auto key = key_of(heap, k, text_only);
            auto item = item_of(heap, n);
            if (!key.ok() || !item.ok()) return !(*heap_full = true);
            const Value* found = map_find(heap, m, key.value());
            if (!found || !equal(heap, *found, item.value())) return false;
        }
        auto missing = key_of(heap, 5000, text_only);
        if (missing.ok() && map_find(heap, m, missing.value())) return false;
        return !thorough || sorted(heap, m, heap_full);
    }

    /// The view has every entry once, in ascending order.
    static bool sorted(Heap& heap, const Value& m, bool* heap_full) {
        auto view = MapView::of(heap, m);
        if (!view.ok()) return !(*heap_full = true);
        if (view.value().size() != map_count(m)) return false;
        for (std::size_t i = 0; i < view.value().size(); ++i) {
            if (map_find(heap, m, view.value().key(i)) != &view.value().value(i)) return false;
            if (i > 0 && total_order(heap, view.value().key(i - 1), view.value().key(i)) >= 0) return false;
        }
        return true;
    }
};

struct SetKind {
    using Model = std::set<int>;
    static Value empty() { return empty_set(); }

    template <class Register>
    static bool step(Heap& heap, std::uint8_t op, ByteStream& in, Value& s, Model& model, const Register& other) {
        int range = op & 0x80 ? 300 : 20;
        std::size_t times = op & 0x20 ? in.below(60) : 1;
        Value key;
        switch (op % 8) {
        case 1:
        case 2:
        case 3:
            for (; times > 0; --times) {
                int k = static_cast<int>(in.byte()) * 7 % range;
                PTC_STEP(key, key_of(heap, k, false));
                PTC_STEP(s, set_conj(heap, std::move(s), std::move(key)));
                model.insert(k);
            }
            return true;
        case 4:
        case 5:
            for (; times > 0; --times) {
                int k = static_cast<int>(in.byte()) * 7 % range;
                PTC_STEP(key, key_of(heap, k, false));
                PTC_STEP(s, set_disj(heap, std::move(s), key));
                model.erase(k);
            }
            return true;
        default: {
            auto view = SetView::of(heap, other.value);
            if (!view.ok()) return false;
            SetBuilder builder(heap);
            for (std::size_t i = 0; i < view.value().size(); ++i)
                builder.put(view.value().item(i).copy());
            PTC_STEP(s, builder.finish());
            model = other.model;
            return true;
        }
        }
    }

    static bool same(Heap& heap, const Value& s, const Model& model, bool thorough, bool* heap_full) {
        if (set_count(s) != model.size()) return false;
        for (int k : model) {
            auto key = key_of(heap, k, false);
            if (!key.ok()) return !(*heap_full = true);
            if (!set_find(heap, s, key.value())) return false;
        }
        if (!thorough) return true;
        auto view = SetView::of(heap, s);
        if (!view.ok()) return !(*heap_full = true);
        for (std::size_t i = 1; i < view.value().size(); ++i) {
            if (total_order(heap, view.value().item(i - 1), view.value().item(i)) >= 0) return false;
        }
        return true;
    }
};

} // namespace ptc::test

// Calls of builtins with small and large values of every type, to see what they cost. reference_test.cpp compares that
// with the column of the reference that says what a builtin's cost grows with.
#pragma once
#include "runtime/builtin.h"
#include "runtime/clock.h"
#include "runtime/json.h"
#include "runtime/map.h"
#include "runtime/number.h"
#include "runtime/regex.h"
#include "runtime/set.h"
#include "runtime/string.h"
#include "runtime/vector.h"
#include <algorithm>
#include <string>
#include <vector>

namespace ptc::test {

class GrowingArguments {
public:
    /// `large`: the items of large collections; texts have some times as many bytes.
    explicit GrowingArguments(std::size_t large = 1'000) : large_(large) {
        const std::string letters(large_ * 8, 'a');
        add(Value());
        add(Value::small_integer(2));
        add(Value::small_integer(900));
        add(Value::number(1.5));
        add(Value::number(3000.5));
        add(text("a"));
        add(make_keyword(heap_, "k").value());
        add(make_regex(heap_, "a+b?").value());
        add(renaming());
        small_ = pool_.size();
        add(text(letters + "\nb"));
        add(text(accented()));
        add(text(std::string(large_ * 8, ' ')));
        add(text(std::string(large_ * 8, '\n')));
        add(text("[" + std::string(large_ * 4, '1') + "]"));
        add(text(std::string(large_ * 4, '1')));
        add(text("1." + std::string(large_ * 4, '5')));
        add(parse_integer(heap_, "1" + std::string(4000, '0')).value());
        add(parse_integer(heap_, "-1" + std::string(4000, '0')).value());
        add(vector([](std::size_t i) { return Value::small_integer(static_cast<std::int64_t>(i)); }));
        add(vector([&](std::size_t i) { return pair(i); }));
        add(vector([&](std::size_t i) { return row(i); }));
        add(vector([&](std::size_t) { return text("some letters"); }));
        add(only(text(accented())));
        add(map());
        add(set([](std::size_t i) { return Value::small_integer(static_cast<std::int64_t>(i)); }));
        add(set([&](std::size_t i) { return row(i); }));
    }

    /// The most that a call with these arguments, one to three or very many of them, costs when it succeeds.
    std::int64_t dearest_call(const Builtin& row) {
        dearest_ = 0;
        const Arity arity = row.arity();
        if (arity.accepts(0)) call(row, {});
        for (std::size_t a = 0; a < pool_.size(); ++a) {
            if (arity.accepts(1)) call(row, {a});
            for (std::size_t b = 0; b < pool_.size() && arity.max > 1; ++b) {
                if (arity.accepts(2)) call(row, {a, b});
                for (std::size_t c = 0; c < small_ && arity.accepts(3); ++c)
                    call(row, {a, b, c});
            }
        }
        if (arity.max == Arity::kOpen) call_with_many(row);
        return dearest_;
    }

private:
    struct Host : HostServices {
        bool print(std::string_view) override { return true; }
        std::int64_t now_millis() override { return 1'700'000'000'000; }
    };

    void add(Value value) { pool_.push_back(std::move(value)); }
    Value text(const std::string& bytes) { return make_string(heap_, bytes).value(); }

    template <class Item> Value vector(Item item) {
        VectorBuilder builder(heap_);
        for (std::size_t i = 0; i < large_; ++i)
            (void)builder.push(item(i));
        return std::move(builder.finish()).value();
    }
    Value only(Value item) { return std::move(make_vector(heap_, std::span<Value>(&item, 1))).value(); }
    Value pair(std::size_t i) {
        Value items[] = {Value::small_integer(static_cast<std::int64_t>(i)), Value::small_integer(1)};
        return std::move(make_vector(heap_, items)).value();
    }
    Value row(std::size_t i) {
        MapBuilder builder(heap_);
        builder.put(make_keyword(heap_, "k").value(), Value::small_integer(static_cast<std::int64_t>(i)));
        return std::move(builder.finish()).value();
    }
    Value map() {
        MapBuilder builder(heap_);
        for (std::size_t i = 0; i < large_; ++i)
            builder.put(text("key" + std::to_string(i)), Value::small_integer(1));
        return std::move(builder.finish()).value();
    }
    template <class Item> Value set(Item item) {
        SetBuilder builder(heap_);
        for (std::size_t i = 0; i < large_; ++i)
            builder.put(item(i));
        return std::move(builder.finish()).value();
    }
    Value renaming() {
        MapBuilder builder(heap_);
        builder.put(make_keyword(heap_, "k").value(), make_keyword(heap_, "j").value());
        return std::move(builder.finish()).value();
    }
    /// A text whose characters are not its bytes.
    [[nodiscard]] std::string accented() const {
        std::string letters;
        for (std::size_t i = 0; i < large_ * 4; ++i)
            letters += "\u00e4";
        return letters;
    }

    void call(const Builtin& row, std::initializer_list<std::size_t> places) {
        std::vector<Value> arguments;
        for (const std::size_t place : places)
            arguments.push_back(pool_[place].copy());
        call(row, arguments);
    }
    void call_with_many(const Builtin& row) {
        for (std::size_t a = 0; a < pool_.size(); ++a) {
            std::vector<Value> arguments;
            arguments.push_back(pool_[a].copy());
            for (std::size_t i = 0; i < 2 * large_; ++i)
                arguments.push_back(Value::small_integer(static_cast<std::int64_t>(i + 1)));
            call(row, arguments);
        }
    }
    void call(const Builtin& row, std::vector<Value>& arguments) {
        constexpr std::int64_t kFuel = 1'000'000;
        heap_.meter.start(kFuel, Meter::Clock::time_point::max(), nullptr);
        Call context{heap_, shapes_, host_, row};
        const Result<Value> result = row.call(context, arguments);
        if (result.ok()) dearest_ = std::max(dearest_, heap_.meter.used() + row.cost);
    }

    std::size_t large_;
    Heap heap_;
    ShapeTable shapes_{heap_};
    Host host_;
    std::vector<Value> pool_;
    std::size_t small_ = 0; ///< the first so many of the pool are
    std::int64_t dearest_ = 0;
};

} // namespace ptc::test

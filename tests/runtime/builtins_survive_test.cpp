// Every builtin with every kind of argument, in its place or not: a program from a file can call any of them with
// anything, the internal ones included. Each call gives a value or an error, within its fuel and memory, and owns
// nothing afterwards.
#include "runtime/builtin.h"
#include "runtime/function.h"
#include "runtime/regex.h"
#include "runtime/silent_host.h"
#include "runtime/time.h"
#include "tests/runtime/collections_fixture.h"
#include <limits>
#include <random>

namespace ptc::test {
namespace {

constexpr std::size_t kMemory = 4u << 20;

/// One of each kind, with the values at the edges.
class Arguments {
public:
    explicit Arguments(Heap& heap) : heap_(heap) {
        for (std::int64_t i : {0, 1, -1, 2, 3, 60, 255, 100'000})
            add(Value::small_integer(i));
        add(Value::small_integer(bits::kMaxInteger));
        add(Value::small_integer(bits::kMinInteger));
        for (std::int64_t i : {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()})
            add(must(make_integer(heap, i)));
        add(must(parse_integer(heap, std::string(60, '9'))));
        add(must(parse_integer(heap, "-" + std::string(400, '7'))));
        for (double d : {0.0, -0.0, 1.5, -2.5, 1e300, -1e18, 5e-324, std::numeric_limits<double>::infinity(),
                         std::numeric_limits<double>::quiet_NaN()})
            add(Value::number(d));
        add(Value());
        add(Value::boolean(true));
        add(Value::boolean(false));
        for (const char* s :
             {"", "a", "abc", "  x ", "e\u0301\U0001F1E9\U0001F1EA", "2024-02-29", "2024-02-29T12:00:00Z", "P1DT2H",
              "{\"a\":[1,2.5]}", "%5.2f|%s", "(a+)b", "12", "a,b;c\r\n"})
            add(must(make_string(heap, s)));
        for (const char* s : {"a", "asc", "desc"})
            add(must(make_keyword(heap, s)));
        add(must(make_var(heap, "name")));
        add(must(make_symbol(heap, "name")));
        add(must(make_regex(heap, "(a)|(b)?")));
        add_functions();
        add_collections();
        add_times();
    }
    [[nodiscard]] std::size_t size() const { return all_.size(); }
    [[nodiscard]] Value at(std::size_t i) const { return all_[i].copy(); }

private:
    void add(Value v) { all_.push_back(std::move(v)); }
    void add_functions() {
        static constexpr FunctionInfo kInfo{};
        add(Value::function(&kInfo));
        add(Value::builtin(0));
        auto* closure = heap_.allocate<ClosureObject>(ObjectType::Closure, sizeof(ClosureObject));
        closure->count = 0;
        closure->function = &kInfo;
        add(heap_.value_of(closure));
    }
    void add_collections() {
        add(empty_vector());
        add(empty_map());
        add(empty_set());
        add(must(make_range(heap_, 0, 10, 1)));
        VectorBuilder everything(heap_);
        MapBuilder by_kind(heap_);
        SetBuilder members(heap_);
        for (const Value& v : all_) {
            everything.push(v.copy());
            by_kind.put(v.copy(), v.copy());
            members.put(v.copy());
        }
        Value vector = must(everything.finish()), map = must(by_kind.finish()), set = must(members.finish());
        Value record = must(map_assoc(heap_, empty_map(), must(make_keyword(heap_, "a")), vector.copy()));
        Value rows[] = {record.copy(),
                        must(map_assoc(heap_, record.copy(), must(make_string(heap_, "b")), Value::small_integer(1)))};
        add(must(make_vector(heap_, rows)));
        add(must(map_assoc(heap_, map.copy(), vector.copy(), record.copy()))); // a copy or an overlay
        add(must(set_conj(heap_, set.copy(), vector.copy())));
        Value pair[] = {Value::small_integer(1), record.copy()};
        add(must(make_vector(heap_, pair)));
        Value deep = empty_vector();
        for (int i = 0; i < 2000; ++i)
            deep = must(make_vector(heap_, std::span(&deep, 1)));
        add(std::move(deep));
        Value shared = empty_vector();
        for (int i = 0; i < 60; ++i) {
            Value twice[] = {shared.copy(), shared.copy()};
            shared = must(make_vector(heap_, twice));
        }
        add(std::move(shared));
        for (Value* v : {&vector, &map, &set, &record})
            add(std::move(*v));
        add(must(make_range(heap_, 0, 4'000'000'000, 1)));
    }
    void add_times() {
        for (std::int64_t day : {0, -4'371'222, 2'932'896})
            add(must(make_local_date(heap_, day, "test")));
        add(must(make_instant(heap_, 1'700'000'000'000, 999'999, "test")));
        add(must(make_duration(heap_, std::numeric_limits<std::int64_t>::max())));
        add(must(make_period(heap_, -14, 3)));
    }

    Heap& heap_;
    std::vector<Value> all_;
};

class Surviving : public testing::Test {
protected:
    Surviving() : arguments(heap) {}

    /// Calls `row` with the arguments of these numbers; nothing but them is owned afterwards.
    void call(const Builtin& row, std::span<const std::size_t> chosen) {
        std::vector<Value> args;
        for (std::size_t i : chosen)
            args.push_back(arguments.at(i));
        heap.meter.start(20'000, Meter::Clock::time_point::max(), nullptr);
        heap.set_limit(heap.live_bytes() + kMemory);
        {
            Call call{heap, shapes, host, row};
            Result<Value> result = row.call(call, Args(args.data(), args.size()));
            if (!result.ok()) {
                EXPECT_LT(result.error().message.size(), 2000u) << row.name;
            }
        }
        EXPECT_LT(heap.meter.used(), 20'000'000'000) << row.name;
        args.clear();
        heap.meter = Meter();
        heap.set_limit(SIZE_MAX / 4);
    }

    Heap heap;
    ShapeTable shapes{heap};
    SilentHost host;
    Arguments arguments;
};

TEST_F(Surviving, AnyArguments) {
    std::mt19937 random(1);
    for (const Builtin* row : all_builtins()) {
        SCOPED_TRACE(row->name);
        const Arity arity = row->arity();
        for (std::size_t n = arity.min; n <= std::min<std::size_t>(arity.max, arity.min + 3u); ++n) {
            const std::size_t count = n == 0 ? 1 : n == 1 ? arguments.size() : 600;
            for (std::size_t i = 0; i < count; ++i) {
                std::vector<std::size_t> chosen(n);
                for (std::size_t& c : chosen)
                    c = n == 1 ? i : random() % arguments.size();
                call(*row, chosen);
            }
        }
    }
}

} // namespace
} // namespace ptc::test

// Calls of every native function with arguments that were made to be dear: long, deep, wide, shared and colliding
// values, texts of one kind of storm each, numbers of many digits, patterns. The price list (bench/price_list.cpp) and
// the test that holds it (tests/runtime/price_growth_test.cpp) ask what a unit of fuel buys there.
#pragma once
#include "runtime/builtin.h"
#include "runtime/map.h"
#include "runtime/number.h"
#include "runtime/regex.h"
#include "runtime/set.h"
#include "runtime/silent_host.h"
#include "runtime/string.h"
#include "runtime/vector.h"
#include "tests/support/repeated_text.h"
#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace ptc::test {

class HostileCalls {
public:
    /// `bytes`: the size of the long texts; collections have a part of it.
    explicit HostileCalls(std::size_t bytes) : bytes_(bytes), items_(bytes / 32) {
        make_small();
        small_ = pool_.size();
        make_texts();
        make_numbers();
        make_collections();
        choose(few_small_, 0, {"nil", "2", "1e9", "\"a\"", "\"\"", ":k", "{:k :j}", "#\"(a*)(a*)(a*)(a*)(a*)(a..\""});
        choose(few_, small_,
               {"aa..ab", "one grapheme", "dollars", "2^600,000", "range vector", "equal prefixes", "map of texts",
                "set that collides", "deep vector"});
        constexpr std::size_t kHeap = 64u << 20; // of a usual run
        heap_.set_limit(heap_.live_bytes() + kHeap);
    }
    /// Calls with one to three arguments: visit(places of the arguments). One is large, and the others are small, the
    /// same once more, or one of a few large ones.
    template <class Visit> void each(const Builtin& row, Visit visit) {
        const Arity arity = row.arity();
        for (std::size_t large = small_; large < pool_.size(); ++large) {
            if (arity.accepts(1)) visit(Places{large});
            if (arity.accepts(2)) {
                for (std::size_t other = 0; other < small_; ++other) {
                    visit(Places{large, other});
                    visit(Places{other, large});
                }
                visit(Places{large, large});
                for (const std::size_t other : few_)
                    visit(Places{large, other});
            }
            if (!arity.accepts(3)) continue;
            for (const std::size_t a : few_small_) {
                for (const std::size_t b : few_small_) {
                    visit(Places{large, a, b});
                    visit(Places{a, large, b});
                    visit(Places{a, b, large});
                }
                for (const std::size_t other : few_)
                    visit(Places{large, a, other});
            }
        }
    }
    using Places = std::vector<std::size_t>;
    /// The place of an argument by its name.
    [[nodiscard]] std::size_t place_of(std::string_view name) const {
        return static_cast<std::size_t>(std::find(names_.begin(), names_.end(), name) - names_.begin());
    }
    [[nodiscard]] bool has(std::size_t place) const { return place < pool_.size(); }
    [[nodiscard]] std::string name(const Builtin& row, const Places& places) const {
        std::string text = std::string("(") + row.name;
        for (const std::size_t place : places)
            text += " " + names_[place];
        return text + ")";
    }
    /// The call; the meter of `heap()` has been started.
    Result<Value> call(const Builtin& row, const Places& places) {
        arguments_.clear();
        for (const std::size_t place : places)
            arguments_.push_back(pool_[place].copy());
        Call context{heap_, shapes_, host_, row};
        return row.call(context, arguments_);
    }
    [[nodiscard]] Heap& heap() { return heap_; }
    /// Fuel of the call just made: the row's cost, and about what the loop takes to get there.
    [[nodiscard]] std::int64_t fuel(const Builtin& row) const {
        constexpr std::int64_t kLoop = 6;
        return heap_.meter.used() + row.cost + kLoop;
    }

private:
    void add(std::string name, Value value) {
        names_.push_back(std::move(name));
        pool_.push_back(std::move(value));
    }
    Value text(const std::string& bytes) { return make_string(heap_, bytes).value(); }
    void add_text(std::string name, const std::string& bytes) { add(std::move(name), text(bytes)); }
    void add_regex(const std::string& pattern) {
        Result<Value> regex = make_regex(heap_, pattern);
        if (regex.ok())
            add("#\"" + (pattern.size() > 24 ? pattern.substr(0, 24) + ".." : pattern) + "\"",
                std::move(regex).value());
    }
    Value keyword(const char* name) { return make_keyword(heap_, name).value(); }
    std::string storm(std::string_view unit) const { return times(unit, bytes_ / unit.size()); }

    void make_small() {
        add("nil", Value());
        add("0", Value::small_integer(0));
        add("2", Value::small_integer(2));
        add("900", Value::small_integer(900));
        add("1e9", Value::small_integer(1'000'000'000));
        add("-3", Value::small_integer(-3));
        add("3000.5", Value::number(3000.5));
        add("1e300", Value::number(1e300));
        add("true", Value::boolean(true));
        add_text("\"\"", "");
        add_text("\"a\"", "a");
        add_text("\"%5s\"", "%5s");
        add(":k", keyword("k"));
        add_text("\"$0$0\"", "$0$0");
        MapBuilder renaming(heap_);
        renaming.put(keyword("k"), keyword("j"));
        add("{:k :j}", std::move(renaming.finish()).value());
        add("[2 3]", pair(2, 3));
        add_regex("a+b?");
        add_regex("");
        add_regex(times("(a*)", 40) + "b");
        add_regex("(a|b)*a(a|b){12}b");
        add_regex("(?<=a)b|(a+)+c");
        add_regex("(?s).*x");
        add_regex("[^b]*b");
        add_regex("(a{1,30}){1,30}b");
        add_regex("\\p{L}+\\d");
        add_regex("$|^");
    }
    void make_texts() {
        add_text("aa..ab", storm("a") + "b");
        add_text("aa..aB", storm("a") + "B");
        add_text("abab..", storm("ab"));
        add_text("random ab", random_letters());
        add_text("one grapheme", "e" + storm("\u0301"));
        add_text("many graphemes", storm("e\u0301"));
        add_text("umlauts", storm("\u00e4"));
        add_text("capital sigmas", storm("\u03a3'"));
        add_text("sharp s", storm("\u00df"));
        add_text("flags", storm("\U0001F1E9"));
        add_text("joined emoji", storm("\U0001F468\u200d"));
        add_text("blanks", storm(" "));
        add_text("wide blanks", storm("\u3000"));
        add_text("newlines", storm("\n"));
        add_text("CR LF", storm("\r\n"));
        add_text("blank lines", storm("   \n"));
        add_text("lines of 1", storm("1\n"));
        add_text("commas", storm(","));
        add_text("quotes", storm("\""));
        add_text("backslashes", storm("\\"));
        add_text("escaped text", "\"" + storm("\\n") + "\"");
        add_text("text of text", "\"" + storm("\u00e4") + "\"");
        add_text("dollars", storm("$0"));
        add_text("percent signs", storm("%s"));
        add_text("percents", storm("%%"));
        add_text("brackets", storm("["));
        add_text("closed brackets", storm("[]"));
        add_text("deep brackets", times("[", 400) + times("]", 400));
        add_text("rows", "[" + times("{\"a\":1,\"b\":[1,2.5,null]},", bytes_ / 25) + "1]");
        add_text("odd rows", "[" + times("{\"a\":1e0000003,\"b\":\"\u00e4\"},", bytes_ / 25) + "1]");
        add_text("cut rows", "[" + times("{\"a\":1,\"b\":[1,2.5,null]},", bytes_ / 25));
        add_text("numbers", "[" + times("1234567890123456789012.5,", bytes_ / 25) + "1]");
        add_text("keys", object_text());
        add_text("digits", storm("7"));
        add_text("zeros", storm("0"));
        add_text("10,000 digits", times("7", 10'000));
        add_text("9,999.. digits", "[" + times(times("7", 9'999) + ",", bytes_ / 10'000) + "1]");
        add_text("0.digits", "0." + storm("7"));
        add_text("0.000..1", "0." + storm("0") + "1");
        add_text("-1e999999", "-1e999999");
        add_text("digits/3", storm("7") + "/3");
        add_text("dashes", storm("-"));
        add_text("dots", storm("a."));
        add_text("pattern", times("(a*)", 60) + "b");
        add_text("date pattern", storm("yyyy-"));
        add_text("date", "2024-01-01T" + storm("0"));
        add_text("colons", storm(":"));
        add_text("slashes", storm("/"));
        add_text("edn", "[" + storm(":a ") + "]");
    }
    void make_numbers() {
        add("10^300", number("1" + times("0", 300)));
        add("-10^9000", number("-1" + times("0", 9'000)));
        add("7.. (200,000 digits)", power(7, 78'000));
        add("2^600,000", power(2, 600'000));
        add("-2^600,000", negate(heap_, pool_.back()).value());
        add("2^62", number("4611686018427387904"));
    }
    void make_collections() {
        const std::size_t n = items_;
        add("range vector", vector(n, [](std::size_t i) { return integer(i); }));
        add("backward vector", vector(n, [n](std::size_t i) { return integer(n - i); }));
        add("doubles", vector(n, [](std::size_t i) { return Value::number(static_cast<double>(i) / 3); }));
        add("nils", vector(n, [](std::size_t) { return Value(); }));
        add("pairs", vector(n, [&](std::size_t i) { return pair(static_cast<std::int64_t>(i), 1); }));
        add("equal rows", vector(n, [&](std::size_t) { return row(1); }));
        add("rows of k", vector(n, [&](std::size_t i) { return row(i); }));
        add("short texts", vector(n, [&](std::size_t i) { return text("t" + std::to_string(i)); }));
        const Value prefix = text(times("p", 2'000));
        add("equal prefixes",
            vector(n / 64, [&](std::size_t i) { return text(std::string(text_of(prefix)) + std::to_string(i)); }));
        add("equal long texts", vector(n, [&](std::size_t) { return prefix.copy(); }));
        add("graphemes", vector(n / 64, [&](std::size_t) { return text("e" + times("\u0301", 200)); }));
        add("large numbers",
            vector(n / 256, [&](std::size_t i) { return multiply(heap_, power(7, 2'000), integer(i + 1)).value(); }));
        const Value item = vector(n / 64, [](std::size_t i) { return integer(i); });
        add("one vector often", vector(n, [&](std::size_t) { return item.copy(); }));
        add("deep vector", nested(n, [&](Value inner) { return only(std::move(inner)); }));
        add("deep map", nested(n, [&](Value inner) { return map_of(keyword("k"), std::move(inner)); }));
        add("shared twice, 40 deep", nested(40, [&](Value inner) {
                Value items[] = {inner.copy(), std::move(inner)};
                return std::move(make_vector(heap_, items)).value();
            }));
        add("map of integers", map(n, [](std::size_t i) { return integer(i * 7919); }));
        add("map of texts", map(n, [&](std::size_t i) { return text("key" + std::to_string(i)); }));
        add("map of keywords", map(n, [&](std::size_t i) { return keyword(("key" + std::to_string(i)).c_str()); }));
        add("map of vectors", map(n, [&](std::size_t i) { return pair(static_cast<std::int64_t>(i), 1); }));
        const std::vector<Value> colliding = colliding_integers(n / 16);
        add("colliding integers", vector(colliding.size(), [&](std::size_t i) { return colliding[i].copy(); }));
        add("map that collides", map(colliding.size(), [&](std::size_t i) { return colliding[i].copy(); }));
        add("set that collides", set(colliding.size(), [&](std::size_t i) { return colliding[i].copy(); }));
        add("set of integers", set(n, [](std::size_t i) { return integer(i); }));
        add("set of rows", set(n, [&](std::size_t i) { return row(i); }));
        add("set of texts", set(n, [&](std::size_t i) { return text("key" + std::to_string(i)); }));
    }

    static Value integer(std::size_t i) { return Value::small_integer(static_cast<std::int64_t>(i)); }
    Value number(const std::string& digits) { return make_integer(heap_, digits).value(); }
    Value power(std::int64_t base, std::size_t exponent) {
        Value result = Value::small_integer(1), square = Value::small_integer(base);
        for (; exponent > 0; exponent /= 2) {
            if (exponent % 2 == 1) result = multiply(heap_, result, square).value();
            square = multiply(heap_, square, square).value();
        }
        return result;
    }
    std::string random_letters() const {
        std::string letters;
        std::uint64_t state = 1;
        for (std::size_t i = 0; i < bytes_; ++i) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            letters += (state >> 60) % 2 == 0 ? 'a' : 'b';
        }
        return letters;
    }
    std::string object_text() const {
        std::string all = "{";
        for (std::size_t i = 0; i < items_; ++i)
            all += "\"key" + std::to_string(i) + "\":1,";
        return all + "\"a\":1}";
    }
    template <class Item> Value vector(std::size_t count, Item item) {
        VectorBuilder builder(heap_);
        for (std::size_t i = 0; i < count; ++i)
            (void)builder.push(item(i));
        return std::move(builder.finish()).value();
    }
    template <class Key> Value map(std::size_t count, Key key) {
        MapBuilder builder(heap_);
        for (std::size_t i = 0; i < count; ++i)
            builder.put(key(i), Value::small_integer(1));
        return std::move(builder.finish()).value();
    }
    template <class Item> Value set(std::size_t count, Item item) {
        SetBuilder builder(heap_);
        for (std::size_t i = 0; i < count; ++i)
            builder.put(item(i));
        return std::move(builder.finish()).value();
    }
    template <class Around> Value nested(std::size_t depth, Around around) {
        Value inner = Value::small_integer(1);
        for (std::size_t i = 0; i < depth; ++i)
            inner = around(std::move(inner));
        return inner;
    }
    Value only(Value item) { return std::move(make_vector(heap_, std::span<Value>(&item, 1))).value(); }
    Value pair(std::int64_t a, std::int64_t b) {
        Value items[] = {Value::small_integer(a), Value::small_integer(b)};
        return std::move(make_vector(heap_, items)).value();
    }
    Value map_of(Value key, Value value) {
        MapBuilder builder(heap_);
        builder.put(std::move(key), std::move(value));
        return std::move(builder.finish()).value();
    }
    Value row(std::size_t i) { return map_of(keyword("k"), integer(i)); }
    /// Integers with one hash: the products that hash_integer looks at are equal in their high halves.
    static std::vector<Value> colliding_integers(std::size_t count) {
        constexpr std::uint64_t kFactor = 0x9E37'79B9'7F4A'7C15;
        std::uint64_t inverse = kFactor; // by Newton's method: each step doubles the bits that are right
        for (int i = 0; i < 6; ++i)
            inverse *= 2 - kFactor * inverse;
        std::vector<Value> all;
        for (std::uint64_t low = 0; all.size() < count && low < (std::uint64_t{1} << 28); ++low) {
            const std::uint64_t raw = ((std::uint64_t{0x1234'5678} << 32) | low) * inverse;
            if (bits::is_integer(raw)) all.push_back(Value::small_integer(bits::to_integer(raw)));
        }
        return all;
    }

    /// Keeps the places of those of the pool from `from` on that are named: what two large arguments, or two small ones
    /// beside a large one, are chosen from.
    void choose(std::vector<std::size_t>& chosen, std::size_t from, std::initializer_list<std::string_view> names) {
        for (std::size_t i = from; i < names_.size(); ++i)
            if (std::find(names.begin(), names.end(), names_[i]) != names.end()) chosen.push_back(i);
    }

    std::size_t bytes_, items_, small_ = 0;
    std::vector<std::size_t> few_, few_small_;
    Heap heap_;
    ShapeTable shapes_{heap_};
    SilentHost host_;
    std::vector<Value> pool_;
    std::vector<std::string> names_;
    std::vector<Value> arguments_;
};

} // namespace ptc::test

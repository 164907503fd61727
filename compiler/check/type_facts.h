// Facts about what comes from outside: of the types that signatures write, and of data.
#pragma once
#include "compiler/analyze/analyzer.h"
#include "compiler/check/fact.h"
#include "ptc/type.h"
#include "runtime/heap.h"
#include <deque>
#include <string>
#include <vector>

namespace ptc {

/// A value of `type` that a host gives: any part of it may be nil, whatever the type says. `origin` must outlive the
/// fact, and so must `unwritten`: fields that the value may have beside those of its type.
const Fact* fact_of_type(Facts& facts, const Type& type, Origin origin, std::span<const UnwrittenField> unwritten = {});

/// What is known of data that programs will read, found by looking at all of them: which fields the records have, what
/// kinds of values are in them.
class DataFacts {
public:
    DataFacts() : facts_(arena_) {}
    DataFacts(const DataFacts&) = delete;
    DataFacts& operator=(const DataFacts&) = delete;
    static constexpr std::size_t kMaxValues = 1'000'000; ///< that are looked at; of a name beyond them nothing is known

    /// `data`: a frozen map from names to values, as data/NAME reads it. It must outlive this. Linear in its size.
    Result<void> add(Heap& heap, const Value& data) { return add(heap, data, "data/", all_); }
    /// The same for what tools have given: from their names to lists of all that each gave.
    Result<void> add_results(Heap& heap, const Value& results) { return add(heap, results, "tool/", results_); }
    /// One entry a name.
    [[nodiscard]] std::span<const DataInfo> all() const { return all_; }
    [[nodiscard]] std::span<const DataInfo> results() const { return results_; }

private:
    /// All values at one place of the data.
    struct Sketch {
        enum Kind : std::uint8_t { Bool = 1, Numeric = 2, String = 4, Vector = 8, Map = 16, Other = 32 };
        std::uint8_t kinds = 0; ///< those that were seen
        bool is_dictionary = false;
        std::vector<std::pair<std::string_view, Sketch*>> fields;
        Sketch* items = nullptr;
        std::pair<TextsSeen, Texts>* texts = nullptr;
    };
    Result<void> add(Heap& heap, const Value& data, std::string_view space, std::vector<DataInfo>& to);
    Result<void> look_at(Heap& heap, const Value& value, Sketch& sketch);
    Sketch& field_of(Sketch& record, std::string_view name, std::size_t hint);
    const Fact* fact_of(const Sketch& sketch, std::string_view origin);

    Arena arena_{1024};
    Facts facts_;
    std::deque<std::string> origins_;
    std::deque<Sketch> sketches_;
    std::deque<std::pair<TextsSeen, Texts>> texts_;
    std::vector<DataInfo> all_;
    std::vector<DataInfo> results_;
    std::size_t left_ = kMaxValues;
};

} // namespace ptc

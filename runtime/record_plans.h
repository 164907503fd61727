// Merging two records, and selecting fields of one, as it was done before: which value goes where follows from the
// shapes alone, so it is worked out once.
#pragma once
#include "runtime/shape.h"
#include <array>
#include <cstdint>

namespace ptc {

/// Where the values of a record come from.
struct RecordPlan {
    static constexpr std::uint8_t kOther = ShapeObject::kMaxFields;
    ShapeObject* to = nullptr; ///< its shape, borrowed from the table
    /// For each slot: that of a record, or kOther and that of the other one.
    std::array<std::uint8_t, ShapeObject::kMaxFields> sources{};
};

/// The plans that a ShapeTable remembers, until it is swept. What is remembered changes neither fuel nor results.
class RecordPlans {
public:
    explicit RecordPlans(ShapeTable& shapes) : shapes_(shapes) {}
    /// A record of shape `into` with the fields of one of shape `from` (the other) put in. Null: that is no record, a
    /// field of one has another spelling in the other, or there is no room for its shape.
    const RecordPlan* merged(const ShapeObject& into, const ShapeObject& from);
    /// The fields of a record of shape `from` that `keys`, a frozen flat vector, asks for. Null as above, also where
    /// there are none of them.
    const RecordPlan* selected(const ShapeObject& from, const Value& keys);

private:
    /// Two shapes, or a shape and the keys. A frozen shape may be gone and its place taken, so a hit compares hashes.
    struct Question {
        const ShapeObject* shape = nullptr;
        const void* other = nullptr;
        std::uint32_t shape_hash = 0;
        std::uint32_t other_hash = 0;
        friend bool operator==(const Question&, const Question&) = default;
    };
    struct Entry {
        Question question;
        RecordPlan plan; ///< without a shape where there is none
    };
    /// By what the question is and not by where that lies: which share a place is the same in each run.
    Entry& place(const Question& question) {
        return entries_[(question.shape_hash ^ (question.other_hash << 1)) * 0x9E37'79B1U >> 27];
    }
    template <class Make> const RecordPlan* remembered(const Question& question, Make make);
    struct Field;
    class Fields;
    RecordPlan plan_of(const Fields& fields, const Value* type);

    ShapeTable& shapes_;
    std::array<Entry, 32> entries_{};
};

} // namespace ptc

// Any bytes as JSON: both readers give the same verdict and value, under limits too, and what is written reads back
// equal.
#include "runtime/clock.h"
#include "runtime/equality.h"
#include "runtime/json.h"
#include "runtime/json_builder.h"
#include "runtime/print.h"
#include "tests/fuzz/custom_mutator.h"
#include "tests/fuzz/fuzz_check.h"
#include <string>

PTC_FUZZ_GRAMMAR(ptc::fuzz::json_grammar, 0)

using namespace ptc;

namespace {

void check_agreement(std::string_view text) {
    Heap heap;
    ShapeTable shapes(heap);
    Result<Value> quick = parse_json(heap, shapes, text);
    Result<Value> strict = parse_json_strictly(heap, shapes, text, {});
    FUZZ_CHECK(quick.ok() == strict.ok());
    if (!quick.ok()) {
        FUZZ_CHECK(quick.error().message == strict.error().message);
        return;
    }
    FUZZ_CHECK(equal(heap, quick.value(), strict.value()));
    Heap frozen(Heap::Mode::Frozen);
    ShapeTable frozen_shapes(frozen);
    FUZZ_CHECK(equal(heap, quick.value(), parse_json(frozen, frozen_shapes, text).value()));
    std::string written;
    FUZZ_CHECK(to_json(heap, quick.value(), written));
    Result<Value> again = parse_json(heap, shapes, written);
    FUZZ_CHECK(again.ok());
    FUZZ_CHECK(print_to_string(heap, again.value(), PrintStyle::Readable) ==
               print_to_string(heap, quick.value(), PrintStyle::Readable));
}

void check_limits(std::string_view text, std::size_t limit) {
    Heap heap;
    heap.set_limit(limit);
    heap.meter.start(static_cast<std::int64_t>(limit), Meter::Clock::time_point::max(), nullptr);
    {
        ShapeTable shapes(heap);
        Result<Value> value = parse_json(heap, shapes, text);
        FUZZ_CHECK(heap.peak_bytes() <= limit);
    }
    FUZZ_CHECK(heap.live_bytes() == 0);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string_view text(reinterpret_cast<const char*>(data), size);
    check_agreement(text);
    check_limits(text, 256 + (size > 0 ? data[0] : 0) * 64u);
    return 0;
}

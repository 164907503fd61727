// Any bytes as data in the language's own notation: refused with a bounded message, or a value that is printed and
// reads back to itself. Whatever it says, its fuel pays for the work.
#include "runtime/clock.h"
#include "runtime/edn.h"
#include "runtime/equality.h"
#include "runtime/print.h"
#include "tests/fuzz/custom_mutator.h"
#include "tests/fuzz/fuzz_check.h"
#include "tests/fuzz/work.h"
#include <string>

PTC_FUZZ_GRAMMAR(ptc::fuzz::program_grammar, 0)

using namespace ptc;

namespace {

void check_limits(std::string_view text, std::size_t limit) {
    Heap heap;
    heap.set_limit(limit);
    heap.meter.start(static_cast<std::int64_t>(limit), Meter::Clock::time_point::max(), nullptr);
    {
        ShapeTable shapes(heap);
        const Result<Value> value = parse_edn(heap, shapes, text);
        FUZZ_CHECK(heap.peak_bytes() <= limit);
    }
    FUZZ_CHECK(heap.live_bytes() == 0);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    check_limits(text, 256 + size * 8);
    Heap heap;
    ShapeTable shapes(heap);
    const fuzz::Measure measure;
    const Result<Value> value = parse_edn(heap, shapes, text);
    fuzz::check_work("reading data", measure.taken(), size, 40, 3'000'000 + (value.ok() ? 0 : fuzz::kBracketSearch));
    if (!value.ok()) {
        FUZZ_CHECK(!value.error().message.empty() && value.error().message.size() < 8192);
        return 0;
    }
    const std::string printed = print_to_string(heap, value.value(), PrintStyle::Readable);
    const Result<Value> again = parse_edn(heap, shapes, printed);
    FUZZ_CHECK(again.ok());
    FUZZ_CHECK(print_to_string(heap, again.value(), PrintStyle::Readable) == printed);
    const bool is_never_equal = printed.find("##NaN") != std::string::npos || printed.find("#\"") != std::string::npos;
    FUZZ_CHECK(is_never_equal || equal(heap, value.value(), again.value()));
    return 0;
}

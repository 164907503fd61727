#include "runtime/builtins/text_arguments.h"
#include "frontend/try.h"
#include "runtime/number.h"
#include "runtime/time.h"
#include <algorithm>
#include <cstring>

namespace ptc {

Result<std::string_view> text_argument(const Call& call, Args args, std::size_t position) {
    const Value& argument = args[position - 1];
    if (!argument.is_string()) [[unlikely]]
        return argument_error(call, args, position, "a string");
    return text_of(argument);
}

Result<void> number_to_string_argument(const Call& call, Args args, std::size_t position) {
    Value& argument = args[position - 1];
    if (argument.is_string()) [[likely]]
        return {};
    if (is_time(argument)) {
        std::string text;
        append_time(argument, text);
        argument = PTC_TRY(make_string(call.heap, text));
        return {};
    }
    if (!argument.is_number()) return argument_error(call, args, position, "a string");
    argument = PTC_TRY(number_text(call.heap, argument));
    return {};
}

Result<Value> number_text(Heap& heap, const Value& number) {
    if (!heap.meter.charge(number_text_cost(number))) return heap.meter.error();
    const std::string text = number_to_text(number);
    if (heap.meter.has_run_out()) return heap.meter.error();
    return make_string(heap, text);
}

Result<Value> part_of(Heap& heap, const Value& string, std::size_t begin, std::size_t end) {
    PTC_CHECK(charge_bytes_of_work(heap, end - begin));
    std::string_view part = text_of(string).substr(begin, end - begin);
    // A part of ASCII is ASCII: no need to look at the bytes. Splitting a text is mostly this.
    return is_ascii_string(string) ? make_ascii_string(heap, part) : make_string(heap, part);
}

std::size_t find_text(std::string_view text, std::string_view needle, std::size_t from) {
    if (from > text.size() || needle.size() > text.size() - from) return std::string_view::npos;
    // memmem is linear in glibc (two-way search); std::string_view::find is not.
    const void* hit = memmem(text.data() + from, text.size() - from, needle.data(), needle.size());
    return hit ? static_cast<std::size_t>(static_cast<const char*>(hit) - text.data()) : std::string_view::npos;
}

Result<std::size_t> find_last_text(Heap& heap, std::string_view text, std::string_view needle, std::size_t from) {
    if (needle.size() > text.size()) return std::string_view::npos;
    std::size_t last = std::min(from, text.size() - needle.size());
    if (needle.empty()) return last;
    PTC_CHECK(charge_bytes_of_work(heap, last));
    while (const void* hit = memrchr(text.data(), needle.front(), last + 1)) {
        std::size_t at = static_cast<std::size_t>(static_cast<const char*>(hit) - text.data());
        // "baaa.." in "aaa..": each start compares the whole needle.
        if (!heap.meter.charge(static_cast<std::int64_t>(needle.size() / 8 + 1))) return heap.meter.error();
        if (std::memcmp(text.data() + at, needle.data(), needle.size()) == 0) return at;
        if (at == 0) break;
        last = at - 1;
    }
    return std::string_view::npos;
}

std::size_t grapheme_index(Heap& heap, const Value& string, std::size_t offset) {
    if (is_ascii_string(string)) return offset;
    std::string_view text = text_of(string);
    PieceMeter pay(heap, offset, offset);
    std::size_t index = 0;
    for (std::size_t at = 0; at < text.size(); ++index) {
        at = next_grapheme(heap, text, at);
        if (at > offset || !pay.reach(at)) break;
    }
    (void)pay.finish(); // a refusal stays
    return index;
}

} // namespace ptc

// Any text as a pattern (before the first NUL) and a text (behind it): refused, or searched through within fuel and
// memory, which come back. Matches lie in the text, one behind the other, with their groups inside of the text; a match
// of all of it is one that the search finds too. RE2 alone finds what it finds with the scanner, for the same fuel.
#include "frontend/utf8.h"
#include "runtime/clock.h"
#include "runtime/regex.h"
#include "tests/fuzz/custom_mutator.h"
#include "tests/fuzz/fuzz_check.h"
#include <string>

PTC_FUZZ_GRAMMAR(ptc::fuzz::program_grammar, 0)

using namespace ptc;

namespace {

void check_groups(const RegexSearch& search, std::string_view text) {
    for (const ByteRange& group : search.groups())
        FUZZ_CHECK(!group.matched() || (group.begin <= group.end && group.end <= text.size()));
}

void check_searches(Heap& heap, const Value& regex, std::string_view text) {
    RegexSearch search(heap, regex, text);
    std::size_t end = 0;
    bool is_first = true;
    for (std::size_t count = 0;; ++count) {
        const Result<bool> found = search.next();
        if (!found.ok() || !found.value()) break;
        check_groups(search, text);
        const ByteRange match = search.match();
        FUZZ_CHECK(match.matched() && match.begin >= end && (is_first || match.begin >= end));
        FUZZ_CHECK(count <= text.size() + 1);
        end = match.end;
        is_first = false;
    }
    RegexSearch whole(heap, regex, text);
    const Result<bool> is_whole = whole.full_match();
    if (!is_whole.ok() || !is_whole.value()) return;
    FUZZ_CHECK(whole.match().begin == 0 && whole.match().end == text.size());
    RegexSearch again(heap, regex, text);
    const Result<bool> found = again.find(0);
    FUZZ_CHECK(!found.ok() || found.value());
}

/// All matches up to the first failure as text, and the fuel that they took.
std::string matches_of(Heap& heap, const Value& regex, std::string_view text, bool has_scanner) {
    std::string all;
    const auto fuel = heap.meter.used();
    const auto note = [&](RegexSearch& search, const Result<bool>& found) {
        for (std::size_t i = 0; found.ok() && found.value() && i < search.groups().size(); ++i)
            all += std::to_string(search.groups()[i].begin) + "-" + std::to_string(search.groups()[i].end) + " ";
        return found.ok() && found.value();
    };
    RegexSearch search(heap, regex, text), whole(heap, regex, text);
    if (!has_scanner) search.leave_out_scanner(), whole.leave_out_scanner();
    while (note(search, search.next()))
        all += ", ";
    (void)note(whole, whole.full_match());
    return all + "for " + std::to_string(heap.meter.used() - fuel);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    const std::string_view pattern = input.substr(0, input.find('\0'));
    const std::string text(pattern.size() < size ? input.substr(pattern.size() + 1) : "aab\u00e9 \u00dfx 12\n");
    if (utf8::find_invalid(input) != utf8::kValid) return 0; // no string of a program has such bytes
    Heap heap;
    heap.set_limit(8u << 20);
    heap.meter.start(2'000'000, Meter::Clock::time_point::max(), nullptr);
    {
        const Result<Value> regex = make_regex(heap, pattern);
        if (regex.ok()) {
            check_searches(heap, regex.value(), text);
            const std::string with = matches_of(heap, regex.value(), text, true);
            const std::string without = matches_of(heap, regex.value(), text, false);
            FUZZ_CHECK(heap.meter.has_run_out() || with == without);
        }
        if (!regex.ok()) FUZZ_CHECK(!regex.error().message.empty() && regex.error().message.size() < 4096);
    }
    FUZZ_CHECK(heap.live_bytes() == 0);
    return 0;
}

// Strings made, measured, cut and appended to. Positions are graphemes. A string that is all ASCII without CR LF says
// so in its flags, and everything about it is arithmetic; others are walked with utf8proc's rules, for fuel. The flag
// of a result is computed from the parts where that is possible, else by a scan of eight bytes at a time. Appending to
// a string that nobody else owns happens in place, with room for half as much again.
#include "runtime/string.h"
#include "runtime/digits.h"
#include "runtime/text_hash.h"
#include "runtime/unicode.h"
#include <algorithm>
#include <array>
#include <cassert>
#include <optional>
#include <utf8proc.h>

namespace ptc {
namespace {

constexpr std::size_t kMaxBytes = UINT32_MAX - 64;

StringObject& mutable_string(const Value& v) { return *static_cast<StringObject*>(v.object()); }

bool has_high_bit(const char* p, std::size_t n) {
    std::uint64_t any = 0;
    for (; n >= 8; p += 8, n -= 8) {
        std::uint64_t word;
        std::memcpy(&word, p, 8);
        any |= word;
    }
    for (; n > 0; ++p, --n)
        any |= static_cast<unsigned char>(*p) & 0x80u;
    return (any & 0x8080'8080'8080'8080) != 0;
}

bool has_crlf(std::string_view text) {
    for (std::size_t at = text.find('\r'); at != std::string_view::npos; at = text.find('\r', at + 1))
        if (at + 1 < text.size() && text[at + 1] == '\n') return true;
    return false;
}

/// Every byte is a grapheme of its own.
bool is_plain_ascii(std::string_view text) { return !has_high_bit(text.data(), text.size()) && !has_crlf(text); }

std::uint8_t text_flags(std::string_view text) { return is_plain_ascii(text) ? StringObject::kAscii : 0; }

/// The same of a text that may be long; nothing when the meter ended it. Pieces overlap, for a CR LF at their bounds.
std::optional<std::uint8_t> flags_watched(Meter& meter, std::string_view text) {
    if (text.size() <= kBytesBetweenLooks) [[likely]]
        return text_flags(text);
    bool is_plain = true;
    const auto look_at = [&](std::size_t begin, std::size_t end) {
        is_plain = is_plain && is_plain_ascii(text.substr(begin, end + 1 - begin));
    };
    if (!meter.in_pieces(text.size(), kBytesBetweenLooks, look_at)) return std::nullopt;
    return is_plain ? StringObject::kAscii : std::uint8_t{0};
}

std::size_t capacity_of(const StringObject* s) {
    return std::min(Heap::size_of(s) - StringObject::bytes_for(0), kMaxBytes);
}

// A text's bytes are read behind the struct, so the objects are made in place and never written to: their hashes are
// known.
constexpr std::uint32_t kImmortalRefs = kImmortal;
template <std::size_t... I> constexpr auto make_shared_strings(std::index_sequence<I...>) {
    constexpr auto size = [](std::size_t i) { return static_cast<std::uint32_t>(i + 1 < kSharedStrings); };
    return std::array<StringObject, kSharedStrings>{
        {{{kImmortalRefs, ObjectType::String, StringObject::kAscii, 0},
          size(I),
          {hash_of_short_text(size(I), static_cast<unsigned char>(I % 128))},
          {size(I) + 1},
          {static_cast<char>(I % 128)}}...}};
}
constinit const std::array<StringObject, kSharedStrings> shared_strings =
    make_shared_strings(std::make_index_sequence<kSharedStrings>());

Result<Value> make_text(Heap& heap, ObjectType type, std::string_view text) {
    assert(is_valid_utf8(text));
    if (type == ObjectType::String && has_shared_string(text)) return shared_string(text);
    StringObject* s = new_string_object(heap, type, text.size());
    if (!s) return heap.out_of_memory();
    copy_bytes(s->bytes, text.data(), text.size());
    s->flags = text_flags(text);
    return heap.value_of(s);
}

/// The flag of a + b from the flags of both.
std::uint8_t joined_flags(const StringObject& a, std::string_view b) {
    if (!(a.flags & StringObject::kAscii) || !is_plain_ascii(b)) return 0;
    bool joins_crlf = a.size > 0 && a.bytes[a.size - 1] == '\r' && !b.empty() && b.front() == '\n';
    return joins_crlf ? 0 : StringObject::kAscii;
}

/// Looks for the end of the grapheme that starts at a byte, in as many steps as its caller likes.
class GraphemeEnd {
public:
    GraphemeEnd(std::string_view text, std::size_t from) : text_(text), at_(from) {
        auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
        if (byte(from) < 0x80 && (from + 1 == text.size() || byte(from + 1) < 0x80)) [[likely]] {
            bool crlf = text[from] == '\r' && from + 1 < text.size() && text[from + 1] == '\n';
            at_ = from + (crlf ? 2 : 1);
            is_found_ = true;
            return;
        }
        before_ = static_cast<utf8proc_int32_t>(next_code_point(text, &at_));
    }
    /// The end so far: always the bound of a code point.
    [[nodiscard]] std::size_t at() const { return at_; }
    /// Looks on, at most to byte `limit`: false when the grapheme goes on there.
    [[nodiscard]] bool find(std::size_t limit) {
        limit = std::min(limit, text_.size());
        while (!is_found_ && at_ < limit) {
            std::size_t next = at_;
            auto code_point = static_cast<utf8proc_int32_t>(next_code_point(text_, &next));
            if (utf8proc_grapheme_break_stateful(before_, code_point, &state_)) is_found_ = true;
            if (is_found_) break;
            before_ = code_point;
            at_ = next;
        }
        return is_found_ || at_ >= text_.size();
    }

private:
    std::string_view text_;
    std::size_t at_;
    utf8proc_int32_t before_ = 0, state_ = 0;
    bool is_found_ = false;
};

} // namespace

Value shared_string(std::size_t number) {
    return Value::adopt(bits::kFrozen | reinterpret_cast<Bits>(&shared_strings[number]));
}

std::size_t shared_string_number(const Object* object) {
    const auto first = reinterpret_cast<std::uintptr_t>(shared_strings.data());
    const auto offset = reinterpret_cast<std::uintptr_t>(object) - first;
    return offset < sizeof shared_strings ? offset / sizeof(StringObject) : kSharedStrings;
}

Result<Value> make_string(Heap& heap, std::string_view utf8) { return make_text(heap, ObjectType::String, utf8); }
Result<Value> make_keyword(Heap& heap, std::string_view text) { return make_text(heap, ObjectType::Keyword, text); }
Result<Value> make_var(Heap& heap, std::string_view name) { return make_text(heap, ObjectType::Var, name); }
Result<Value> make_symbol(Heap& heap, std::string_view name) { return make_text(heap, ObjectType::Symbol, name); }

Result<Value> make_string_buffer(Heap& heap, std::size_t size, char** bytes) {
    StringObject* s = new_string_object(heap, ObjectType::String, size);
    if (!s) return heap.out_of_memory();
    *bytes = s->bytes;
    return heap.value_of(s);
}

void finish_string(Value& string) {
    StringObject& s = mutable_string(string);
    assert(is_valid_utf8(s.view()));
    s.flags = text_flags(s.view());
}

std::size_t count_graphemes(Heap& heap, const Value& string) {
    StringObject& s = mutable_string(string);
    std::uint32_t cached = s.length_cache.load(std::memory_order_relaxed);
    if (cached != 0) {
        heap.meter.charge_unchecked(s.size); // whether it is known depends on other runs, and fuel must not
        return cached - 1;
    }
    GraphemeWalk walk(heap, s.view(), 0);
    std::size_t count = 0;
    while (walk.next())
        ++count;
    if (!heap.meter.has_run_out())
        s.length_cache.store(static_cast<std::uint32_t>(count + 1), std::memory_order_relaxed);
    return count;
}

std::size_t next_grapheme(std::string_view text, std::size_t from) {
    GraphemeEnd end(text, from);
    (void)end.find(text.size());
    return end.at();
}

std::size_t next_grapheme(Heap& heap, std::string_view text, std::size_t from) {
    GraphemeEnd end(text, from);
    while (!end.find(end.at() + kMeterPiece))
        if (!heap.meter.charge(kMeterPiece)) break;
    return end.at();
}

bool GraphemeWalk::next() {
    if (at_ >= text_.size()) return false;
    if (at_ - paid_ >= kMeterPiece) {
        const std::size_t passed = at_ - std::exchange(paid_, at_);
        if (!heap_.meter.charge(static_cast<std::int64_t>(passed))) return false;
    }
    at_ = next_grapheme(heap_, text_, at_);
    return true;
}

std::string_view grapheme_at(Heap& heap, const Value& string, std::size_t from) {
    const StringObject& s = as_string(string);
    if (s.flags & StringObject::kAscii) [[likely]]
        return s.view().substr(from, 1);
    const std::size_t size = next_grapheme(heap, s.view(), from) - from;
    heap.meter.charge_unchecked(static_cast<std::int64_t>(size));
    return s.view().substr(from, size);
}

bool is_one_grapheme(Heap& heap, const Value& string) {
    const std::size_t size = as_string(string).size;
    return size > 0 && grapheme_at(heap, string, 0).size() == size;
}

bool is_character(Heap& heap, const Value& v) {
    if (!v.is_string() || text_of(v).empty()) return false;
    if (text_of(v).size() > kFreeBytes) return is_one_grapheme(heap, v);
    return next_grapheme(text_of(v), 0) == text_of(v).size();
}

Result<Value> substring(Heap& heap, const Value& s, std::size_t start, std::size_t end) {
    std::string_view text = text_of(s);
    std::size_t first = grapheme_offset(heap, s, start);
    std::size_t last = first;
    if (as_string(s).flags & StringObject::kAscii) {
        last = std::min(end, text.size());
    } else {
        GraphemeWalk walk(heap, text, first);
        for (std::size_t n = end - start; n > 0 && walk.next();)
            --n;
        last = walk.at();
    }
    if (first == 0 && last == text.size()) return s.copy();
    if (!heap.meter.charge(static_cast<std::int64_t>((last - first) / 8))) return heap.meter.error();
    const std::string_view part = text.substr(first, last - first);
    return as_string(s).flags & StringObject::kAscii ? make_ascii_string(heap, part) : make_string(heap, part);
}

Result<Value> string_append(Heap& heap, Value a, std::string_view b) {
    if (b.empty()) return a;
    StringObject& old = mutable_string(a);
    std::size_t size = old.size + b.size();
    if (size > kMaxBytes) return heap.out_of_memory();
    std::uint8_t flags = joined_flags(old, b);
    if (old.refs == 2) heap.forget_text_places(); // perhaps the other owner
    bool in_place = a.is_sole_owner() && size <= capacity_of(&old);
    if (!heap.meter.charge(static_cast<std::int64_t>((in_place ? b.size() : size) / 8))) return heap.meter.error();
    if (in_place) {
        copy_bytes(old.bytes + old.size, b.data(), b.size());
        old.size = static_cast<std::uint32_t>(size);
        old.flags = flags;
        old.hash_cache.store(0, std::memory_order_relaxed);
        old.length_cache.store(0, std::memory_order_relaxed);
        return a;
    }
    // A string that is appended to by its only owner is likely to be appended to again: room for half as much more
    // keeps a chain of appends linear.
    std::size_t room = a.is_sole_owner() ? std::min(size + size / 2, kMaxBytes) : size;
    StringObject* s = new_string_object(heap, ObjectType::String, room);
    if (!s) return heap.out_of_memory();
    s->size = static_cast<std::uint32_t>(size);
    s->flags = flags;
    Value both = heap.value_of(s);
    if (!copy_watched(heap.meter, s->bytes, old.bytes, old.size) ||
        !copy_watched(heap.meter, s->bytes + old.size, b.data(), b.size()))
        return heap.meter.error();
    return both;
}

StringBuilder::~StringBuilder() { reset(); }

bool StringBuilder::append_slow(std::string_view s) {
    if (failed_) return false;
    std::size_t size = size_ + s.size();
    StringObject* grown =
        size > kMaxBytes ? nullptr
                         : new_string_object(heap_, ObjectType::String, std::min(kMaxBytes, std::max(size, size_ * 2)));
    if (!grown) { // the capacity stays below any further append, so that each of them comes here
        failed_ = true;
        capacity_ = size_;
        return false;
    }
    if (!copy_watched(heap_.meter, grown->bytes, data_, size_) ||
        !copy_watched(heap_.meter, grown->bytes + size_, s.data(), s.size())) {
        heap_.free_object(grown);
        failed_ = true;
        capacity_ = size_;
        return false;
    }
    if (object_) heap_.free_object(object_);
    object_ = grown;
    data_ = grown->bytes;
    size_ = size;
    capacity_ = capacity_of(grown);
    return true;
}

bool StringBuilder::append_integer(std::int64_t i) {
    char digits[kMostDigits];
    char* const end = digits + kMostDigits;
    const char* start = write_integer_before(end, i);
    return append(std::string_view(start, static_cast<std::size_t>(end - start)));
}

Error StringBuilder::error() const { return heap_.meter.has_run_out() ? heap_.meter.error() : heap_.out_of_memory(); }

Result<Value> StringBuilder::finish() {
    if (failed_) return error();
    if (!object_) return make_string(heap_, {});
    const std::optional<std::uint8_t> flags = flags_watched(heap_.meter, view());
    if (!flags) return heap_.meter.error();
    std::size_t exact = Heap::usable_size(StringObject::bytes_for(size_));
    if (exact + exact / 4 < Heap::size_of(object_)) { // give back what growing in doublings left over
        if (has_shared_string(view())) return make_string(heap_, view());
        if (StringObject* copy = new_string_object(heap_, ObjectType::String, size_)) {
            if (!copy_watched(heap_.meter, copy->bytes, data_, size_)) {
                heap_.free_object(copy);
                return heap_.meter.error();
            }
            reset();
            copy->flags = *flags;
            return heap_.value_of(copy);
        }
    }
    object_->size = static_cast<std::uint32_t>(size_);
    object_->flags = *flags;
    assert(is_valid_utf8(view()));
    Value done = heap_.value_of(std::exchange(object_, nullptr));
    reset();
    return done;
}

void StringBuilder::reset() {
    if (object_) heap_.free_object(object_);
    object_ = nullptr;
    data_ = nullptr;
    size_ = capacity_ = 0;
}

} // namespace ptc

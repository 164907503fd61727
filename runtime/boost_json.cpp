// The strict JSON reader, and the one file that compiles Boost.JSON. Its parser finds the tokens, JsonBuilder makes the
// values; numbers are converted from their text, as Boost's own conversion is not exact. It decides about every text
// that the scanner of json.cpp is not sure of, and so makes the messages; where both give a value, it is the same.
#include "runtime/json_builder.h"
#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/src.hpp>
#include <string>

namespace ptc {
namespace {

namespace json = boost::json;
using ErrorCode = json::error_code;
using Text = json::string_view;

/// What basic_parser reports, handed on to a JsonBuilder. Its own number values are wrong for many doubles and for
/// integers above 64 bits, so numbers are converted from their text.
class Handler {
public:
    static constexpr std::size_t max_object_size = SIZE_MAX;
    static constexpr std::size_t max_array_size = SIZE_MAX;
    static constexpr std::size_t max_key_size = SIZE_MAX;
    static constexpr std::size_t max_string_size = SIZE_MAX;

    Handler(JsonBuilder& builder, PieceMeter& pay) : builder_(builder), pay_(pay) {}

    bool on_document_begin(ErrorCode&) { return true; }
    bool on_document_end(ErrorCode&) { return true; }
    bool on_object_begin(ErrorCode& ec) { return check(builder_.begin_object(), ec); }
    bool on_object_end(std::size_t, ErrorCode& ec) { return check(builder_.end_object(), ec); }
    bool on_array_begin(ErrorCode& ec) { return check(builder_.begin_array(), ec); }
    bool on_array_end(std::size_t, ErrorCode& ec) { return check(builder_.end_array(), ec); }
    bool on_key_part(Text part, std::size_t, ErrorCode&) { return collect(part); }
    bool on_key(Text part, std::size_t, ErrorCode& ec) {
        return check(collect(part) && builder_.key(text_), ec) && clear();
    }
    bool on_string_part(Text part, std::size_t, ErrorCode&) { return collect(part); }
    bool on_string(Text part, std::size_t, ErrorCode& ec) {
        return check(collect(part) && builder_.string(text_), ec) && clear();
    }
    bool on_number_part(Text part, ErrorCode&) { return collect(part); }
    bool on_int64(std::int64_t, Text part, ErrorCode& ec) { return number(part, ec); }
    bool on_uint64(std::uint64_t, Text part, ErrorCode& ec) { return number(part, ec); }
    bool on_double(double, Text part, ErrorCode& ec) { return number(part, ec); }
    bool on_bool(bool b, ErrorCode& ec) { return check(builder_.value(Value::boolean(b)), ec); }
    bool on_null(ErrorCode& ec) { return check(builder_.value(Value()), ec); }
    bool on_comment_part(Text, ErrorCode&) { return true; }
    bool on_comment(Text, ErrorCode&) { return true; }

    [[nodiscard]] bool builder_failed() const { return builder_failed_; }
    [[nodiscard]] bool out_of_range() const { return out_of_range_; }

private:
    /// Any error code ends the parse; which one does not matter, the flags say why.
    bool check(bool ok, ErrorCode& ec) {
        ok = ok && pay_.reach(++passed_);
        if (!ok) {
            builder_failed_ = true;
            ec = json::error::not_exact;
        }
        return ok;
    }
    bool collect(Text part) {
        text_.append(part.data(), part.size());
        passed_ += part.size();
        return true;
    }
    bool clear() {
        text_.clear();
        return true;
    }
    bool number(Text part, ErrorCode& ec) {
        collect(part);
        bool in_range = true;
        if (!check(builder_.number(text_, &in_range), ec)) return false;
        text_.clear();
        if (in_range) return true;
        out_of_range_ = true;
        ec = json::error::not_exact;
        return false;
    }

    JsonBuilder& builder_;
    PieceMeter& pay_;
    std::size_t passed_ = 0; ///< bytes of the text, at least
    std::string text_;       ///< of the current key, string or number; not larger than the source
    bool builder_failed_ = false;
    bool out_of_range_ = false;
};

} // namespace

Result<Value> parse_json_strictly(Heap& heap, ShapeTable& shapes, std::string_view text, const JsonLimits& limits) {
    if (!heap.charge_bytes(text.size())) return heap.out_of_memory(); // the handler's text
    JsonBuilder builder(heap, shapes, text.size());
    json::parse_options options;
    options.max_depth = limits.max_depth;
    PieceMeter pay(heap, text.size(), text.size() / 8);
    json::basic_parser<Handler> parser(options, builder, pay);
    ErrorCode ec;
    std::size_t read = parser.write_some(false, text.data(), text.size(), ec);
    heap.refund_bytes(text.size());
    if (!pay.finish()) return heap.meter.error();
    if (parser.handler().builder_failed()) return builder.failure();
    if (parser.handler().out_of_range()) return invalid_json(text, read, "a number is too large");
    if (ec == json::error::too_deep)
        return invalid_json(text, read, "more than " + std::to_string(limits.max_depth) + " nested levels");
    if (ec) return invalid_json(text, read, ec.message());
    while (read < text.size() && std::string_view(" \t\r\n").find(text[read]) != std::string_view::npos)
        ++read;
    if (read < text.size()) return invalid_json(text, read, "extra text after the value");
    return builder.finish();
}

} // namespace ptc

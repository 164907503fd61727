// Images and files beside texts. In the result of a tool they travel as a map that no JSON and no program can make: its
// key is an opaque value of a type that nothing else has. So they go with the answer wherever answers go (threads,
// recordings, journals of checkpoints), until the mission, or a session without a model, takes them off.
#include "subagent/engine/attachments.h"
#include "frontend/base64.h"
#include "frontend/bytes.h"
#include "frontend/json_writer.h"
#include "frontend/quoted.h"
#include "frontend/try.h"
#include "frontend/utf8.h"
#include "subagent/engine/invalid_request.h"
#include "subagent/engine/text_hash.h"
#include <algorithm>

namespace ptc {
namespace {

constexpr std::string_view kMark = "attachments";

/// Of the first bytes; "" when they are none of these.
std::string_view type_of(std::string_view bytes) {
    using namespace std::string_view_literals;
    if (bytes.starts_with("\x89PNG\r\n\x1a\n"sv)) return "image/png";
    if (bytes.starts_with("\xff\xd8\xff"sv)) return "image/jpeg";
    if (bytes.starts_with("GIF87a"sv) || bytes.starts_with("GIF89a"sv)) return "image/gif";
    if (bytes.starts_with("RIFF"sv) && bytes.substr(0, 12).ends_with("WEBP"sv)) return "image/webp";
    if (bytes.starts_with("%PDF-"sv)) return "application/pdf";
    return "";
}

bool is_utf8(std::string_view text) { return utf8::find_invalid(text) == utf8::kValid; }

std::string type_or_guess(std::string given, std::string_view bytes, bool is_file) {
    if (!given.empty()) return given;
    const std::string_view known = type_of(bytes);
    if (!known.empty()) return std::string(known);
    const bool is_text = is_file && bytes.find('\0') == std::string_view::npos && is_utf8(bytes);
    return std::string(is_text ? "text/plain" : Attachment::kUnknownType);
}

/// "type/subtype" of the characters that names have there.
bool is_media_type(std::string_view type) {
    constexpr std::size_t kMost = 127;
    const auto is_part = [](std::string_view part) {
        return !part.empty() && std::ranges::all_of(part, [](char c) {
            const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
            return is_plain || std::string_view("!#$&-^_.+").find(c) != std::string_view::npos;
        });
    };
    const std::size_t slash = type.find('/');
    return type.size() <= kMost && slash != std::string_view::npos && is_part(type.substr(0, slash)) &&
           is_part(type.substr(slash + 1));
}

bool is_url(std::string_view url) {
    constexpr std::size_t kMost = 8192;
    const bool is_web = url.starts_with("https://") || url.starts_with("http://");
    return is_web && url.size() <= kMost && std::ranges::all_of(url, [](char c) { return c > 0x20 && c < 0x7F; });
}

bool is_name(std::string_view name) {
    constexpr std::size_t kMost = 255;
    return name.size() <= kMost && is_utf8(name) &&
           std::ranges::none_of(name, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
}

Result<void> check(const Attachment& one) {
    if (one.url.empty() == !one.bytes) return invalid_request("An attachment has either bytes or a URL.");
    if (!one.url.empty() && !is_url(one.url))
        return invalid_request("The URL of an attachment begins with http:// or https:// and is plain ASCII.");
    if (one.bytes && one.bytes->empty()) return invalid_request("An attachment has no bytes.");
    if (one.size() > Attachment::kMaxBytes)
        return invalid_request("An attachment has " + std::to_string(one.size()) + " bytes, more than the limit of " +
                               std::to_string(Attachment::kMaxBytes) + ".");
    const bool may_be_unknown = !one.bytes && one.kind == Attachment::Kind::Image && one.media_type.empty();
    if (!may_be_unknown && !is_media_type(one.media_type))
        return invalid_request(quoted_excerpt(one.media_type, 50) + " is no media type.");
    if (!is_name(one.name)) return invalid_request("The name of an attachment is a short text.");
    if (one.bytes && one.media_type.starts_with("text/") && !is_utf8(*one.bytes))
        return invalid_request("An attachment of the type " + one.media_type + " is no UTF-8.");
    return {};
}

std::string text_of(const Datum& json, std::string_view name) {
    const Datum* found = json.find(name);
    return found && found->text() ? *found->text() : std::string();
}

/// The list beside the value of a result; null for a result without one.
const Datum* attached_to(const Datum& result) {
    if (!result.map() || result.map()->size() != 2) return nullptr;
    const auto& [key, list] = result.map()->front();
    const auto* mark = key.get_if<Datum::Opaque>();
    return mark && mark->type == kMark && list.list() ? &list : nullptr;
}

Datum datum_of(const Attachment& one) {
    return Datum::object({{"kind", attachment_kind_name(one.kind)},
                          {"media_type", one.media_type},
                          {"name", one.name},
                          {"url", one.url},
                          {"base64", one.bytes ? Datum(base64(*one.bytes)) : Datum()}});
}

} // namespace

std::string_view attachment_kind_name(Attachment::Kind kind) {
    return kind == Attachment::Kind::Image ? "image" : "file";
}

Attachment Attachment::image(std::string bytes, std::string media_type) {
    media_type = type_or_guess(std::move(media_type), bytes, false);
    return {.media_type = std::move(media_type), .bytes = std::make_shared<const std::string>(std::move(bytes))};
}

Attachment Attachment::image_at(std::string url) { return {.url = std::move(url)}; }

Attachment Attachment::file(std::string bytes, std::string name, std::string media_type) {
    media_type = type_or_guess(std::move(media_type), bytes, true);
    return {.kind = Kind::File,
            .media_type = std::move(media_type),
            .name = std::move(name),
            .bytes = std::make_shared<const std::string>(std::move(bytes))};
}

Attachment Attachment::file_at(std::string url, std::string name, std::string media_type) {
    return {.kind = Kind::File, .media_type = std::move(media_type), .name = std::move(name), .url = std::move(url)};
}

bool Attachment::is_text() const {
    return bytes && bytes->find('\0') == std::string::npos && is_utf8(*bytes) && type_of(*bytes).empty();
}

std::string Attachment::description() const {
    std::string text = name.empty() ? "" : name + ", ";
    text += media_type.empty() ? std::string(attachment_kind_name(kind)) : media_type;
    if (!bytes) return text + ", " + url;
    return text + ", " + std::to_string(size()) + " bytes, " + hash_digits(sum_of_bytes(*bytes));
}

std::int64_t Attachment::estimated_tokens() const {
    constexpr std::int64_t kPage = 1600; ///< what providers count at most for an image that fills their window
    constexpr std::int64_t kBytesPerToken = 4;
    constexpr std::int64_t kBytesPerPage = 50'000; ///< of a PDF with text and some pictures
    const auto count = static_cast<std::int64_t>(size());
    if (kind == Kind::Image || !bytes) return kPage;
    return media_type == "application/pdf" ? kPage * (1 + count / kBytesPerPage) : count / kBytesPerToken + 1;
}

bool operator==(const Attachment& a, const Attachment& b) {
    const bool is_same = a.bytes == b.bytes || (a.bytes && b.bytes && *a.bytes == *b.bytes);
    return is_same && a.kind == b.kind && a.media_type == b.media_type && a.name == b.name && a.url == b.url;
}

void AttachmentSum::add(std::span<const Attachment> attachments) {
    count += attachments.size();
    for (const Attachment& one : attachments)
        bytes += one.size();
}

bool AttachmentSum::is_too_much() const { return count > Attachment::kMaxCount || bytes > Attachment::kMaxTotalBytes; }

Result<void> check_attachments(const std::vector<Attachment>& attachments) {
    AttachmentSum sum;
    sum.add(attachments);
    if (sum.is_too_much())
        return invalid_request("There are " + std::to_string(sum.count) + " attachments of " +
                               std::to_string(sum.bytes) + " bytes; " + std::to_string(Attachment::kMaxCount) + " of " +
                               std::to_string(Attachment::kMaxTotalBytes) + " are allowed.");
    for (const Attachment& one : attachments)
        PTC_CHECK(check(one));
    return {};
}

Datum with_attachments(Datum value, std::vector<Attachment> attachments) {
    Datum::List list;
    for (const Attachment& one : attachments)
        list.push_back(datum_of(one));
    Datum::Map result;
    result.emplace_back(Datum::Opaque{"", std::string(kMark)}, Datum(std::move(list)));
    result.emplace_back(Datum("value"), std::move(value));
    return Datum(std::move(result));
}

Result<std::vector<Attachment>> take_attachments(Datum& result) {
    const Datum* list = attached_to(result);
    if (!list) return std::vector<Attachment>();
    std::vector<Attachment> attachments;
    std::optional<Error> problem;
    for (const Datum& item : *list->list()) {
        Result<Attachment> read = read_attachment(item);
        if (read.ok())
            attachments.push_back(std::move(read).value());
        else
            problem = read.error();
    }
    result = Datum(result.map()->back().second);
    if (problem) return *problem;
    PTC_CHECK(check_attachments(attachments));
    return attachments;
}

std::string attachment_json(const Attachment& attachment) {
    JsonObject out;
    out.text("kind", attachment_kind_name(attachment.kind)).text("media_type", attachment.media_type);
    if (!attachment.name.empty()) out.text("name", attachment.name);
    if (attachment.bytes) return out.text("base64", base64(*attachment.bytes)).finish();
    return out.text("url", attachment.url).finish();
}

Result<Attachment> read_attachment(const Datum& json) {
    if (!json.map()) return invalid_request("An attachment is an object with `base64` or `url`.");
    const std::string kind = text_of(json, "kind");
    std::string type = text_of(json, "media_type");
    std::string name = text_of(json, "name");
    std::string url = text_of(json, "url");
    const Datum* encoded = json.find("base64");
    if (!encoded || encoded->is_nil()) {
        Attachment there = kind == "file" ? Attachment::file_at(std::move(url), std::move(name), std::move(type))
                                          : Attachment::image_at(std::move(url));
        if (kind != "file") there.media_type = std::move(type);
        return there;
    }
    std::optional<std::string> bytes = encoded->text() ? read_base64(*encoded->text()) : std::nullopt;
    if (!bytes || !url.empty()) return invalid_request("An attachment has either `base64` that is such, or a `url`.");
    const bool is_image = kind.empty() ? type_or_guess(type, *bytes, true).starts_with("image/") : kind == "image";
    if (is_image) return Attachment::image(std::move(*bytes), std::move(type));
    return Attachment::file(std::move(*bytes), std::move(name), std::move(type));
}

} // namespace ptc

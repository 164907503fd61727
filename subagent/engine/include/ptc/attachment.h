// Images and files that a model reads: beside the prompt of a mission (MissionOptions::attachments), a message of a
// chat (Chat::say), or the result of a tool.
//
//   options.attachments = {ptc::Attachment::image(png), ptc::Attachment::file(pdf, "report.pdf")};
//
//   ptc::Tool{.name = "screenshot", .function = [](const ptc::Datum&) -> ptc::Result<ptc::Datum> {
//       return ptc::with_attachments("The screen, 1280 x 800", {ptc::Attachment::image(take_picture())});
//   }};
//
// Programs see nothing of them: the tool's result is what it says ("The screen, 1280 x 800"), and the model gets the
// image with the message that answers its call, or its program. Models that take none refuse the request before it is
// sent (LlmError unsupported_input, see ptc/providers.h).
#pragma once
#include "ptc/datum.h"
#include <map>
#include <memory>

namespace ptc {

/// An image or a file: its bytes, or the address where the provider finds them. Copies share the bytes.
struct Attachment {
    enum class Kind : std::uint8_t { Image, File };
    Kind kind = Kind::Image;
    std::string media_type{}; ///< "image/png", "application/pdf", "text/csv", ..; may be "" for an image at a `url`
    std::string name{};       ///< of a file
    std::string url{};        ///< instead of `bytes`: http or https
    std::shared_ptr<const std::string> bytes{};

    static constexpr std::size_t kMaxBytes = 20u << 20;      ///< of one
    static constexpr std::size_t kMaxCount = 50;             ///< of a conversation
    static constexpr std::size_t kMaxTotalBytes = 64u << 20; ///< of a conversation
    static constexpr std::string_view kUnknownType = "application/octet-stream";

    // Where no media type is given it is that of the first bytes: PNG, JPEG, GIF, WebP, PDF; else text/plain for a file
    // that is UTF-8, else kUnknownType.
    static Attachment image(std::string bytes, std::string media_type = {});
    static Attachment image_at(std::string url);
    static Attachment file(std::string bytes, std::string name, std::string media_type = {});
    static Attachment file_at(std::string url, std::string name, std::string media_type);

    /// Bytes that are UTF-8 without a NUL, whatever the media type says: the firewall looks into these.
    [[nodiscard]] bool is_text() const;
    [[nodiscard]] std::size_t size() const { return bytes ? bytes->size() : 0; }
    /// What is said of it where it is not shown: "image/png, 1834 bytes, 8d5f..", by a hash that tells files apart but
    /// is no proof of what they are.
    [[nodiscard]] std::string description() const;
    /// About what a model counts for it: an image 1,600 tokens, a text four bytes a token, a PDF by its size.
    [[nodiscard]] std::int64_t estimated_tokens() const;
    friend bool operator==(const Attachment& a, const Attachment& b);
};

/// Bytes of attachments that are kept beside a mission's own (Mission::save), by digest: SHA-256 as hex digits.
using AttachmentBytes = std::map<std::string, std::shared_ptr<const std::string>, std::less<>>;

/// invalid_request: more or larger ones than allowed, neither bytes nor an address or both, an address that is none, a
/// text that is no UTF-8, a media type that is none.
Result<void> check_attachments(const std::vector<Attachment>& attachments);

/// The result of a tool with what the model reads beside it: given back by the tool's callable, or as the answer to a
/// ToolNeed. Engine::run and Session, where no model is, take the value alone. Where a tool is cached, the model gets
/// them with the first call. Ones that are not allowed make the call a tool_error.
[[nodiscard]] Datum with_attachments(Datum value, std::vector<Attachment> attachments);

} // namespace ptc

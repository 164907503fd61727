// Attachments in results of tools, and as JSON. The public face is ptc/attachment.h.
#pragma once
#include "ptc/attachment.h"
#include <span>

namespace ptc {

/// Leaves the value in a result that with_attachments made, and gives what it had beside it; nothing of any other
/// result. invalid_request for what with_attachments cannot have made, or what is not allowed: a recording may have
/// been edited.
Result<std::vector<Attachment>> take_attachments(Datum& result);

/// How many attachments there are, and of how many bytes.
struct AttachmentSum {
    std::size_t count = 0;
    std::size_t bytes = 0;
    void add(std::span<const Attachment> attachments);
    [[nodiscard]] bool is_too_much() const;
};

/// {"kind", "media_type", "name"?, "url"? | "base64"}: for programs that are models or tools.
std::string attachment_json(const Attachment& attachment);
/// The same, read: invalid_request says what is wrong. The media type is that of the bytes when there is none.
Result<Attachment> read_attachment(const Datum& json);

std::string_view attachment_kind_name(Attachment::Kind kind); ///< "image", "file"

} // namespace ptc

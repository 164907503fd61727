// Every message about the Malli form. `span` is null when the schema is a value.
#pragma once
#include "ptc/error.h"
#include <optional>

namespace ptc {

using MaybeSpan = std::optional<Span>;

Error malli_not_one_form(std::size_t found);
Error malli_not_a_schema(MaybeSpan span);
Error malli_unknown_schema(MaybeSpan span, std::string_view name);
Error malli_wrong_size(MaybeSpan span, std::string_view name, std::string_view usage);
Error malli_no_parameters(MaybeSpan span);
Error malli_no_function(Span span); ///< a schema where a signature is wanted
Error malli_bad_entry(MaybeSpan span, std::string_view of);
Error malli_bad_name(MaybeSpan span, std::string_view name);
Error malli_name_clash(MaybeSpan span, std::string_view first, std::string_view second);
Error malli_bad_property(MaybeSpan span, std::string_view of);
Error malli_bad_choice(MaybeSpan span);
Error malli_bad_comparison(MaybeSpan span);
Error malli_needs_number(MaybeSpan span);
Error malli_too_deep(MaybeSpan span);

} // namespace ptc

// The keys of nested data as keywords.
#pragma once
#include "runtime/builtins/arguments.h"

namespace ptc {

/// Nested data whose maps have keywords in place of text keys, whatever the text is; "" stays a text.
Result<Value> with_keyword_keys(Call& call, Value data);

} // namespace ptc

#include "ptc/shared_function.h"
#include <functional>

namespace ptc {

void call_of_empty_function() { throw std::bad_function_call(); }

} // namespace ptc

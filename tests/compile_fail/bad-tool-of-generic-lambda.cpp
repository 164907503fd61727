// the parameters of this callable cannot be deduced
#include "ptc/typed_tool.h"

ptc::Tool made = ptc::tool("id", "Gives back.", {"x"}, [](auto x) { return x; });

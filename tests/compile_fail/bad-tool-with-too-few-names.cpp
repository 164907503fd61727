// there must be one name for each parameter
#include "ptc/typed_tool.h"

ptc::Tool made = ptc::tool("add", "Adds.", {"x"}, [](int x, int y) { return x + y; });

// C\+\+ does not know the names of parameters
#include "ptc/typed_tool.h"

ptc::Tool made = ptc::tool("add", "Adds.", [](int x, int y) { return x + y; });

// this C\+\+ type has no signature type
#include "ptc/typed_tool.h"

struct Point {
    int x = 0;
};
ptc::Tool made = ptc::tool("move", "Moves.", {"to"}, [](const Point& p) { return p.x; });

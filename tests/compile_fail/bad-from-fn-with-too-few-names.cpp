// there must be one name for each parameter
#include "ptc/typed_tool.h"

int add(int x, int y) { return x + y; }
ptc::Tool made = ptc::from_fn<&add>({"x"});

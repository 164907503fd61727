// a const char\* is a type of results only
#include "ptc/typed_tool.h"

ptc::Tool made = ptc::tool("length", "Counts.", {"text"}, [](const char* text) { return std::string(text).size(); });

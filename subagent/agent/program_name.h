// Names of tools and data that programs write as tool/NAME and data/NAME.
#pragma once
#include <string>
#include <string_view>

namespace ptc {

/// Whether a program can write data/NAME: it reads as one symbol.
bool is_program_name(std::string_view name);
/// `name` if a program can write it, else one like it that it can: "Total sales" is Total-sales.
std::string program_name(std::string_view name);

} // namespace ptc

// a std::string_view would outlive this temporary Datum
#include "ptc/datum.h"

std::string_view name(const ptc::Datum& data) { return ptc::Datum(data).as<std::string_view>().value(); }

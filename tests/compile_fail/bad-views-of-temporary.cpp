// a std::string_view would outlive this temporary Datum
#include "ptc/typed.h"

std::vector<std::string_view> names(const ptc::Datum& data) {
    return ptc::Datum(data).as<std::vector<std::string_view>>().value();
}

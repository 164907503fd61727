#include "compiler/bounds/native_bounds.h"

#include "compiler/bounds/native_models.h"
#include "runtime/builtin.h"
#include <array>

namespace ptc {
namespace {

using native::Args;
using native::ModelRow;

class Models {
public:
    Models() {
        for (const auto table :
             {native::number_models, native::collection_models, native::map_models, native::text_models}) {
            for (const ModelRow& row : table())
                rows_[static_cast<std::size_t>(row.name)] = &row;
        }
    }
    /// Null for a builtin whose work is not followed.
    [[nodiscard]] const ModelRow* of(std::uint32_t builtin) const {
        return rows_[static_cast<std::size_t>(builtin_at(builtin).model)];
    }

private:
    std::array<const ModelRow*, kBoundModels> rows_{};
};

const Models& models() {
    static const Models all;
    return all;
}

} // namespace

std::optional<NativeBound> native_bound(std::uint32_t builtin, std::span<const AbstractValue> arguments) {
    const ModelRow* row = models().of(builtin);
    if (!row) return std::nullopt;
    return row->model(arguments);
}

bool takes_any_count(std::uint32_t builtin) {
    const ModelRow* row = models().of(builtin);
    return row && row->any_count;
}

} // namespace ptc

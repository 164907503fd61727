#include "compiler/bounds/native_extents.h"

#include "compiler/bounds/native_models.h"
#include "runtime/builtin.h"

namespace ptc {
namespace {

using native::Args;
using native::ModelRow;

class Models {
public:
    Models() : rows_(all_builtins().size()) {
        for (const auto table :
             {native::number_models, native::collection_models, native::map_models, native::text_models}) {
            for (const ModelRow& row : table())
                add(row);
        }
    }
    [[nodiscard]] const ModelRow* of(std::uint32_t builtin) const { return rows_[builtin]; }

private:
    void add(const ModelRow& row) {
        std::string_view names = row.names;
        while (!names.empty()) {
            const std::size_t end = std::min(names.find(' '), names.size());
            const int index = find_builtin(names.substr(0, end));
            if (index >= 0) rows_[static_cast<std::size_t>(index)] = &row;
            names.remove_prefix(std::min(end + 1, names.size()));
        }
    }

    std::vector<const ModelRow*> rows_; ///< by builtin
};

const Models& models() {
    static const Models all;
    return all;
}

} // namespace

std::optional<NativeExtent> native_extent(std::uint32_t builtin, std::span<const Extent> arguments) {
    const ModelRow* row = models().of(builtin);
    if (!row) return std::nullopt;
    return row->model(arguments);
}

bool takes_any_count(std::uint32_t builtin) {
    const ModelRow* row = models().of(builtin);
    return row && row->any_count;
}

} // namespace ptc

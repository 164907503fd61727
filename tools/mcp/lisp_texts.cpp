// What models read of data and tools, which is of bounded size: names of data with their types, tools with their
// signatures, up to a number; the rest is a call of `lisp_reference` or a resource away. Data is described and never
// poured out, and what servers say of their tools is quoted where they are listed (subagent/mcp/catalog.h).
#include "subagent/agent/prompt.h"
#include "tools/mcp/data_shape.h"
#include "tools/mcp/lisp_parts.h"
#include <algorithm>

namespace ptc::mcp {
namespace {

std::string text_of_tool(const Tool& tool) {
    const Result<SignaturePtr> signature = compile_signature(tool.signature);
    std::string text =
        tool_text(tool.name, signature.ok() && !tool.signature.empty() ? &signature_of(*signature.value()) : nullptr,
                  newest_description(tool));
    if (tool.approval) text += "  (needs the user's approval)";
    return text;
}

std::string bounded_text(const LispHost& host, std::size_t most, const std::string& rest) {
    std::vector<std::string> texts;
    for (const Tool& tool : host.options.tools) {
        if (texts.size() == most) break;
        texts.push_back(text_of_tool(tool));
    }
    std::string text;
    for (const std::string& one : bounded_tool_texts(std::move(texts), rest))
        text += one + (one.ends_with('\n') ? "" : "\n");
    return text;
}

} // namespace

std::vector<DataText> described(const std::vector<std::shared_ptr<const DataSet>>& data) {
    std::vector<DataText> all;
    for (const auto& set : data) {
        for (const std::string& name : set->names())
            all.push_back({name, data_type(*set, name), set});
    }
    return all;
}

std::string tools_text(const LispHost& host) {
    std::string text = bounded_text(host, kShownNames,
                                    "the resource " + std::string(kToolsUri) + "/NAME has one in full. In programs, " +
                                        std::string(kToolsInPrograms));
    const std::size_t all = host.options.tools.size();
    if (all > kShownNames)
        text += "… and " + std::to_string(all - kShownNames) +
                " more: `lisp_reference` finds them by words, and so do programs: " + std::string(kToolsInPrograms) +
                "\n";
    return text;
}

std::string all_tools_text(const LispHost& host) {
    return bounded_text(host, SIZE_MAX,
                        std::string(kToolsUri) + "/NAME has one in full. In programs, " +
                            std::string(kToolsInPrograms));
}

std::string tool_page(const LispHost& host, std::string_view name) {
    const auto found =
        std::ranges::find(host.options.tools, name, [](const Tool& tool) { return std::string_view(tool.name); });
    return found == host.options.tools.end() ? "" : text_of_tool(*found) + "\n";
}

std::string data_text(const std::vector<DataText>& data, std::size_t most) {
    std::string text;
    for (std::size_t i = 0; i < std::min(most, data.size()); ++i)
        text += "data/" + data[i].name + " " + data[i].type + "\n";
    if (data.size() > most) text += "… and " + std::to_string(data.size() - most) + " more\n";
    return text;
}

} // namespace ptc::mcp

#include "subagent/providers/wire.h"
#include <algorithm>

namespace ptc {
namespace {

/// Variables as the providers' own clients read them.
const ProviderRow kProviders[] = {
    {.name = "openai",
     .wire = &kOpenAiWire,
     .base_url = "https://api.openai.com/v1",
     .base_url_variable = "OPENAI_BASE_URL",
     .key_variables = {"OPENAI_API_KEY"},
     .is_openai = true},
    {.name = "anthropic",
     .wire = &kAnthropicWire,
     .base_url = "https://api.anthropic.com",
     .base_url_variable = "ANTHROPIC_BASE_URL",
     .key_variables = {"ANTHROPIC_API_KEY"}},
    {.name = "gemini",
     .wire = &kGeminiWire,
     .base_url = "https://generativelanguage.googleapis.com",
     .base_url_variable = "GOOGLE_GEMINI_BASE_URL",
     .key_variables = {"GEMINI_API_KEY", "GOOGLE_API_KEY"}},
    {.name = "openrouter",
     .wire = &kOpenAiWire,
     .base_url = "https://openrouter.ai/api/v1",
     .base_url_variable = "OPENROUTER_BASE_URL",
     .key_variables = {"OPENROUTER_API_KEY"}},
    {.name = "ollama",
     .wire = &kOpenAiWire,
     .base_url = "http://127.0.0.1:11434/v1",
     .base_url_variable = "OLLAMA_BASE_URL",
     .key_variables = {}},
};

} // namespace

const ProviderRow* find_provider_row(std::string_view name) {
    const auto* row = std::ranges::find(kProviders, name, &ProviderRow::name);
    return row == std::end(kProviders) ? nullptr : row;
}

std::vector<std::string_view> provider_names() {
    std::vector<std::string_view> names;
    for (const ProviderRow& row : kProviders)
        names.push_back(row.name);
    return names;
}

std::optional<Provider> find_provider(std::string_view name) {
    const ProviderRow* row = find_provider_row(name);
    if (!row) return std::nullopt;
    Provider provider{row->name, row->base_url, row->base_url_variable, {}};
    for (const std::string_view variable : row->key_variables)
        if (!variable.empty()) provider.key_variables.push_back(variable);
    return provider;
}

} // namespace ptc

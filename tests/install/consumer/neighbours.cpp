// The libraries beside ptc::ptc, linked and used.
#include <iostream>
#include <ptc/checkpoint.h>
#include <ptc/mcp.h>
#include <ptc/providers.h>
#include <ptc/ptc.h>
#include <ptc/telemetry.h>

int main() {
    const auto file = ptc::CheckpointFile::open(":memory:");
    const ptc::ProviderOptions options{.provider = "ollama", .model = "m", .base_url = "http://127.0.0.1:1/v1"};
    const ptc::Result<ptc::Llm> llm = ptc::provider_llm(options);
    const auto telemetry = ptc::Telemetry::create({.endpoint = "http://127.0.0.1:1"});
    if (!file.ok() || !llm.ok() || !telemetry.ok() || ptc::mcp_revisions().empty()) return 1;
    const ptc::LlmResult result = llm.value()({});
    const auto* error = std::get_if<ptc::LlmError>(&result);
    std::cout << (error && error->kind == "network" ? 42 : 0) << '\n'; // nobody is there
}

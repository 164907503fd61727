// Two agents, one after the other. The first finds customers, the second writes to them; neither model ever sees an
// address, because names that start with `_` are firewalled: programs and tools get the values, prompts never do.
#include "subagent/examples/example.h"
#include <iostream>

using namespace example;

namespace {

/// The model behind a look at everything that it reads.
ptc::Llm watched(ptc::Llm model, std::string& seen) {
    return [model = std::move(model), &seen](const ptc::LlmRequest& request) {
        seen += request.system;
        for (const ptc::Message& message : request.messages)
            seen += message.content;
        return model(request);
    };
}

/// The customers, their addresses below a name that starts with `_`.
ptc::Datum firewalled(const ptc::Datum& customers) {
    ptc::Datum::List rows;
    for (const ptc::Datum& customer : *customers.list()) {
        ptc::Datum::Map row = *customer.map();
        for (auto& [key, value] : row) {
            if (*key.text() == "email") key = "_email";
        }
        rows.emplace_back(std::move(row));
    }
    return ptc::Datum(std::move(rows));
}

/// What a prompt says of data/NAME, of a table its first row.
void print_seen(const std::string& prompt, const std::string& name) {
    const std::size_t begin = prompt.find("\ndata/" + name) + 1;
    const std::string line = prompt.substr(begin, prompt.find('\n', begin) - begin);
    std::cout << "its model reads: " << line.substr(0, line.find(" {", line.find(" = "))) << '\n';
}

} // namespace

int main(int argc, char** argv) {
    const ptc::AgentPtr finder = made(ptc::Agent::create({
        .prompt = "Choose everybody in {{country}} who joined in the last week of 2025.",
        .signature = "(country :string, customers [:map]) -> {chosen :int, _emails [:string]}",
    }));
    std::vector<std::string> outbox;
    const ptc::Tool send{.name = "send",
                         .description = "Sends a mail.",
                         .signature = "(to :string, text :string) -> {sent :bool}",
                         .function = [&outbox](const ptc::Datum& mail) -> ptc::Result<ptc::Datum> {
                             outbox.push_back(*mail.find("to")->text());
                             return ptc::Datum::object({{"sent", true}});
                         },
                         .one_at_a_time = true};
    const ptc::AgentPtr writer = made(ptc::Agent::create({
        .prompt = "Welcome {{chosen}} new customers.",
        .signature = "(chosen :int, _emails [:string]) -> {sent :int}",
        .tools = {send},
    }));

    std::string seen;
    ptc::MissionOptions finding;
    finding.context =
        ptc::Datum::object({{"country", "SE"}, {"customers", firewalled(table(argc, argv, "customers"))}});
    finding.model = ptc::ModelRef(watched(
        scripted({program(R"((let [new? #(and (= (:country %) data/country) (>= (compare (:joined %) "2025-12-25") 0))
      emails (keep :_email (filter new? data/customers))]
  (return {:chosen (count emails) :_emails emails})))")}),
        seen));
    const ptc::Step found = finder->run(finding);

    ptc::MissionOptions writing;
    writing.previous = found; // its result is the context, its signature the types of that
    writing.model =
        ptc::ModelRef(watched(scripted({program(R"((let [mails (map #(tool/send {:to % :text "Welcome!"}) data/_emails)]
  (return {:sent (count (filter :sent mails))})))")}),
                              seen));
    const ptc::Step sent = writer->run(writing);

    if (show(found) != 0) return 1;
    print_seen(seen, "customers");
    if (show(sent) != 0) return 1;
    print_seen(seen, "_emails");
    std::cout << outbox.size() << " mails went out, the first to " << outbox.front() << '\n';
    std::cout << (seen.find("@example.com") == std::string::npos ? "No model saw an address.\n"
                                                                 : "An address leaked!\n");
    return 0;
}

#include <iostream>
#include <ptc/ptc.h>

int main() {
    ptc::Tool rate{.name = "rate",
                   .description = "The price of one unit of a currency in euros.",
                   .signature = "(currency :string) -> :float",
                   .function = [](const ptc::Datum& arguments) -> ptc::Result<ptc::Datum> {
                       const ptc::Datum* currency = arguments.find("currency");
                       const bool is_dollar = currency && currency->text() && *currency->text() == "USD";
                       return ptc::Datum(is_dollar ? 0.5 : 1.0);
                   }};
    const ptc::Engine engine({.tools = {rate}, .limits = {.fuel = 1'000'000, .heap_bytes = 8u << 20}});

    // Imported once, read by any number of sandboxes on any threads.
    auto orders =
        ptc::DataSet::from_json("orders", R"([{"amount": 40, "currency": "USD"}, {"amount": 22, "currency": "EUR"}])");
    if (!orders.ok()) return 1;

    const ptc::Outcome outcome = engine.run(R"(
        (sum (map (fn [o] (* (:amount o) (tool/rate {:currency (:currency o)}))) data/orders)))",
                                            {.data = {orders.value()}});
    if (!outcome.ok()) {
        std::cerr << (outcome.error ? outcome.error->message : outcome.value) << '\n';
        return 1;
    }
    std::cout << outcome.value << " euros for " << outcome.usage.fuel << " units of fuel\n"; // 42.0 euros ..
}

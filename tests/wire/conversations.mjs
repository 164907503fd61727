// Conversations in no provider's terms, laid out as ptc::LlmRequest is.

const findOrders = {
  name: "find_orders",
  description: "Orders of a customer.",
  input_schema: {
    type: "object",
    properties: {customer: {type: "string"}, limit: {type: "integer", minimum: 1}},
    required: ["customer"],
    additionalProperties: false,
  },
};
const clock = {name: "clock", description: "", input_schema: {type: "object", properties: {}}};

const call = (id, name, args) => ({id, name, arguments: args});
const user = (content) => ({role: "user", content});
const assistant = (content, ...calls) => ({role: "assistant", content, ...(calls.length > 0 && {tool_calls: calls})});
const result = (id, content) => ({role: "tool", tool_call_id: id, content});
const failure = (id, content) => ({role: "tool", tool_call_id: id, content, is_error: true});

const conversation = (rest) => ({system: "", messages: [user("How many orders?")], tools: [], ...rest});

export const conversations = {
  plain: conversation({}),
  system: conversation({system: "You answer in one word."}),
  hostile_text: conversation({system: "tab\there", messages: [user("quote \" backslash \\ newline\nnul \u0000 é 😀 </script> \u2028")]}),
  several_turns: conversation({
    system: "Be brief.",
    messages: [user("One."), assistant("1"), user("Two."), assistant("2"), user("Three.")],
  }),
  options: conversation({options: {max_tokens: 64, temperature: 0.5, top_p: 0.9, stop: ["END"]}}),
  tools_offered: conversation({tools: [findOrders, clock]}),
  tool_answered: conversation({
    tools: [findOrders],
    messages: [user("Orders of Ann?"), assistant("", call("call_1", "find_orders", {customer: "Ann"})), result("call_1", '[{"id":7}]')],
  }),
  several_calls: conversation({
    tools: [findOrders, clock],
    messages: [
      user("Orders of Ann and Bob, and the time?"),
      assistant("Let me look.", call("call_1", "find_orders", {customer: "Ann", limit: 2}), call("call_2", "find_orders", {customer: "Bob"}),
        call("call_3", "clock", {})),
      result("call_1", "[]"),
      failure("call_2", "No such customer."),
      result("call_3", "12:00"),
      assistant("Once more.", call("call_4", "find_orders", {customer: "Bo"})),
      result("call_4", "[]"),
      assistant("Neither has any."),
      user("Thank you. And Cy?"),
    ],
  }),
  structured: conversation({
    schema: {type: "object", properties: {count: {type: "integer"}, note: {type: "string"}}, required: ["count", "note"], additionalProperties: false},
  }),
  streamed: conversation({system: "Be brief.", tools: [clock], stream: true}),
};

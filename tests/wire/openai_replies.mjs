// What OpenAI and servers that speak as it does answer.
import {json, page, sse, withBody, withType} from "./replies.mjs";

const usage = (input, output, cached) => ({
  prompt_tokens: input, completion_tokens: output, total_tokens: input + output,
  ...(cached !== undefined && {prompt_tokens_details: {cached_tokens: cached}}),
});
const completion = (message, rest = {}, finish_reason = "stop") => ({
  id: "chatcmpl-1", object: "chat.completion", created: 1700000000, model: "gpt-test",
  choices: [{index: 0, message: {role: "assistant", content: null, refusal: null, ...message}, logprobs: null, finish_reason}],
  ...rest,
});
const call = (id, name, args) => ({id, type: "function", function: {name, arguments: args}});

const chunk = (delta, finish_reason = null, rest = {}) => ({
  id: "chatcmpl-1", object: "chat.completion.chunk", created: 1700000000, model: "gpt-test",
  choices: [{index: 0, delta, logprobs: null, finish_reason}], ...rest,
});
const lastUsage = (...numbers) => ({...chunk({}), choices: [], usage: usage(...numbers)});
const begin = (id, name, index) => chunk({tool_calls: [{index, id, type: "function", function: {name, arguments: ""}}]});
const more = (index, args) => chunk({tool_calls: [{index, function: {arguments: args}}]});
const stream = (values, rest = {}) => sse(values, {end: "data: [DONE]\n\n", ...rest});

const textChunks = [chunk({role: "assistant", content: "", refusal: null}), chunk({content: "Twelve "}), chunk({content: "orders é😀."}), chunk({}, "stop")];
const error = (status, message, type, code = null) => json({error: {message, type, param: null, code}}, status);

export const replies = {
  text: json(completion({content: "Twelve orders é😀."}, {usage: usage(20, 4, 0)})),
  cached_tokens: json(completion({content: "12"}, {usage: {...usage(2000, 30, 1536), completion_tokens_details: {reasoning_tokens: 16}}})),
  without_usage: json(completion({content: "12"})),
  empty_text: json(completion({content: ""}, {usage: usage(20, 0)})),
  one_call: json(completion({tool_calls: [call("call_1", "find_orders", '{"customer":"Ann"}')]}, {usage: usage(50, 12)}, "tool_calls")),
  text_and_calls: json(completion({
    content: "Let me look.",
    tool_calls: [call("call_1", "find_orders", '{"customer":"Ann","limit":2}'), call("call_2", "clock", "{}"), call("call_3", "clock", "")],
  }, {usage: usage(50, 24)}, "tool_calls")),
  arguments_cut_off: json(completion({tool_calls: [call("call_1", "find_orders", '{"customer":"An')]}, {usage: usage(50, 5)}, "length")),
  refusal: json(completion({refusal: "I cannot help with that."}, {usage: usage(20, 7)})),
  length: json(completion({content: "Twelve ord"}, {usage: usage(20, 3)}, "length")),
  content_filter: json(completion({content: ""}, {usage: usage(20, 0)}, "content_filter")),

  stream_text: stream([...textChunks, lastUsage(20, 4, 0)]),
  stream_text_crlf: withBody(stream([...textChunks, lastUsage(20, 4, 16)]), (body) => body.replaceAll("\n", "\r\n")),
  stream_with_comments: withBody(stream([...textChunks]), (body) => `: still working\n\n${body.replace("data: [DONE]", ": keep-alive\n\ndata: [DONE]")}`),
  stream_without_spaces: withBody(stream([...textChunks]), (body) => body.replaceAll("data: ", "data:")),
  stream_call: stream([chunk({role: "assistant", content: null}), begin("call_1", "find_orders", 0), more(0, '{"cust'), more(0, 'omer":"Ann"}'),
    chunk({}, "tool_calls"), lastUsage(50, 12, 32)]),
  stream_text_and_calls: stream([chunk({role: "assistant", content: "Let me look."}), begin("call_1", "find_orders", 0), more(0, '{"customer":"Ann"}'),
    begin("call_2", "clock", 1), more(1, "{}"), chunk({}, "tool_calls"), lastUsage(50, 24)]),
  stream_refusal: stream([chunk({role: "assistant", content: null, refusal: ""}), chunk({refusal: "I cannot "}), chunk({refusal: "help."}), chunk({}, "stop")]),
  stream_length: stream([chunk({role: "assistant", content: "Twelve ord"}), chunk({}, "length"), lastUsage(20, 3)]),
  stream_of_capital_type: withType(stream([...textChunks, lastUsage(20, 4)]), "Text/Event-Stream"),
  stream_of_another_type: withType(stream([...textChunks, lastUsage(20, 4)]), "text/plain"),
  stream_cut_off: sse(textChunks.slice(0, 2)),
  stream_error: withBody(sse(textChunks.slice(0, 2)), (body) =>
    `${body}data: {"error":{"message":"The server had an error.","type":"server_error","param":null,"code":null}}\n\n`),
  stream_malformed: withBody(sse(textChunks.slice(0, 2)), (body) => `${body}data: {"choices":[\n\n`),

  bad_request: error(400, "Invalid value: 'usr'.", "invalid_request_error", "invalid_value"),
  bad_key: error(401, "Incorrect API key provided.", "invalid_request_error", "invalid_api_key"),
  forbidden: error(403, "You are not allowed to sample from this model.", "invalid_request_error"),
  no_such_model: error(404, "The model `gpt-none` does not exist.", "invalid_request_error", "model_not_found"),
  rate_limit: error(429, "Rate limit reached.", "requests", "rate_limit_exceeded"),
  no_money: error(429, "You exceeded your current quota.", "insufficient_quota", "insufficient_quota"),
  server_error: error(500, "The server had an error.", "server_error"),
  overloaded: error(503, "The engine is currently overloaded.", "server_error"),
  gateway_page: page(502, "<html><body><h1>502 Bad Gateway</h1></body></html>"),
  error_is_text: json({error: "model 'none' not found"}, 404),
  error_of_another_shape: json({object: "error", message: "This model's maximum context length is 8 tokens.", type: "BadRequestError", code: 400}, 400),
  error_without_body: page(500, "", "text/plain"),
};

// What Anthropic answers.
import {json, page, sse, withBody, withType} from "./replies.mjs";

const usage = (input, output, read = 0, written = 0) => ({
  input_tokens: input, output_tokens: output, cache_read_input_tokens: read, cache_creation_input_tokens: written,
  cache_creation: {ephemeral_5m_input_tokens: written, ephemeral_1h_input_tokens: 0},
  inference_geo: null, output_tokens_details: null, server_tool_use: null, service_tier: "standard", speed: null,
});
const message = (content, stop_reason, tokens, rest = {}) => ({
  id: "msg_1", type: "message", role: "assistant", model: "claude-test", content, stop_reason, stop_sequence: null,
  usage: tokens, container: null, diagnostics: null, stop_details: null, ...rest,
});
const text = (text) => ({type: "text", text, citations: null});
const call = (id, name, input) => ({type: "tool_use", id, name, input, caller: {type: "direct"}});
const thinking = {type: "thinking", thinking: "They ask for a count.", signature: "c2lnbmVk"};

const start = (tokens = usage(20, 1)) => ({type: "message_start", message: message([], null, tokens)});
const block = (index, content_block, ...deltas) => [
  {type: "content_block_start", index, content_block},
  ...deltas.map((delta) => ({type: "content_block_delta", index, delta})),
  {type: "content_block_stop", index},
];
const textBlock = (index, ...parts) => block(index, text(""), ...parts.map((part) => ({type: "text_delta", text: part})));
const callBlock = (index, id, name, ...parts) =>
  block(index, call(id, name, {}), ...parts.map((partial_json) => ({type: "input_json_delta", partial_json})));
const end = (stop_reason, output_tokens, rest = {}) => [
  {
    type: "message_delta",
    delta: {stop_reason, stop_sequence: null, container: null, stop_details: null, ...rest},
    usage: {output_tokens, input_tokens: null, cache_read_input_tokens: null, cache_creation_input_tokens: null, output_tokens_details: null, server_tool_use: null},
  },
  {type: "message_stop"},
];
const stream = (...values) => sse(values.flat(), {named: true});
const ping = (reply) => withBody(reply, (body) => body.replace("event: content_block_start", 'event: ping\ndata: {"type": "ping"}\n\nevent: content_block_start'));

const error = (status, type, message) => json({type: "error", error: {type, message}, request_id: "req_1"}, status);

export const replies = {
  text: json(message([text("Twelve orders é😀.")], "end_turn", usage(20, 4))),
  cached_tokens: json(message([text("12")], "end_turn", usage(3, 30, 1536, 461))),
  several_texts: json(message([text("Twelve "), text("orders.")], "end_turn", usage(20, 4))),
  empty: json(message([], "end_turn", usage(20, 0))),
  one_call: json(message([call("toolu_1", "find_orders", {customer: "Ann"})], "tool_use", usage(50, 12))),
  text_and_calls: json(message([text("Let me look."), call("toolu_1", "find_orders", {customer: "Ann", limit: 2}), call("toolu_2", "clock", {})],
    "tool_use", usage(50, 24))),
  thinking: json(message([thinking, text("12")], "end_turn", usage(20, 40))),
  length: json(message([text("Twelve ord")], "max_tokens", usage(20, 3))),
  stop_sequence: json(message([text("Twelve ")], "stop_sequence", usage(20, 3), {stop_sequence: "END"})),
  refusal: json(message([], "refusal", usage(20, 0), {stop_details: {type: "refusal", category: null, explanation: "I cannot help with that."}})),
  context_full: json(message([text("Twelve")], "model_context_window_exceeded", usage(20, 3))),

  stream_text: ping(stream(start(), textBlock(0, "Twelve ", "orders é😀."), end("end_turn", 4))),
  stream_cached_tokens: stream(start(usage(3, 1, 1536, 461)), textBlock(0, "12"), end("end_turn", 30)),
  stream_text_crlf: withBody(stream(start(), textBlock(0, "Twelve ", "orders."), end("end_turn", 4)), (body) => body.replaceAll("\n", "\r\n")),
  stream_call: stream(start(usage(50, 1)), callBlock(0, "toolu_1", "find_orders", "", '{"cust', 'omer":"Ann"}'), end("tool_use", 12)),
  stream_call_without_input: stream(start(usage(50, 1)), callBlock(0, "toolu_1", "clock", ""), end("tool_use", 6)),
  stream_text_and_calls: stream(start(usage(50, 1)), textBlock(0, "Let me look."), callBlock(1, "toolu_1", "find_orders", '{"customer":"Ann"}'),
    callBlock(2, "toolu_2", "clock", "{}"), end("tool_use", 24)),
  stream_thinking: stream(start(), block(0, {...thinking, thinking: "", signature: ""}, {type: "thinking_delta", thinking: thinking.thinking},
    {type: "signature_delta", signature: thinking.signature}), textBlock(1, "12"), end("end_turn", 40)),
  stream_length: stream(start(), textBlock(0, "Twelve ord"), end("max_tokens", 3)),
  stream_refusal: stream(start(), end("refusal", 0, {stop_details: {type: "refusal", category: null, explanation: "I cannot."}})),
  stream_of_capital_type: withType(stream(start(), textBlock(0, "Twelve ", "orders."), end("end_turn", 4)), "Text/Event-Stream"),
  stream_of_another_type: withType(stream(start(), textBlock(0, "Twelve ", "orders."), end("end_turn", 4)), "text/plain"),
  stream_cut_off: stream(start(), textBlock(0, "Twelve ").slice(0, 2)),
  stream_cut_off_at_the_end: stream(start(), textBlock(0, "Twelve"), end("end_turn", 4).slice(0, 1)),
  stream_error: withBody(stream(start(), textBlock(0, "Twelve ").slice(0, 2)), (body) =>
    `${body}event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n`),
  stream_malformed: withBody(stream(start()), (body) => `${body}event: content_block_start\ndata: {"type":\n\n`),

  bad_request: error(400, "invalid_request_error", "max_tokens: Field required"),
  bad_key: error(401, "authentication_error", "invalid x-api-key"),
  forbidden: error(403, "permission_error", "Your API key does not have permission to use the specified resource."),
  no_such_model: error(404, "not_found_error", "model: claude-none"),
  too_large: error(413, "request_too_large", "Request exceeds the maximum allowed number of bytes."),
  rate_limit: error(429, "rate_limit_error", "Number of requests has exceeded your rate limit."),
  server_error: error(500, "api_error", "Internal server error"),
  overloaded: error(529, "overloaded_error", "Overloaded"),
  gateway_page: page(502, "<html><body><h1>502 Bad Gateway</h1></body></html>"),
};

// What Google's Gemini API answers.
import {json, page, sse, withBody, withType} from "./replies.mjs";

const usage = (input, output, rest = {}) => ({promptTokenCount: input, candidatesTokenCount: output, totalTokenCount: input + output, ...rest});
const content = (parts, finishReason, usageMetadata, rest = {}) => ({
  candidates: [{content: {parts, role: "model"}, ...(finishReason && {finishReason}), index: 0}],
  ...(usageMetadata && {usageMetadata}), modelVersion: "gemini-test", responseId: "r1", ...rest,
});
const call = (name, args, id) => ({functionCall: {name, args, ...(id && {id})}});
const error = (code, status, message, details) => json({error: {code, message, status, ...(details && {details})}}, code);
const retryIn = (retryDelay) => [{"@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay}];

export const replies = {
  text: json(content([{text: "Twelve orders é😀."}], "STOP", usage(20, 4))),
  cached_tokens: json(content([{text: "12"}], "STOP", usage(2000, 14, {cachedContentTokenCount: 1536, thoughtsTokenCount: 16, totalTokenCount: 2030}))),
  several_texts: json(content([{text: "Twelve "}, {text: "orders."}], "STOP", usage(20, 4))),
  thought: json(content([{text: "They ask for a count.", thought: true}, {text: "12"}], "STOP", usage(20, 1, {thoughtsTokenCount: 8}))),
  one_call: json(content([call("find_orders", {customer: "Ann"}, "fc_1")], "STOP", usage(50, 12))),
  call_without_id: json(content([call("find_orders", {customer: "Ann"})], "STOP", usage(50, 12))),
  call_without_arguments: json(content([{functionCall: {name: "clock"}}], "STOP", usage(50, 3))),
  signed_call: json(content([{...call("clock", {}), thoughtSignature: "c2lnbmVk"}], "STOP", usage(50, 3))),
  text_and_calls: json(content([{text: "Let me look."}, call("find_orders", {customer: "Ann", limit: 2}), call("clock", {})], "STOP", usage(50, 24))),
  length: json(content([{text: "Twelve ord"}], "MAX_TOKENS", usage(20, 3))),
  without_content: json({candidates: [{finishReason: "SAFETY", index: 0}], usageMetadata: usage(20, 0), modelVersion: "gemini-test"}),
  malformed_call: json({candidates: [{content: {}, finishReason: "MALFORMED_FUNCTION_CALL", index: 0}], usageMetadata: usage(20, 0)}),
  blocked_prompt: json({promptFeedback: {blockReason: "PROHIBITED_CONTENT"}, usageMetadata: usage(20, 0), modelVersion: "gemini-test"}),

  stream_text: sse([content([{text: "Twelve "}], null, usage(20, 1)), content([{text: "orders é😀."}], "STOP", usage(20, 4))]),
  stream_text_crlf: withBody(sse([content([{text: "Twelve "}], null, usage(20, 1)), content([{text: "orders."}], "STOP", usage(20, 4, {cachedContentTokenCount: 16}))]),
    (body) => body.replaceAll("\n", "\r\n")),
  stream_text_and_calls: sse([content([{text: "Let me look."}], null), content([call("find_orders", {customer: "Ann"})], null, usage(50, 20)),
    content([call("clock", {})], "STOP", usage(50, 24))]),
  stream_empty_end: sse([content([{text: "12"}], null, usage(20, 1)), content([{text: ""}], "STOP", usage(20, 1))]),
  stream_thought: sse([content([{text: "They ask.", thought: true}], null), content([{text: "12"}], "STOP", usage(20, 1, {thoughtsTokenCount: 8}))]),
  stream_length: sse([content([{text: "Twelve ord"}], "MAX_TOKENS", usage(20, 3))]),
  stream_blocked: sse([{promptFeedback: {blockReason: "SAFETY"}, usageMetadata: usage(20, 0)}]),
  stream_of_capital_type: withType(sse([content([{text: "Twelve orders."}], "STOP", usage(20, 4))]), "Text/Event-Stream"),
  stream_of_another_type: withType(sse([content([{text: "Twelve orders."}], "STOP", usage(20, 4))]), "text/plain"),
  stream_cut_off: sse([content([{text: "Twelve "}], null, usage(20, 1))]),
  stream_error: withBody(sse([content([{text: "Twelve "}], null, usage(20, 1))]), (body) =>
    `${body}data: {"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}\n\n`),
  stream_malformed: withBody(sse([content([{text: "Twelve "}], null, usage(20, 1))]), (body) => `${body}data: {"candidates":[\n\n`),

  bad_request: error(400, "INVALID_ARGUMENT", "Please use a valid role: user, model."),
  bad_key: error(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.",
    [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID", domain: "googleapis.com"}]),
  forbidden: error(403, "PERMISSION_DENIED", "Permission denied."),
  no_such_model: error(404, "NOT_FOUND", "models/gemini-none is not found."),
  rate_limit: error(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota.", retryIn("0.05s")),
  server_error: error(500, "INTERNAL", "An internal error has occurred."),
  overloaded: error(503, "UNAVAILABLE", "The model is overloaded."),
  gateway_page: page(502, "<html><body><h1>502 Bad Gateway</h1></body></html>"),
};

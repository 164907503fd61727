// @ts-check
// The conversations as users of the official openai client write them, and its answers in no provider's terms.
import OpenAI from "openai";

export const name = "openai";
export const key = "test-key-openai";
export const model = "gpt-test";

/** @param {string} url @param {number} maxRetries */
export const client = (url, maxRetries = 0) => new OpenAI({apiKey: key, baseURL: `${url}/v1`, maxRetries});

/** @param {any} message @returns {OpenAI.ChatCompletionMessageParam} */
function messageOf(message) {
  if (message.role === "tool") return {role: "tool", tool_call_id: message.tool_call_id, content: message.content};
  if (message.role === "user") return {role: "user", content: message.content};
  if (!message.tool_calls) return {role: "assistant", content: message.content};
  return {
    role: "assistant",
    content: message.content === "" ? null : message.content,
    tool_calls: message.tool_calls.map((/** @type {any} */ call) =>
      ({id: call.id, type: "function", function: {name: call.name, arguments: JSON.stringify(call.arguments)}})),
  };
}

/** @param {any} tool @returns {OpenAI.ChatCompletionTool} */
const toolOf = (tool) => ({
  type: "function",
  function: {name: tool.name, ...(tool.description && {description: tool.description}), parameters: tool.input_schema},
});

/** @param {any} c a conversation @returns {OpenAI.ChatCompletionCreateParams} */
export function requestOf(c) {
  /** @type {OpenAI.ChatCompletionMessageParam[]} */
  const system = c.system ? [{role: "system", content: c.system}] : [];
  const {max_tokens, temperature, top_p, stop} = c.options ?? {};
  return {
    model,
    messages: [...system, ...c.messages.map(messageOf)],
    ...(c.tools.length > 0 && {tools: c.tools.map(toolOf)}),
    ...(c.schema && {response_format: {type: "json_schema", json_schema: {name: "answer", schema: c.schema, strict: true}}}),
    ...(c.options && {max_completion_tokens: max_tokens, temperature, top_p, stop}),
    ...(c.stream && {stream: true, stream_options: {include_usage: true}}),
  };
}

/** @param {OpenAI.CompletionUsage | null | undefined} usage */
const tokensOf = (usage) => usage && {
  input: usage.prompt_tokens,
  output: usage.completion_tokens,
  cache_read: usage.prompt_tokens_details?.cached_tokens ?? 0,
  cache_creation: usage.prompt_tokens_details?.cache_write_tokens ?? 0,
};

/** @param {OpenAI.ChatCompletion} reply */
function answerOf(reply) {
  const choice = reply.choices[0];
  if (!choice) return {choices: 0};
  const {message, finish_reason} = choice;
  return {
    text: message.content,
    tool_calls: (message.tool_calls ?? []).map((call) =>
      call.type === "function" && {id: call.id, name: call.function.name, arguments: call.function.arguments}),
    refusal: message.refusal ?? null,
    stop: finish_reason,
    tokens: tokensOf(reply.usage),
  };
}

/** What the client makes of a reply to `request`. @param {string} url @param {any} request @param {number} retries */
export async function ask(url, request, retries = 0) {
  const completions = client(url, retries).chat.completions;
  if (!request.stream) return answerOf(await completions.create(request));
  /** @type {string[]} */
  const deltas = [];
  const stream = completions.stream(request).on("content", (delta) => deltas.push(delta));
  const answer = answerOf(await stream.finalChatCompletion());
  return {...answer, deltas};
}

/** @param {any} error */
export const errorOf = (error) => ({
  class: error.constructor.name, status: error.status ?? null, message: error.message, type: error.type ?? null, code: error.code ?? null,
});

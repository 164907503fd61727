// @ts-check
// The conversations as users of the official Anthropic client write them, and its answers in no provider's terms.
import Anthropic from "@anthropic-ai/sdk";

export const name = "anthropic";
export const key = "test-key-anthropic";
export const model = "claude-test";

/** @param {string} url @param {number} maxRetries */
export const client = (url, maxRetries = 0) => new Anthropic({apiKey: key, baseURL: url, maxRetries});

/** @param {any} message @returns {Anthropic.ToolResultBlockParam} */
const resultOf = (message) => ({
  type: "tool_result", tool_use_id: message.tool_call_id, content: message.content, ...(message.is_error && {is_error: true}),
});

/** @param {any} message @returns {Anthropic.ContentBlockParam[]} */
const blocksOf = (message) => [
  ...(message.content ? [{type: /** @type {const} */ ("text"), text: message.content}] : []),
  ...message.tool_calls.map((/** @type {any} */ call) => ({type: "tool_use", id: call.id, name: call.name, input: call.arguments})),
];

/** The results of all calls of a turn are one message of the user. @param {any[]} messages @returns {Anthropic.MessageParam[]} */
function messagesOf(messages) {
  /** @type {Anthropic.MessageParam[]} */
  const out = [];
  for (const message of messages) {
    const last = out.at(-1);
    if (message.role !== "tool") out.push({role: message.role, content: message.tool_calls ? blocksOf(message) : message.content});
    else if (last?.role === "user" && Array.isArray(last.content)) last.content.push(resultOf(message));
    else out.push({role: "user", content: [resultOf(message)]});
  }
  return out;
}

/** @param {any} tool @returns {Anthropic.Tool} */
const toolOf = (tool) => ({name: tool.name, ...(tool.description && {description: tool.description}), input_schema: tool.input_schema});

/** The version of the API that the client speaks has no `temperature` and `top_p`. @param {any} c a conversation @returns {Anthropic.MessageCreateParams} */
export function requestOf(c) {
  const {max_tokens = 1024, stop} = c.options ?? {};
  return {
    model,
    max_tokens,
    messages: messagesOf(c.messages),
    ...(c.system && {system: c.system}),
    ...(c.tools.length > 0 && {tools: c.tools.map(toolOf)}),
    ...(c.schema && {output_config: {format: {type: "json_schema", schema: c.schema}}}),
    ...(c.options && {stop_sequences: stop}),
    ...(c.stream && {stream: true}),
  };
}

/** @param {Anthropic.Message} reply */
const answerOf = (reply) => ({
  text: reply.content.map((block) => (block.type === "text" ? block.text : "")).join(""),
  tool_calls: reply.content.filter((block) => block.type === "tool_use")
    .map((block) => ({id: block.id, name: block.name, arguments: block.input})),
  stop: reply.stop_reason,
  tokens: {
    input: reply.usage.input_tokens,
    output: reply.usage.output_tokens,
    cache_read: reply.usage.cache_read_input_tokens ?? 0,
    cache_creation: reply.usage.cache_creation_input_tokens ?? 0,
  },
});

/** What the client makes of a reply to `request`. @param {string} url @param {any} request @param {number} retries */
export async function ask(url, request, retries = 0) {
  const messages = client(url, retries).messages;
  if (!request.stream) return answerOf(await messages.create(request));
  /** @type {string[]} */
  const deltas = [];
  const stream = messages.stream(request).on("text", (delta) => deltas.push(delta));
  const answer = answerOf(await stream.finalMessage());
  return {...answer, deltas};
}

/** @param {any} error */
export const errorOf = (error) => ({class: error.constructor.name, status: error.status ?? null, message: error.message, type: error.type ?? null});

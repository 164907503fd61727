// @ts-check
// The conversations as users of the official Google client write them, and its answers in no provider's terms.
import {GoogleGenAI} from "@google/genai";

export const name = "gemini";
export const key = "test-key-gemini";
export const model = "gemini-test";

/** @param {string} url @param {number} retries */
export const client = (url, retries = 0) => new GoogleGenAI({
  apiKey: key, httpOptions: {baseUrl: url, ...(retries > 0 && {retryOptions: {attempts: retries + 1, initialDelay: 0.001, maxDelay: 0.001}})},
});

/** @param {any} message @param {Map<string, string>} names of calls @returns {import("@google/genai").Part} */
const resultOf = (message, names) => ({
  functionResponse: {
    id: message.tool_call_id,
    name: names.get(message.tool_call_id),
    response: message.is_error ? {error: message.content} : {output: message.content},
  },
});

/** @param {any} message @returns {import("@google/genai").Part[]} */
const partsOf = (message) => [
  ...(message.content ? [{text: message.content}] : []),
  ...(message.tool_calls ?? []).map((/** @type {any} */ call) => ({functionCall: {id: call.id, name: call.name, args: call.arguments}})),
];

/** The results of all calls of a turn are one content of the user. @param {any[]} messages @returns {import("@google/genai").Content[]} */
function contentsOf(messages) {
  /** @type {import("@google/genai").Content[]} */
  const out = [];
  /** @type {Map<string, string>} */
  const names = new Map();
  for (const message of messages) {
    for (const call of message.tool_calls ?? []) names.set(call.id, call.name);
    const last = out.at(-1);
    if (message.role !== "tool") out.push({role: message.role === "user" ? "user" : "model", parts: partsOf(message)});
    else if (last?.parts?.[0]?.functionResponse) last.parts.push(resultOf(message, names));
    else out.push({role: "user", parts: [resultOf(message, names)]});
  }
  return out;
}

/** @param {any} tool @returns {import("@google/genai").FunctionDeclaration} */
const toolOf = (tool) => ({name: tool.name, ...(tool.description && {description: tool.description}), parametersJsonSchema: tool.input_schema});

/** @param {any} c a conversation @returns {import("@google/genai").GenerateContentParameters} */
export function requestOf(c) {
  const {max_tokens, temperature, top_p, stop} = c.options ?? {};
  /** @type {import("@google/genai").GenerateContentConfig} */
  const config = {
    ...(c.system && {systemInstruction: c.system}),
    ...(c.tools.length > 0 && {tools: [{functionDeclarations: c.tools.map(toolOf)}]}),
    ...(c.schema && {responseMimeType: "application/json", responseJsonSchema: c.schema}),
    ...(c.options && {maxOutputTokens: max_tokens, temperature, topP: top_p, stopSequences: stop}),
  };
  return {model, contents: contentsOf(c.messages), ...(Object.keys(config).length > 0 && {config})};
}

/** Of a thought the client's `text` has nothing. @param {import("@google/genai").GenerateContentResponse} reply */
function answerOf(reply) {
  const usage = reply.usageMetadata;
  return {
    text: reply.text ?? null,
    tool_calls: (reply.functionCalls ?? []).map((call) => ({id: call.id ?? null, name: call.name, arguments: call.args})),
    stop: reply.candidates?.[0]?.finishReason ?? null,
    blocked: reply.promptFeedback?.blockReason ?? null,
    tokens: usage && {
      input: usage.promptTokenCount ?? 0,
      output: (usage.candidatesTokenCount ?? 0) + (usage.thoughtsTokenCount ?? 0),
      cache_read: usage.cachedContentTokenCount ?? 0,
      cache_creation: 0,
    },
  };
}

/** Chunks are for their reader to put together. @param {any} url @param {any} request @param {number} retries */
async function stream(url, request, retries) {
  /** @type {string[]} */
  const deltas = [];
  /** @type {any} */
  let answer = {text: null, tool_calls: [], stop: null, blocked: null, tokens: undefined};
  for await (const chunk of await client(url, retries).models.generateContentStream(request)) {
    const part = answerOf(chunk);
    if (part.text) deltas.push(part.text);
    answer = {
      text: deltas.length > 0 ? deltas.join("") : null,
      tool_calls: [...answer.tool_calls, ...part.tool_calls],
      stop: part.stop ?? answer.stop,
      blocked: part.blocked ?? answer.blocked,
      tokens: part.tokens ?? answer.tokens,
    };
  }
  return {...answer, deltas};
}

/** What the client makes of a reply to `request`. @param {string} url @param {any} request @param {number} retries @param {boolean} streams */
export async function ask(url, request, retries = 0, streams = false) {
  if (streams) return stream(url, request, retries);
  return answerOf(await client(url, retries).models.generateContent(request));
}

/** @param {any} error */
export const errorOf = (error) => ({class: error.constructor.name, status: error.status ?? null, message: error.message});

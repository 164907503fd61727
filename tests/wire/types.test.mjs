// Golden requests and replies, written out as literals of the official clients' types: the compiler finds members that are missing,
// unknown or of another type.
import assert from "node:assert/strict";
import {execFileSync} from "node:child_process";
import {readFileSync, writeFileSync} from "node:fs";
import {test} from "node:test";
import {replies as anthropicReplies} from "./anthropic_replies.mjs";
import {replies as geminiReplies} from "./gemini_replies.mjs";
import {replies as openaiReplies} from "./openai_replies.mjs";

const prelude = `import type OpenAI from "openai";
import type Anthropic from "@anthropic-ai/sdk";
import type {GenerateContentResponse} from "@google/genai";
/** As a value is on the wire: a literal for each member of an enumeration. */
type Wire<T> = T extends string ? \`\${T}\` : T extends (infer U)[] ? Wire<U>[] : T extends object ? {[K in keyof T]: Wire<T[K]>} : T;
type Gemini = Wire<Pick<GenerateContentResponse, "candidates" | "modelVersion" | "promptFeedback" | "responseId" | "usageMetadata">>;
`;
const compile = ["--noEmit", "--strict", "--skipLibCheck", "--target", "es2023", "--module", "nodenext", "--types", ""];

/** What the compiler says of literals, [[type, value]]. */
function complaints(file, literals) {
  writeFileSync(file, prelude + literals.map(([type, value], index) => `const v${index}: ${type} = ${JSON.stringify(value)};\n`).join(""));
  try {
    execFileSync("node_modules/.bin/tsc", [...compile, file], {encoding: "utf8", stdio: "pipe"});
    return "";
  } catch (error) {
    return error.stdout;
  }
}

const requests = (name) => JSON.parse(readFileSync(`${process.env.WIRE_SOURCE}/golden/${name}.requests.json`, "utf8")).map((row) => row.request.body);
const values = (replies, stream) => Object.values(replies).filter((reply) => reply.status === 200 && reply.stream === stream).flatMap((reply) => reply.values);
const typed = (type, all) => all.map((value) => [type, value]);

test("golden requests are what the clients take", () => {
  assert.equal(complaints("requests.ts",
    [...typed("OpenAI.ChatCompletionCreateParams", requests("openai")), ...typed("Anthropic.MessageCreateParams", requests("anthropic"))]), "");
});

test("golden replies are what the clients give", () => {
  assert.equal(complaints("replies.ts", [
    ...typed("OpenAI.ChatCompletion", values(openaiReplies, false)), ...typed("OpenAI.ChatCompletionChunk", values(openaiReplies, true)),
    ...typed("Anthropic.Message", values(anthropicReplies, false)), ...typed("Anthropic.RawMessageStreamEvent", values(anthropicReplies, true)),
    ...typed("Gemini", [...values(geminiReplies, false), ...values(geminiReplies, true)])]), "");
});

test("the compiler does find what is wrong", () => {
  const wrong = complaints("wrong.ts", [
    ["OpenAI.ChatCompletionCreateParams", {model: "m", messages: [{role: "tool", content: "x"}]}],
    ["Anthropic.MessageCreateParams", {model: "m", max_tokens: 1, messages: [], temperature: 1}],
    ["Gemini", {candidates: [{finishReason: "END"}]}]]);
  for (const name of ["tool_call_id", "temperature", "END"]) assert.match(wrong, new RegExp(name));
});

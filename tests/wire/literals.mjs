// Values as literals of the official clients' types: the compiler finds members that are missing, unknown or of another type.
import {execFileSync} from "node:child_process";
import {writeFileSync} from "node:fs";

const prelude = `import type OpenAI from "openai";
import type Anthropic from "@anthropic-ai/sdk";
import type {GenerateContentParameters, GenerateContentResponse} from "@google/genai";
/** As a value is on the wire: a literal for each member of an enumeration. */
type Wire<T> = T extends string ? \`\${T}\` : T extends (infer U)[] ? Wire<U>[] : T extends object ? {[K in keyof T]: Wire<T[K]>} : T;
type GeminiRequest = Wire<GenerateContentParameters>;
type GeminiReply = Wire<Pick<GenerateContentResponse, "candidates" | "modelVersion" | "promptFeedback" | "responseId" | "usageMetadata">>;
`;
const compile = ["--noEmit", "--strict", "--skipLibCheck", "--target", "es2023", "--module", "nodenext", "--types", ""];

/** What the compiler says of literals, [[type, value]]. `file` is written anew. */
export function complaints(file, literals) {
  writeFileSync(file, prelude + literals.map(([type, value], index) => `const v${index}: ${type} = ${JSON.stringify(value)};\n`).join(""));
  try {
    execFileSync("node_modules/.bin/tsc", [...compile, file], {encoding: "utf8", stdio: "pipe"});
    return "";
  } catch (error) {
    return error.stdout;
  }
}

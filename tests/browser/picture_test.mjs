// picture_test.mjs PTCC CHROMIUM PICTURE [--update]: the picture of a trace page on the README's first screen. Runs the README's own first
// mission, makes its page and compares what that shows with what the picture was made of: a hash of its texts and styles, without numbers,
// which the picture carries with it. `--update` makes the picture anew.
import assert from "node:assert/strict";
import {execFileSync} from "node:child_process";
import {createHash} from "node:crypto";
import {readFileSync, writeFileSync} from "node:fs";
import {join} from "node:path";
import {pathToFileURL} from "node:url";
import {chromium} from "playwright-core";

const [ptcc, executablePath, picture, mode] = process.argv.slice(2);
const SIZE = {width: 1100, height: 850};
const KEYWORD = "ptc-shape"; // of the text chunk in the picture

/** The commands of the README's section, with this ptcc, and the page of the mission that they run. */
function makePage() {
  const root = join(picture, "..", "..", "..");
  const section = readFileSync(join(root, "README.md"), "utf8").split("## A first mission\n")[1].split("\n## ")[0];
  const commands = section.split("```sh\n")[1].split("\n```")[0].replaceAll("build/release/bin/ptcc", `'${ptcc}'`);
  execFileSync("python3", [join(root, "tools", "gen_demo_data.py"), "build/demo-data"], {stdio: "ignore"});
  const shown = execFileSync("bash", ["-euc", commands], {encoding: "utf8"});
  const [, result] = section.match(/The first command prints `(.*?)`/);
  assert.ok(shown.startsWith(result + "\n"), shown);
  execFileSync(ptcc, ["trace", "mission.jsonl", "--html", "picture.html"]);
}

/** What the page shows and how, but for numbers: times differ from run to run, sizes with each word of a prompt. */
async function shapeOf(page) {
  const [text, style] = await page.evaluate(() => {
    const axis = document.querySelector(".axis");
    if (axis) axis.textContent = ""; // as many marks as fit the time
    return [document.body.innerText, [...document.querySelectorAll("style")].map((one) => one.textContent).join("\n")];
  });
  const plain = text.replace(/\d[\d.,]*( ?(ms|µs|s|B|KB|MB)\b)?/g, "#");
  return createHash("sha256").update(plain).update("\0").update(style).digest("hex");
}

// ---- PNG: a signature of 8 bytes, then chunks: length, type, data, CRC of type and data

function crc(bytes) {
  let sum = 0xffffffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; ++bit) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1;
  }
  return (sum ^ 0xffffffff) >>> 0;
}

function* chunksOf(png) {
  for (let at = 8; at < png.length;) {
    const size = png.readUInt32BE(at);
    yield {type: png.toString("latin1", at + 4, at + 8), data: png.subarray(at + 8, at + 8 + size), end: at + 12 + size};
    at += 12 + size;
  }
}

function withText(png, text) {
  const [header] = chunksOf(png);
  const body = Buffer.from(`tEXt${KEYWORD}\0${text}`, "latin1");
  const chunk = Buffer.alloc(body.length + 8);
  chunk.writeUInt32BE(body.length - 4, 0);
  body.copy(chunk, 4);
  chunk.writeUInt32BE(crc(body), body.length + 4);
  return Buffer.concat([png.subarray(0, header.end), chunk, png.subarray(header.end)]);
}

const textOf = (png) =>
  [...chunksOf(png)].filter(({type, data}) => type === "tEXt" && data.toString("latin1").startsWith(KEYWORD + "\0"))
    .map(({data}) => data.toString("latin1", KEYWORD.length + 1))[0];

makePage();
const browser = await chromium.launch({executablePath, args: ["--no-sandbox"]});
try {
  const page = await browser.newPage({viewport: SIZE});
  await page.goto(pathToFileURL("picture.html").href);
  const shot = await page.screenshot();
  const shape = await shapeOf(page);
  if (mode === "--update") writeFileSync(picture, withText(shot, shape));
  const kept = readFileSync(picture);
  const header = [...chunksOf(kept)][0].data;
  assert.deepEqual({width: header.readUInt32BE(0), height: header.readUInt32BE(4)}, SIZE);
  assert.equal(textOf(kept), shape, "The README's picture shows a page that looks differently now: tests/browser/run PTCC WORK_DIR --update");
  console.log(`the README's picture is of ${shape.slice(0, 12)}${mode === "--update" ? ", made anew" : ""}`);
} finally {
  await browser.close();
}

// page_test.mjs PTCC CHROMIUM: runs a mission of several turns with agents in agents, tools that fail and hostile texts, makes the
// page of its trace and looks at it as people do: wide and narrow, light and dark.
import assert from "node:assert/strict";
import {execFileSync} from "node:child_process";
import {readFileSync, writeFileSync} from "node:fs";
import {pathToFileURL} from "node:url";
import {chromium} from "playwright-core";

const [ptcc, executablePath] = process.argv.slice(2);

function makePage() {
  const orders = Array.from({length: 60}, (_, i) => ({id: i, region: ["north", "south", "west"][i % 3], amount: (i * 37) % 90}));
  writeFileSync("orders.json", JSON.stringify(orders));
  writeFileSync("tools.json", JSON.stringify({
    rate: {signature: "(currency :string) -> :map", description: "The rate of a currency.", cmd: "node player.mjs tool"},
    study: {agent: {prompt: "Study {{region}}, which has {{total}}.", signature: "(region :string, total :float) -> {region :string, growth :float}",
                    tools: {rate: {signature: "(currency :string) -> :map", cmd: "node player.mjs tool"}}}},
  }));
  execFileSync(ptcc, ["agent", "--prompt", "Which region grows most? <b onmouseover=alert(1)>", "--signature",
    "{best :string, note :string}", "--data", "orders=orders.json", "--tools", "tools.json", "--llm", "cmd:node player.mjs model",
    "--trace", "mission.jsonl"]);
  execFileSync(ptcc, ["trace", "mission.jsonl", "--html", "mission.html"]);
  return readFileSync("mission.jsonl", "utf8").trimEnd().split("\n").map((line) => JSON.parse(line));
}

/** Folded contents keep their boxes; the browser says whether they are seen. */
const seenOf = (page, selector) =>
  page.locator(selector).evaluateAll((all) => all.filter((one) => one.checkVisibility()).map((one) => one.innerText));

const events = makePage();
const named = (name) => events.filter((event) => event.event === name);
const browser = await chromium.launch({executablePath, args: ["--no-sandbox"]});
let checks = 0;

/** Opens the page, has `look` see it, and checks what holds for every look: no request, no complaint, no script of a stranger. */
async function seen(name, options, look) {
  const context = await browser.newContext({viewport: {width: 1280, height: 900}, ...options});
  const page = await context.newPage();
  const requests = [];
  const complaints = [];
  page.on("request", (request) => requests.push(request.url()));
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("dialog", (dialog) => { complaints.push("a dialog"); dialog.dismiss(); });
  const url = pathToFileURL("mission.html").href;
  await page.goto(url);
  await look(page);
  await page.screenshot({path: `${name}.png`, fullPage: true});
  assert.deepEqual(requests, [url], name);
  assert.deepEqual(complaints, [], name);
  assert.equal(await page.evaluate(() => window.hacked), undefined, name);
  assert.equal(await page.locator("img, svg, iframe, object, form, b[onmouseover]").count(), 0, name);
  assert.equal(await page.locator("script").count(), 1, name);
  const widths = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
  assert.ok(widths[0] <= widths[1], `${name}: ${widths[0]} wide in a window of ${widths[1]}`);
  checks += 1;
  await context.close();
}

await seen("light", {}, async (page) => {
  assert.equal(await page.title(), "agent – ptc trace");
  assert.equal(await page.locator("header.ok h1").innerText(), "✓agent");
  assert.match(await page.locator(".outcome").innerText(), /:best "(north|south|west)"/);
  // A line for each agent, a bar for each reply, program and call.
  assert.equal(await page.locator(".timeline li").count(), named("mission_start").length);
  assert.equal(named("mission_start").length, 4);
  assert.equal(await page.locator(".bar.model").count(), named("llm_reply").length);
  assert.equal(await page.locator(".bar.program").count(), named("program_start").length);
  assert.equal(await page.locator(".bar.tool").count(), named("tool_start").length);
  assert.equal(await page.locator(".bar.tool.failed").count(), named("tool_call").filter((call) => !call.ok).length);
  assert.equal(await page.locator("details.turn").count(), named("turn_start").length);
  assert.equal(await page.locator("details.call").count(), named("tool_start").length);
  // Agents stand in the call that they answer.
  assert.equal(await page.locator("details.call > section.run").count(), 3);
  // Hostile texts are there, as texts.
  assert.ok((await page.locator(".prints").first().innerText()).includes(`<img src=x onerror="window.hacked=1">`));
  assert.ok((await page.locator("pre.code .c").first().textContent()).includes("</script>"));
  assert.match(await page.locator(".call.failed .result").last().textContent(), /no rate for .*<svg onload=alert\(1\)>/s);
  // Programs are marked.
  assert.equal(await page.locator("pre.code .d", {hasText: /^return$/}).first().evaluate((e) => getComputedStyle(e).fontWeight), "600");
  assert.ok(await page.locator("pre.code .t", {hasText: "tool/study"}).count() > 0);
});

await seen("folded", {}, async (page) => {
  const folds = () => seenOf(page, ".fold > pre");
  const programs = () => seenOf(page, "pre.code");
  assert.deepEqual(await folds(), []); // prompts are folded
  await page.getByText("System text").first().click();
  assert.equal((await folds()).length, 1);
  assert.match((await folds())[0], /PTC-Lisp/);
  await page.getByText("System text").first().click();
  assert.deepEqual(await folds(), []);
  await page.getByRole("button", {name: "Close all"}).click();
  assert.deepEqual(await programs(), []);
  await page.locator("details.turn > summary").first().click();
  assert.equal((await programs()).length, 1);
  await page.getByRole("button", {name: "Close all"}).click();
  await page.keyboard.press("Home");
  // A bar leads to what it stands for, however deep that is folded.
  await page.locator(".timeline li").nth(2).locator(".bar.program").last().click();
  await page.waitForFunction(() => document.querySelector(":target"));
  assert.equal((await seenOf(page, "pre.code:target")).length, 1);
  await page.getByRole("button", {name: "Close all"}).click();
});

await seen("all", {}, async (page) => {
  await page.getByRole("button", {name: "Open all"}).click();
  assert.equal((await seenOf(page, "pre.code")).length, named("program_start").length);
});
await seen("dark", {colorScheme: "dark"}, async (page) => {
  const [r, g, b] = (await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).match(/\d+/g).map(Number);
  assert.ok(r + g + b < 150);
});
await seen("narrow", {viewport: {width: 390, height: 844}, hasTouch: true}, async (page) => {
  await page.getByRole("button", {name: "Open all"}).click();
});
await seen("narrow-dark", {viewport: {width: 320, height: 700}, colorScheme: "dark"}, async () => {});

// Without scripts it is the same page, but for the two buttons.
await seen("no-script", {javaScriptEnabled: false}, async (page) => {
  assert.equal(await page.locator("nav").count(), 0);
  await page.locator("details.turn > summary").first().click();
}).catch((error) => {
  if (!/evaluate/.test(String(error))) throw error; // nothing can be asked of a page that runs nothing
});

await browser.close();
console.log(`${checks} looks at a page of ${events.length} events`);

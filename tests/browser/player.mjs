// player.mjs model|tool: plays the models and the tool of the mission that page_test.mjs looks at, one JSON line each, with the
// delays of real ones. Texts are hostile where a stranger could have written them.
import {createInterface} from "node:readline";

const role = process.argv[2];
const hostile = `</script></pre><img src=x onerror="window.hacked=1"><script>window.hacked=2</script>`;
const fenced = (text, program) => `${text}\n\`\`\`clojure\n${program}\n\`\`\``;

const replies = {
  agent: [
    fenced("I begin with a look at the data.", `(println "${hostile.replaceAll('"', '\\"')}")
(frequencies (map :region data/orders)) ; ${hostile}`),
    fenced("Now the regions, all at once.", `(defn total [region]
  (sum-by :amount (filter #(= (:region %) region) data/orders)))

(def studies
  (pmap (fn [region] (tool/study {:region region :total (total region)}))
        ["north" "south" "west"]))
(mapv :growth studies)`),
    fenced("The rates are missing.", `(tool/rate {:currency "</textarea><svg onload=alert(1)>"})`),
    fenced("Without the rate, then. " + "averyveryverylongwordwithoutanyblank".repeat(40), `(tool/rate {:currency "EUR"})`),
    fenced("", `(return {:best (:region (apply max-key :growth studies)) :note "${"long ".repeat(120)}${"x".repeat(400)}"})`),
  ],
  study: [
    fenced("", `(tool/rate {:currency data/region})`),
    fenced("That failed. I estimate.", `(let [growth (/ data/total 100.0)]
  (return {:region data/region :growth growth :why "estimated"}))`),
  ],
};

const wait = (millis) => new Promise((done) => setTimeout(done, millis));

for await (const line of createInterface({input: process.stdin})) {
  const request = JSON.parse(line);
  if (role === "model") {
    await wait(request.agent === "agent" ? 60 + 25 * request.turn : 40 * request.turn);
    const text = replies[request.agent][request.turn - 1];
    console.log(JSON.stringify({id: request.id, text, tokens: {input: 900 + 150 * request.turn, output: text.length >> 2}}));
  } else {
    await wait(20);
    const known = request.arguments.currency === "EUR";
    console.log(JSON.stringify(known ? {id: request.id, result: {rate: 1, source: hostile}}
                                     : {id: request.id, error: `no rate for ${request.arguments.currency} ${hostile}`}));
  }
}

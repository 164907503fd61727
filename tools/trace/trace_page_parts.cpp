// The style and the script of a trace's page, as text. The page must work from a file, without a network, in light and
// dark and on narrow screens; colours are named once, at the top of the style. Browsers run the script by its hash
// alone, which a change of it changes, too.
#include "tools/trace/trace_page_parts.h"

namespace ptc {

const char* const kTracePageStyle = R"css(
:root { color-scheme: light dark; --paper: #f6f7f9; --card: #fff; --ink: #1d2430; --soft: #5b6677; --line: #dfe4eb; --code: #f2f4f8;
  --ok: #1a7f4b; --bad: #c02b3c; --bad-paper: #fdf0f1; --model: #7a5af0; --program: #0f8f8c; --tool: #d58a14; --open: #8a94a6;
  --c: #6e7a8c; --s: #9a5b13; --n: #1b5fc1; --k: #8a2f8f; --d: #b3245f; --t: #0b7a76; --p: #8d97a7; }
@media (prefers-color-scheme: dark) { :root { --paper: #12161d; --card: #1a1f29; --ink: #e4e8ef; --soft: #9aa5b6; --line: #2c3442;
  --code: #141922; --ok: #4cc38a; --bad: #ff7b87; --bad-paper: #2b191f; --model: #a48bff; --program: #3ec9c4; --tool: #f0b04a;
  --open: #77839a; --c: #8290a6; --s: #e3b171; --n: #83b4ff; --k: #d69ae0; --d: #ff8ab5; --t: #56d3cc; --p: #717d91; } }
* { box-sizing: border-box; }
html { scroll-padding-top: 4rem; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
main { max-width: 72rem; margin: 0 auto; padding: 1.5rem 1.25rem 5rem; }
article + article { margin-top: 4rem; border-top: 1px solid var(--line); padding-top: 2rem; }
h1 { font-size: 1.6rem; line-height: 1.2; margin: 0; display: inline-block; overflow-wrap: anywhere; }
h2 { font-size: .8rem; letter-spacing: .08em; text-transform: uppercase; color: var(--soft); margin: 2rem 0 .6rem; }
h3 { font-size: 1rem; margin: .2rem 0 .5rem; overflow-wrap: anywhere; }
h3 code { font-weight: 400; margin-left: .4rem; }
pre, code { font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: .87em; }
pre { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; tab-size: 2; }
i { font-style: normal; }
.c { color: var(--c); } .s { color: var(--s); } .n { color: var(--n); } .k { color: var(--k); }
.d { color: var(--d); font-weight: 600; } .t { color: var(--t); font-weight: 600; } .p { color: var(--p); }
.mark { display: inline-block; width: 1.35em; font-weight: 700; color: var(--open); }
.ok > .mark, .ok > summary > .mark, .ok h1 .mark { color: var(--ok); }
.failed > .mark, .failed > summary > .mark, .failed h1 .mark { color: var(--bad); }
header { background: var(--card); border: 1px solid var(--line); border-top: 4px solid var(--open); border-radius: 10px; padding: 1.2rem 1.4rem; }
header.ok { border-top-color: var(--ok); } header.failed { border-top-color: var(--bad); }
header .signature { display: block; margin: .3rem 0 .8rem 1.6em; color: var(--soft); overflow-wrap: anywhere; }
.outcome { background: var(--code); border-radius: 8px; padding: .7rem .9rem; font-size: 1.05em; max-height: 24rem; overflow: auto; }
.failed > .outcome { background: var(--bad-paper); }
.reason { color: var(--bad); }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(6.2rem, 1fr)); gap: .6rem 1rem; margin: 1.1rem 0 0; }
dt { font-size: .75rem; color: var(--soft); } dd { margin: 0; font-weight: 600; font-variant-numeric: tabular-nums; }
.timeline ol { list-style: none; margin: 0; padding: 0; background: var(--card); border: 1px solid var(--line); border-radius: 10px; overflow: hidden; }
.timeline li { display: grid; grid-template-columns: 15rem 1fr; align-items: center; padding: 0 .9rem; }
.timeline li + li { border-top: 1px solid var(--line); }
.who { padding: .3rem .6rem .3rem calc(var(--depth) * .9rem); color: inherit; text-decoration: none; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.who small { color: var(--soft); }
.who:hover { text-decoration: underline; }
.track { position: relative; height: 30px; }
.track span, .bar { position: absolute; border-radius: 3px; min-width: 2px; }
.life { top: 14px; height: 2px; background: var(--line); }
.bar { top: 5px; height: 9px; background: var(--model); }
.bar.program { top: 16px; height: 9px; background: var(--program); }
.bar.tool { top: 19px; height: 3px; background: var(--tool); box-shadow: 0 0 0 1px var(--card); }
.bar.failed { background: var(--bad); }
.bar:hover, .bar:focus-visible { outline: 2px solid var(--ink); outline-offset: 1px; z-index: 1; }
.axis { display: flex; justify-content: space-between; font-size: .72rem; color: var(--soft); margin: 0 .9rem .25rem 15.9rem; font-variant-numeric: tabular-nums; }
.legend { float: right; margin: -1.95rem 0 0; font-size: .8rem; color: var(--soft); }
.legend span { margin-left: 1rem; } .legend span::before { content: ""; display: inline-block; width: .8em; height: .55em; border-radius: 2px; margin-right: .4em; }
.legend .model::before { background: var(--model); } .legend .program::before { background: var(--program); }
.legend .tool::before { background: var(--tool); } .legend .failed::before { background: var(--bad); }
summary { cursor: pointer; list-style: none; display: flex; align-items: baseline; gap: .6rem; min-width: 0; }
summary::-webkit-details-marker { display: none; }
summary b { white-space: nowrap; }
summary:hover b, .fold > summary:hover { text-decoration: underline; }
summary:focus-visible { outline: 2px solid var(--model); outline-offset: 3px; border-radius: 4px; }
.gist { flex: 1; min-width: 0; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; color: var(--soft); }
[open] > summary .gist { visibility: hidden; }
.failed > summary .gist { color: var(--bad); visibility: visible; }
.cost { color: var(--soft); font-size: .8rem; text-align: right; font-variant-numeric: tabular-nums; }
.turn { background: var(--card); border: 1px solid var(--line); border-left: 4px solid var(--ok); border-radius: 10px; padding: .7rem 1rem; margin: 0 0 .7rem; }
.turn.failed { border-left-color: var(--bad); } .turn.open { border-left-color: var(--open); }
.turn > :not(summary) { margin: .6rem 0 0 1.6rem; }
.turn > summary + * { margin-top: .8rem; }
.folds { display: flex; flex-wrap: wrap; gap: .1rem 1.4rem; }
.folds > .fold[open] { flex-basis: 100%; }
.fold > summary { display: inline-flex; color: var(--soft); font-size: .85rem; }
.fold > summary::before { content: "▸"; width: .7em; } .fold[open] > summary::before { content: "▾"; }
.fold > pre, .reply { border-left: 3px solid var(--line); padding: .1rem 0 .1rem .9rem; margin: .4rem 0 .2rem; color: var(--soft); max-height: 40rem; overflow: auto; }
.run > .fold { margin: 0 0 .7rem .2rem; }
.code { background: var(--code); border: 1px solid var(--line); border-radius: 8px; padding: .8rem 1rem; }
.call { border: 1px solid var(--line); border-left: 3px solid var(--tool); border-radius: 8px; padding: .35rem .8rem; }
.turn > .call + .call { margin-top: .35rem; }
.call.failed { border-left-color: var(--bad); }
.call > pre { color: var(--soft); margin: .5rem 0; }
.call > .run { margin: .8rem 0 .8rem .3rem; }
.prints { border-left: 3px solid var(--tool); padding-left: .8rem; }
.result { border-radius: 8px; padding: .5rem .9rem; background: var(--code); display: flex; gap: .7rem; align-items: baseline; flex-wrap: wrap; }
.result::before { content: "⇒"; color: var(--ok); font-weight: 700; }
.result pre { flex: 1; min-width: 0; max-height: 30rem; overflow: auto; }
.result.failed { background: var(--bad-paper); } .result.failed::before { content: "✗"; color: var(--bad); }
.result.failed .reason + pre { flex-basis: 100%; } .result small { color: var(--soft); }
.note { color: var(--soft); } .note.failed { color: var(--bad); }
:target { outline: 2px solid var(--model); outline-offset: 3px; }
nav { position: fixed; right: 1rem; bottom: 1rem; display: flex; gap: .4rem; }
nav button { font: inherit; font-size: .8rem; color: var(--ink); background: var(--card); border: 1px solid var(--line); border-radius: 999px; padding: .35rem .9rem; cursor: pointer; box-shadow: 0 2px 8px #0002; }
nav button:hover { border-color: var(--soft); }
@media (max-width: 44rem) {
  main { padding: .8rem .7rem 5rem; } header { padding: .9rem 1rem; }
  .timeline li { grid-template-columns: 1fr; padding: .2rem .7rem .3rem; } .axis { margin: 0 .7rem .25rem; } .who { padding-bottom: 0; font-size: .85rem; }
  .legend { float: none; margin: 0 0 .4rem; } .legend span { margin: 0 .8rem 0 0; }
  summary { flex-wrap: wrap; } summary .gist { flex-basis: 100%; order: 3; } [open] > summary .gist { display: none; }
  .failed > summary .gist { display: block; } .cost { flex: 1; }
  .turn { padding: .6rem .7rem; } .turn > :not(summary) { margin-left: .2rem; } .call { padding: .35rem .5rem; } .call > .run { margin-left: 0; }
}
@media print { nav { display: none; } body { background: none; } }
)css";

// Opens and closes everything, and what the timeline leads to. Whoever changes it changes the hash (tests/browser
// prints the right one).
const char* const kTracePageScript = R"js(
(() => {
  const all = () => document.querySelectorAll("details.turn, details.call");
  const nav = document.body.appendChild(document.createElement("nav"));
  for (const [name, open] of [["Open all", true], ["Close all", false]]) {
    const button = nav.appendChild(document.createElement("button"));
    button.textContent = name;
    button.addEventListener("click", () => { for (const one of all()) one.open = open; });
  }
  const reveal = () => {
    const target = document.getElementById(location.hash.slice(1));
    for (let at = target; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
    if (target) target.scrollIntoView({block: "start"});
  };
  addEventListener("hashchange", reveal);
  for (const bar of document.querySelectorAll("a.bar, a.who")) bar.addEventListener("click", () => setTimeout(reveal));
  reveal();
})();
)js";

const char* const kTracePageScriptHash = "sha256-flZAmfOoVg6iCNL9QspPCXbPA7b0AWRZLgcKAVgN4dY=";

std::string whole_page(std::string_view title, std::string_view main, std::string_view more_style) {
    std::string out =
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
        "script-src '" +
        std::string(kTracePageScriptHash) + "'; base-uri 'none'; form-action 'none'\">\n<title>";
    out.append(title).append("</title>\n<style>").append(kTracePageStyle).append(more_style);
    out.append("</style></head>\n<body>\n<main>\n").append(main).append("</main>\n<script>");
    return out.append(kTracePageScript).append("</script>\n</body></html>\n");
}

} // namespace ptc

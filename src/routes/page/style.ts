// How our pages look. Inlined, so that the first answer is the whole page; the Content-Security-Policy names its hash.

/** The one style sheet. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --ground: #f4f5f7; --card: #fff; --ink: #16191d; --soft: #4d5560; --line: #d9dde3;
  --good: #136c39; --bad: #a52117; --note: #7a4b00;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #101215; --card: #1a1d22; --ink: #f1f3f5; --soft: #b3bac4; --line: #353b44;
    --good: #6fd39a; --bad: #ff9d94; --note: #f2c14e;
  }
}
* { box-sizing: border-box; margin: 0; }
[hidden] { display: none !important; }
body {
  min-height: 100vh; min-height: 100dvh; display: grid; place-items: center; padding: 1rem;
  background: var(--ground); color: var(--ink);
  font: 1rem/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
}
main {
  width: 100%; max-width: 26rem; padding: 1.75rem 1.5rem; text-align: center; overflow-wrap: anywhere;
  background: var(--card); border: 1px solid var(--line); border-radius: 1rem;
}
h1 { font-size: 1.125rem; font-weight: 600; }
h2 { font-size: 1.375rem; line-height: 1.25; }
h1 + p, h2 + p { margin-top: .375rem; }
ul { list-style: none; margin: .5rem 0; padding: 0; }
ul:has(:nth-child(7)) { columns: 2; }
li { font-weight: 600; break-inside: avoid; }
dl { display: grid; grid-template-columns: fit-content(50%) 1fr; gap: .25rem .75rem; margin: .5rem 0; text-align: start; }
dt { color: var(--soft); }
dd, .confirm { font-weight: 600; }
ul ~ p:not(.soft) { margin-top: .5rem; }
.soft { color: var(--soft); font-size: .9375rem; }
.test { margin: -.5rem 0 1rem; color: var(--note); font-size: .875rem; font-weight: 600; }
.ask { padding-bottom: 1.25rem; margin-bottom: 1.25rem; border-bottom: 1px solid var(--line); }
#qr {
  display: block; width: 100%; max-width: 17.5rem; height: auto; aspect-ratio: 1; margin: 1rem auto;
  background: #fff; border: 1px solid var(--line); border-radius: .75rem;
}
[data-state=scanned] #qr, [data-state=returning] #qr { opacity: .4; }
.mark {
  display: inline-block; width: 3.5rem; height: 3.5rem; margin: .25rem 0 .75rem; line-height: 3.25rem;
  font-size: 1.75rem; font-weight: 700; color: var(--soft); border: .1875rem solid; border-radius: 50%;
}
.mark::before { content: "\\2013"; content: "\\2013" / ""; }
[data-state=verified] .mark { color: var(--good); }
[data-state=verified] .mark::before { content: "\\2713"; content: "\\2713" / ""; }
[data-state=rejected] .mark { color: var(--bad); }
[data-state=rejected] .mark::before { content: "\\2715"; content: "\\2715" / ""; }
[data-state=waiting] .mark, [data-state=scanned] .mark, [data-state=returning] .mark { display: none; }
button {
  width: 100%; min-height: 3rem; margin-top: 1rem; padding: .5rem 1rem; font: inherit; font-weight: 600;
  color: var(--card); background: var(--ink); border: 0; border-radius: .75rem; cursor: pointer;
}
button:focus-visible { outline: .1875rem solid var(--good); outline-offset: .1875rem; }
button:disabled { opacity: .5; }
@media (pointer: fine) { #link.beside-qr { display: none; } }
#time, #lost, noscript p { margin-top: .5rem; }
#time { font-variant-numeric: tabular-nums; }
#lost { color: var(--note); }
@media (min-width: 48rem) {
  main:has(#live) {
    display: grid; grid-template: "test test" auto "ask live" 1fr "status live" 1fr / 1fr 1fr;
    max-width: 50rem; padding: 2.5rem; column-gap: 2.5rem;
  }
  .test { grid-area: test; }
  .ask { grid-area: ask; align-self: end; }
  [role=status] { grid-area: status; }
  #live { grid-area: live; }
  #live #qr { max-width: 20rem; margin-top: 0; }
}
@media (prefers-reduced-motion: no-preference) { #qr { transition: opacity .3s; } }
`

// How the shop looks: paper and wine, by day and by night. Inlined; the Content-Security-Policy names its hash.

export const STYLE = `
:root {
  color-scheme: light dark;
  --ground: #faf4e8; --card: #fffdf7; --ink: #2a1a1c; --soft: #6a5555; --line: #e5d9c3; --wine: #7d1f3c; --on-wine: #fff; --band: #7d1f3c;
  --good: #1c6a3a; --bad: #a3241b; --back: #211619; --back-deep: #150d0f; --back-ink: #f4e9dc; --back-soft: #c5b3ac; --back-key: #f0b48a; --back-good: #8bdcaa;
  --back-line: #44323a;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #191113; --card: #241a1d; --ink: #f6ebde; --soft: #c4b2a8; --line: #43333a; --wine: #e58aa4; --on-wine: #2a0d16; --band: #4d1526;
    --good: #8bdcaa; --bad: #ff9d94; --back: #0f0a0c; --back-deep: #070405; --back-line: #3a2b31;
  }
}
* { box-sizing: border-box; margin: 0; }
body {
  background: var(--ground); color: var(--ink); overflow-wrap: anywhere;
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
}
.banner { padding: .4rem 1rem; text-align: center; font-size: .875rem; background: var(--band); color: #fdf3e7; }
.top { padding: 1rem; border-bottom: 1px solid var(--line); }
.top, main { max-width: 76rem; margin: 0 auto; }
.name {
  display: inline-flex; align-items: center; gap: .6rem; color: inherit; text-decoration: none;
  font: 600 1.375rem/1.2 Georgia, "Iowan Old Style", "Noto Serif", serif;
}
.sign { width: 2.25rem; height: 2.25rem; }
main { padding: 1.5rem 1rem 3rem; display: grid; gap: 2rem; }
h1 { font: 600 1.875rem/1.2 Georgia, "Iowan Old Style", "Noto Serif", serif; }
h1:focus { outline: none; }
h2 { font-size: 1.0625rem; line-height: 1.3; }
.lead { margin-top: .6rem; max-width: 44rem; font-size: 1.0625rem; }
.soft { color: var(--soft); font-size: .9375rem; }
.goods { display: grid; grid-template-columns: 1fr 1fr; gap: .75rem; margin-top: 1.5rem; }
.ware {
  display: flex; flex-direction: column; align-items: center; text-align: center; padding: 1rem .75rem;
  background: var(--card); border: 1px solid var(--line); border-radius: .875rem; position: relative;
}
.ware .bottle { height: 9.5rem; margin-bottom: .5rem; }
.ware h2 { font: 600 1.125rem/1.3 Georgia, "Iowan Old Style", "Noto Serif", serif; }
.price { font-weight: 600; font-variant-numeric: tabular-nums; }
.age { margin: .35rem 0 .75rem; font-size: .8125rem; color: var(--soft); }
.ware button { width: 100%; margin-top: auto; }
button, .button {
  display: inline-flex; align-items: center; justify-content: center; min-height: 2.875rem; padding: .6rem 1.1rem;
  font: inherit; font-weight: 600; line-height: 1.3; text-decoration: none;
  color: var(--on-wine); background: var(--wine); border: 1px solid var(--wine); border-radius: .7rem; cursor: pointer;
}
button.quiet { color: var(--wine); background: none; border-color: var(--wine); }
button:hover, .button:hover { filter: brightness(1.12); }
:focus-visible { outline: .1875rem solid var(--wine); outline-offset: .1875rem; }
.card {
  display: flex; align-items: center; justify-content: space-between; gap: 1rem; padding: 1rem 1.25rem; margin-bottom: 1.5rem;
  background: var(--card); border: 1px solid var(--line); border-radius: .875rem;
}
.item { display: flex; align-items: center; gap: 1.1rem; }
.item .bottle { height: 7.5rem; flex: none; }
.no { font-size: .8125rem; color: var(--soft); letter-spacing: .04em; }
.goods-name { font: 600 1.25rem/1.3 Georgia, "Iowan Old Style", "Noto Serif", serif; }
.stamp {
  flex: none; width: 4rem; height: 4rem; display: grid; place-items: center; rotate: -8deg;
  font-size: 1.5rem; font-weight: 700; color: var(--wine); border: .1875rem solid; border-radius: 50%;
}
.stamp::before { content: "\\2013"; content: "\\2013" / ""; }
[data-state=chosen] .stamp::before, [data-state=waiting] .stamp::before { content: "18+"; content: "18+" / ""; }
[data-state=confirmed] .stamp::before, [data-state=free] .stamp::before { content: "\\2713"; content: "\\2713" / ""; }
[data-state=rejected] .stamp::before { content: "\\2715"; content: "\\2715" / ""; }
[data-state=confirmed] .stamp, [data-state=free] .stamp { color: var(--good); }
[data-state=rejected] .stamp { color: var(--bad); }
[data-state=declined] .stamp, [data-state=expired] .stamp, [data-state=canceled] .stamp { color: var(--soft); }
.learned { margin-top: 1.25rem; padding: 1rem 1.25rem; background: var(--card); border: 1px solid var(--line); border-radius: .875rem; }
.learned dl { display: grid; grid-template-columns: auto 1fr; gap: .2rem 1.25rem; margin: .5rem 0; }
.learned dt { color: var(--soft); }
.learned strong { color: var(--good); }
.fault { margin-top: 1rem; color: var(--bad); font-weight: 600; }
.actions { display: flex; flex-wrap: wrap; gap: .75rem; margin-top: 1.5rem; }
.actions > *, .actions button { flex: 1 1 auto; width: 100%; }
.actions + .soft { margin-top: 1rem; }
.jump { margin-top: 1.25rem; }
.jump a { color: var(--wine); font-weight: 600; }
.behind { padding: 1.25rem; background: var(--back); color: var(--back-ink); border-radius: .875rem; min-width: 0; align-self: start; }
.behind .soft { color: var(--back-soft); margin-top: .4rem; }
.behind ol { list-style: none; padding: 0; margin-top: .75rem; }
.behind li { border-top: 1px solid var(--back-line); }
.behind code { font-size: .875em; }
summary {
  display: flex; align-items: baseline; gap: .6rem; padding: .7rem 0; min-height: 2.75rem; cursor: pointer; font-weight: 600; list-style: none;
}
summary::-webkit-details-marker { display: none; }
summary time { margin-left: auto; flex: none; font-weight: 400; font-size: .8125rem; color: var(--back-soft); font-variant-numeric: tabular-nums; }
summary span:nth-child(2)::after { content: " +"; content: " +" / ""; color: var(--back-soft); font-weight: 400; }
[open] > summary span:nth-child(2)::after { content: " \\2212"; content: " \\2212" / ""; }
.behind :focus-visible { outline-color: var(--back-key); }
.way {
  flex: none; min-width: 2.4rem; padding: 0 .4rem; text-align: center; font-size: .75rem; font-weight: 600; line-height: 1.5;
  color: var(--back-soft); border: 1px solid var(--back-line); border-radius: .35rem;
}
.webhook .way { color: var(--back); background: var(--back-good); border-color: var(--back-good); }
.good { color: var(--back-good); font-weight: 600; }
pre {
  margin: .6rem 0 1rem; padding: .9rem 1rem; white-space: pre-wrap;
  font: .8125rem/1.55 ui-monospace, "SF Mono", Menlo, Consolas, "Noto Sans Mono", monospace;
  background: var(--back-deep); border: 1px solid var(--back-line); border-radius: .6rem;
}
.key { color: var(--back-key); }
@media (min-width: 40rem) {
  .goods { grid-template-columns: repeat(4, 1fr); gap: 1rem; }
  .ware .bottle { height: 13rem; }
  .actions > *, .actions button { flex: 0 0 auto; width: auto; }
}
@media (min-width: 64rem) {
  main { padding: 2.5rem 1rem 4rem; gap: 2.5rem; }
  main:not([data-state=shelf]) { grid-template-columns: minmax(0, 5fr) minmax(0, 6fr); }
  h1 { font-size: 2.25rem; }
  .jump { display: none; }
}
`

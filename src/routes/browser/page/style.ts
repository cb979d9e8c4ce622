// How our pages look. Inlined, so that the first answer is the whole page; the Content-Security-Policy names its hash.
// `--brand` and `--on-brand` are the relying party's where it has a colour (brand.ts).

/** The one style sheet. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --ground: #eef1f5; --card: #fff; --tint: #f5f7fa; --ink: #14181f; --soft: #4a5361; --line: #d8dee7;
  --brand: #1d4ed8; --on-brand: #fff;
  --good: #0f6b3a; --good-tint: #e2f5ea; --bad: #a3211a; --bad-tint: #fdecea; --note: #754700; --note-tint: #fdf2da;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0e1115; --card: #191d23; --tint: #20252d; --ink: #eff2f6; --soft: #b0b9c6; --line: #353d48;
    --brand: #8fb5ff; --on-brand: #000;
    --good: #74d69e; --good-tint: #15301f; --bad: #ff9f96; --bad-tint: #3b1b19; --note: #f2c453; --note-tint: #33290f;
  }
}
* { box-sizing: border-box; margin: 0; }
[hidden] { display: none !important; }
body {
  min-height: 100vh; min-height: 100dvh; display: grid; place-items: center; padding: 1rem;
  background: var(--ground); color: var(--ink);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
}
main {
  display: flex; flex-direction: column; gap: 1.5rem; width: 100%; max-width: 27rem; padding: 1.5rem;
  overflow-wrap: anywhere; background: var(--card); border-radius: 1.25rem; box-shadow: 0 -.3125rem 0 var(--brand), 0 0 0 1px var(--line), 0 1.25rem 2.5rem -1.5rem rgb(15 23 42 / .35);
}
h1 { font-size: 1.25rem; line-height: 1.3; font-weight: 650; text-wrap: balance; }
h2 { font-size: 1.375rem; line-height: 1.25; font-weight: 650; text-wrap: balance; }
h2:focus { outline: none; }
[role=status] p, .status > h1 + p { margin-top: .375rem; color: var(--soft); font-size: 1rem; text-wrap: pretty; }
.soft { color: var(--soft); font-size: .9375rem; }
.test {
  justify-self: start; align-self: start; padding: .1875rem .75rem; border-radius: 1rem;
  background: var(--note-tint); color: var(--note); font-size: .8125rem; font-weight: 600;
}
.tile {
  display: grid; place-items: center; width: 3rem; height: 3rem; margin-bottom: .75rem; overflow: hidden;
  border-radius: .75rem; background: var(--brand); color: var(--on-brand); font-size: 1.375rem; font-weight: 650;
}
.logo { display: block; max-width: 12rem; height: 3rem; margin-bottom: .75rem; padding: .25rem; object-fit: contain; border-radius: .5rem; background: #fff; }
ul { list-style: none; margin: .875rem 0; padding: 0; border-block: 1px solid var(--line); }
ul:has(:nth-child(7)) { columns: 2; column-gap: 1.25rem; }
li { padding: .4375rem 0 .4375rem 1.125rem; position: relative; font-weight: 600; break-inside: avoid; }
li::before { content: ""; position: absolute; left: 0; top: .9375rem; width: .5rem; height: .5rem; border-radius: 50%; background: var(--brand); }
ul ~ .soft { margin-top: .375rem; }
#consent { margin-top: .5rem; }
dl { display: grid; grid-template-columns: fit-content(45%) 1fr; gap: .25rem .75rem; margin: .375rem 0 1rem; font-size: .9375rem; }
dt { color: var(--soft); }
dd, .confirm { font-weight: 600; }
.confirms { margin-top: .875rem; }
.confirm { margin-top: .5rem; }
.mark { display: none; width: 4.5rem; height: 4.5rem; padding: 1.125rem; margin-bottom: 1rem; border-radius: 50%; background: var(--tint); color: var(--soft); }
.mark path { display: none; fill: none; stroke: currentColor; stroke-width: 2.5; stroke-linecap: round; stroke-linejoin: round; }
[data-state=verified] .mark { background: var(--good-tint); color: var(--good); }
[data-state=rejected] .mark { background: var(--bad-tint); color: var(--bad); }
[data-state=declined] .mark, [data-state=expired] .mark, [data-state=otherBrowser] .mark, [data-state=invalidCode] .mark,
[data-state=interrupted] .mark { background: var(--note-tint); color: var(--note); }
main:not(:has(#live)) .mark { display: block; }
main:not(:has(#live)) .status p { text-wrap: balance; }
[data-state=verified] .yes, [data-state=returned] .yes, [data-state=rejected] .no, [data-state=declined] .less, [data-state=canceled] .less,
[data-state=expired] .clock, [data-state=invalidCode] .clock, [data-state=finishing] .clock, [data-state=unavailable] .clock,
[data-state=gone] .what, [data-state=notFound] .what, [data-state=otherBrowser] .what, [data-state=interrupted] .what { display: inline; }
.steps { display: flex; gap: .5rem; margin: 1.25rem 0 0; padding: 0; list-style: none; }
.steps li { flex: 1; padding: .5rem 0 0; border-top: .25rem solid var(--line); font-size: .8125rem; line-height: 1.3; font-weight: 400; color: var(--soft); }
.steps li::before { content: none; }
[data-state=waiting] .steps :nth-child(-n+1), [data-state=scanned] .steps :nth-child(-n+2), [data-state=returning] .steps li { border-color: var(--brand); }
[data-state=waiting] .steps :nth-child(1), [data-state=scanned] .steps :nth-child(2), [data-state=returning] .steps :nth-child(3) { color: var(--ink); font-weight: 600; }
main:not(:has(#live)) .steps { display: none; }
main:not(:has(#live)) .test { order: -2; }
main:not(:has(#live)) .status { order: -1; text-align: center; }
main:not(:has(#live)) :is(.mark, .test) { margin-inline: auto; }
main:not(:has(#live)) .ask { padding-top: 1.25rem; border-top: 1px solid var(--line); }
main:not(:has(#live)) .ask :is(.tile, .logo) { display: none; }
main:not(:has(#live)) h1 { font-size: 1rem; font-weight: 400; color: var(--soft); }
main:not(:has(#live)) h1:only-child, main:not(:has(#live)) .status h1 { font-size: 1.375rem; font-weight: 650; color: inherit; }
button, .button {
  display: flex; align-items: center; justify-content: center; width: 100%; min-height: 3.25rem; padding: .75rem 1.25rem;
  font: inherit; font-weight: 650; line-height: 1.3; text-align: center; text-decoration: none;
  color: var(--on-brand); background: var(--brand); border: 0; border-radius: .875rem; cursor: pointer;
}
.status .button, #again { margin-top: 1.5rem; }
#dc-api:not([hidden]) ~ #link { margin-top: .625rem; color: var(--ink); background: none; box-shadow: inset 0 0 0 .125rem var(--line); }
button:disabled { opacity: .55; cursor: progress; }
a { color: inherit; }
:is(button, a):focus-visible { outline: .1875rem solid var(--brand); outline-offset: .1875rem; }
#link-note:empty { display: none; }
#link-note, #link-now { margin-top: .75rem; }
#link-now { display: inline-block; padding: .25rem 0; font-weight: 600; }
#live > .or { display: none; margin: 1.25rem 0 .75rem; font-weight: 600; }
#dc-api:not([hidden]) ~ .or { display: block; }
@media (pointer: fine) { #link.beside-qr { display: none; } }
@media (pointer: coarse) { #link:not([hidden]) ~ .or { display: block; } }
.scan { position: relative; max-width: 18rem; margin: 0 auto .75rem; }
.scan:has(#qr[hidden]) { display: none; }
#qr { display: block; width: 100%; height: auto; aspect-ratio: 1; background: #fff; border-radius: .875rem; box-shadow: 0 0 0 1px var(--line); }
.scan::after {
  content: none; position: absolute; inset: 0; margin: auto; width: 4rem; height: 4rem; border-radius: 50%;
  background: var(--card); border: .375rem solid var(--line); border-top-color: var(--brand); box-shadow: 0 0 0 .5rem var(--card);
}
:is([data-state=scanned], [data-state=returning]) .scan::after { content: ""; }
:is([data-state=scanned], [data-state=returning]) #qr { opacity: .18; }
[data-state=returning] #live :is(button, p:not(#time, #lost), a) { display: none; }
#live > p { margin-top: .5rem; }
#live > #time { margin-top: .75rem; padding-top: .75rem; border-top: 1px solid var(--line); text-align: center; }
#time { font-variant-numeric: tabular-nums; }
#live > #lost {
  position: fixed; inset: auto 1rem 1rem; width: fit-content; max-width: 100%; margin: 0 auto; padding: .75rem 1.25rem; border-radius: .875rem;
  background: var(--note-tint); color: var(--note); font-weight: 600; box-shadow: 0 0 0 1px, 0 .75rem 1.5rem -.5rem rgb(15 23 42 / .4);
}
@media (min-width: 48rem) {
  body { padding: 2rem; }
  main { padding: 2.25rem; }
  main:has(.or) { display: grid; grid-template: "test live" auto "ask live" auto "status live" 1fr / 1fr 22rem; max-width: 56rem; gap: 0 2.75rem; padding: 2.75rem 2.5rem 2.5rem; }
  main:has(.or) .test { grid-area: test; margin-bottom: 1.25rem; }
  main:has(.or) .ask { grid-area: ask; }
  main:has(.or) .status { grid-area: status; padding-top: 2.25rem; }
  main:has(.or) h1 { font-size: 1.5rem; }
  main:has(.or) #live { grid-area: live; align-self: start; padding: 1.5rem; border-radius: 1.125rem; background: var(--tint); }
}
@media (prefers-reduced-motion: no-preference) {
  #qr { transition: opacity .3s; }
  .steps li { transition: border-color .3s; }
  .scan::after { animation: turn 1.1s linear infinite; }
  main:not(:has(#live)) .mark { animation: arrive .35s ease-out; }
  @keyframes turn { to { transform: rotate(1turn); } }
  @keyframes arrive { from { transform: scale(.7); opacity: 0; } }
}
`

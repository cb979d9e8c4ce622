// Style of the sandbox's pages, inlined. Visibly different from a real wallet.

export const STYLE = `
:root {
  color-scheme: light dark;
  --ground: #f3eefb; --card: #fff; --ink: #1b1425; --soft: #574b66; --line: #ddd3ea;
  --brand: #6d28d9; --on-brand: #fff; --note: #754700; --note-tint: #fdf2da; --bad: #a3211a; --bad-tint: #fdecea;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #120e18; --card: #1d1726; --ink: #f3eff8; --soft: #b9aecb; --line: #3f344e;
    --brand: #c4a3ff; --on-brand: #000; --note: #f2c453; --note-tint: #33290f; --bad: #ff9f96; --bad-tint: #3b1b19;
  }
}
* { box-sizing: border-box; margin: 0; }
body {
  min-height: 100vh; min-height: 100dvh; display: grid; place-items: center; padding: 1rem;
  background: var(--ground); color: var(--ink);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
}
main {
  display: grid; gap: 1rem; width: 100%; max-width: 30rem; padding: 1.5rem; overflow-wrap: anywhere;
  background: var(--card); border-radius: 1.25rem; box-shadow: 0 0 0 1px var(--line);
}
h1 { font-size: 1.375rem; line-height: 1.3; }
h2 { font-size: 1rem; }
.test { justify-self: start; padding: .1875rem .75rem; border-radius: 1rem; background: var(--note-tint); color: var(--note); font-size: .8125rem; font-weight: 600; }
.soft { color: var(--soft); font-size: .9375rem; }
.bad { padding: .625rem .875rem; border-radius: .75rem; background: var(--bad-tint); color: var(--bad); }
.credential { display: grid; grid-template-columns: 1fr auto; gap: .125rem .75rem; padding: .875rem 1rem; border-radius: .875rem; border: 1px solid var(--line); }
.credential:has(:checked) { border-color: var(--brand); box-shadow: 0 0 0 1px var(--brand); }
.credential:has(input:not(:checked)) dl { display: none; }
.credential > :not(input) { grid-column: 1; }
.credential > input { grid-area: 1 / 2; width: 1.25rem; height: 1.25rem; accent-color: var(--brand); }
.credential > dl { grid-column: 1 / -1; margin-top: .5rem; }
dl { display: grid; grid-template-columns: fit-content(55%) 1fr; gap: .25rem .75rem; font-size: .9375rem; }
dt { color: var(--soft); }
dd { font-weight: 600; }
form { display: grid; gap: 1rem; }
label { display: grid; gap: .25rem; font-size: .9375rem; }
select { width: 100%; min-height: 2.75rem; padding: .5rem; font: inherit; color: inherit; background: var(--card); border: 1px solid var(--soft); border-radius: .625rem; }
button {
  width: 100%; min-height: 3.25rem; padding: .75rem 1.25rem; font: inherit; font-weight: 650; cursor: pointer;
  color: var(--on-brand); background: var(--brand); border: 0; border-radius: .875rem;
}
button.second { color: var(--ink); background: none; box-shadow: inset 0 0 0 .125rem var(--line); }
:is(button, select, summary, input):focus-visible { outline: .1875rem solid var(--brand); outline-offset: .1875rem; }
summary { cursor: pointer; }
details > label { margin-top: .75rem; }
pre { white-space: pre-wrap; font-size: .8125rem; }
`

// How the documentation looks.

/** The one style sheet of `/docs`. */
export const DOCS_STYLE = `
:root {
  color-scheme: light dark;
  --ground: #fff; --panel: #f4f5f7; --ink: #16191d; --soft: #4d5560; --line: #d9dde3; --link: #0b57a4;
  --get: #0b57a4; --post: #136c39; --patch: #7a4b00; --delete: #a52117;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #101215; --panel: #1a1d22; --ink: #f1f3f5; --soft: #b3bac4; --line: #353b44; --link: #8ec1ff;
    --get: #8ec1ff; --post: #6fd39a; --patch: #f2c14e; --delete: #ff9d94;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body {
  margin: 0; background: var(--ground); color: var(--ink); overflow-wrap: anywhere;
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
}
main { max-width: 56rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h1 { font-size: 1.75rem; margin: 0 0 .5rem; }
h2 { font-size: 1.25rem; margin: 2.5rem 0 .75rem; }
h3 { font-size: 1rem; margin: 1.25rem 0 .25rem; }
p { margin: .5rem 0; }
a { color: var(--link); }
code, pre { font: .875em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
pre { margin: .5rem 0; padding: .75rem; overflow: auto; max-height: 24rem; background: var(--panel); border-radius: .5rem; }
.soft { color: var(--soft); }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin: 1rem 0; padding: 0; list-style: none; }
details { border-top: 1px solid var(--line); }
section > details:last-of-type { border-bottom: 1px solid var(--line); }
details[open] { padding-bottom: 1rem; }
summary { padding: .625rem 0; cursor: pointer; }
summary:focus-visible, a:focus-visible, pre:focus-visible { outline: .1875rem solid var(--link); outline-offset: .125rem; }
summary b { font-size: .8125rem; }
summary span { display: block; color: var(--soft); }
.GET { color: var(--get); } .POST { color: var(--post); } .PATCH { color: var(--patch); } .DELETE { color: var(--delete); }
dl { margin: .25rem 0; }
dt { margin-top: .5rem; }
dd { margin: 0 0 0 1rem; }
dd dl { padding-left: .75rem; border-left: 2px solid var(--line); }
dd ul { margin: 0; padding: 0; list-style: none; }
@media (min-width: 48rem) {
  main { padding: 2.5rem 2rem 6rem; }
  main > section > details > dl, div > dl { display: grid; grid-template-columns: minmax(9rem, 14rem) 1fr; gap: .5rem 1rem; }
  main > section > details > dl > dt, div > dl > dt { margin: 0; }
  main > section > details > dl > dd, div > dl > dd { margin: 0; }
}
`

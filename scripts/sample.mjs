// `npm run proof -- sample [--seed N] [--comments 100] [--titles 45]`: draws comments of src and test titles
// by chance. A reader counts those that need a second reading. The same seed draws the same sample.

import { randomInt } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { ROOT } from './service/paths.mjs'

/** Lines of code that are shown below a comment, at most. */
const LINES_BELOW = 6
const COMMENT = /^[ \t]*\/\*\*?[\s\S]*?\*\/|(?:^[ \t]*\/\/.*\n)+/gm
/** A call of `it`, `test` or `describe`, or of the function that their `each` returns, with its title. */
const TITLE =
  /^( *)(?:(it|test|describe)(?:InBrowser)?(?:\.\w+\(.*\))?\(|(?:[\]}].*)?\)\()\s*('(?:\\.|[^'\\\n])+'|"[^"\n]+"|`[^`]+`),/gm
const EACH = /\b(it|test|describe)\.each\b/g

const option = (value) => ({ type: 'string', default: String(value) })
const { values } = parseArgs({
  options: { seed: option(randomInt(2 ** 31)), comments: option(100), titles: option(45) },
})
let state = Number(values.seed)
console.log(`seed ${values.seed}`)
for (const comment of draw(values.comments, all('src', '.ts', commentsOf))) console.log(comment)
for (const title of draw(values.titles, all('test', '.ts', titlesOf))) console.log(title)

/** Returns what `read` finds in every file of a folder. */
function all(folder, ending, read) {
  const files = readdirSync(join(ROOT, folder), { recursive: true }).filter((file) => file.endsWith(ending))
  const paths = files.sort().map((file) => `${folder}/${file}`)
  return paths.flatMap((path) => {
    const source = readFileSync(join(ROOT, path), 'utf8')
    return read(source, (index) => `${path}:${source.slice(0, index).split('\n').length}`)
  })
}

/** Each comment with the code below it, as a reader sees it. */
function commentsOf(source, placeOf) {
  return [...source.matchAll(COMMENT)].map(({ 0: text, index }) => {
    const below = source.slice(index + text.length).replace(/^\n/, '')
    const code = below.split('\n').slice(0, LINES_BELOW)
    const end = code.findIndex((line) => line.trim() === '')
    const shown = code.slice(0, end === -1 ? LINES_BELOW : end)
    return `${placeOf(index)}\n${[text.trimEnd(), ...shown].join('\n')}\n`
  })
}

/** Full titles: the titles of the `describe` calls around a test come first, by their smaller indent. */
function titlesOf(source, placeOf) {
  let around = []
  return [...source.matchAll(TITLE)].flatMap(({ 0: call, 1: indent, 2: name, 3: quoted, index }) => {
    around = around.filter((outer) => outer.indent < indent.length)
    const title = [...around.map((outer) => outer.title), quoted.slice(1, -1)].join(' > ')
    const kind = name ?? [...source.slice(0, index).matchAll(EACH)].at(-1)?.[1]
    if (kind !== 'describe') return [`${placeOf(index + call.indexOf(quoted))} ${title}`]
    around.push({ indent: indent.length, title: quoted.slice(1, -1) })
    return []
  })
}

/** Draws by a linear congruential generator. */
function draw(count, items) {
  const next = () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0)
  const drawn = items.map((item) => ({ item, at: next() })).sort((one, other) => one.at - other.at)
  return drawn.slice(0, Number(count)).map(({ item }) => item)
}

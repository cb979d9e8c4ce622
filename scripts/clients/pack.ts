// `npm run build -- python go java`: packs clients of other languages, and prints where they are.

import { PACKAGES, packGo, packJava, packPython } from './packages.ts'

const LANGUAGES = { python: packPython, go: () => packGo('v0.2.0'), java: packJava } as const

const names = process.argv.slice(2)
const isKnown = (name: string): name is keyof typeof LANGUAGES => Object.hasOwn(LANGUAGES, name)
const unknown = names.filter((name) => !isKnown(name))
if (unknown.length > 0) {
  console.error(`Unknown: ${unknown.join(', ')}. Choose from ${Object.keys(LANGUAGES).join(', ')}.`)
  process.exit(1)
}
for (const name of names.filter(isKnown)) {
  await LANGUAGES[name]()
  console.log(`${name}: ${PACKAGES}`)
}

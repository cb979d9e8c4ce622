// `node test/support/counters/project.ts`, for `npm run proof -- coverage`: makes a copy of the project with
// counters in src/, whose workerd has an inspector. Prints the launcher of the copy. Its first start builds
// it.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInstrumenter } from 'istanbul-lib-instrument'
import { copyProject } from '../service/project-copy.ts'

/** The port of the inspector follows from the port of the service, as in counters.ts. */
const INSPECTED = {
  path: 'scripts/service/workerd.mjs',
  replaced: "workerd, 'serve', configPath(directory)]",
  by: `workerd, 'serve', configPath(directory), \`--inspector-addr=127.0.0.1:\${inspectorPort()}\`]`,
  appended: '\nfunction inspectorPort() {\n  return (Number(process.env.PORT) % 30_000) + 2_000\n}\n',
}

const { launcher } = copyProject([INSPECTED])
const copy = dirname(dirname(launcher))
const instrumenter = createInstrumenter({
  esModules: true,
  parserPlugins: ['typescript'],
  coverageGlobalScope: 'globalThis',
  coverageGlobalScopeFunc: false, // workerd makes no function of a text
})
const sources = readdirSync(join(copy, 'src'), { recursive: true, encoding: 'utf8' })
for (const name of sources.filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts'))) {
  const path = join(copy, 'src', name)
  const source = readFileSync(path, 'utf8')
  writeFileSync(path, instrumenter.instrumentSync(source, `src/${name}`))
}
console.log(launcher)

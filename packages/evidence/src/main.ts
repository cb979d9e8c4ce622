// Entry of the command.

import { run } from './command.ts'

process.exitCode = await run(process.argv.slice(2), {
  write: (text) => void process.stdout.write(text),
  error: (text) => void process.stderr.write(text),
})

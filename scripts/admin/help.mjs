// What `--help` shows, from the table of commands.

import { COMMANDS, parametersOf, takesBody } from './commands.mjs'

export function overview() {
  const rows = Object.entries(COMMANDS).map(([name, command]) => [usageOf(name, command), command.does])
  return [
    'npm run admin -- <command> [flags]',
    '',
    ...columns(rows),
    '',
    'Each has --help. The service is the local one (STATE_DIR, PORT), or BASE_URL with ADMIN_TOKEN.',
  ].join('\n')
}

export function helpFor(name) {
  const command = COMMANDS[name]
  const flags = Object.entries(command.flags ?? {}).map(([flag, { words }]) => [`--${flag}`, words])
  const rows = [
    ...flags,
    ...(takesBody(command)
      ? [['--json', 'a file with the whole body, - for standard input; flags go over it']]
      : []),
    ...(command.final ? [['--yes', 'it cannot be undone']] : []),
    ['--json-output', 'the answer as JSON'],
  ]
  return [`npm run admin -- ${usageOf(name, command)}: ${command.does}`, '', ...columns(rows)].join('\n')
}

function usageOf(name, command) {
  return [name, ...parametersOf(command).map((parameter) => `<${parameter}>`)].join(' ')
}

function columns(rows) {
  const width = Math.max(...rows.map(([first]) => first.length))
  return rows.map(([first, second]) => `  ${first.padEnd(width)}  ${second}`)
}

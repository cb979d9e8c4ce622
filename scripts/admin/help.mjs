// Texts of `--help`, generated from the table of commands.

import { CERTIFICATION } from './certification.mjs'
import { COMMANDS, parametersOf, takesBody } from './commands.mjs'
import { INSPECT, INSPECT_COMMAND } from './inspect-list.mjs'
import { OWN_COMMANDS } from './own-commands.mjs'
import { READER_CSR } from './reader-csr.mjs'
import { WALLETS } from './wallets.mjs'

export function overview() {
  const rows = [
    ...Object.entries(COMMANDS).map(([name, command]) => [usageOf(name, command), command.does]),
    ...Object.entries(OWN_COMMANDS).map(([name, { does }]) => [name, does]),
    [`${INSPECT_COMMAND} <URL or file>`, INSPECT.does],
    ['certification', CERTIFICATION.does],
    ['reader-csr', READER_CSR.does],
    ['wallets', WALLETS.does],
  ]
  return [
    'npm run admin -- <command> [flags]',
    '',
    ...columns(rows),
    '',
    'Every command has --help. Without BASE_URL, commands go to the local service (STATE_DIR, HOST, PORT, TLS_CERT, TLS_KEY).',
    'With the variables of the service itself, BASE_URL included, they go to the local service, too: STATE_DIR shows that it is here.',
    'Set BASE_URL and ADMIN_TOKEN, but not STATE_DIR, to use another service.',
    `${Object.keys(OWN_COMMANDS).join(', ')}: with API_KEY, the key of a relying party.`,
  ].join('\n')
}

export function helpFor(name) {
  const command = COMMANDS[name]
  const flags = Object.entries(command.flags ?? {}).map(([flag, { words }]) => [`--${flag}`, words])
  const rows = [
    ...flags,
    ...(takesBody(command)
      ? [['--json', 'a file with the whole body, or - for standard input; flags replace its members']]
      : []),
    ...(command.final ? [['--yes', 'confirms the command, which cannot be undone']] : []),
    ['--json-output', 'prints the response as JSON'],
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

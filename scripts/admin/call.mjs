// Parses a command line into one request. Returns `{ command, method, path, query, body, jsonOutput }`, `{
// help }` or `{ error, command? }`.

import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { COMMANDS, parametersOf, takesBody } from './commands.mjs'

/** Parses arguments. `readText` returns the text of a file; `-` is standard input. */
export function parseCall(args, readText = (path) => readFileSync(path === '-' ? 0 : path, 'utf8')) {
  const command = args.slice(0, 2).join(' ')
  const found = COMMANDS[command]
  if (found === undefined) {
    const isHelp = args.length === 0 || args.some((arg) => arg === '--help' || arg === 'help')
    return isHelp ? { help: '' } : { error: `Unknown command "${command}".` }
  }
  try {
    return toRequest(command, found, args.slice(2), readText)
  } catch (error) {
    return { error: error.message, command } // parseArgs names the flag, readFileSync the file
  }
}

function toRequest(command, found, args, readText) {
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options: optionsOf(found) })
  if (values.help) return { help: command }
  const parameters = parametersOf(found)
  if (positionals.length !== parameters.length) {
    const wanted = parameters.map((name) => `<${name}>`).join(' ') || 'none'
    throw new Error(`${command} needs these arguments, in addition to flags: ${wanted}.`)
  }
  if (found.final && !values.yes) throw new Error(`${command} cannot be undone. Add --yes to confirm.`)
  const [method, template] = found.route.split(' ')
  const path = template.replace(/\{\w+\}/g, () => encodeURIComponent(positionals.shift()))
  const members = membersOf(found, values, readText)
  const query = takesBody(found) ? {} : members
  const body = takesBody(found) ? members : undefined
  return { command, method, path, query, body, jsonOutput: values['json-output'] === true }
}

function optionsOf(found) {
  const flags = Object.keys(found.flags ?? {}).map((name) => [name, { type: 'string' }])
  return {
    ...Object.fromEntries(flags),
    ...(takesBody(found) && { json: { type: 'string' } }),
    ...(found.final && { yes: { type: 'boolean' } }),
    'json-output': { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  }
}

/** Returns the members of `--json`, replaced by the members of the flags. */
function membersOf({ flags = {} }, values, readText) {
  const base = values.json === undefined ? {} : parseJson('--json', readText(values.json))
  if (typeof base !== 'object' || base === null || Array.isArray(base))
    throw new Error('--json: must be an object.')
  for (const [name, { member, kind }] of Object.entries(flags)) {
    if (values[name] !== undefined)
      setMember(base, member.split('.'), KINDS[kind](`--${name}`, values[name], readText))
  }
  return base
}

function setMember(object, [first, ...rest], value) {
  if (rest.length === 0) {
    object[first] = value
    return
  }
  object[first] ??= {}
  setMember(object[first], rest, value)
}

/** Parsers of flag values by kind. */
const KINDS = {
  text: (_, text) => text,
  list: (_, text) => text.split(',').filter((item) => item !== ''),
  number: (name, text) => {
    if (!/^\d+$/.test(text)) throw new Error(`${name}: must be a whole number.`)
    return Number(text)
  },
  boolean: (name, text) => {
    if (text !== 'true' && text !== 'false') throw new Error(`${name}: must be true or false.`)
    return text === 'true'
  },
  file: (_, path, readText) => readText(path),
  'json-file': (name, path, readText) => parseJson(name, readText(path)),
}

function parseJson(name, text) {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error(`${name}: must be JSON.`)
  }
}

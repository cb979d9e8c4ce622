import { expect, it } from 'vitest'
import { loggedError } from '../../src/metrics/platform-error.ts'

const marked = (message: string, mark: string) => Object.assign(new Error(message), { [mark]: true })

it.each([
  ['a failure inside the platform', new Error('internal error; reference = 1si4lv79tkhck80drqasj9ut')],
  ['a full disk', new Error('database or disk is full: SQLITE_FULL')],
  ['a file that cannot be read', new Error('disk I/O error: SQLITE_IOERR (extended: SQLITE_IOERR_SHMSIZE)')],
  ['an object that was reset', marked('Durable Object reset.', 'durableObjectReset')],
  ['a lost connection', marked('Network connection lost.', 'retryable')],
  ['an overloaded object', marked('Durable Object is overloaded.', 'overloaded')],
])('the log contains the message of the platform for %s', (_, error) => {
  expect(loggedError(error)).toEqual({ error: 'Error', message: error.message })
})

it.each([
  ['a parser, which quotes its input', new SyntaxError(`Unexpected token 'C', "CANARY" is not valid JSON`)],
  ['an object of ours', marked('CANARY', 'remote')],
  ['a statement that quotes a value', new Error('near "CANARY": syntax error: SQLITE_ERROR')],
  ['our own code', new TypeError('CANARY')],
])('the log contains the name, but not the message, of an error of %s', (_, error) => {
  expect(loggedError(error)).toEqual({ error: error.name })
})

it('the log contains at most 200 characters of a message, and nothing of a thrown value that is not an error', () => {
  expect(loggedError(marked('a'.repeat(300), 'retryable')).message).toHaveLength(200)
  expect(loggedError('CANARY')).toEqual({ error: '' })
})

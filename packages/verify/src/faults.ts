// Makes the errors for wrong inputs of the caller.

import type * as z from 'zod/mini'
import { toPointer } from '../../../src/codec/json-pointer.ts'
import { InputError, type InputFault } from './input-error.ts'

/** Returns the error of one member. */
export function inputError(pointer: string, message: string, code = 'invalid_input'): InputError {
  return new InputError([{ pointer, code, message }])
}

const MAXIMUM_FAULTS = 20

/** Returns the faults that a schema found. `parent`: pointer of the value. */
export function faultsOf({ issues }: z.core.$ZodError, parent = ''): readonly InputFault[] {
  return issues.slice(0, MAXIMUM_FAULTS).flatMap((issue) => {
    const isUnknown = issue.code === 'unrecognized_keys'
    const paths = isUnknown ? issue.keys.map((key) => [...issue.path, key]) : [issue.path]
    const message = isUnknown ? 'is not a known member' : issue.message
    return paths.map((path) => ({ pointer: parent + toPointer(path), code: 'invalid_input', message }))
  })
}

/**
 * Throws an `InputError` unless the value is an object with no other members than these. A misspelt option
 * would otherwise have no effect.
 */
export function checkMembers(value: unknown, names: readonly string[]): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw inputError('', 'must be an object')
  const unknown = Object.keys(value).find((name) => !names.includes(name))
  if (unknown !== undefined) throw inputError(toPointer([unknown.slice(0, 100)]), 'is not a known member')
}

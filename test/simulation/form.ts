// The two forms of sessions. A session has an object of its own, or a row in an object that it shares with
// others. Properties compare what is durable in both. Rows are read without the code of the service.

import type { Stored } from './ledger.ts'
import type { SimulatedObject } from './platform/objects.ts'
import type { Session, World } from './world.ts'

export const FORMS = ['own', 'shared'] as const

export type Form = (typeof FORMS)[number]

/** A durable row. `wakeAt`: null without further work. */
export type SlotRow = {
  readonly mark: string
  readonly wakeAt: number | null
  readonly id: string
  readonly text: string
  readonly stored: Stored
  /** True if all other bytes are zero. */
  readonly isClean: boolean
}

const START = 500
const ID_WIDTH = 48
const NEVER = 2 ** 46
/** Mark of a row that no session has. */
export const FREE = '0'.repeat(32)

/** Returns the durable document of a session. */
export function storedOf({ object, mark, row }: Session): Stored {
  return mark === undefined ? (object.durable.data.get('session') as Stored) : row?.stored
}

/** Returns the durable parts of the evidence of a session, without those that zeros have overwritten. */
export function evidenceOf({ object, mark }: Session): readonly Buffer[] {
  const { data, sql } = object.durable
  const stored =
    mark === undefined
      ? [...data].flatMap(([key, part]) => (key.startsWith('evidence/') ? [part as Uint8Array] : []))
      : sql.rowsOf('evidence').flatMap((row) => (row.mark === mark ? [row.data as ArrayBuffer] : []))
  const parts = stored.map((part) => Buffer.from(part as Uint8Array))
  return parts.filter((part) => !part.equals(Buffer.alloc(part.length)))
}

/** Makes an id, and returns where its session will be stored. */
export function placeOf({
  objects,
  form,
  code,
  env,
}: Pick<World, 'objects' | 'form' | 'env' | 'code'>): Pick<
  Session,
  'verificationId' | 'object' | 'mark' | 'row'
> {
  const verificationId = code.newVerificationId(env as never)
  const hex = Buffer.from(verificationId.slice(2), 'base64url').toString('hex')
  if (form === 'own') {
    const object = objects.objectOf('VERIFICATION_SESSION', hex)
    return { verificationId, object, mark: undefined, row: undefined }
  }
  const namespace = objects.namespace('SHARED_SESSIONS')
  const { SESSION_OBJECTS } = env as { readonly SESSION_OBJECTS: string }
  const name = `sessions/${Number.parseInt(hex.slice(0, 2), 16) % Number(SESSION_OBJECTS)}`
  const object = objects.objectOf('SHARED_SESSIONS', String(namespace.idFromName(name)), name)
  return { verificationId, object, mark: String(namespace.idFromName(hex)).slice(0, 32), row: undefined }
}

/** The last rows of each shared object, with the bytes that they were read from. */
const known = new WeakMap<SimulatedObject, ReadonlyMap<unknown, readonly [Buffer, SlotRow]>>()

/** Reads the durable rows of a shared object. */
export function rowsOf(object: SimulatedObject): readonly SlotRow[] {
  const before = known.get(object)
  const rows = object.durable.sql.rowsOf('slots').map(({ place, mark, wake_at, data }) => {
    const bytes = Buffer.from(data as ArrayBuffer)
    const [sameBytes, same] = before?.get(place) ?? []
    const row = same !== undefined && sameBytes?.equals(bytes) ? same : decodeRow(bytes)
    const wakeAt = wake_at === NEVER ? null : Number(wake_at)
    return [place, [bytes, { ...row, mark: String(mark), wakeAt }]] as const
  })
  known.set(object, new Map(rows))
  return rows.map(([, [, row]]) => row)
}

function decodeRow(bytes: Buffer): Omit<SlotRow, 'mark' | 'wakeAt'> {
  const idEnd = START + ID_WIDTH
  const id = bytes.toString('utf8', START, idEnd).replace(/\0+$/, '')
  const textEnd = idEnd + 4 + bytes.readUInt32BE(idEnd)
  const text = bytes.toString('utf8', idEnd + 4, textEnd)
  const stored = text === '' ? undefined : (JSON.parse(text) as Stored)
  const rest = Buffer.concat([bytes.subarray(0, START), bytes.subarray(textEnd)])
  return { id, text, stored, isClean: rest.equals(Buffer.alloc(rest.length)) }
}

/** Returns the sessions whose document a transaction has changed, with their documents before it. */
export function changedSessions(
  own: readonly Session[],
  before: ReadonlyMap<string, unknown>,
): readonly { readonly session: Session; readonly old: Stored }[] {
  const old = before.get('session') as Stored
  return before.has('session') ? own.map((session) => ({ session, old })) : []
}

/** The same for an object that sessions share, with these rows now. */
export function changedRows(
  own: readonly Session[],
  rows: readonly SlotRow[],
): readonly { readonly session: Session; readonly old: Stored }[] {
  return own.flatMap((session) => {
    const { row: old } = session
    session.row = rows.find(({ mark }) => mark === session.mark)
    return old?.text === session.row?.text ? [] : [{ session, old: old?.stored }]
  })
}

// Events of the log as they are stored (api/events). SQLite gives a row of more than 1,002 bytes a page of
// 4,096 bytes of its own. So the row of an event has a limit. A long event is stored without members whose
// values can be computed again. Members that still exceed the limit are stored in further rows. An older
// build that lacks this code reads only the row of the event. So it returns the event without the computed
// members and without the members in further rows.

import { concatBytes, utf8 } from '../../codec/bytes.ts'

/** Limit of the event's JSON in its row, in characters. The other members of the row have some 200 bytes. */
const BODY_CHARACTERS = 775
/** Bytes of the JSON in each further row. */
const PART_BYTES = 900
/** Members in the order in which the webhook sends them. Other members are returned after these members. */
const ORDER = [
  ...[
    'event_id',
    'event_type',
    'sequence',
    'created_at',
    'attempt_count',
    'verification_id',
    'status',
    'checks',
  ],
  ...[
    'assurance_level',
    'same_holder_key',
    'credential_type',
    'verified_at',
    'reason',
    'metadata',
    'protocol',
  ],
  ...['channel', 'format', 'issuer', 'session_binding', 'credentials', 'livemode', 'encrypted_claims'],
  'evidence',
]

type Event = Readonly<Record<string, unknown>>

/**
 * Members that in most events have a fixed value, or a value that follows from other members. In a long
 * event, such a member is stored only if its value differs from the value that its function here returns.
 * `unpackEvent` adds the members that are not stored.
 */
const DERIVED: Readonly<Record<string, (event: Event) => unknown>> = {
  metadata: () => ({}),
  encrypted_claims: () => null,
  verified_at: ({ created_at }) => created_at,
  checks: (event) => firstCredential(event).checks ?? null,
  credential_type: (event) => firstCredential(event).credential_type ?? null,
  format: (event) => firstCredential(event).format ?? null,
  issuer: (event) => firstCredential(event).issuer ?? null,
}

/** JSON of an event as stored. `parts`: bytes of further rows; `undefined` if `body` is the whole event. */
export type Packed = { readonly body: string; readonly parts: readonly Uint8Array[] | undefined }

/** Splits the JSON of an event into the texts of its rows. */
export function packEvent(text: string): Packed {
  if (isLatin1(text) && text.length <= BODY_CHARACTERS) return { body: text, parts: undefined }
  const kept: [string, unknown][] = []
  const moved: [string, unknown][] = []
  let length = 2
  const event = JSON.parse(text) as Event // written by our own session
  for (const [name, value] of Object.entries(event)) {
    if (isDerived(event, name)) continue
    const member = JSON.stringify({ [name]: value })
    const isKept = isLatin1(member) && length + member.length - 1 <= BODY_CHARACTERS
    const members = isKept ? kept : moved
    members.push([name, value])
    if (isKept) length += member.length - 1 // two braces less, one comma more
  }
  return { body: JSON.stringify(Object.fromEntries(kept)), parts: moved.length === 0 ? [] : split(moved) }
}

/** Returns the JSON of an event from its rows. `packEvent` is the inverse. */
export function unpackEvent({ body, parts }: Packed): string {
  if (parts === undefined) return body
  const moved = parts.length === 0 ? '{}' : new TextDecoder().decode(concatBytes(...parts))
  const stored: Event = { ...JSON.parse(body), ...JSON.parse(moved) }
  const derived = Object.fromEntries(Object.entries(DERIVED).map(([name, derive]) => [name, derive(stored)]))
  const event: Event = { ...derived, ...stored }
  const ordered = Object.fromEntries(ORDER.filter((name) => name in event).map((name) => [name, event[name]]))
  return JSON.stringify({ ...ordered, ...event }) // members keep the order of the first object
}

function split(members: readonly (readonly [string, unknown])[]): readonly Uint8Array[] {
  const bytes = utf8(JSON.stringify(Object.fromEntries(members)))
  const count = Math.ceil(bytes.length / PART_BYTES)
  return Array.from({ length: count }, (_, i) => bytes.slice(i * PART_BYTES, (i + 1) * PART_BYTES))
}

function isDerived(event: Event, name: string): boolean {
  return JSON.stringify(DERIVED[name]?.(event)) === JSON.stringify(event[name])
}

function firstCredential({ credentials }: Event): Event {
  return (Array.isArray(credentials) ? credentials[0] : undefined) ?? {}
}

/** Returns true if the platform stores the text with one byte for each character. */
function isLatin1(text: string): boolean {
  return !/[^\0-\xff]/.test(text)
}

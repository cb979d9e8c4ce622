// Space of the event log (api/events): an event takes at most twice its bytes in the file of its day.

import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { eventLogStub, toDay } from '../../src/relying-party/events/event-days.ts'
import { at, NOON, startAtNoon } from '../workerd/clock.ts'

const DAY = toDay(NOON)
const EVENTS = 500

startAtNoon()

const CREDENTIAL = {
  id: 'pid',
  credential_type: 'pid',
  format: 'mso_mdoc',
  issuer: 'CN=Document Signer 1,O=Large State,C=UT',
  assurance_level: 'high',
  status: 'valid',
  checks: { given_name: true, family_name: true, birth_date: true, nationality: true, age_over_18: true },
}

/** Returns an event of the log, as a session sends it. */
function eventOf(number: number, members: object = {}) {
  const id = String(number).padStart(22, 'A')
  return {
    event_id: `evt_${id}`,
    event_type: 'verification.verified',
    sequence: 1,
    created_at: new Date(NOON).toISOString(),
    attempt_count: 0,
    verification_id: `v_${id.padStart(43, 'B')}`,
    status: 'verified',
    checks: { age_over_18: true },
    assurance_level: 'substantial',
    same_holder_key: true,
    credential_type: 'age_attestation',
    verified_at: new Date(NOON).toISOString(),
    reason: null,
    metadata: {},
    protocol: 'openid4vp-1.0',
    channel: 'qr',
    format: 'dc+sd-jwt',
    issuer: 'https://issuer.example',
    session_binding: 'none',
    credentials: [{ ...CREDENTIAL, id: 'age_attestation', checks: { age_over_18: true } }],
    livemode: false,
    encrypted_claims: null,
    ...members,
  }
}

type Event = ReturnType<typeof eventOf>

const logEntry = (event: Event) => ({
  day: DAY,
  event_id: event.event_id,
  verification_id: event.verification_id,
  created_at: NOON,
  first: true,
  session_until: NOON + 86_400_000,
  body: JSON.stringify(event),
})

const NO_OUTCOME = {
  event_type: 'verification.expired',
  status: 'expired',
  checks: null,
  assurance_level: null,
  same_holder_key: null,
  credential_type: null,
  verified_at: null,
  channel: null,
  format: null,
  issuer: null,
  session_binding: null,
  credentials: [],
}
/** An event whose JSON has this many bytes. */
const ofSize = (bytes: number, letter = 'x') => {
  const missing = bytes - JSON.stringify(eventOf(0)).length
  const width = new TextEncoder().encode(letter).length
  return { issuer: `https://issuer.example${letter.repeat(Math.floor(missing / width))}` }
}

it.each([
  ['of a session that expired', NO_OUTCOME],
  ['of one credential', {}],
  ['with a member of a later version', { ...ofSize(900), added_later: ['x'] }],
  ['of one credential, with checks only in `credentials`,', { credential_type: 'pid', checks: null }],
  [
    'of a step',
    {
      ...NO_OUTCOME,
      created_at: new Date(NOON + 1).toISOString(),
      credentials: null,
      issuer: 'x'.repeat(900),
    },
  ],
  ['of two credentials', { credentials: [CREDENTIAL, CREDENTIAL] }],
  ['of 64 credentials', { credentials: Array(64).fill(CREDENTIAL) }],
  ['of 900 bytes', ofSize(900)],
  ['of 1,000 bytes', ofSize(1_000)],
  ['of 1,100 bytes in Greek', ofSize(1_100, 'ω')],
  ['of 1,600 bytes', ofSize(1_600)],
  ['of 2,000 bytes', ofSize(2_000)],
  ['of 4,000 bytes', ofSize(4_000)],
  ['of 16,000 bytes', ofSize(16_000)],
  ['of 16,000 bytes in Greek', ofSize(16_000, 'ω')],
])(
  'an event %s needs at most twice its size in storage, and is read as it was sent',
  async (title, members) => {
    const log = eventLogStub(env, `rp_${title}`, DAY)
    const bytes = await runInDurableObject(log, async (instance, { storage }) => {
      instance.append(logEntry(eventOf(0, members)))
      const before = storage.sql.databaseSize
      for (let i = 1; i <= EVENTS; i++) instance.append(logEntry(eventOf(i, members)))
      return (storage.sql.databaseSize - before) / EVENTS
    })
    const sent = new TextEncoder().encode(JSON.stringify(eventOf(0, members))).length
    console.info(`${title}: ${sent} bytes, ${Math.round(bytes)} in the file`)
    expect(bytes / sent).toBeLessThanOrEqual(2)
    await evictDurableObject(log)
    const { events } = await log.read(DAY, EVENTS - 1, 10)
    expect(events.map(({ body, position }) => [position, body])).toEqual([
      [EVENTS, JSON.stringify(eventOf(EVENTS - 1, members))],
      [EVENTS + 1, JSON.stringify(eventOf(EVENTS, members))],
    ])
  },
)

it('an event of one credential is stored in one row, and the row of a short event contains its whole JSON', async () => {
  const log = eventLogStub(env, 'rp_one_row', DAY)
  const body = JSON.stringify(eventOf(1, NO_OUTCOME))
  const { id, checks, assurance_level, status, ...same } = CREDENTIAL
  await log.append(logEntry(eventOf(1, NO_OUTCOME)))
  await log.append(logEntry(eventOf(2, { ...same, checks, credentials: [CREDENTIAL] })))
  await runInDurableObject(log, (_, { storage }) => {
    const rows = [...storage.kv.list<{ body: string }>()]
    expect(rows.map(([key]) => key)).toEqual(['event/0000000001', 'event/0000000002'])
    expect(rows[0]?.[1].body).toBe(body)
  })
})

it('a long event of an earlier version is read as it was stored', async () => {
  const log = eventLogStub(env, 'rp_earlier', DAY)
  const { first: _, ...event } = logEntry(eventOf(1, { credentials: Array(9).fill(CREDENTIAL) }))
  await runInDurableObject(log, (_, { storage }) => {
    storage.kv.put('event/0000000001', { ...event, arrived_at: NOON })
  })
  await evictDurableObject(log)
  at(NOON + 60_000)
  await log.append({ ...event, first: false })
  const { events } = await log.read(DAY, 0, 10)
  expect(events.map(({ body }) => body)).toEqual([event.body])
})

it('an earlier build, which reads only the first row of a long event, gets the event without the members in other rows', async () => {
  const log = eventLogStub(env, 'rp_long', DAY)
  const event = eventOf(1, { credentials: Array(64).fill(CREDENTIAL) })
  await log.append(logEntry(event))
  await runInDurableObject(log, (_, { storage }) => {
    const { body } = storage.kv.get<{ body: string }>('event/0000000001')!
    const { credentials, metadata, encrypted_claims, verified_at, ...others } = event
    expect(JSON.parse(body)).toEqual(others)
  })
})

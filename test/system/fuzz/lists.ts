// Lists that the service fetches: of trusted issuers, of statuses, of revoked certificates. A publisher on
// loopback serves each with one change. A changed list must not be used.

import { isDeepStrictEqual } from 'node:util'
import { deflateSync } from 'node:zlib'
import { decode } from 'cborg'
import type { Random } from '../../formats/sd-jwt-vc/random.ts'
import { mintIssuerPki, mintLeaf } from '../../support/certificates/certificates.ts'
import { makeCrl } from '../../support/certificates/crl.ts'
import {
  MDL,
  mintListSigner,
  PID_ISSUANCE,
  signLote,
  signVical,
} from '../../support/certificates/trust-lists.ts'
import { type SigningKey, signJwt } from '../../support/people/issuer.ts'
import { POSSIBLE } from '../../support/service/cells.ts'
import { decodedParts } from './content.ts'
import { CBOR, type Mutated, mutateBytes, mutateCbor, mutateCompact } from './mutations.ts'
import { postOf, sendChanged, sendGood } from './responses.ts'
import type { Context, Slot } from './run.ts'
import { openTarget, type Target } from './targets.ts'

/** Publishes lists of one kind, each with one change. */
export async function publishInGroup(
  context: Context,
  slots: readonly Slot[],
  random: Random,
): Promise<void> {
  const kind = random.pick(['etsi_lote', 'vical', 'status', 'crl'] as const)
  if (kind === 'etsi_lote' || kind === 'vical') await publishTrustLists(context, slots, kind)
  else await publishForCredentials(context, slots, kind)
}

/** Changes bytes, or a part of a JWS, or CBOR. */
function mutateList(random: Random, bytes: Uint8Array): Mutated<Uint8Array> {
  const isJws = Buffer.from(bytes.subarray(0, 2)).toString() === 'ey'
  if (random.below(3) === 0 || bytes[0] === 0x30) return mutateBytes(random, bytes)
  if (!isJws) return mutateCbor(random, bytes)
  const { kind, value } = mutateCompact(random, Buffer.from(bytes).toString())
  return { kind, value: Buffer.from(value) }
}

/** The bytes that a signature covers, and the signature. */
function contentOfList(bytes: Uint8Array): unknown {
  const text = Buffer.from(bytes).toString()
  try {
    if (text.startsWith('ey')) return decodedParts(text.trim())
    if (bytes[0] === 0x30) return Buffer.from(bytes).toString('hex')
    const [header, , payload, signature] = decode(bytes, CBOR) as Uint8Array[]
    return [header, payload, signature].map((part) => Buffer.from(part ?? []).toString('hex'))
  } catch {
    return text
  }
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return isDeepStrictEqual(contentOfList(one), contentOfList(other))
}

type SignedKind = 'etsi_lote' | 'vical'

async function publishTrustLists(context: Context, slots: readonly Slot[], kind: SignedKind): Promise<void> {
  const { publish, ask, found, ledger, service } = context
  const [signer, { root }] = await Promise.all([mintListSigner(), mintIssuerPki()])
  const make = (sequence: number) =>
    kind === 'vical'
      ? signVical(signer, { sequence, entries: [{ certificate: root.der }] })
      : signLote(signer, { sequence, services: [{ certificates: [root.x5c] }] })
  const url = publish(await make(1))
  const name = `list-${slots[0]?.index}`
  const [type, credentialType] = kind === 'vical' ? [MDL, 'mdl'] : [PID_ISSUANCE, 'pid']
  const services = [{ type, credential_types: [credentialType], assurance_level: 'high' }]
  const signers = [{ x509_certificate_pem: signer.pem }]
  const operator = (method: 'POST' | 'DELETE', path: string, body?: object) => ({
    method,
    path: `/v1/admin/trust_lists${path}`,
    headers: {
      authorization: `Bearer ${service.server.adminToken}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  })
  const [first] = slots
  if (first === undefined) return
  const list = { name, kind, livemode: false, url, signers, services }
  await ask(first, { ...operator('POST', '', list), route: 'POST /v1/admin/trust_lists' })
  const refresh = {
    ...operator('POST', `/${name}/refresh`),
    route: 'POST /v1/admin/trust_lists/:list/refresh',
  } as const
  let sequence = 1
  const fetchList = async (slot: Slot, bytes: Uint8Array) => {
    publish(bytes, url)
    const answer = await ask(slot, refresh)
    return { answer, shown: (JSON.parse(answer.body.toString()) as { sequence?: unknown }).sequence }
  }
  for (const slot of slots) {
    const good = await make(sequence + 1)
    const { kind: change, value } = mutateList(slot.random, good)
    const { answer, shown } = await fetchList(slot, value)
    const isUsed = shown !== sequence
    ledger.countChange(`${kind} ${change}`, isUsed ? 'used (same)' : 'not used')
    if (isUsed && !isSame(value, good))
      found(slot, `a changed list is used: ${kind} ${change}`, refresh, answer)
    if (isUsed) sequence++
  }
  const { answer, shown } = await fetchList(first, await make(sequence + 1))
  if (shown === sequence + 1) ledger.countVerified()
  else found(first, `a good list is not used after changed ones: ${kind}`, refresh, answer)
  await ask(first, { ...operator('DELETE', `/${name}`), route: 'DELETE /v1/admin/trust_lists/:list' })
}

/** Responses whose credential, or whose issuer's certificate, names a list. */
async function publishForCredentials(
  context: Context,
  slots: readonly Slot[],
  kind: 'status' | 'crl',
): Promise<void> {
  const cell = POSSIBLE.find(({ channel, format }) => channel === 'qr' && format === 'dc+sd-jwt')
  if (cell === undefined) return
  const rp = await context.relyingParty({ certificate_revocation: 'require' })
  const open = () => openTarget(context, rp, cell)
  const respond = kind === 'status' ? withStatus : withCrl
  let target = await open()
  for (const slot of slots) {
    const { random } = slot
    let content: 'same' | 'changed' = 'changed'
    let change = ''
    const presentation = await respond(context, target, (good) => {
      const mutated = mutateList(random, good)
      change = mutated.kind
      content = isSame(mutated.value, good) ? 'same' : 'changed'
      return mutated.value
    })
    const post = await postOf(target, target.parametersOf(presentation))
    const response = { kind: `${kind} list, ${change}`, post, content, isAdult: true }
    if (await sendChanged(context, slot, { target, response })) target = await open()
  }
  const [last] = slots.slice(-1)
  if (last === undefined) return
  const presentation = await respond(context, target, (good) => good)
  const post = await postOf(target, target.parametersOf(presentation))
  await sendGood(context, last, { target, post, name: `${kind} list` })
}

type Change = (good: Uint8Array) => Uint8Array
const now = () => Math.floor(Date.now() / 1000)

/** Returns a credential with the first entry of a Token Status List, which is valid. */
async function withStatus({ publish, people }: Context, target: Target, change: Change): Promise<string> {
  const uri = publish(new Uint8Array())
  const { leaf, intermediate } = people.pki
  const header = { alg: 'ES256', typ: 'statuslist+jwt', x5c: [leaf.x5c, intermediate.x5c] }
  const status_list = { bits: 2, lst: deflateSync(Buffer.of(0)).toString('base64url') }
  const claims = { sub: uri, iat: now(), ttl: 600, status_list }
  const list = signJwt(header, claims, {
    alg: 'ES256',
    privateJwk: leaf.privateJwk as SigningKey['privateJwk'],
  })
  publish(change(Buffer.from(list)), uri, 'application/statuslist+jwt')
  return target.withClaims({ age_over_18: true, status: { status_list: { idx: 0, uri } } })
}

/** Returns a credential of a signer whose certificate names a revocation list without it. */
async function withCrl({ publish, people }: Context, target: Target, change: Change): Promise<string> {
  const { leaf, intermediate } = people.pki
  const list = await makeCrl(intermediate, now(), { revoked: ['01'] })
  const url = publish(change(list), undefined, 'application/pkix-crl')
  const signer = await mintLeaf(intermediate, { keys: leaf.keys, serialNumber: '7b', crls: [url] })
  return target.withClaims({ age_over_18: true }, { leaf: signer, intermediate })
}

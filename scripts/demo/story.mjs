// One verification, step by step. Only the service is of this project. The wallet is @openid4vc/openid4vp,
// the issuer @sd-jwt/sd-jwt-vc, the QR reader jsQR. The webhook is verified by standardwebhooks and svix. The
// claims are decrypted by jose.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compactDecrypt, createLocalJWKSet, exportJWK, generateKeyPair, jwtVerify } from 'jose'
import { makeKey } from '../../test/support/people/issuer.ts'
import { AGE, makeAuthority, makePerson, presentationOf, queryFor } from '../../test/support/people/person.ts'
import { checkSignature, startReceiver } from '../../test/support/service/receiver.ts'
import { expectStatus, readQr, startService } from '../../test/support/service/service.ts'

const STEP_LIMIT_SECONDS = 60

const cleanups = []
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => end(130))

let title = ''
let number = 0
try {
  await runSteps()
  console.log('\nThe verification is complete.')
  await end(0)
} catch (error) {
  console.error(`\nStep ${number}, "${title}", failed: ${error.message}`)
  await end(1)
}

async function runSteps() {
  const service = await step('The service starts, with a state directory of its own', async () => {
    const stateDir = await mkdtemp(join(tmpdir(), 'verifier-demo-'))
    cleanups.push(() => rm(stateDir, { recursive: true, force: true }))
    const started = await startService({ STATE_DIR: stateDir })
    cleanups.push(() => started.stop())
    print('base URL', started.server.baseUrl)
    print('listens on', started.server.origin)
    return started
  })
  const receiver = await startReceiver()
  cleanups.push(() => receiver.close())

  const { issuer, person } = await step('An issuer creates its key, and a person has a wallet', async () => {
    const authority = await makeAuthority()
    print('issuer', authority.iss)
    return { issuer: authority, person: await makePerson(authority) }
  })
  const { shop, claimsKey } = await step(
    'The operator adds a relying party that trusts this issuer',
    async () => {
      const key = await generateKeyPair('ECDH-ES', { crv: 'P-256', extractable: true })
      const made = await service.relyingParty({
        name: 'A shop',
        webhook: { url: receiver.url },
        trust_anchors: [issuer.anchor()],
        claims_encryption_jwk: await exportJWK(key.publicKey),
      })
      print('relying party', made.relying_party_id)
      print('webhook', receiver.url)
      return { shop: made, claimsKey: key.privateKey }
    },
  )

  const session = await step('The shop requests proof of age: POST /v1/verify', async () => {
    const created = await shop.create({
      credential_types: ['age_attestation'],
      scope: ['age_over_18'],
      required_assurance_level: 'substantial',
      metadata: { user_id: 'user_123', context: 'checkout' },
    })
    print('verification', created.verification_id)
    print('status', created.status)
    print('expires', created.expires_at)
    return created
  })
  const uri = await step('The wallet scans the QR', async () => {
    const text = readQr(session.qr_code)
    print('content', text)
    return text
  })
  const request = await step('The wallet fetches the signed request and verifies it', async () => {
    const received = await service.wallet.receive(uri)
    print('verifier', received.payload.client_id)
    print('query', JSON.stringify(received.payload.dcql_query.credentials))
    print('nonce', received.payload.nonce)
    return received
  })

  await step('An attacker responds first, with a forged credential', async () => {
    const forged = await presentationOf(person, AGE, request, { issuer: await makeKey() })
    const response = await service.wallet.present(request, { [queryFor(request, AGE)]: [forged] })
    print('response', `${response.status} ${await response.text()}`)
    const { status, attempts } = await shop.poll(session.verification_id)
    print('session', `${status}, with a recorded attempt: ${attempts[0]?.reason.code}`)
    insist(response.status === 400 && status === 'pending', 'a forged credential must not end the session')
  })
  await step('The wallet presents the real credential, encrypted', async () => {
    const presentation = await presentationOf(person, AGE, request, { disclose: { age_over_18: true } })
    const response = await service.wallet.present(request, { [queryFor(request, AGE)]: [presentation] })
    const { redirect_uri } = await expectStatus(response, 200)
    print('response', '200')
    print('redirect', redirect_uri)
  })

  const poll = await step('The shop polls: GET /v1/verify/{id}', async () => {
    const read = await shop.poll(session.verification_id)
    print('status', read.status)
    print('checks', JSON.stringify(read.checks))
    print('assurance level', read.assurance_level)
    print('issuer', read.issuer)
    for (const { id, clause, result } of read.trace) print(`  ${id}`, `${result}  (${clause})`)
    insist(read.status === 'verified' && read.checks?.age_over_18 === true, 'the session must be verified')
    return read
  })
  await step('The signed webhook has arrived', async () => {
    const [post] = await receiver.received(1)
    const event = JSON.parse(post.body.toString())
    const results = checkSignature(post, shop.webhook_secret)
    print('event', `${event.event_type} ${event.event_id}`)
    print('X-Service-Signature', post.headers['x-service-signature'])
    for (const [library, result] of Object.entries(results)) {
      print(library, result.refused ?? 'accepts the signature')
      insist(result.refused === undefined, `${library} must accept the signature`)
    }
    insist(event.verification_id === session.verification_id, 'the event must be of this session')
    insist(event.status === 'verified', 'the event must have the status verified')
  })
  await step('The shop decrypts the claim: a JWE to its key, a JWS of the service', async () => {
    const published = await expectStatus(await service.fetch('/.well-known/jwks.json'), 200)
    const { plaintext } = await compactDecrypt(poll.encrypted_claims ?? '', claimsKey)
    const { payload } = await jwtVerify(plaintext, createLocalJWKSet(published))
    print('signed by', payload.iss)
    print('claims', JSON.stringify(payload.credentials[0].claims))
    insist(payload.credentials[0].claims.age_over_18 === true, 'the claim must be true')
  })
}

async function step(name, work) {
  title = name
  number++
  console.log(`\n${number}. ${title}`)
  let timer
  const late = new Promise((_, reject) => {
    const timeout = new Error(`no result within ${STEP_LIMIT_SECONDS} s`)
    timer = setTimeout(() => reject(timeout), STEP_LIMIT_SECONDS * 1000)
  })
  return Promise.race([work(), late]).finally(() => clearTimeout(timer))
}

function print(what, value) {
  console.log(`   ${what.padEnd(20)} ${value}`)
}

function insist(isMet, rule) {
  if (!isMet) throw new Error(rule)
}

/** Stops everything that was started, in reverse order, then the process. */
async function end(exitCode) {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
  process.exit(exitCode)
}

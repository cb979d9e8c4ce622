// The story of one verification. Nobody but the service is of this project: the wallet is
// @openid4vc/openid4vp, the issuer @sd-jwt/sd-jwt-vc, the QR is read by jsQR, the webhook judged by
// standardwebhooks and svix, the claims opened by jose.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compactDecrypt, createLocalJWKSet, exportJWK, generateKeyPair, jwtVerify } from 'jose'
import { makeKey } from '../../test/support/people/issuer.ts'
import { AGE, makeAuthority, makePerson, presentationOf, queryFor } from '../../test/support/people/person.ts'
import { judgeSignature, startReceiver } from '../../test/support/service/receiver.ts'
import { expectStatus, readQr, startService } from '../../test/support/service/service.ts'

const STEP_LIMIT_SECONDS = 60

const cleanups = []
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => end(130))

let title = ''
let number = 0
try {
  await tellStory()
  console.log('\nThat is the whole story.')
  await end(0)
} catch (error) {
  console.error(`\nStep ${number}, "${title}", failed: ${error.message}`)
  await end(1)
}

async function tellStory() {
  const service = await step('The service starts, with a state directory of its own', async () => {
    const stateDir = await mkdtemp(join(tmpdir(), 'verifier-demo-'))
    cleanups.push(() => rm(stateDir, { recursive: true, force: true }))
    const started = await startService({ STATE_DIR: stateDir })
    cleanups.push(() => started.stop())
    tell('calls itself', started.server.baseUrl)
    tell('listens on', started.server.origin)
    return started
  })
  const receiver = await startReceiver()
  cleanups.push(() => receiver.close())

  const { issuer, person } = await step('An issuer makes its key, and a person has a wallet', async () => {
    const authority = await makeAuthority()
    tell('issuer', authority.iss)
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
      tell('relying party', made.relying_party_id)
      tell('webhook', receiver.url)
      return { shop: made, claimsKey: key.privateKey }
    },
  )

  const session = await step('The shop asks: over 18? POST /v1/verify', async () => {
    const created = await shop.create({
      credential_types: ['age_attestation'],
      scope: ['age_over_18'],
      required_assurance_level: 'substantial',
      metadata: { user_id: 'user_123', context: 'checkout' },
    })
    tell('verification', created.verification_id)
    tell('status', created.status)
    tell('until', created.expires_at)
    return created
  })
  const uri = await step('The wallet scans the QR: the picture is decoded', async () => {
    const text = readQr(session.qr_code)
    tell('it holds', text)
    return text
  })
  const request = await step(
    'The wallet fetches the signed request and checks who asks for what',
    async () => {
      const received = await service.wallet.receive(uri)
      tell('asked by', received.payload.client_id)
      tell('asked for', JSON.stringify(received.payload.dcql_query.credentials))
      tell('nonce', received.payload.nonce)
      return received
    },
  )

  await step('Somebody else answers first, with a credential they made themselves', async () => {
    const forged = await presentationOf(person, AGE, request, { issuer: await makeKey() })
    const answer = await service.wallet.present(request, { [queryFor(request, AGE)]: [forged] })
    tell('the service says', `${answer.status} ${await answer.text()}`)
    const { status, attempts } = await shop.poll(session.verification_id)
    tell('the session is', `${status}, with an attempt noted: ${attempts[0]?.reason.code}`)
    insist(answer.status === 400 && status === 'pending', 'a forgery must change nothing')
  })
  await step('The wallet presents the real credential, encrypted', async () => {
    const presentation = await presentationOf(person, AGE, request, { disclose: { age_over_18: true } })
    const answer = await service.wallet.present(request, { [queryFor(request, AGE)]: [presentation] })
    const { redirect_uri } = await expectStatus(answer, 200)
    tell('the service says', '200')
    tell('the wallet goes to', redirect_uri)
  })

  const poll = await step('The shop polls: GET /v1/verify/{id}', async () => {
    const read = await shop.poll(session.verification_id)
    tell('status', read.status)
    tell('checks', JSON.stringify(read.checks))
    tell('assurance level', read.assurance_level)
    tell('issuer', read.issuer)
    for (const { id, clause, result } of read.trace) tell(`  ${id}`, `${result}  (${clause})`)
    insist(read.status === 'verified' && read.checks?.age_over_18 === true, 'the session must be verified')
    return read
  })
  await step('The signed webhook has arrived', async () => {
    const [post] = await receiver.received(1)
    const event = JSON.parse(post.body.toString())
    const verdicts = judgeSignature(post, shop.webhook_secret)
    tell('event', `${event.event_type} ${event.event_id}`)
    tell('X-Service-Signature', post.headers['x-service-signature'])
    for (const [library, verdict] of Object.entries(verdicts)) {
      tell(library, verdict.refused ?? 'accepts it')
      insist(verdict.refused === undefined, `${library} must accept the signature`)
    }
    insist(event.verification_id === session.verification_id, 'the event must be of this session')
    insist(event.status === 'verified', 'the event must say verified')
  })
  await step('The shop alone can read the claim: JWE to its key, JWS by ours', async () => {
    const published = await expectStatus(await service.fetch('/.well-known/jwks.json'), 200)
    const { plaintext } = await compactDecrypt(poll.encrypted_claims ?? '', claimsKey)
    const { payload } = await jwtVerify(plaintext, createLocalJWKSet(published))
    tell('signed by', payload.iss)
    tell('claims', JSON.stringify(payload.credentials[0].claims))
    insist(payload.credentials[0].claims.age_over_18 === true, 'the claim must be there')
  })
}

async function step(name, work) {
  title = name
  number++
  console.log(`\n${number}. ${title}`)
  let timer
  const late = new Promise((_, reject) => {
    const complaint = new Error(`nothing happened for ${STEP_LIMIT_SECONDS} s`)
    timer = setTimeout(() => reject(complaint), STEP_LIMIT_SECONDS * 1000)
  })
  return Promise.race([work(), late]).finally(() => clearTimeout(timer))
}

function tell(what, value) {
  console.log(`   ${what.padEnd(20)} ${value}`)
}

function insist(holds, rule) {
  if (!holds) throw new Error(rule)
}

/** Ends what was started, newest first, and the process. */
async function end(exitCode) {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
  process.exit(exitCode)
}

// Whose account a login opens (api/logins): the pairwise `sub` counts at one authority, for one type of
// document. Mdocs come from @owf/mdoc.

import { beforeAll, expect, it } from 'vitest'
import { mintLeaf } from '../../support/certificates/certificates.ts'
import { MDOC_SIGNER, type NameSpaces } from '../../support/people/mdoc.ts'
import { type MdocPerson, makeDevice, makeMdocPerson, mdocOf } from '../../support/people/mdoc-person.ts'
import { certified, PID, presentationOf } from '../../support/people/person.ts'
import { type RegisteredClient, registerClient } from '../../support/service/login.ts'
import { useStage } from '../../support/service/stage.ts'
import { login } from './openid-login.ts'

const stage = useStage()

const MDL = 'org.iso.18013.5.1.mDL'
const LICENCE: NameSpaces = { 'org.iso.18013.5.1': { document_number: 'N-1000' } }
const PHOTO_ID = 'org.iso.23220.photoid.1'
const PHOTO: NameSpaces = { 'org.iso.23220.1': { document_number: 'N-1000' } }
const PID_ISSUER = 'https://pid.large.example'
const NUMBER = { iss: PID_ISSUER, personal_administrative_number: 'N-1' }

let large: MdocPerson
let small: MdocPerson
const clients: Record<string, RegisteredClient> = {}

beforeAll(async () => {
  ;[large, small] = await Promise.all([makeMdocPerson(), makeMdocPerson()])
  const rp = await stage.service.relyingParty({
    trust_anchors: [
      large.anchor({ name: 'large', assurance_level: 'high' }),
      small.anchor({ name: 'small', assurance_level: 'low' }),
    ],
  })
  const register = (type: string, claim: string) =>
    registerClient(rp, {
      subject: { type: 'pairwise', claims: [claim] },
      policies: [{ name: type, credential_types: [type], scope: [claim] }],
    })
  clients[MDL] = await register('mdl', 'document_number')
  clients[PHOTO_ID] = await register('photo_id', 'document_number')
  clients[PID] = await register('pid', 'personal_administrative_number')
})

/** Logs in with a document. Returns the `sub` and the assurance level. */
async function loginWith(person: MdocPerson, docType = MDL, nameSpaces = LICENCE) {
  const { claims } = await login(stage, clients[docType]!, {
    present: async (request) => {
      const [query] = request.payload.dcql_query?.credentials ?? []
      return { [query!.id]: [await mdocOf(person, docType, nameSpaces, request)] }
    },
  })
  return { sub: claims.sub, level: String(claims.acr).split(':').at(-1) }
}

/** Logs in with a PID as an SD-JWT VC, signed below an authority by a signer whose SAN has the `iss`. */
async function loginWithPid({ pki }: MdocPerson) {
  const leaf = await mintLeaf(pki.intermediate, { altNames: [{ type: 'url', value: PID_ISSUER }] })
  const telling = { ...certified({ ...pki, leaf }), claims: NUMBER }
  const { claims } = await login(stage, clients[PID]!, {
    present: async (request) => {
      const [query] = request.payload.dcql_query?.credentials ?? []
      return { [query!.id]: [await presentationOf(stage.person, PID, request, telling)] }
    },
  })
  return { sub: claims.sub, level: String(claims.acr).split(':').at(-1) }
}

/** The person's document, issued by another document signer of the same authority. */
async function withNextSigner(person: MdocPerson): Promise<MdocPerson> {
  const subject = 'C=DE,O=Test Issuer,CN=Document Signer 2'
  const leaf = await mintLeaf(person.pki.intermediate, { subject, extendedKeyUsage: [MDOC_SIGNER] })
  return { ...person, pki: { ...person.pki, leaf, chain: [leaf.der, person.pki.intermediate.der] } }
}

it('two licences of different authorities open different accounts, even if their signers have the same name', async () => {
  const { sub, level } = await loginWith(large)
  expect(level).toBe('high')
  expect(small.pki.leaf.subject).toBe(large.pki.leaf.subject)
  const other = await loginWith(small)
  expect(other.level).toBe('low')
  expect(other.sub).not.toBe(sub)
})

it('a photo ID and a licence with the same number from one authority open different accounts', async () => {
  const { sub } = await loginWith(large)
  const photo = await loginWith({ ...large, device: makeDevice() }, PHOTO_ID, PHOTO)
  expect(photo.level).toBe('high')
  expect(photo.sub).not.toBe(sub)
})

it('two PIDs with the same `iss` open different accounts if different authorities certified their signers', async () => {
  const [first, other] = [await loginWithPid(large), await loginWithPid(small)]
  expect([first.level, other.level]).toEqual(['high', 'low'])
  expect(other.sub).not.toBe(first.sub)
})

it('a licence and its copy from a second document signer of the same authority open the same account', async () => {
  const { sub } = await loginWith(large)
  expect((await loginWith(await withNextSigner(large))).sub).toBe(sub)
})

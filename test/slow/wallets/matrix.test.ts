// api/wallets: every wallet and every question. The request for the wallet is answered and verifies, or the
// creation said before that it would not. docs/wallets.md has the results.

import { readFileSync, writeFileSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { WALLET_PROFILES } from '../../../src/wallets/profiles/index.ts'
import {
  type Exchange,
  exchange,
  exchangeBy,
  type Session,
  useWalletStage,
  type WalletResult,
} from '../../conformance/wallets/stage.ts'
import { SILENT } from '../../support/wallets/documented.ts'
import type { FakeWallet } from '../../support/wallets/fake-wallet.ts'
import { FAKE_WALLETS } from '../../support/wallets/index.ts'
import { QUESTIONS, type Question } from '../../support/wallets/questions.ts'
import { RESULTS_FILE, type Result, type Results } from '../../support/wallets/results.ts'

const stage = useWalletStage()
const results: Record<string, Record<string, Result>> = {}
const expected = JSON.parse(readFileSync(RESULTS_FILE, 'utf8')) as Results
// UPDATE=1 writes the results. `npm run format` and `npm run generate` then write the page.
const isUpdate = process.env.UPDATE === '1'
afterAll(() => {
  if (isUpdate) writeFileSync(RESULTS_FILE, `${JSON.stringify(results, null, 2)}\n`)
})

it('each wallet profile has a fake wallet in the tests', () => {
  expect(FAKE_WALLETS.map(({ id }) => id).sort()).toEqual(WALLET_PROFILES.map(({ id }) => id).sort())
})

describe.each(FAKE_WALLETS)('$id', (wallet) => {
  const profile = WALLET_PROFILES.find(({ id }) => id === wallet.id)!

  it.each(QUESTIONS)(
    "$name: the wallet's response verifies, or the response to the create request correctly says that the wallet cannot respond",
    async (question) => {
      const result = await ask(question)
      results[wallet.id] = { ...results[wallet.id], [question.name]: result }
      if (!isUpdate) expect(result).toEqual(expected[wallet.id]?.[question.name])
    },
  )

  it.each(profile.protocols.filter((protocol) => protocol === 'haip-1.0'))(
    "age_over_18 in %s: the wallet's response verifies, or the response to the create request correctly says that the wallet cannot respond",
    async (protocol) => {
      const { creation, ...over18 } = QUESTIONS[0]!
      await ask({ ...over18, creation: { ...creation, protocol } })
    },
  )

  async function ask(question: Question): Promise<Result> {
    const open = (await stage.rp.create(question.creation)) as Session
    const announced = open.wallets.find(({ id }) => id === wallet.id)!
    const byDefault = await exchange(stage, wallet, profile, open)
    const byChoice = announced.result === 'cannot' ? undefined : await choose(wallet, question)
    expectNoSurprise(wallet, announced, byDefault, byChoice)
    expectWithin(question, byDefault, EXCESS[wallet.id]?.[question.name])
    expectWithin(question, byChoice)
    if (announced.result === 'works' || announced.result === 'lowered') expectMinimal(question, byChoice)
    return resultOf(announced, byDefault, byChoice)
  }

  async function choose({ id }: FakeWallet, { creation }: Question): Promise<Exchange> {
    const session = (await stage.rp.create({ ...creation, wallet: id })) as Session
    return exchange(stage, wallet, profile, session)
  }
})

it.each(FAKE_WALLETS.filter(({ id }) => id.startsWith('eu-age')))(
  '$id: responds to an av:// link, and discloses only the age',
  async (wallet) => {
    const { creation } = QUESTIONS[0]!
    const session = (await stage.rp.create({ ...creation, wallet: wallet.id })) as Session
    const { uri } = session.wallet_request
    expect(uri).toMatch(/^av:\/\/\?/)
    expect(await exchangeBy({ link: uri }, stage, wallet, session)).toMatchObject({
      status: 'verified',
      disclosed: [{ type: 'eu.europa.ec.av.1', claim: 'age_over_18' }],
    })
  },
)

function expectNoSurprise(
  { id }: FakeWallet,
  { result, reasons = [] }: WalletResult,
  byDefault: Exchange,
  byChoice: Exchange | undefined,
): void {
  switch (result) {
    case 'works':
      expect([byDefault, byChoice].map(endOf)).toEqual(['verified', 'verified'])
      break
    case 'lowered':
      expect(endOf(byChoice)).toBe('verified')
      break
    case 'cannot':
      // A wallet that answers and is not asked has that reason.
      if (endOf(byDefault) === 'verified') expect(reasons.map(({ why }) => why)).toContain('discloses_more')
      break
    case 'unknown':
      for (const { member } of reasons) expect(OPEN[id]?.members).toContain(member)
      expect(OPEN[id]?.ends).toContain(endOf(byChoice))
  }
}

/** Members that no public source is about, by wallet, and ends. Only these may be `unknown` in a cell. */
const OPEN: Readonly<Record<string, { readonly members: string[]; readonly ends: string[] }>> = {
  igrant: { members: ['/protocol'], ends: ['verified'] },
  lissi: {
    members: ['/protocol', '/dcql_query/credentials'],
    ends: ['verified', `refused: ${SILENT}several queries`],
  },
}

/** Claims outside the policy that a wallet discloses without a choice. The service says `discloses_more`. */
const AAMVA = ['DHS_compliance', 'EDL_credential']
const EXCESS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  igrant: { mDL: AAMVA, 'two credentials': AAMVA },
}

/** No wallet discloses another claim outside the policy. */
function expectWithin(
  { allowed }: Question,
  end: Exchange | undefined,
  excess: readonly string[] = [],
): void {
  const disclosed = end && 'disclosed' in end ? end.disclosed : []
  const outside = disclosed.map(({ claim }) => claim).filter((claim) => !allowed.includes(claim))
  expect(outside.sort()).toEqual(excess)
}

/** The request for a wallet discloses no more than the question needs. */
function expectMinimal({ claims }: Question, end: Exchange | undefined): void {
  expect(countOf(end)).toBe(claims)
}

function endOf(end: Exchange | undefined): string {
  if (end === undefined) return 'not asked'
  return 'refused' in end ? `refused: ${end.refused}` : end.status
}

function resultOf(
  { result, left_out = [], reasons = [] }: WalletResult,
  byDefault: Exchange,
  byChoice: Exchange | undefined,
): Result {
  return {
    result,
    why: [...new Set([...left_out, ...reasons].map(({ why }) => why))],
    default: endOf(byDefault),
    chosen: endOf(byChoice),
    disclosed: { default: countOf(byDefault), chosen: countOf(byChoice) },
  }
}

function countOf(end: Exchange | undefined): number {
  return end && 'disclosed' in end ? end.disclosed.length : 0
}

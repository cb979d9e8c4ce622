// The client inside workerd, whose `fetch` supports fewer options than Node's.

import { createClient } from '@wallet-verifier/client'
import { expect, it } from 'vitest'

const connection = { baseUrl: 'https://verifier.example', token: 'wv_test_x' }

it('the client library makes requests that workerd accepts', async () => {
  const sent: Request[] = []
  const send: typeof fetch = async (target, init) => {
    sent.push(new Request(target, init)) // throws for an option that the platform does not support
    return Response.json({ verification_id: 'v_1', status: 'pending' }, { status: 201 })
  }
  const client = createClient({ ...connection, fetch: send })
  expect(await client.create({ scope: ['age_over_18'] })).toMatchObject({ ok: true })
  expect(sent.map(({ redirect }) => redirect)).toEqual(['manual'])
})

it('the client library does not follow a redirect, so that no other server gets the token', async () => {
  const answer = new Response(null, { status: 302, headers: { Location: 'https://elsewhere.example/' } })
  const client = createClient({ ...connection, fetch: async () => answer })
  expect(await client.get('v_1')).toMatchObject({
    ok: false,
    error: { code: 'unexpected_answer', status: 302, retryable: false },
  })
})

import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { readBody } from '../../../src/routes/edge/request-body.ts'
import { readJson } from '../../../src/routes/edge/validate.ts'
import { ADMIN, call, edgeApp, json } from './edge-app.ts'

const LIMIT = 1024

const SCHEMA = z.strictObject({
  name: z.string().check(z.maxLength(5)),
  size: z.optional(z.int().check(z.minimum(1), z.maximum(9))),
  kind: z.optional(z.enum(['a', 'b'])),
  deep: z.optional(z.array(z.strictObject({ 'a/b~c': z.boolean() }))),
  free: z.optional(z.record(z.string(), z.unknown())),
})

const app = edgeApp((routes) => {
  routes.post('/test/body', async (c) => {
    const body = await readJson(c, SCHEMA, LIMIT)
    return body.ok ? c.json(body.value) : body.error
  })
})

const post = (body: BodyInit, contentType = 'application/json') =>
  app.request('/test/body', { method: 'POST', body, headers: { 'Content-Type': contentType } }, env)

async function errorsFor(body: unknown) {
  const response = await post(JSON.stringify(body))
  expect(response.status).toBe(400)
  const problem = await json(response)
  expect(problem.code).toBe('invalid_request')
  return problem.errors
}

describe('a request body', () => {
  it('a request body that fits its schema is returned as an object, and its media type may have parameters', async () => {
    expect(await json(post('{"name":"x","size":3}', 'Application/JSON; charset=utf-8'))).toEqual({
      name: 'x',
      size: 3,
    })
  })

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', ''])(
    'a request body of media type %j gets 415',
    async (contentType) => {
      const response = await post('{"name":"x"}', contentType)
      expect([response.status, (await json(response)).code]).toEqual([415, 'unsupported_media_type'])
    },
  )

  it('a request body that is exactly as long as the limit is read, and a body that is one byte longer gets 413', async () => {
    const padded = (length: number) => `{"name":"x"}${' '.repeat(length - 12)}`
    expect((await post(padded(LIMIT))).status).toBe(200)
    const response = await post(padded(LIMIT + 1))
    expect([response.status, (await json(response)).code]).toEqual([413, 'payload_too_large'])
  })

  it('a request body without a Content-Length is not read beyond the limit', async () => {
    let pulled = 0
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulled++
        controller.enqueue(new Uint8Array(600).fill(0x20))
      },
    })
    expect((await post(endless)).status).toBe(413)
    expect(pulled).toBeLessThan(10)
  })

  it.each([
    ['nothing', ''],
    ['half an object', '{"name":"x"'],
    ['a name twice', '{"name":"x","name":"y"}'],
    ['a name twice, once escaped', '{"name":"x","n\\u0061me":"y"}'],
    ['17 levels', '['.repeat(17) + ']'.repeat(17)],
    ['two values', '{"name":"x"}{}'],
  ])('a request body with %s gets 400 invalid_json', async (_, text) => {
    const response = await post(text)
    expect([response.status, (await json(response)).code]).toEqual([400, 'invalid_json'])
  })

  it('a request body that arrives byte by byte is read like any other body', async () => {
    const length = 200_000
    let sent = 0
    const body = new ReadableStream({
      pull(controller) {
        if (sent === length) controller.close()
        else controller.enqueue(Uint8Array.of(sent++ & 0xff))
      },
    })
    const request = new Request('https://verifier.example', { method: 'POST', body })
    const read = await readBody(request, length, 'anyone')
    expect(read).toEqual({ ok: true, value: Uint8Array.from({ length }, (_, i) => i & 0xff) })
  })

  it('a request body that is not UTF-8 gets 400 invalid_json', async () => {
    const response = await post(new Uint8Array([...new TextEncoder().encode('{"name":"'), 0xff, 0x22, 0x7d]))
    expect((await json(response)).code).toBe('invalid_json')
  })

  it('a request body that is not an object is refused with an error for the whole body', async () => {
    expect(await errorsFor([])).toEqual([expect.objectContaining({ pointer: '', code: 'invalid_type' })])
  })
})

describe('an error in a problem response', () => {
  it('names an unknown member', async () => {
    expect(await errorsFor({ name: 'x', colour: 'red' })).toEqual([
      { pointer: '/colour', code: 'unknown_member', message: expect.any(String) },
    ])
  })

  it('names a missing member', async () => {
    expect(await errorsFor({})).toEqual([{ pointer: '/name', code: 'required', message: expect.any(String) }])
  })

  it('is different for a wrong type, a value out of range and an unknown choice', async () => {
    const errors = await errorsFor({ name: 1, size: 10, kind: 'c' })
    expect(errors.map(({ pointer, code }: { pointer: string; code: string }) => [pointer, code])).toEqual([
      ['/name', 'invalid_type'],
      ['/size', 'too_big'],
      ['/kind', 'invalid_value'],
    ])
  })

  it('says which values are allowed', async () => {
    const errors = await errorsFor({ name: 'abcdef', size: 0, kind: 'c', deep: {} })
    expect(errors.map(({ message }: { message: string }) => message)).toEqual([
      'must have at most 5 characters',
      'must be at least 1',
      'must be "a" or "b"',
      'must be an array',
    ])
  })

  it('points to the element of an array, and escapes names by RFC 6901 §3', async () => {
    const errors = await errorsFor({ name: 'x', deep: [{ 'a/b~c': true }, { 'a/b~c': 1 }] })
    expect(errors[0].pointer).toBe('/deep/1/a~1b~0c')
  })

  it('never contains a value that was sent', async () => {
    const canary = 'CANARY'
    const bodies = [
      { name: canary },
      { name: 'x', size: canary },
      { name: 'x', kind: canary },
      { name: [canary] },
    ]
    for (const body of bodies) expect(await (await post(JSON.stringify(body))).text()).not.toContain(canary)
    expect(await (await post(`{"name": ${canary}`)).text()).not.toContain(canary)
  })

  it('is omitted if the response already has 20 errors', async () => {
    const body = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`m${i}`, 1]))
    expect(await errorsFor(body)).toHaveLength(20)
  })

  it('is reported for a member called __proto__, which schema libraries ignore', async () => {
    const response = await post('{"name":"x","free":{"__proto__":"y"}}')
    expect((await json(response)).errors).toEqual([
      expect.objectContaining({ pointer: '/free/__proto__', code: 'unknown_member' }),
    ])
    const many = await post(`{"name":"x","free":{"m":[${Array(60).fill('{"__proto__":1}').join()}]}}`)
    expect((await json(many)).errors).toHaveLength(20)
  })
})

describe('a query parameter', () => {
  it('a query parameter that is unknown is refused with an error that names it', async () => {
    const body = await json(call(app, 'GET', '/v1/admin/relying_parties?colour=red', { headers: ADMIN }))
    expect(body.errors).toEqual([expect.objectContaining({ pointer: '/colour', code: 'unknown_member' })])
  })
})

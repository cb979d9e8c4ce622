// `/openapi.json` and `/docs` as they are served.

import { env } from 'cloudflare:workers'
import { beforeAll, expect, it, vi } from 'vitest'
import { createApp } from '../../../src/routes/app.ts'
import { PROBLEMS } from '../../../src/routes/edge/problems.ts'
import { DESCRIPTION } from '../../support/reading/described.ts'
import { call, json } from '../edge/edge-app.ts'

const app = createApp()

beforeAll(() => {
  vi.spyOn(console, 'log').mockImplementation(() => undefined)
})

it('/openapi.json is the description, for tools of any origin, and may be kept a while', async () => {
  const response = await call(app, 'GET', '/openapi.json')
  expect(response.headers.get('Content-Type')).toBe('application/json')
  expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*')
  expect(response.headers.get('Cache-Control')).toBe('public, max-age=300')
  expect(await json(response)).toEqual(JSON.parse(JSON.stringify(DESCRIPTION)))
})

it('/docs shows every call, every schema and every problem', async () => {
  const page = await (await call(app, 'GET', '/docs')).text()
  for (const [path, item] of Object.entries(DESCRIPTION.paths)) {
    expect(page).toContain(`<code>${path}</code>`)
    for (const { summary } of Object.values(item)) expect(page).toContain(escaped(summary))
  }
  for (const name of Object.keys(DESCRIPTION.components.schemas)) expect(page).toContain(`id="${name}"`)
  for (const code of Object.keys(PROBLEMS).filter((code) => code !== 'method_not_allowed')) {
    expect(page).toContain(`href="/problems/${code}"`)
  }
})

it('/docs links to nothing that is not on it or on this service', async () => {
  const page = await (await call(app, 'GET', '/docs')).text()
  const targets = [...page.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, target = '']) => target)
  const anchors = [...page.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id)
  expect(new Set(anchors).size).toBe(anchors.length)
  for (const target of targets.filter((each) => each.startsWith('#'))) {
    expect(anchors).toContain(target.slice(1))
  }
  const elsewhere = targets.filter(
    (each) => !/^(#|\/problems\/\w+$|\/openapi\.json$|\/assets\/docs\.css$|data:,$)/.test(each),
  )
  expect(elsewhere).toEqual([])
})

it('/docs runs no script: its policy allows the style of its own origin and nothing else', async () => {
  const response = await call(app, 'GET', '/docs')
  const policy = response.headers.get('Content-Security-Policy') ?? ''
  expect(policy.split('; ').sort()).toEqual([
    "base-uri 'none'",
    "default-src 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    'img-src data:',
    "style-src 'self'",
  ])
  expect(response.headers.get('Content-Type')).toMatch(/^text\/html/)
  const page = await response.text()
  expect(page).toContain('<link rel="stylesheet" href="/assets/docs.css">')
  expect(page).not.toMatch(/<script|<style|\son\w+=|\sstyle=/)
  const style = await call(app, 'GET', '/assets/docs.css')
  expect(style.headers.get('Content-Type')).toMatch(/^text\/css/)
  expect(await style.text()).toContain(':root')
})

it('a file that is not there is a fault of the moment', async () => {
  const empty = { ...env.ASSETS, fetch: async () => new Response(null, { status: 404 }) }
  const response = await call(app, 'GET', '/docs', { env: { ...env, ASSETS: empty } })
  expect(response.status).toBe(503)
})

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll("'", '&#39;').replaceAll('"', '&quot;')
}

// api/logins: authorization requests that are accepted, and the verifications that they create.

import { beforeAll, describe, expect, it } from 'vitest'
import { poll, type Setting, setUp } from '../../session/driver.ts'
import { call } from '../edge/edge-app.ts'
import { ADULT_POLICY, app, begin, newClient, type TestClient } from './login-world.ts'

let setting: Setting
let client: TestClient

beforeAll(async () => {
  setting = await setUp()
  client = await newClient(setting)
})

const sessionOf = (id: string) => poll(setting, id)

describe('an authorization request', () => {
  it.each([
    ['prompt', 'login'],
    ['prompt', 'consent select_account'],
    ['max_age', '0'],
    ['login_hint', 'erika'],
    ['display', 'touch'],
    ['acr_values', 'urn:example:gold'],
    ['claims_locales', 'de'],
    ['scope', 'phone openid'],
    ['extra', 'x'],
  ])('may have the parameter %s=%s, which has no effect', async (name, value) => {
    const { id } = await begin(client, { [name]: value })
    expect(await sessionOf(id)).toMatchObject({ status: 'pending', scope: ['age_over_18'] })
  })

  it.each([
    [true, 200],
    [false, 409],
  ])(
    'of a client with cross_device %s has a QR code whose address responds with status %i',
    async (cross_device, status) => {
      const { id, token, cookies } = await begin(await newClient(setting, { cross_device }))
      const headers = { Cookie: cookies, Authorization: `Bearer ${token}` }
      const qr = await call(app, 'GET', `/v1/verify/${id}/qr`, { headers })
      const view = await call(app, 'GET', `/v1/verify/${id}/openid4vp`, { headers: setting.headers })
      expect([qr.status, view.status]).toEqual([status, status])
    },
  )

  it('without a policy in scope uses the default policy', async () => {
    const older = { ...ADULT_POLICY, name: 'older', scope: ['age_over_21'] }
    const policies = [ADULT_POLICY, older].map((policy) => ({ ...policy, front_channel: true }))
    const several = await newClient(setting, { policies, default_policy: 'older' })
    const scopeOf = async (scope: string) => {
      const { id } = await begin(several, { scope })
      return (await sessionOf(id)).scope
    }
    expect(await scopeOf('openid profile')).toEqual(['age_over_21'])
    expect(await scopeOf('openid adult')).toEqual(['age_over_18'])
  })
})

// Sign-in of people by the OpenID Provider of the organisation: its client, and the scopes of each role.

import type { Settings } from '../../packages/client/src/wire.ts'
import { call } from '../api.ts'
import { Action, Facts } from '../parts.tsx'
import { t } from '../texts.ts'
import { Form, Line, Lines, linesOf, textOf } from './form.tsx'

type PeopleProps = { readonly settings: Settings; readonly place: string; readonly onChange: () => void }

export function People({ settings, place, onChange }: PeopleProps) {
  const setting = settings.console_sign_in
  const address = `${location.origin}/console/people/${settings.relying_party_id}`
  const change = async (console_sign_in: object | null) => {
    const saved = await call('PATCH', place, { console_sign_in })
    if (saved.ok) onChange()
    return saved
  }
  return (
    <section>
      <h2>{t('people')}</h2>
      <p class="soft">{t('people_hint')}</p>
      <div class="card">
        <Facts
          rows={[
            [t('redirect_uri'), <code key="address">{address}</code>],
            [t('issuer'), setting && <code key="issuer">{setting.issuer}</code>],
            [t('roles'), setting && linesFor(setting.roles).join('; ')],
          ]}
        />
        {setting && (
          <div class="actions">
            <Action
              label={t('remove_people')}
              kind="danger"
              confirm={t('remove_people_sure')}
              run={() => change(null)}
            />
          </div>
        )}
      </div>
      <details>
        <summary>{t('change_people')}</summary>
        <Form label={t('change_people')} action={t('save')} send={(fields) => change(settingOf(fields))}>
          <div class="fields">
            <Line
              name="issuer"
              label={t('issuer')}
              pointer={`${AT}/issuer`}
              value={setting?.issuer ?? ''}
              type="url"
            />
            <Line
              name="client_id"
              label={t('client_id')}
              pointer={`${AT}/client_id`}
              value={setting?.client_id ?? ''}
            />
            <Line
              name="client_secret"
              label={t('client_secret')}
              pointer={`${AT}/client_secret`}
              type="password"
              {...(setting && { hint: t('secret_stays') })}
            />
            <Line
              name="roles_claim"
              label={t('roles_claim')}
              pointer={`${AT}/roles_claim`}
              hint={t('roles_claim_hint')}
              value={setting?.roles_claim ?? 'roles'}
            />
            <Lines
              name="roles"
              label={t('roles')}
              pointer={`${AT}/roles`}
              hint={t('roles_hint')}
              value={linesFor(setting?.roles ?? EXAMPLE).join('\n')}
            />
          </div>
        </Form>
      </details>
    </section>
  )
}

const AT = '/console_sign_in'
const EXAMPLE = { 'verifier-support': ['verify:read'] }

/** Returns a line for each role: `support = verify:read webhooks:manage`. */
function linesFor(roles: Readonly<Record<string, readonly string[]>>): readonly string[] {
  return Object.entries(roles).map(([role, scopes]) => `${role} = ${scopes.join(' ')}`)
}

/** Returns the setting of the form. The API returns the errors of its values. */
function settingOf(fields: FormData): object {
  const roles = linesOf(fields, 'roles').map((line) => {
    const at = line.lastIndexOf('=')
    const scopes = line.slice(at + 1).split(/\s+/)
    return [line.slice(0, Math.max(at, 0)).trim(), scopes.filter((scope) => scope !== '')]
  })
  const secret = textOf(fields, 'client_secret')
  return {
    issuer: textOf(fields, 'issuer'),
    client_id: textOf(fields, 'client_id'),
    roles_claim: textOf(fields, 'roles_claim'),
    roles: Object.fromEntries(roles),
    ...(secret !== '' && { client_secret: secret }),
  }
}

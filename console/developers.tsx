// The page of a relying party's developers: keys, webhook, trust anchors, clients, settings and wallets.

import type { Settings } from '../packages/client/src/wire.ts'
import type { Session } from './api.ts'
import { Loaded, useResource, Zone } from './parts.tsx'
import { Anchors } from './settings/anchors.tsx'
import { ApiKeys } from './settings/api-keys.tsx'
import { Identities } from './settings/identities.tsx'
import { OidcClients } from './settings/oidc-clients.tsx'
import { People } from './settings/people.tsx'
import { OWN } from './settings/places.ts'
import { SettingsSections } from './settings/settings-form.tsx'
import { Wallets } from './settings/wallets.tsx'
import { Webhook } from './settings/webhook.tsx'
import { WebhookFailures } from './settings/webhook-failures.tsx'
import { t } from './texts.ts'

export function Developers({ session }: { readonly session: Session }) {
  const may = (scope: string) => session.scopes.includes(scope)
  return (
    <>
      <h1>{t('developers')}</h1>
      <p>
        <a href="/docs">{t('api_reference')}</a>
      </p>
      <Zone />
      {may('settings:manage') ? <OwnSettings session={session} /> : <p class="notice">{t('read_only')}</p>}
      {may('verify:read') && may('webhooks:manage') && <WebhookFailures />}
      {may('verify:read') && <Wallets />}
    </>
  )
}

function OwnSettings({ session }: { readonly session: Session }) {
  const { answer, reload } = useResource<Settings>(OWN.settings)
  return (
    <Loaded answer={answer}>
      {(settings) => (
        <>
          <ApiKeys keys={settings.api_keys} place={OWN.keys} scopes={session.scopes} onChange={reload} />
          <Webhook webhook={settings.webhook} places={OWN} onChange={reload} />
          <Anchors settings={settings} place={OWN.settings} onChange={reload} />
          <OidcClients place={OWN.clients} />
          <Identities settings={settings} place={OWN.settings} onChange={reload} />
          <People settings={settings} place={OWN.settings} onChange={reload} />
          <SettingsSections settings={settings} place={OWN.settings} onChange={reload} />
        </>
      )}
    </Loaded>
  )
}

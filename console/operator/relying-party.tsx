// One relying party, as its operator sees and changes it.

import type { Settings } from '../../packages/client/src/wire.ts'
import { call } from '../api.ts'
import { Action, Facts, Loaded, Time, useResource, Zone } from '../parts.tsx'
import { Anchors } from '../settings/anchors.tsx'
import { ApiKeys } from '../settings/api-keys.tsx'
import { Identities } from '../settings/identities.tsx'
import { OidcClients } from '../settings/oidc-clients.tsx'
import { People } from '../settings/people.tsx'
import { placesOf } from '../settings/places.ts'
import { SettingsSections } from '../settings/settings-form.tsx'
import { Webhook } from '../settings/webhook.tsx'
import { t } from '../texts.ts'

export function RelyingParty({ id }: { readonly id: string }) {
  const places = placesOf(id)
  const { answer, reload } = useResource<Settings>(places.settings)
  const remove = async () => {
    const removed = await call('DELETE', places.settings)
    if (removed.ok) location.hash = '#/operator'
    return removed
  }
  return (
    <>
      <p>
        <a href="#/operator">{t('operator')}</a>
      </p>
      <h1>{answer?.ok ? answer.value.name : id}</h1>
      <Zone />
      <Loaded answer={answer}>
        {(settings) => (
          <>
            <div class="card">
              <Facts
                rows={[
                  [t('id'), <code key="id">{settings.relying_party_id}</code>],
                  [t('mode'), t(settings.livemode ? 'live_mode' : 'test_mode')],
                  [t('created'), <Time key="created" at={settings.created_at} />],
                ]}
              />
            </div>
            <Anchors settings={settings} place={places.settings} onChange={reload} />
            <Webhook webhook={settings.webhook} places={places} onChange={reload} />
            <ApiKeys keys={settings.api_keys} place={places.keys} onChange={reload} />
            <OidcClients place={places.clients} />
            <Identities settings={settings} place={places.settings} onChange={reload} />
            <People settings={settings} place={places.settings} onChange={reload} />
            <SettingsSections settings={settings} place={places.settings} onChange={reload} />
            <section>
              <h2>{t('delete_party')}</h2>
              <p class="soft">{t('delete_party_hint')}</p>
              <Action
                label={t('delete_party')}
                kind="danger"
                confirm={t('delete_party_sure', { name: settings.name })}
                run={remove}
              />
            </section>
          </>
        )}
      </Loaded>
    </>
  )
}

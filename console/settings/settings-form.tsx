// Settings of a relying party: the usual settings as fields, and all settings as JSON. The API validates
// both.

import { useState } from 'preact/hooks'
import type { Settings } from '../../packages/client/src/wire.ts'
import { type Answer, call } from '../api.ts'
import { t } from '../texts.ts'
import { Choice, Form, JsonLines, Line, Lines, linesOf, objectOf, Switch, textOf } from './form.tsx'

type SettingsProps = { readonly settings: Settings; readonly place: string; readonly onChange: () => void }

/** Lists that have a field with one line for each entry. */
const LISTS = ['return_urls', 'origins', 'anchor_sets'] as const
const SWITCHES = ['index', 'by_value', 'enforce_registration', 'eu_age_verification'] as const
const CHOICES = {
  status_unavailable: ['refuse', 'accept'],
  certificate_revocation: ['off', 'accept_unknown', 'require'],
} as const
/** Members that a change cannot have. */
const FIXED = ['relying_party_id', 'livemode', 'created_at', 'api_keys', 'warnings']

export function SettingsSections({ settings, place, onChange }: SettingsProps) {
  return (
    <section>
      <h2>{t('settings')}</h2>
      {settings.warnings.map(({ code, pointer, message }) => (
        <p key={code + pointer} class="notice">
          <code>{pointer}</code> {message}
        </p>
      ))}
      <SettingsForm {...{ settings, place, onChange }} />
      <details>
        <summary>{t('settings_as_json')}</summary>
        <JsonSettings {...{ settings, place, onChange }} />
      </details>
    </section>
  )
}

function SettingsForm({ settings, place, onChange }: SettingsProps) {
  const save = async (fields: FormData) => {
    const saved = await call('PATCH', place, changesOf(fields, settings))
    if (saved.ok) onChange()
    return saved
  }
  return (
    <Form label={t('settings')} action={t('save')} send={save}>
      <div class="fields">
        <Line name="name" label={t('name')} value={settings.name} />
        <Line
          name="retention_seconds"
          label={t('retention_seconds')}
          type="number"
          value={String(settings.retention_seconds)}
        />
        <Line
          name="color"
          label={t('branding_color')}
          pointer="/branding"
          value={settings.branding?.color ?? ''}
        />
        {LISTS.map((name) => (
          <Lines
            key={name}
            name={name}
            label={t(name)}
            hint={t('one_a_line')}
            value={settings[name].join('\n')}
          />
        ))}
        {Object.entries(CHOICES).map(([name, options]) => (
          <Choice
            key={name}
            name={name}
            label={t(name)}
            options={options}
            value={settings[name as keyof typeof CHOICES]}
          />
        ))}
      </div>
      {SWITCHES.map((name) => (
        <Switch key={name} name={name} isOn={settings[name]} label={t(`setting.${name}`)} />
      ))}
    </Form>
  )
}

/** Returns the members whose field differs from the setting. */
function changesOf(fields: FormData, settings: Settings): Readonly<Record<string, unknown>> {
  const color = textOf(fields, 'color')
  const retention = textOf(fields, 'retention_seconds')
  const branding = { ...settings.branding, color: color === '' ? null : color }
  const shown: Record<string, unknown> = {
    name: textOf(fields, 'name'),
    // A text that is not a number is sent to the API, which returns the error.
    retention_seconds: retention === '' ? retention : Number(retention),
    ...Object.fromEntries(LISTS.map((name) => [name, linesOf(fields, name)])),
    ...Object.fromEntries(Object.keys(CHOICES).map((name) => [name, textOf(fields, name)])),
    ...Object.fromEntries(SWITCHES.map((name) => [name, fields.has(name)])),
    ...(color !== (settings.branding?.color ?? '') && { branding: withoutNulls(branding) }),
  }
  const current: Readonly<Record<string, unknown>> = settings
  return Object.fromEntries(
    Object.entries(shown).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(current[name])),
  )
}

/** Returns the members that have a value; null if none has a value. */
function withoutNulls(members: object): object | null {
  const set = Object.entries(members).filter(([, value]) => value !== null)
  return set.length === 0 ? null : Object.fromEntries(set)
}

function JsonSettings({ settings, place, onChange }: SettingsProps) {
  const names = Object.keys(settings).filter((name) => !FIXED.includes(name))
  const [name, setName] = useState(names[0] ?? '')
  const current: Readonly<Record<string, unknown>> = settings
  const save = async (fields: FormData): Promise<Answer<unknown>> => {
    const body = objectOf(fields, 'json')
    if (!body.ok) return body
    const saved = await call('PATCH', place, body.value)
    if (saved.ok) onChange()
    return saved
  }
  return (
    <>
      <textarea
        readOnly
        rows={12}
        aria-label={t('current_settings')}
        value={JSON.stringify(settings, null, 2)}
      />
      <Form label={t('settings_as_json')} action={t('save')} send={save}>
        <Choice name="member" label={t('member')} options={names} value={name} onChoose={setName} />
        <JsonLines
          key={name}
          name="json"
          label={t('change_settings')}
          value={JSON.stringify({ [name]: current[name] }, null, 2)}
        />
      </Form>
    </>
  )
}

// Filters with a name: opened, saved, renamed, deleted. They stay in this browser.

import { useRef, useState } from 'preact/hooks'
import { announce, Field } from '../parts.tsx'
import { listLink } from '../route.ts'
import { t } from '../texts.ts'
import { loadViews, NAME_LENGTH, renamed, type SavedView, storeViews, VIEWS, withView } from './views.ts'

export function SavedViews({ owner, query }: { readonly owner: string; readonly query: string }) {
  const [views, setViews] = useState(() => loadViews(localStorage, owner))
  const [fault, setFault] = useState('')
  const change = (next: readonly SavedView[] | undefined, said: string) => {
    if (next === undefined) return setFault(t('views_full', { count: VIEWS }))
    if (!storeViews(localStorage, owner, next)) return setFault(t('views_not_stored'))
    setViews(next)
    setFault('')
    announce(said)
  }
  return (
    <details class="views">
      <summary>{t('views', { count: views.length })}</summary>
      {views.length > 0 && (
        <ul>
          {views.map((view) => (
            <View
              key={view.name}
              view={view}
              isOpen={view.query === query}
              onRename={(name) => change(renamed(views, view.name, name), t('saved'))}
              onDelete={() =>
                change(
                  views.filter(({ name }) => name !== view.name),
                  t('done', { label: t('delete') }),
                )
              }
            />
          ))}
        </ul>
      )}
      {query !== '' && (
        <Name
          id="view"
          label={t('view_name')}
          hint={t('views_hint')}
          button={t('view_save')}
          onName={(name) => change(withView(views, { name, query }), t('saved'))}
        />
      )}
      {query === '' && <p class="soft">{t('views_none')}</p>}
      {fault !== '' && (
        <p class="notice bad" role="alert">
          {fault}
        </p>
      )}
    </details>
  )
}

type ViewProps = {
  readonly view: SavedView
  readonly isOpen: boolean
  readonly onRename: (name: string) => void
  readonly onDelete: () => void
}

function View({ view: { name, query }, isOpen, onRename, onDelete }: ViewProps) {
  const [isNaming, setNaming] = useState(false)
  return (
    <li>
      <a href={listLink(query)} aria-current={isOpen ? 'true' : undefined}>
        {name}
      </a>
      <div class="actions">
        <button type="button" aria-expanded={isNaming} onClick={() => setNaming(!isNaming)}>
          {t('rename')} <span class="hidden">{name}</span>
        </button>
        <button type="button" onClick={onDelete}>
          {t('delete')} <span class="hidden">{name}</span>
        </button>
      </div>
      {isNaming && (
        <Name
          id={`view-${name}`}
          label={t('view_name')}
          value={name}
          button={t('save')}
          onName={(next) => {
            setNaming(false)
            onRename(next)
          }}
        />
      )}
    </li>
  )
}

type NameProps = {
  readonly id: string
  readonly label: string
  readonly hint?: string
  readonly value?: string
  readonly button: string
  readonly onName: (name: string) => void
}

/** A field for a name, and its button. */
function Name({ id, label, hint, value = '', button, onName }: NameProps) {
  const form = useRef<HTMLFormElement>(null)
  const send = (event: SubmitEvent) => {
    event.preventDefault()
    const name = String(new FormData(event.currentTarget as HTMLFormElement).get(id) ?? '').trim()
    if (name === '') return
    form.current?.reset()
    onName(name)
  }
  return (
    <form ref={form} class="bar" onSubmit={send}>
      <Field
        name={id}
        label={label}
        {...(hint !== undefined && { hint })}
        defaultValue={value}
        maxLength={NAME_LENGTH}
        required
      />
      <button type="submit">{button}</button>
    </form>
  )
}

// Keys of the console. A single key works only outside of fields and dialogs, and can be turned off
// (WCAG 2.1.4). Arrows move through the rows only while a row has the focus.

const STORED = 'console-shortcuts'
const OFF = 'off'

/** Returns true unless single keys were turned off in this browser. */
export function areKeysOn(): boolean {
  return localStorage.getItem(STORED) !== OFF
}

/** Turns single keys on or off, in this browser. */
export function setKeysOn(isOn: boolean): void {
  if (isOn) localStorage.removeItem(STORED)
  else localStorage.setItem(STORED, OFF)
}

/** Listens to keys. `help`: shows the keys. Returns a function that stops it. */
export function listenToKeys(help: () => void): () => void {
  const press = (event: KeyboardEvent) => {
    const action = isFree(event) ? actionOf(event.key) : undefined
    if (action === undefined || (action !== 'help' && !ACTIONS[action]())) return
    if (action === 'help') help()
    event.preventDefault()
  }
  addEventListener('keydown', press)
  return () => removeEventListener('keydown', press)
}

/** Returns true if no field, dialog or other key is in use. */
function isFree({ target, ctrlKey, metaKey, altKey, defaultPrevented, isComposing }: KeyboardEvent): boolean {
  if (ctrlKey || metaKey || altKey || defaultPrevented || isComposing) return false
  return !(target instanceof Element && target.closest(FIELDS) !== null)
}

const FIELDS = 'input, textarea, select, dialog, [contenteditable]'

type Action = keyof typeof ACTIONS | 'help'

const SINGLE: Readonly<Record<string, Action>> = { '/': 'search', j: 'next', k: 'previous', '?': 'help' }
const ARROWS: Readonly<Record<string, Action>> = { ArrowDown: 'next', ArrowUp: 'previous' }

function actionOf(key: string): Action | undefined {
  const isOnRow = document.activeElement?.closest('.rows') != null
  if (isOnRow && Object.hasOwn(ARROWS, key)) return ARROWS[key]
  return areKeysOn() && Object.hasOwn(SINGLE, key) ? SINGLE[key] : undefined
}

/** Each returns true if it did something. */
const ACTIONS = {
  search: () => {
    const field = document.querySelector<HTMLInputElement>('input[type="search"]')
    field?.focus()
    field?.select()
    return field !== null
  },
  next: () => moveBy(1),
  previous: () => moveBy(-1),
}

/** Moves the focus to another row; without a focused row, to the first row on the screen. */
function moveBy(step: 1 | -1): boolean {
  const rows = [...document.querySelectorAll<HTMLAnchorElement>('.rows a')]
  const place = rows.indexOf(document.activeElement as HTMLAnchorElement)
  const first = rows.find((row) => row.getBoundingClientRect().top >= 0)
  const row = place < 0 ? first : rows[place + step]
  row?.focus({ preventScroll: true })
  row?.scrollIntoView({ block: 'nearest' })
  return row !== undefined
}

// Roles of the search box. The theme has a button around fields and links, and options around links, which
// assistive technology cannot operate. Here the box is a dialog with a list of links.

const BOX = {
  role: 'dialog',
  'aria-modal': 'true',
  'aria-label': 'Search',
  'aria-labelledby': null,
  'aria-expanded': null,
  'aria-haspopup': null,
  'aria-owns': null,
}
const LIST = { role: null, 'aria-labelledby': null }
const ENTRY = { role: null, 'aria-selected': null }
/** The name of a result is its text. */
const RESULT = { 'aria-label': null }
const FIELD = { 'aria-activedescendant': null, 'aria-autocomplete': null, 'aria-controls': null }

/** A key is a picture with a name. */
const KEY = { role: 'img' }

/** Keeps these roles while the box is open. */
export function mendSearch() {
  const options = {
    childList: true,
    subtree: true,
    attributeFilter: ['role', 'aria-selected', 'aria-expanded'],
  }
  new MutationObserver(mend).observe(document.body, options)
}

function mend() {
  const box = document.querySelector('.VPLocalSearchBox')
  if (box === null) return
  set(box, BOX)
  for (const list of box.querySelectorAll('#localsearch-list')) set(list, LIST)
  for (const entry of box.querySelectorAll('#localsearch-list > li')) set(entry, ENTRY)
  for (const result of box.querySelectorAll('a.result')) set(result, RESULT)
  for (const key of box.querySelectorAll('kbd[aria-label]')) set(key, KEY)
  for (const field of box.querySelectorAll('input')) set(field, FIELD)
}

/** Sets attributes, or removes them if the value is null. Changes none that is right, which would not end. */
function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (element.getAttribute(name) === value) continue
    if (value === null) element.removeAttribute(name)
    else element.setAttribute(name, value)
  }
}

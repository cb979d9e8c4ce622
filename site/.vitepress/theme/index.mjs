// The standard theme without fonts from elsewhere, with our colours, and with a page for unknown addresses that
// has a main part and a first heading.

import DefaultTheme from 'vitepress/theme-without-fonts'
import { h, onMounted } from 'vue'
import { mendSearch } from './search.mjs'
import './style.css'

function notFound() {
  const way = h('a', { href: '/' }, 'The documentation')
  return h('main', { class: 'vp-doc not-found' }, [
    h('h1', 'Not found'),
    h('p', ['This address has no page. ', way, ' lists every page.']),
  ])
}

export default {
  extends: DefaultTheme,
  setup: () => onMounted(mendSearch),
  Layout: () => h(DefaultTheme.Layout, null, { 'not-found': notFound }),
}

import { it } from 'vitest'

it('passes', ({ task }) => {
  Object.assign(task.meta, { refusals: { mso_mdoc: 2 } })
})

// Shows the content of `/readyz`: if the service is ready, and its warnings.

import type { Problem } from '../api.ts'
import { Failure, Loaded, useResource } from '../parts.tsx'
import { t } from '../texts.ts'

type Ready = {
  readonly status: string
  readonly warnings?: readonly (Readonly<Record<string, unknown>> & {
    readonly code: string
    readonly message?: string
  })[]
}

const EVERY_MS = 10_000
/** The status of a service that is not ready. */
const UNAVAILABLE = 503

export function Readiness() {
  const { answer } = useResource<Ready>('/readyz', EVERY_MS)
  const isUnready = answer?.ok === false && answer.problem.status === UNAVAILABLE
  return (
    <section>
      <h2>{t('readiness')}</h2>
      {isUnready ? (
        <Unready problem={answer.problem} />
      ) : (
        <Loaded answer={answer}>{(ready) => <Warnings ready={ready} />}</Loaded>
      )}
    </section>
  )
}

function Unready({ problem }: { readonly problem: Problem }) {
  return (
    <>
      <p>
        <span class="status rejected">{t('not_ready')}</span>
      </p>
      <Failure problem={problem} />
    </>
  )
}

function Warnings({ ready: { warnings = [] } }: { readonly ready: Ready }) {
  return (
    <>
      <p>
        <span class="status verified">{t('ready')}</span>
      </p>
      {warnings.length === 0 && <p class="soft">{t('no_warnings')}</p>}
      {warnings.map(({ code, message, ...facts }) => (
        <p key={code} class="notice">
          <code>{code}</code> {message}{' '}
          {Object.entries(facts)
            .map(([name, value]) => `${name}: ${String(value)}`)
            .join(', ')}
        </p>
      ))}
    </>
  )
}

// `/metrics` as a table.

import { useEffect, useState } from 'preact/hooks'
import { type Answer, call } from '../api.ts'
import { formatCount } from '../insights/counts.ts'
import { Action, Loaded, Table } from '../parts.tsx'
import { t } from '../texts.ts'
import { readMetrics } from './exposition.ts'

/** The status of a service without metrics of its own, such as on Cloudflare. */
const NOT_FOUND = 404

export function Metrics() {
  const [answer, setAnswer] = useState<Answer<string> | null>(null)
  const read = async () => {
    const text = await call<string>('GET', '/metrics')
    setAnswer(text)
    return text
  }
  useEffect(() => void read(), [])
  const isElsewhere = answer?.ok === false && answer.problem.status === NOT_FOUND
  return (
    <section>
      <h2>{t('metrics')}</h2>
      <p class="soft">{t('metrics_hint')}</p>
      {isElsewhere ? (
        <p>{t('no_metrics')}</p>
      ) : (
        <Loaded answer={answer}>
          {(text) => (
            <>
              <div class="actions">
                <Action label={t('read_again')} run={read} />
              </div>
              <Samples text={text} />
            </>
          )}
        </Loaded>
      )}
    </section>
  )
}

function Samples({ text }: { readonly text: string }) {
  const { samples, help } = readMetrics(text)
  return (
    <Table caption={t('metrics')} columns={[t('name'), t('labels'), t('value'), t('meaning')]}>
      {samples.map(({ name, labels, value }, number) => (
        <tr key={String(number)}>
          <td>
            <code>{name}</code>
          </td>
          <td>{labels.map(([label, of]) => `${label}=${of}`).join(', ')}</td>
          <td>{formatCount(value)}</td>
          <td>{help.get(name) ?? help.get(name.replace(/_(total|bucket|sum|count|created)$/, ''))}</td>
        </tr>
      ))}
    </Table>
  )
}

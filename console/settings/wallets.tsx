// Wallets for which the service has a profile, and what each wallet supports.

import type { WalletList } from '../../packages/client/src/wire.ts'
import { known, Loaded, Table, useResource } from '../parts.tsx'
import { language, t } from '../texts.ts'

export function Wallets() {
  const { answer } = useResource<WalletList>('/v1/wallets')
  const regions = new Intl.DisplayNames(language(), { type: 'region' })
  return (
    <section>
      <h2>{t('wallets')}</h2>
      <p class="soft">{t('wallets_hint')}</p>
      <Loaded answer={answer}>
        {({ wallets }) => (
          <Table caption={t('wallets')} columns={COLUMNS.map((column) => t(column))}>
            {wallets.map(
              ({ id, name, status, countries, platforms, formats, protocols, dc_api_protocols }) => (
                <tr key={id}>
                  <td>{name}</td>
                  <td>
                    <code>{id}</code>
                  </td>
                  <td>{known('wallet_status', status)}</td>
                  <td>
                    {countries.length === 0
                      ? t('everywhere')
                      : countries.map((code) => regions.of(code)).join(', ')}
                  </td>
                  <td>{platforms.join(', ')}</td>
                  <td>{formats.join(', ')}</td>
                  <td>{[...protocols, ...dc_api_protocols].join(', ')}</td>
                </tr>
              ),
            )}
          </Table>
        )}
      </Loaded>
    </section>
  )
}

const COLUMNS = ['name', 'id', 'mode', 'countries', 'platforms', 'formats', 'protocols']

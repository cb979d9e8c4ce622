// Help texts of the counters and gauges, for assets/metrics.json. The key is the name of the counter or
// gauge.

export const HELP: Readonly<Record<string, string>> = {
  sessions: 'Sessions created.',
  outcomes: 'Sessions ended.',
  answers: 'Wallet responses evaluated.',
  webhook_attempts: 'Webhook POSTs.',
  fetches: 'Outgoing GETs: status and revocation lists, issuer keys, trust lists.',
  requests: 'HTTP requests.',
  build_info: 'Version of the service.',
  boot: 'This process.',
  alarms_repaired: 'Lost alarms that the start set again.',
  ready: 'Whether /readyz is 200.',
  warning: 'Warnings of /readyz.',
  certificate_expires_in_seconds: 'Until a verifier certificate expires.',
  certificates_expired: "Relying parties' own.",
  storage_writable: 'Whether storage can be written.',
  trust_list_usable: 'Whether it vouches for anybody.',
  trust_list_usable_for_seconds: 'Until it is stale.',
  sessions_pending: 'Sessions that wait for a wallet.',
  webhooks_queued: 'Events that will be sent.',
  webhooks_dead: 'Events that were given up.',
  state_bytes: 'Space that STATE_DIR takes on its disk.',
  state_free_bytes: 'Space that is left on the disk of STATE_DIR.',
  process_resident_memory_bytes: 'Resident memory of workerd.',
  process_open_fds: 'Open file descriptors of workerd.',
  process_max_fds: 'Limit of file descriptors of workerd.',
}

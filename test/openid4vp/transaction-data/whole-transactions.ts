// One object of every built-in type of transaction data, with every member of its definition except those
// that exclude each other.

const payment = {
  transaction_id: '8D8AC610',
  date_time: '2027-01-31T12:00:00+01:00',
  payee: {
    name: 'Shop',
    id: 'DE1',
    logo: 'data:image/png;base64,AA==',
    website: 'https://shop.example',
  },
  pisp: { legal_name: 'Payments AG', brand_name: 'Pay', domain_name: 'pay.example' },
  currency: 'EUR',
  amount: -12.5,
  amount_estimated: false,
  amount_earmarked: true,
  sct_inst: false,
  recurrence: {
    start_date: '2027-02-01',
    end_date: '2028-02-01',
    number: 12,
    frequency: 'MNTH',
    mit_options: {
      amount_variable: true,
      min_amount: 1,
      max_amount: 20,
      total_amount: 240,
      initial_amount: 0,
      initial_amount_number: 1,
      apr: 3.5,
    },
  },
}

/** Members besides `type`, `credential_ids` and `transaction_data_hashes_alg`, by type. */
export const WHOLE = {
  'urn:eudi:sca:payment:1': { payload: payment },
  'urn:eudi:sca:login_risk_transaction:1': {
    payload: {
      transaction_id: 'T',
      date_time: '2027-01-31T12:00:00Z',
      service: 'Online banking',
      action: 'Log in',
    },
  },
  'urn:eudi:sca:account_access:1': {
    payload: {
      transaction_id: 'T',
      date_time: '2027-01-31T12:00:00Z',
      aisp: { legal_name: 'Accounts AG', brand_name: 'View', domain_name: 'view.example' },
      description: 'Balances of the last year',
    },
  },
  'urn:eudi:sca:emandate:1': {
    payload: {
      transaction_id: 'T',
      date_time: '2027-01-31T12:00:00Z',
      start_date: '2027-01-31',
      end_date: '2028-01-31T00:00:00Z',
      reference_number: 'M1',
      creditor_id: 'DE98',
      purpose: 'Rent',
      payment_payload: payment,
    },
  },
  'https://cloudsignatureconsortium.org/2025/qes-approval': {
    credentialID: 'GX01',
    signatureQualifier: 'eu_eidas_qes',
    numSignatures: 1,
    documentDigests: [
      {
        label: 'Lease',
        hash: 'sTOgwOm+474gFj0q0x1iSNspKqbcse4IeiqlDg/HWuI=',
        hashType: 'sodr',
        href: 'https://qtsp.example/lease.pdf',
        access: { type: 'public' },
        checksum: { value: 'sTOg', algorithmOID: '2.16.840.1.101.3.4.2.1' },
      },
    ],
    hashAlgorithmOID: '2.16.840.1.101.3.4.2.1',
  },
} as const

/** The same with a payment on one day. */
export const ONCE = {
  payload: { ...payment, recurrence: undefined, execution_date: '2027-02-01' },
}

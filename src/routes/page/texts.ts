// Every word that a person reads on our pages, as data: a language is one more object of this shape. `{name}` stands for
// the relying party, `{types}` for credentials, `{thing}` for what is shown, `{age}` and `{time}` for figures.

/** What a page can show: a session's state in a person's terms, or that there is none (any more). */
export const PAGE_STATES = [
  'waiting',
  'scanned',
  'returning',
  'verified',
  'rejected',
  'declined',
  'expired',
  'canceled',
  'gone',
] as const
export type PageState = (typeof PAGE_STATES)[number]

/** One state in words: what it is, and what to do now. */
export type StateText = { readonly title: string; readonly text: string }

export type Texts = {
  /** BCP 47. */
  readonly language: string
  readonly asks: string
  /** The same once it is over. */
  readonly asked: string
  readonly testMode: string
  /** Names the credentials: a list joined by the language's own "or", or "and". */
  readonly from: string
  /** The same for credentials that may be left out. */
  readonly fromOptional: string
  /** A thing that may be left out. */
  readonly optional: string
  readonly consent: string
  readonly qrAlt: string
  readonly timeLeft: string
  readonly connectionLost: string
  readonly withoutScript: string
  /** Of a session that demands a link, in place of what they say about the QR. */
  readonly linkStates: Readonly<Record<'waiting' | 'scanned', StateText>>
  readonly openWallet: string
  readonly linkOpened: string
  readonly linkFailed: string
  readonly openBrowserWallet: string
  readonly browserWalletClosed: string
  readonly browserWalletSent: string
  /** Of the page that a wallet sends people back to, while and after it brings the response code. */
  readonly returning: Readonly<
    Record<'finishing' | 'interrupted' | 'otherBrowser' | 'invalidCode', StateText>
  >
  readonly tryAgain: string
  readonly states: Readonly<Record<PageState, StateText>>
  readonly notFound: StateText
  readonly unavailable: StateText
  readonly returned: StateText
  /** `age_over_NN`. */
  readonly ageScope: string
  /** In front of what is to be confirmed, if any. */
  readonly confirms: string
  readonly yes: string
  readonly no: string
  /** What is confirmed, by type of transaction data. */
  readonly transactionTypes: Readonly<Record<string, string>>
  /** Its details, by the names on the way to them. */
  readonly transactionDetails: Readonly<Record<string, string>>
  readonly types: Readonly<Record<string, string>>
  readonly scopes: Readonly<Record<string, string>>
}

/** The texts of a page. One language so far; the session's `locale` will choose. */
export function textsFor(_locale: string | null): Texts {
  return ENGLISH
}

/** Puts values in the places of a text. */
export function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(
    /\{(\w+)\}/g,
    (place, key: string) => (Object.hasOwn(values, key) ? values[key] : place) ?? place,
  )
}

const ENGLISH: Texts = {
  language: 'en',
  asks: '{name} asks you to show',
  asked: '{name} asked you to show',
  testMode: 'Test mode: nothing here counts.',
  from: 'From: {types}',
  fromOptional: 'If you like, also from: {types}',
  optional: '{thing} (if you like)',
  consent: 'Your wallet app shows you what would be shared, and asks you first.',
  qrAlt: 'QR code with this request, to be scanned with a wallet app',
  timeLeft: 'Time left: {time}',
  connectionLost: 'No connection. Trying again …',
  withoutScript: 'This page cannot follow along without JavaScript. Reload it to see the outcome.',
  linkStates: {
    waiting: {
      title: 'Open your wallet',
      text: 'This works on the device that holds your wallet app. If that is another one, open the page there from where you began.',
    },
    scanned: {
      title: 'Continue in your wallet',
      text: 'Afterwards your wallet brings you back here.',
    },
  },
  openWallet: 'Open the wallet on this device',
  linkOpened: 'If nothing opened, there is no wallet app for this on your device.',
  linkFailed: 'That did not work. Please try again.',
  openBrowserWallet: 'Choose a wallet in this browser',
  browserWalletClosed: 'No wallet answered. You can try again, or use one of the other ways.',
  browserWalletSent: 'Your answer is being checked.',
  returning: {
    finishing: { title: 'One moment', text: 'Your answer is being handed over.' },
    interrupted: { title: 'No connection', text: 'Your answer could not be handed over yet.' },
    otherBrowser: {
      title: 'This is another browser',
      text: 'Your wallet brought you to a browser other than the one where you began, so its answer was discarded. Go back to where you began and try again there. Your default browser works best.',
    },
    invalidCode: {
      title: 'This came too late',
      text: 'The answer is not awaited any more. Go back to where you began to see how it stands, or to try again.',
    },
  },
  tryAgain: 'Try again',
  states: {
    waiting: {
      title: 'Scan with your wallet',
      text: 'Open the wallet app on your phone and scan this code.',
    },
    scanned: {
      title: 'Scanned',
      text: 'Continue in your wallet app. This page shows when it is done.',
    },
    returning: {
      title: 'Almost done',
      text: 'Your wallet has answered. Go on in the browser that it took you back to: it must be this one.',
    },
    verified: {
      title: 'Verified',
      text: 'The check succeeded, and {name} can see so. You can close this page.',
    },
    rejected: {
      title: 'Not confirmed',
      text: 'Your wallet answered, but the answer did not confirm what was asked. Ask {name} how to go on.',
    },
    declined: {
      title: 'Declined',
      text: 'The request was declined in the wallet, or the wallet had nothing that fits. To try again, start anew at {name}.',
    },
    expired: {
      title: 'Time is up',
      text: 'Nothing was confirmed in time. To try again, start anew at {name}.',
    },
    canceled: {
      title: 'Canceled',
      text: '{name} has withdrawn this request. There is nothing more to do here.',
    },
    gone: {
      title: 'No longer here',
      text: 'This request does not exist any more. To try again, start anew at {name}.',
    },
  },
  notFound: {
    title: 'Nothing is here',
    text: 'This address is incomplete, or its request does not exist any more. Go back to where you found it and start anew.',
  },
  unavailable: {
    title: 'Just a moment',
    text: 'This page cannot be shown right now. Please reload it in a few seconds.',
  },
  returned: {
    title: 'Back from your wallet',
    text: 'You can close this page. The outcome is shown where you began.',
  },
  ageScope: 'that you are {age} or older',
  confirms: 'and to confirm with it',
  yes: 'yes',
  no: 'no',
  transactionTypes: {
    'urn:eudi:sca:payment:1': 'A payment',
    'urn:eudi:sca:login_risk_transaction:1': 'Something you do at your bank or a service',
    'urn:eudi:sca:account_access:1': 'Access to information on your account',
    'urn:eudi:sca:emandate:1': 'A mandate for payments from your account',
    'https://cloudsignatureconsortium.org/2025/qes-approval': 'Your signature',
  },
  transactionDetails: {
    action: 'What',
    'aisp.brand_name': 'Who gets access',
    'aisp.domain_name': 'Their website',
    'aisp.legal_name': 'Their legal name',
    amount: 'Amount',
    amount_earmarked: 'Set aside at once',
    amount_estimated: 'Amount is estimated',
    credentialID: 'Signing key',
    creditor_id: 'Creditor number',
    currency: 'Currency',
    date_time: 'Begun',
    description: 'For what',
    'documentDigests.access.type': 'Access to it',
    'documentDigests.checksum.algorithmOID': 'Kind of its checksum',
    'documentDigests.checksum.value': 'Its checksum',
    'documentDigests.hash': 'Its fingerprint',
    'documentDigests.hashType': 'Kind of fingerprint',
    'documentDigests.href': 'Where it is',
    'documentDigests.label': 'Document',
    end_date: 'Until',
    execution_date: 'To be paid on',
    hashAlgorithmOID: 'How the fingerprints are made',
    numSignatures: 'Number of signatures',
    'payee.id': 'Number of the recipient',
    'payee.name': 'Recipient',
    'payee.website': 'Website of the recipient',
    'pisp.brand_name': 'Payment service',
    'pisp.domain_name': 'Website of the payment service',
    'pisp.legal_name': 'Legal name of the payment service',
    purpose: 'Purpose',
    'recurrence.end_date': 'Last payment',
    'recurrence.frequency': 'How often (code of ISO 20022)',
    'recurrence.mit_options.amount_variable': 'Amount may vary',
    'recurrence.mit_options.apr': 'Yearly interest in percent',
    'recurrence.mit_options.initial_amount': 'Amount at first',
    'recurrence.mit_options.initial_amount_number': 'Payments of that amount',
    'recurrence.mit_options.max_amount': 'Amount at most',
    'recurrence.mit_options.min_amount': 'Amount at least',
    'recurrence.mit_options.total_amount': 'Amount in all',
    'recurrence.number': 'Number of payments',
    'recurrence.start_date': 'First payment',
    reference_number: 'Number of the mandate',
    sct_inst: 'Instant transfer',
    service: 'Where',
    signatureQualifier: 'Kind of signature',
    start_date: 'From',
    transaction_id: 'Number of the transaction',
  },
  types: {
    age_attestation: 'proof of age',
    pid: 'national digital ID',
    mdl: 'driving licence',
    photo_id: 'photo ID',
  },
  scopes: {
    address: 'address',
    'address.country': 'country of residence',
    'address.formatted': 'address',
    'address.house_number': 'house number',
    'address.locality': 'town of residence',
    'address.postal_code': 'postal code',
    'address.region': 'region of residence',
    'address.street_address': 'street',
    administrative_number: 'administrative number',
    age_birth_year: 'year of birth',
    age_in_years: 'age in years',
    attestation_legal_category: 'legal category of the document',
    birth_city: 'town of birth',
    birth_country: 'country of birth',
    birth_date: 'date of birth',
    birth_family_name: 'family name at birth',
    birth_given_name: 'given name at birth',
    birth_place: 'place of birth',
    birth_state: 'region of birth',
    birthdate: 'date of birth',
    birthplace: 'place of birth',
    date_of_expiry: 'date of expiry',
    date_of_issuance: 'date of issue',
    document_number: 'document number',
    driving_privileges: 'vehicles you may drive',
    email: 'email address',
    expiry_date: 'date of expiry',
    eye_colour: 'eye colour',
    family_name: 'family name',
    family_name_latin1: 'family name in Latin letters',
    family_name_national_character: 'family name in national letters',
    given_name: 'given name',
    given_name_latin1: 'given name in Latin letters',
    given_name_national_character: 'given name in national letters',
    hair_colour: 'hair colour',
    height: 'height',
    issue_date: 'date of issue',
    issuing_authority: 'issuing authority',
    issuing_authority_unicode: 'issuing authority',
    issuing_country: 'issuing country',
    issuing_jurisdiction: 'issuing jurisdiction',
    issuing_subdivision: 'issuing region',
    name_at_birth: 'name at birth',
    nationalities: 'nationalities',
    nationality: 'nationality',
    person_id: 'personal number',
    personal_administrative_number: 'personal number',
    phone_number: 'phone number',
    picture: 'portrait photo',
    place_of_birth: 'place of birth',
    'place_of_birth.country': 'country of birth',
    'place_of_birth.locality': 'town of birth',
    'place_of_birth.region': 'region of birth',
    portrait: 'portrait photo',
    portrait_capture_date: 'date of the portrait photo',
    resident_address: 'address',
    resident_city: 'town of residence',
    resident_city_latin1: 'town of residence in Latin letters',
    resident_country: 'country of residence',
    resident_house_number: 'house number',
    resident_postal_code: 'postal code',
    resident_state: 'region of residence',
    resident_street: 'street',
    sex: 'sex',
    signature_usual_mark: 'picture of your signature',
    travel_document_number: 'travel document number',
    trust_anchor: 'trust anchor of the issuer',
    un_distinguishing_sign: 'country sign of the licence',
    weight: 'weight',
  },
}

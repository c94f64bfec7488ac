import type { BulkChangeKind } from '#contract/bulk-changes.ts';
import type { AlreadyOff, ChoiceSource, Evidence, LinkPage } from '#contract/choices.ts';
import type { LegalBasis } from '#contract/lists.ts';
import type { Site } from '#contract/sites.ts';
import { isByThePerson, type ReasonedChoiceRow } from '#server/audience/evidence/evidence.ts';

/** How a choice came about, in words. */
export const COLLECTION_METHODS: Record<ChoiceSource, string> = {
  page: 'Preference page',
  state_link: 'Link that opens a page with a choice',
  leave_link: 'Unsubscribe link',
  confirm_link: 'Confirmation link in an email',
  one_click: 'One-click unsubscribe in the email app (RFC 8058)',
  owner: "The business's team",
  api: 'API of the business',
  import: 'Import',
  tool: 'Email tool',
  undo: 'Undo of a choice',
  pause_end: 'End of a pause',
  merge: 'Merge of two spellings of one email',
  erasure: 'Erasure request',
  wrong_recipient: 'Report that the email reached someone else',
};

export const UNDONE: Record<BulkChangeKind, string> = {
  import: 'Undo of an import',
  incoming: 'Undo of incoming events',
  repair: 'Undo of a repair',
  edit: 'Undo of many edits',
};

const CONFIRMATION = 'Page with a button, behind a link in an email';

const LINK_PAGE_NAMES: Record<LinkPage, string> = {
  leave: 'Landing page of an unsubscribe link',
  resubscribe: CONFIRMATION,
  email_change: CONFIRMATION,
  email_undo: CONFIRMATION,
  resubscribe_undo: CONFIRMATION,
  restore: CONFIRMATION,
  data_erasure: CONFIRMATION,
};

const ON_PAGES: ReadonlySet<ChoiceSource> = new Set(['page', 'state_link']);
/** A person pressed a button of ours, unless a program did it for them; older records don't say what that page said. */
const BEHIND_LINKS: ReadonlySet<ChoiceSource> = new Set([
  'leave_link',
  'confirm_link',
  'wrong_recipient',
  'undo',
  'erasure',
]);

/** What a person had before them when choosing, in words: also where that was nothing. */
export function noticeOf({ source, shown }: { source: ChoiceSource; shown: Evidence['shown'] }): string {
  if (source === 'one_click') return 'Nothing: the email app sent the request';
  if (shown.link_page !== undefined) return LINK_PAGE_NAMES[shown.link_page];
  if (source === 'confirm_link') return CONFIRMATION;
  if (shown.url !== null || ON_PAGES.has(source)) return COLLECTION_METHODS.page;
  if (BEHIND_LINKS.has(source) && shown.undone === undefined) return 'Not recorded';
  return 'Nothing: the choice was not made on a page';
}

/** With the file and the row of an import. */
function methodOf({ source, shown: { imported, undone } }: ReasonedChoiceRow): string {
  if (undone !== undefined) return UNDONE[undone.kind];
  const method = COLLECTION_METHODS[source];
  return imported === undefined
    ? method
    : `${method} of ${imported.file_name}, row ${imported.rows.join(', ')}`;
}

type ListOfChoice = ReasonedChoiceRow['lists'][number];

const NEUTRAL = { joined: 'subscribed', left: 'unsubscribed', refused: 'declined' };
const OBJECTION = { ...NEUTRAL, left: 'objected' };

/** Only consent is called consent. What is sent on another basis can be objected to, and a contract is neither. */
const WORDS: Record<LegalBasis, typeof NEUTRAL> = {
  consent: { joined: 'consent given', left: 'consent withdrawn', refused: 'consent refused' },
  soft_opt_in: OBJECTION,
  contract: NEUTRAL,
  legitimate_interest: OBJECTION,
};

function stateOf({ subscribed, previous, legal_basis: basis }: ListOfChoice): string {
  const words = basis === undefined ? NEUTRAL : WORDS[basis];
  if (subscribed) return words.joined;
  return previous === true ? words.left : words.refused;
}

/** Everything is consent only where each list that the record names is. */
function isAllConsent({ lists, shown }: ReasonedChoiceRow): boolean {
  return lists.length > 0 && [...lists, ...shown.lists].every((list) => list.legal_basis === 'consent');
}

/** null: no legal basis was stated, so it isn't known whether this is consent. */
function consentTypeOf(choice: ReasonedChoiceRow, { legal_basis: basis }: ListOfChoice): string | null {
  if (basis === undefined) return null;
  if (basis !== 'consent') return 'NONE';
  return isByThePerson(choice) ? 'EXPLICIT' : 'REPORTED';
}

function undoneStateOf({ subscribed, cleared }: ListOfChoice): string {
  if (cleared) return 'restored: never chosen';
  return subscribed ? 'restored: subscribed' : 'restored: unsubscribed';
}

/** When both steps of a double opt-in were done, here or, as an import says, elsewhere. */
function doubleOptInAt(choice: ReasonedChoiceRow, { subscribed, confirmed_at: there }: ListOfChoice) {
  if (!subscribed) return null;
  return there ?? (choice.requested === null ? null : choice.occurred_at.toISOString());
}

/** Asked for, and nothing changed. */
function alreadyOff({ everything, lists }: AlreadyOff) {
  const off = 'already unsubscribed';
  return [
    ...(everything ? [{ event_state: off, purpose_id: '*' }] : []),
    ...lists.map(({ list_id: purpose_id, deleted }) => ({
      event_state: deleted ? 'list no longer existed' : off,
      purpose_id,
    })),
  ];
}

function eventsOf(choice: ReasonedChoiceRow, entity: string) {
  const event = { event_time: choice.occurred_at.toISOString(), entity_id: entity };
  const typeOf = (isConsent: boolean) =>
    isByThePerson(choice) ? (isConsent ? 'explicit' : 'own choice') : 'reported';
  if (choice.source === 'wrong_recipient') {
    return [{ ...event, event_type: typeOf(false), event_state: 'wrong recipient', purpose_id: '*' }];
  }
  const ofLists = choice.lists.map((list) => ({
    ...event,
    event_type: typeOf(list.legal_basis === 'consent'),
    // Nobody consents or withdraws by an undo.
    event_state: choice.shown.undone === undefined ? stateOf(list) : undoneStateOf(list),
    purpose_id: list.list_id,
  }));
  const { already_off: asked } = choice.shown;
  if (asked !== undefined)
    ofLists.push(...alreadyOff(asked).map((what) => ({ ...event, event_type: typeOf(false), ...what })));
  if (!choice.events.includes('global_unsubscribed')) return ofLists;
  const isConsent = isAllConsent(choice);
  const left = isConsent ? WORDS.consent.left : NEUTRAL.left;
  const state = choice.shown.undone === undefined ? left : 'restored: unsubscribed';
  return [...ofLists, { ...event, event_type: typeOf(isConsent), event_state: state, purpose_id: '*' }];
}

/**
 * A receipt: the fields of Kantara Consent Receipt 1.1, with the sections of a record of ISO/IEC TS 27560:2023.
 * What was not recorded is null.
 */
export function receiptOf(choice: ReasonedChoiceRow, site: Site) {
  const shown = choice.shown;
  const principal = choice.person_hash.toString('hex');
  const controller = shown.operator?.legal_name || site.name;
  const policy = shown.operator?.privacy_url || null;
  const listWords = new Map(shown.lists.map((list) => [list.list_id, list]));
  return {
    version: 'KI-CR-v1.1.0',
    jurisdiction: null,
    consentTimestamp: Math.floor(choice.occurred_at.getTime() / 1000),
    collectionMethod: methodOf(choice),
    consentReceiptID: choice.id,
    language: choice.language,
    piiPrincipalId: principal,
    piiControllers: [
      {
        piiController: controller,
        address: shown.operator?.postal_address || null,
        piiControllerUrl: site.url,
      },
    ],
    policyUrl: policy,
    services: [
      {
        service: site.name,
        purposes: choice.lists.map((list) => ({
          purpose: list.name,
          purposeCategory: ['Direct marketing by email'],
          consentType: consentTypeOf(choice, list),
          piiCategory: ['Contact'],
          primaryPurpose: false,
          termination: 'Until unsubscribed',
          thirdPartyDisclosure: null,
        })),
      },
    ],
    sensitive: false,
    spiCat: [],
    iso_27560: {
      schema_version: 'ISO/IEC TS 27560:2023',
      record_id: choice.id,
      notice_shown: {
        what: noticeOf(choice),
        text_hash: shown.text_hash ?? null,
        email_text_hash: shown.email_text_hash ?? null,
      },
      pii_principal_id: principal,
      pii_processing: choice.lists.map((list) => ({
        purpose_id: list.list_id,
        purpose: list.name,
        purpose_description: listWords.get(list.list_id)?.description ?? null,
        lawful_basis: list.legal_basis ?? null,
        double_opt_in_at: doubleOptInAt(choice, list),
        default_state_shown: listWords.get(list.list_id)?.default_state ?? null,
        collection_method: methodOf(choice),
        privacy_notice: policy,
        language: choice.language,
      })),
      party_identification: [{ party_id: site.id, party_role: 'PII controller', party_name: controller }],
      events: eventsOf(choice, principal),
    },
  };
}

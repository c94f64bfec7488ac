import type { ErrorCode } from '#contract/errors.ts';

function idOf(number: number): string {
  return `0198c0de-7000-7000-8000-${String(number).padStart(12, '0')}`;
}

const LIST = idOf(1);
const CUSTOMER = idOf(2);
const PAGE = idOf(3);
const ACTION = idOf(4);
const CHOICE = idOf(5);
const DELIVERY = idOf(6);
const KEY = idOf(7);

const PAGES = 'https://news.example.com';
const CHALLENGE = 'Au3EAAGYwN5wAHAAgAAAAAAAAAKYwN5wAHAAgAAAAAAAAAIAABRLgAAAAByP9nctxmJCyRiT3CLlS9d';
const ONE_CLICK = `${PAGES}/u/${CHALLENGE.replace('AAG', 'AQG')}`;

/**
 * What fields hold in the reference's examples, by name, or by the schema or field they belong to and their name. They
 * tell of one site: the shop Acme Outdoor, whose customer Nora subscribed to its weekly news.
 */
export const EXAMPLE_VALUES: Readonly<Record<string, unknown>> = {
  // Ids that belong together.
  'List.id': LIST,
  'lists.id': LIST,
  list_id: LIST,
  list_ids: [LIST],
  notification_list_id: LIST,
  receives: [LIST],
  declines: [],
  'Customer.id': CUSTOMER,
  'CustomerDetails.id': CUSTOMER,
  'ListedCustomer.id': CUSTOMER,
  customer_id: CUSTOMER,
  'PreferencePage.id': PAGE,
  'ListedPreferencePage.id': PAGE,
  page_id: PAGE,
  'Action.id': ACTION,
  action_id: ACTION,
  'Evidence.id': CHOICE,
  choice_id: CHOICE,
  'Delivery.id': DELIVERY,
  'DeliveryDetail.id': DELIVERY,
  'ApiKey.id': KEY,
  'NewApiKey.id': KEY,
  integration_id: null,

  // Collections.
  next: null,
  has_more: false,

  // Lists and translations.
  name: 'Weekly news',
  description: 'News and offers, every Monday',
  default_state: false,
  show_order: 0,
  subscription_default_state: false,
  double_opt_in: true,
  legal_basis: 'consent',
  'translations.language': 'de',
  'translations.name': 'Wochenbrief',
  'translations.description': 'Neues und Angebote, jeden Montag',
  ids: [LIST],

  // Customers and their links.
  email: 'nora@example.com',
  customer_email: 'nora@example.com',
  previous_email: null,
  new_email: 'nora@example.com',
  global_unsubscribe: false,
  subscribed: true,
  paused_until: null,
  wrong_recipient_at: null,
  links_ended_at: null,
  email_bounce: null,
  email_bounced_at: null,
  test: false,
  challenge: CHALLENGE,
  preference_url: `${PAGES}/preferences?challenge=${CHALLENGE}`,
  one_click_url: ONE_CLICK,
  expires_at: '2027-05-24T09:30:00.000Z',
  'List-Unsubscribe': `<${ONE_CLICK}>`,
  'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',

  // Evidence.
  sequence: 2,
  events: ['subscribed'],
  previous: null,
  requested: null,
  reason: null,
  authority: 'proven',
  page_version: 1,
  text_hash: 'b1f5a2d06c7e4938a1d2c5e80f6b9374c8de02a7591b3f64e0d7a8c2954f1e6b',
  email_text_hash: '5d0c8e1f7a92b36440d7f1c9be8825a61f03d4e97c5ab08216e9c374fd10b8a2',
  template_id: 'default_preference_page',
  'shown.url': `${PAGES}/preferences`,
  ip: '203.0.113.0',
  user_agent: 'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X)',
  confirmed_ip: null,
  imported: null,
  hash: '1c712808fe58486bf2f236a46f566b196665a0aac3627f0656d1b3a9318e2bbb',
  previous_hash: '60fe37b3a126624decde9b66d85d30e162af7a55412d69270784f527dcc7db27',

  // Actions and deliveries.
  type: 'webhook',
  event: 'subscribed',
  operation: null,
  action_operation: null,
  action_type: 'webhook',
  action_name: 'Tell the shop',
  tool_name: null,
  'Action.name': 'Tell the shop',
  'actions.name': 'Tell the shop',
  'Action.target': { url: 'https://shop.example.com/hooks' },
  'target.id': '42',
  'target.name': 'weekly',
  disabled_reason: null,
  warnings: [],
  changes: [],
  nothing_because: null,
  status: 'arrived',
  outcome: 'received',
  'attempts.outcome': 'arrived',
  cause: null,
  attempt_count: 1,
  next_attempt_at: null,
  last_error: null,
  error: null,
  finished_at: '2026-11-25T09:30:01.000Z',
  confirmed_at: null,
  content_deleted_at: null,
  due_at: '2026-11-27T09:30:00.000Z',
  is_late: false,
  number: 1,
  duration_ms: 180,
  method: 'POST',
  'request.url': 'https://shop.example.com/hooks',
  'request.body': '{"type":"subscribed"}',
  'calls.url': 'https://shop.example.com/hooks',
  'calls.body': '{"type":"subscribed"}',
  'response.status': 204,
  'response.body': '',
  'calls.headers': { 'content-type': 'application/json' },
  'request.headers': { 'content-type': 'application/json' },

  // Integrations and imports.
  'Integration.name': 'Newsletter account',
  'integrations.name': 'Newsletter account',
  'endpoints.name': 'shop.example.com',
  account_name: 'Acme Outdoor',
  status_reason: null,
  webhook_url: null,
  webhook_setup: null,
  link_field: null,
  file_name: 'customers.csv',
  'Import.message': null,
  'ImportSummary.message': null,

  // Preference pages.
  'PreferencePage.name': 'Acme Outdoor',
  'ListedPreferencePage.name': 'Acme Outdoor',
  'content.name': 'Acme Outdoor',
  'PublicPage.name': 'Acme Outdoor',
  'CustomerPage.name': 'Acme Outdoor',
  'PreferencePage.url': `${PAGES}/preferences`,
  'ListedPreferencePage.url': `${PAGES}/preferences`,
  custom_path: 'preferences',
  favicon: '',
  logo: '',
  primary_color: '#009AD0',
  text_color: '#2C3D20',
  background_color: '#F8F8F8',
  tag_subject: '',
  tag_pre_name: '',
  saved_preferences_msg: '',
  embed_origins: [],
  version: 1,
  draft_saved_at: null,
  editor_id: 'tab-1',
  'saved_by.name': 'Nora Lindqvist',
  masked_email: 'n•••@example.com',

  // Sites, people and keys.
  'Site.name': 'Acme Outdoor',
  'Site.url': PAGES,
  domain_name: 'acme.example.org',
  custom_domain: 'news.example.com',
  'SiteDomain.host': 'news.example.com',
  sender_name: 'Acme Outdoor',
  reply_to: 'hello@example.com',
  legal_name: 'Acme Outdoor Ltd.',
  postal_address: '1 Example Street, Springfield',
  privacy_url: 'https://example.com/privacy',
  imprint_url: 'https://example.com/imprint',
  test_emails: ['qa@example.com'],
  test_mode: false,
  evidence_anchor: 'proof@example.com',
  'EvidenceAnchor.target': 'proof@example.com',
  'EvidenceAnchor.error': null,
  'EvidenceHead.statement':
    '{"format":"sayso-evidence-head/1","site_id":"01980f4e-7a00-7000-8000-000000000001","number":1,"signed_at":"2026-11-23T01:20:00.000Z","from":"00000000-0000-0000-0000-000000000000","up_to":"019ab000-0000-7000-8000-000000000000","records":1,"root":"1c712808fe58486bf2f236a46f566b196665a0aac3627f0656d1b3a9318e2bbb","previous":null}',
  kid: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
  'EvidenceHead.signature':
    'XoXWm4jd3n3uYMrkM5sPxF2uM0m1Xr3o1f7m0s3mF2lQnS9cJp1l8o4pVq2nW6d7yZ0aT5bK8hG3eR1uI9wDBg',
  'CustomerView.name': 'Active customers',
  'Passkey.name': 'Laptop',
  'Organization.name': 'Acme',
  username: 'nora',
  organization: 'Acme',
  'organizations.name': 'Acme',
  organization_name: 'Acme',
  avatar: null,
  pending_email: null,
  google_email: null,
  permissions: [],
  groups: [],
  access_token: 'eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiIwMTk4YzBkZSJ9.c2lnbmF0dXJl',
  refresh_token: 'rt_7Kq2vXw9LmZt4RbYpN8sHd',
  invited_by: 'Nora Lindqvist',
  invited_by_name: 'Nora Lindqvist',
  link: null,
  first_name: 'Nora',
  last_name: 'Lindqvist',
  'ApiKey.created_by': 'Nora Lindqvist',
  'NewApiKey.created_by': 'Nora Lindqvist',
  created_by_email: 'nora@example.com',
  'ApiKey.name': 'Web shop',
  'NewApiKey.name': 'Web shop',
  scopes: ['customers'],
  key: 'sk_1d4f0Xr8ZJvQm2TzC6wYbK9nPqL3sHgUeAoRtVxNiM',
};

/** How an invalid field is named, for fields that many calls have. */
export const EXAMPLE_PROBLEMS: Readonly<Record<string, string>> = {
  name: 'name: must not be empty.',
  email: 'email: must be an email like nora@example.com.',
  limit: 'limit: must be at most 100.',
  since: 'since: must be a time like 2026-11-25T09:30:00Z.',
};

/** How a refusal reads, by its code; where it depends on the call, `exampleOfError` says it. */
export const EXAMPLE_MESSAGES: Partial<Record<ErrorCode, string>> = {
  bad_json: "The body isn't valid JSON.",
  token_not_valid: 'Your session has ended. Log in again.',
  invalid_credentials: 'Wrong username or password.',
  not_found: "This doesn't exist, or you don't have access to it.",
  customer_not_found: 'No customer has this email or link.',
  proof_needed: 'You need a personal link to end all links. Open one of them.',
  error_exists: 'email: another customer already has this email. See data.customer_id.',
  conflict: 'Someone else changed this in the meantime. Load it again.',
  link_used: 'This link has expired or was already used. Ask for a new one.',
  username_taken: 'username: this username is taken. Choose another one.',
  email_taken: 'email: an account with this email already exists. Log in instead.',
  body_too_large: 'The file is larger than 2 MB. Send a smaller one.',
  unsupported_media_type: 'Send the body as application/json.',
  unknown_field: "note: isn't a field of this call. Leave it out.",
  unavailable: "We can't reach the database right now. Try again.",
};

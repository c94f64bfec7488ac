import { TOOL_ACTION_TYPES, type ToolActionType } from '#contract/actions.ts';
import type { Difference, OpenChange } from '#contract/comparisons.ts';
import { type ConnectorInfo, type Integration, isKeyAlone } from '#contract/integrations.ts';

export const STANDINGS = [
  'connected',
  'preparing',
  'unheard',
  'resting',
  'failing',
  'credentials_refused',
  'switched_off',
] as const;

export type Standing = (typeof STANDINGS)[number];

type Health = Pick<Integration, 'status' | 'rests_until' | 'failing_since' | 'webhook_state'>;

/** An integration's status. It is well once unsubscribes come back, too. */
export function standingOf(
  { status, rests_until, failing_since, webhook_state }: Health,
  now: number,
): Standing {
  if (status !== 'connected') return status;
  if (rests_until !== null && Date.parse(rests_until) > now) return 'resting';
  if (failing_since !== null) return 'failing';
  if (webhook_state === 'missing') return 'unheard';
  return webhook_state === 'pending' ? 'preparing' : 'connected';
}

/** Changes are sent: what stands beside it is no trouble. */
export function isSent(standing: Standing): boolean {
  return standing === 'connected' || standing === 'preparing' || standing === 'unheard';
}

/** The text for a problem, which names what was rejected: an API key, where it is all that the tool asks for. */
export function noticeOf(
  standing: Exclude<Standing, 'connected' | 'preparing' | 'unheard'>,
  connectedBy: Integration['connected_by'],
  connector: Pick<ConnectorInfo, 'credentials'> | undefined,
) {
  if (standing === 'resting') return 'failing';
  const isKey = isKeyAlone(connectedBy, connector);
  if (standing === 'switched_off') return isKey ? 'key_switched_off' : standing;
  if (standing !== 'credentials_refused') return standing;
  if (connectedBy === 'oauth') return 'access_ended';
  return isKey ? 'key_refused' : standing;
}

/** The key of a notice's text. Without the role to do what it says, whom to ask. */
export function noticeKey(notice: ReturnType<typeof noticeOf>, canFix: boolean) {
  return canFix || notice === 'failing' ? (`notice.${notice}` as const) : (`notice.ask.${notice}` as const);
}

/** What the tool said, without the sentence that the notice says already. */
export function addedReason(standing: Standing, reason: string | null): string {
  if (reason === null || standing !== 'credentials_refused') return reason ?? '';
  const [sentence = ''] = /^[^.]*\.\s*/.exec(reason) ?? [];
  const isSaid = sentence.includes(' rejected the ') && /\(\d+\)\.\s*$/.test(sentence);
  return isSaid ? reason.slice(sentence.length) : reason;
}

/** What an owner enters to connect it, as the texts of `secret` call it. */
export function secretOf(
  connectedBy: Integration['connected_by'],
  connector: Pick<ConnectorInfo, 'credentials'>,
): 'key' | 'credentials' {
  return isKeyAlone(connectedBy, connector) ? 'key' : 'credentials';
}

type Webhook = Pick<Integration, 'has_webhook_secret' | 'webhook_state'>;
type WebhookKind = Pick<ConnectorInfo, 'webhook_secret' | 'tells_us'>;

/** Whether the tool's calls are rejected until its secret is entered. */
export function needsSecret(
  { has_webhook_secret }: Pick<Webhook, 'has_webhook_secret'>,
  { webhook_secret, tells_us }: WebhookKind,
): boolean {
  return tells_us === 'webhook' && !has_webhook_secret && webhook_secret === 'needed';
}

/** Whether unsubscribes in the tool don't reach us yet. */
export function lacksWebhook(webhook: Webhook, kind: WebhookKind): boolean {
  const { webhook_state: state } = webhook;
  return state === 'missing' || state === 'pending' || needsSecret(webhook, kind);
}

/** Tools whose name contains the typed text, regardless of case. */
export function matching(connectors: readonly ConnectorInfo[], typed: string): ConnectorInfo[] {
  const wanted = typed.trim().toLowerCase();
  return connectors.filter(({ name }) => name.toLowerCase().includes(wanted));
}

interface Known {
  /** Names of tools that the owner said they use. */
  named: readonly string[];
  /** Ids of connectors. */
  connected: ReadonlySet<string>;
}

/** Named tools first, connected ones last, otherwise in the given order. */
export function inOrder(connectors: readonly ConnectorInfo[], { named, connected }: Known): ConnectorInfo[] {
  const rank = ({ id, name }: ConnectorInfo) => (connected.has(id) ? 2 : named.includes(name) ? 0 : 1);
  return connectors.toSorted((a, b) => rank(a) - rank(b));
}

/** The action types that a tool supports. */
export function abilitiesOf(connector: ConnectorInfo): ToolActionType[] {
  return TOOL_ACTION_TYPES.filter((type) => connector.actions[type]?.can);
}

/** The words for what a repair in the tool is about. */
export function placeOf({ type }: Pick<Difference['change'], 'type'>): 'all' | 'list' | 'tag' | 'member' {
  if (type === 'global_unsubscribe') return 'all';
  return type === 'list' || type === 'tag' ? type : 'member';
}

/** Whether tools may start what they have set up for new members of a list, or for a tag. */
export function mayStartAutomations(changes: readonly Pick<OpenChange, 'change'>[]): boolean {
  return changes.some(
    ({ change }) => change.in === 'tool' && change.on && (change.type === 'list' || change.type === 'tag'),
  );
}

/** The form field of an error about credentials; null: the form as a whole. */
export function fieldOfRefusal(field: string | undefined, shown: readonly string[]): string | null {
  const named = shown.find((name) => field === `credentials.${name}`);
  if (named !== undefined) return named;
  // Rejected as a whole: if there is only one field, it is that one.
  return field === 'credentials' && shown.length === 1 ? (shown[0] ?? null) : null;
}

/** The server's message without the field name, which is shown beside it. */
export function sentenceOf({ message, field }: { message: string; field?: string | undefined }): string {
  const said =
    field !== undefined && message.startsWith(`${field}: `) ? message.slice(field.length + 2) : message;
  return said.charAt(0).toUpperCase() + said.slice(1);
}

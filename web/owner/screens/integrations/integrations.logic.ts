import { TOOL_ACTION_TYPES, TOOL_ACTIONS, type ToolActionType } from '#contract/actions.ts';
import type { Difference } from '#contract/comparisons.ts';
import type { ConnectorInfo, Integration } from '#contract/integrations.ts';

export const STANDINGS = ['connected', 'resting', 'failing', 'credentials_refused', 'switched_off'] as const;

export type Standing = (typeof STANDINGS)[number];

type Health = Pick<Integration, 'status' | 'rests_until' | 'failing_since'>;

/** How an integration is doing, in one word. */
export function standingOf({ status, rests_until, failing_since }: Health, now: number): Standing {
  if (status !== 'connected') return status;
  if (rests_until !== null && Date.parse(rests_until) > now) return 'resting';
  return failing_since === null ? 'connected' : 'failing';
}

/** Those whose name holds what was typed, whatever its case. */
export function matching(connectors: readonly ConnectorInfo[], typed: string): ConnectorInfo[] {
  const wanted = typed.trim().toLowerCase();
  return connectors.filter(({ name }) => name.toLowerCase().includes(wanted));
}

/** Those that were named come first; the order is kept otherwise. */
export function namedFirst(connectors: readonly ConnectorInfo[], named: readonly string[]): ConnectorInfo[] {
  return connectors.toSorted((a, b) => Number(named.includes(b.name)) - Number(named.includes(a.name)));
}

/** The types that a tool can do. */
export function abilitiesOf(connector: ConnectorInfo): ToolActionType[] {
  return TOOL_ACTION_TYPES.filter((type) => connector.actions[type]?.can);
}

type ToolChange = Pick<Difference['change'], 'type' | 'on'>;

/** What a mend does in the tool, by the word that actions have for it. */
export function operationOfChange({ type, on }: ToolChange) {
  const [forward, back] = TOOL_ACTIONS[type].operations;
  return on ? forward : back;
}

/** Where in the form a complaint about credentials belongs; null: to the form as a whole. */
export function fieldOfRefusal(field: string | undefined, shown: readonly string[]): string | null {
  const named = shown.find((name) => field === `credentials.${name}`);
  if (named !== undefined) return named;
  // Refused as a whole: where there is but one, it is the one.
  return field === 'credentials' && shown.length === 1 ? (shown[0] ?? null) : null;
}

/** The server's sentence without the name of its field, which stands beside it here. */
export function sentenceOf({ message, field }: { message: string; field?: string | undefined }): string {
  const said =
    field !== undefined && message.startsWith(`${field}: `) ? message.slice(field.length + 2) : message;
  return said.charAt(0).toUpperCase() + said.slice(1);
}

import { type ChoiceEvent, type ChoiceSource, MADE_FOR_CUSTOMERS } from '#contract/choices.ts';
import type { ToolEffect } from '#db/tables.ts';
import type { Change, Connector, ToolApi, ToolState } from '#server/connectors/connector.ts';
import type { MadeCall } from '#server/connectors/tool-api.ts';
import { READING_URL } from '#server/delivery/deliveries/deliveries.sql.ts';
import { isRaising, confirms } from './tool-changes.ts';

/*
 * What a delivery changes in its tool, as against what was so there already. An undo takes back only the former
 * (decision 065), so it is recorded for every choice that can be undone later.
 */

/** Can an undo of this choice change something in tools? Pages write too often to record it for each of them. */
export function recordsEffect({ source, events }: { source: ChoiceSource; events: readonly ChoiceEvent[] }) {
  return MADE_FOR_CUSTOMERS.includes(source) || events.includes('email_changed');
}

export const isWrite = ({ request, isLogIn }: Pick<MadeCall, 'request' | 'isLogIn'>): boolean =>
  isLogIn !== true && request.method !== 'GET' && !READING_URL.test(request.url);

/** Was something written, and accepted? */
export const isTaken = (call: MadeCall): boolean =>
  isWrite(call) && call.status !== null && call.status >= 200 && call.status < 300;

/** Collects what connectors report of where people stood before their change. */
export class StandingReports {
  readonly #reports = new Map<string, boolean>();

  /** A person may stand in several places: they stood as wanted only if they did so everywhere. */
  readonly found: ToolApi['found'] = (email, isSo) => {
    this.#reports.set(email, isSo && this.#reports.get(email) !== false);
  };

  of(email: string): boolean | undefined {
    return this.#reports.get(email);
  }
}

/** Watches one change being applied, to tell whether the tool had it so before. */
export class StandingWatch {
  readonly #reports = new StandingReports();
  readonly found = this.#reports.found;
  hasWritten = false;
  /** The tool accepted something that was written. */
  hasTaken = false;
  #read: boolean | null | undefined;

  noteCall(call: MadeCall): void {
    this.hasWritten ||= isWrite(call);
    this.hasTaken ||= isTaken(call);
  }

  /** Reads where the person stands, if applying the change won't show it. @throws ConnectorError */
  async readFirst(connector: Connector, api: ToolApi, change: Change): Promise<void> {
    if (connector.writesBlindly?.(change) !== true) return;
    this.#read = wasAlreadySo(change, await connector.state(api, change.email));
  }

  /** null: the tool doesn't say. */
  wasSo({ email }: Change): boolean | null {
    const told = this.#reports.of(email) ?? this.#read;
    return told === undefined ? !this.hasWritten : told;
  }
}

/** Did the tool have it so before? null: it doesn't say. */
function wasAlreadySo(change: Change, before: ToolState): boolean | null {
  if (change.type === 'switch_email') return !before.known;
  const shown = confirms(change, before);
  // Who isn't known there gets nothing.
  return shown ?? (before.known ? null : !isRaising(change));
}

export function effectOf(change: Change, already: boolean | null): ToolEffect {
  const { type } = change;
  return {
    type,
    target: 'target' in change ? change.target.id : null,
    on: type === 'switch_email' ? true : change.on,
    already,
  };
}

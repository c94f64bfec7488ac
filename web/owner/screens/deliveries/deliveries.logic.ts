import type { Attempt, Delivery, DeliveryStatus } from '#contract/deliveries.ts';
import { numberFormat } from '../../i18n/formats.ts';

const REFRESH_MS = 4000;

/** Polls every few seconds while something is under way; what is held is not, until the site goes live. */
export function refreshMs(
  deliveries: readonly Pick<Delivery, 'status' | 'outcome'>[],
  isInTestMode: boolean,
): number | false {
  const isUnderWay = deliveries.some(
    ({ status, outcome }) => status === 'waiting' && !(isInTestMode && outcome === 'held'),
  );
  return isUnderWay ? REFRESH_MS : false;
}

/** The lists that a delivery's headline names: of joining and leaving, those of its event. */
export function namedLists({ event, lists }: Pick<Delivery, 'event' | 'lists'>): {
  joined: string[];
  left: string[];
  declined: string[];
} {
  const named = (is: (list: Delivery['lists'][number]) => boolean) =>
    lists.filter(is).map(({ name }) => name);
  const joins = event === 'subscribed' || event === 'customer_created';
  return {
    joined: joins ? named((list) => list.subscribed) : [],
    left: event === 'unsubscribed' ? named((list) => !list.subscribed && list.declined !== true) : [],
    declined: event === 'unsubscribed' ? named((list) => list.declined === true) : [],
  };
}

export function statusTone(status: DeliveryStatus): 'success' | 'warning' | 'danger' {
  return ({ arrived: 'success', waiting: 'warning', failed: 'danger' } as const)[status];
}

export function isSuccess(attempt: Pick<Attempt, 'outcome'>): boolean {
  return attempt.outcome === 'arrived';
}

/** `850 ms`, `2.4 s`: the unit in which people think of it. */
export function durationText(ms: number, locale: string): string {
  const isShort = ms < 1000;
  return numberFormat(locale, {
    style: 'unit',
    unit: isShort ? 'millisecond' : 'second',
    maximumFractionDigits: isShort ? 0 : 1,
  }).format(isShort ? ms : ms / 1000);
}

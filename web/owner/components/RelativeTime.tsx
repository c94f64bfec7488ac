import { useEffect, useState } from 'react';
import { useLanguage } from '../i18n/i18n.ts';
import { dateFormat, exactTimeFormat } from '../i18n/formats.ts';
import { timeSince, timeUntil } from '../i18n/relative-time.ts';

const TICK_MS = 10_000;

interface RelativeTimeProps {
  at: string;
  /** It is yet to come, such as a next attempt. */
  isAhead?: boolean;
}

/** `5 minutes ago`, updated while it is on screen, with the exact time and its zone in its tooltip. */
export function RelativeTime({ at, isAhead = false }: RelativeTimeProps) {
  const language = useLanguage();
  const now = useNow();
  const exact = useExactTime()(at);
  return (
    <time dateTime={at} title={exact} className="whitespace-nowrap tabular-nums">
      {isAhead ? timeUntil(at, now, language) : timeSince(at, now, language)}
    </time>
  );
}

/** Epoch milliseconds, updated every few seconds. */
export function useNow(): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return now;
}

export function ExactTime({ at }: { at: string }) {
  return (
    <time dateTime={at} className="tabular-nums">
      {useExactTime()(at)}
    </time>
  );
}

export function useExactTime(): (iso: string) => string {
  const format = exactTimeFormat(useLanguage());
  return (iso) => format.format(new Date(iso));
}

/** `1 Dec 2026`, where the time of day does not matter. */
export function useDay(): (iso: string) => string {
  const format = dateFormat(useLanguage(), { dateStyle: 'medium' });
  return (iso) => format.format(new Date(iso));
}

/** The same for the start of a day that was chosen in UTC. */
export function useUtcDay(): (iso: string) => string {
  const format = dateFormat(useLanguage(), { dateStyle: 'medium', timeZone: 'UTC' });
  return (iso) => format.format(new Date(iso));
}

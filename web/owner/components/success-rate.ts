import { numberFormat } from '../i18n/formats.ts';

interface Tried {
  arrived: number;
  failed: number;
  retrying: number;
}

/** Of the deliveries that were tried: one that failed and is tried again has not arrived. Null while none was. */
export function successRate({ arrived, failed, retrying }: Tried): number | null {
  const tried = arrived + failed + retrying;
  return tried === 0 ? null : arrived / tried;
}

/** `99.9%`, and never `100%` while something failed. */
export function percentText(rate: number, locale: string): string {
  const shown = rate < 1 ? Math.min(rate, 0.999) : 1;
  return numberFormat(locale, { style: 'percent', maximumFractionDigits: 1 }).format(shown);
}

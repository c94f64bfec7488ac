import { numberFormat } from '../i18n/formats.ts';

/** Of the deliveries that are over: those still waiting may yet arrive. Null while none is. */
export function successRate({ arrived, failed }: { arrived: number; failed: number }): number | null {
  return arrived + failed === 0 ? null : arrived / (arrived + failed);
}

/** `99.9%`, and never `100%` while something failed. */
export function percentText(rate: number, locale: string): string {
  const shown = rate < 1 ? Math.min(rate, 0.999) : 1;
  return numberFormat(locale, { style: 'percent', maximumFractionDigits: 1 }).format(shown);
}

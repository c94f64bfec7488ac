import type { DnsRecord } from '#contract/domains.ts';
import { DOMAIN_LABEL } from '#contract/fields.ts';
import type { BadgeTone } from '#web/ui/Badge.tsx';

/** The host in typed or pasted text, which may be a full URL or an internationalized name; null if there is none. */
export function toHost(typed: string): string | null {
  const text = typed.trim().replace(/^[a-z]+:\/\//i, '');
  if (text === '' || /[\s@]/.test(text) || !URL.canParse(`http://${text}`)) return null;
  const host = new URL(`http://${text}`).hostname.replace(/\.$/, '');
  const labels = host.split('.');
  const isName = labels.length > 1 && labels.every((label) => DOMAIN_LABEL.test(label));
  return isName && !/^\d+$/.test(labels.at(-1) ?? '') ? host : null;
}

export const STATUS_TONES: Record<DnsRecord['status'], BadgeTone> = {
  unchecked: 'neutral',
  found: 'success',
  wrong: 'danger',
  missing: 'warning',
  unknown: 'neutral',
};

import type { Translate } from './page-context.tsx';
import type { PageView } from './view.ts';

/** Below the heading of a page that a mailed link opened: whose emails it is about, and who gets them. */
export function whoseOf({ page: { name } }: PageView, email: string, t: Translate): string {
  return name === '' ? t('leave.address', { email }) : t('leave.whose', { name, email });
}

import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { countHeld } from '#contract/deliveries.ts';
import { call } from '../api/call.ts';
import { useNumber } from '../i18n/use-number.ts';
import { useSite } from '../site/current-site.tsx';
import { siteParams } from '../site/site-params.ts';
import { deliveriesKey } from './delivery-queries.ts';

const COUNT_EVERY_MS = 15_000;

/** How many deliveries wait until the site leaves test mode, and the same in words; undefined until they are counted. */
export function useHeldCount(): { count: number; number: string } | undefined {
  const site = useSite();
  const number = useNumber();
  const { data } = useQuery({
    queryKey: [...deliveriesKey(site.site_id), 'held'],
    queryFn: ({ signal }) => call(countHeld, { params: siteParams(site) }, { signal }),
    staleTime: 0,
    refetchInterval: COUNT_EVERY_MS,
    refetchOnWindowFocus: true,
  });
  return data && { count: data.count, number: `${number(data.count)}${data.has_more ? '+' : ''}` };
}

/** `14 changes wait for go-live.`; null where none does. */
export function useHeldText(): string | null {
  const { t } = useTranslation('test-mode');
  const held = useHeldCount();
  return held === undefined || held.count === 0 ? null : t('held', held);
}

import { ArrowRight } from 'lucide-react';
import { Fragment, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { type Evidence, isAboutLists } from '#contract/choices.ts';
import type { DeliveryDetail } from '#contract/deliveries.ts';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { AskedChanges } from './AskedChanges.tsx';
import { askedOf } from './asked.logic.ts';
import { useEvidence } from './deliveries.api.ts';

/** What the customer changed, and what was asked of the tool for it: only what is known. */
export function WhatChanged({ delivery }: { delivery: DeliveryDetail }) {
  const { t } = useTranslation('deliveries');
  const asked = askedOf(delivery);
  const tool = delivery.tool_name ?? '';
  return (
    <section>
      <h3 className="mb-3 font-semibold">{t('diff.title')}</h3>
      <div className="divide-y divide-line rounded-lg border border-line bg-surface">
        <Part title={t('diff.customer')}>
          <Chosen choiceId={delivery.choice_id} />
        </Part>
        {asked.length > 0 && (
          <Part title={t('diff.requested', { tool })}>
            <AskedChanges changes={asked} tool={tool} />
          </Part>
        )}
      </div>
    </section>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="px-4 py-3">
      <h4 className="mb-1.5 text-[13px] text-ink-muted">{title}</h4>
      {children}
    </div>
  );
}

function Chosen({ choiceId }: { choiceId: string }) {
  const { t } = useTranslation('deliveries');
  const query = useEvidence(choiceId);
  if (query.isPending) return <Skeleton shape="text" count={2} />;
  // The evidence at the end of the panel says why, and offers to try again.
  if (query.isLoadingError) return <p className="text-ink-muted">{t('evidence.unknown')}</p>;
  const { events, lists } = query.data;
  return (
    <ul className="flex flex-col gap-1.5">
      {events
        .filter((event) => !isAboutLists(event))
        .map((event) => (
          <li key={event}>{t(`event.${event}`)}</li>
        ))}
      {lists.map((list) => (
        <li key={list.list_id}>
          <ListChange list={list} />
        </li>
      ))}
    </ul>
  );
}

function ListChange({ list }: { list: Evidence['lists'][number] }) {
  const { t } = useTranslation('deliveries');
  const word = (subscribed: boolean) => t(subscribed ? 'diff.subscribed' : 'diff.unsubscribed');
  const before = list.previous === null ? t('diff.no_choice') : word(list.previous);
  const now = list.declined ? t('diff.declined') : word(list.subscribed);
  return (
    <>
      <span className="font-medium wrap-anywhere">{list.name}</span>: <FromTo before={before} now={now} />
    </>
  );
}

/** `subscribed → unsubscribed` */
export function FromTo({ before, now }: { before: string; now: string }) {
  const { t } = useTranslation('deliveries');
  return (
    <Fragment>
      <span className="wrap-anywhere text-ink-muted">{before}</span>{' '}
      <ArrowRight size={14} role="img" aria-label={t('diff.then')} className="inline align-[-2px]" />{' '}
      <span className="wrap-anywhere">{now}</span>
    </Fragment>
  );
}

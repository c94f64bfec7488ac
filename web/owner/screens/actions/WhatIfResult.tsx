import { ChevronRight } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Button, Disclosure, DisclosurePanel, Heading } from 'react-aria-components';
import type { ActionPlan, ChoicePreview } from '#contract/choice-previews.ts';
import { Card } from '#web/ui/Card.tsx';
import { Notice } from '#web/ui/Notice.tsx';
import { ActionTypeIcon } from '../../components/action-icons.tsx';
import { HttpRequest } from '../../components/HttpMessage.tsx';
import { useDay } from '../../components/RelativeTime.tsx';
import { listFormat } from '../../i18n/formats.ts';
import { useLanguage } from '../../i18n/i18n.ts';
import { bySending } from './what-if.logic.ts';

/** What the choice would be, and what each action would do about it. */
export function WhatIfResult({ preview }: { preview: ChoicePreview }) {
  const { t } = useTranslation('actions');
  if (preview.choices.length === 0) return <Notice>{t('what_if.unchanged')}</Notice>;
  return (
    <div className="flex flex-col gap-6">
      {preview.is_held && <Notice tone="warning">{t('what_if.held')}</Notice>}
      {preview.choices.map((choice, index) => (
        <ChoicePlan key={index} choice={choice} />
      ))}
    </div>
  );
}

function ChoicePlan({ choice }: { choice: ChoicePreview['choices'][number] }) {
  const { t } = useTranslation(['actions', 'deliveries']);
  const { sends, rests } = bySending(choice.actions);
  const language = useLanguage();
  const events = listFormat(language, { type: 'unit' });
  const title =
    choice.events.length === 0
      ? t('what_if.no_event')
      : events.format(choice.events.map((event) => t(`deliveries:event.${event}`)));
  return (
    <Card title={title} description={<Changes choice={choice} />} isPadded={false}>
      {choice.needs_confirmation && (
        <p className="border-b border-line px-5 py-3 text-pretty text-ink-muted">
          {t('what_if.needs_confirmation')}
        </p>
      )}
      {sends.length === 0 && <p className="px-5 py-4 text-ink-muted">{t('what_if.sends_nothing')}</p>}
      {sends.length > 0 && (
        <ul className="divide-y divide-line">
          {sends.map((plan) => (
            <li key={plan.action_id}>
              <Plan plan={plan} />
            </li>
          ))}
        </ul>
      )}
      {rests.length > 0 && <Rest plans={rests} isFirst={sends.length === 0} />}
    </Card>
  );
}

function Changes({ choice }: { choice: ChoicePreview['choices'][number] }) {
  const { lists, paused_until: until, wrong_recipient_at: wrongRecipientAt } = choice;
  const { t } = useTranslation('actions');
  const day = useDay();
  const format = listFormat(useLanguage(), { type: 'unit' });
  const named = lists.map(({ name, subscribed }) =>
    t(subscribed ? 'what_if.list_on' : 'what_if.list_off', { name }),
  );
  const parts = [
    ...(until === null ? [] : [t('what_if.paused_until', { date: day(until) })]),
    ...(wrongRecipientAt === null ? [] : [t('what_if.wrong_recipient')]),
    ...named,
  ];
  return <span className="wrap-anywhere">{format.format(parts)}</span>;
}

const TRIGGER =
  'flex w-full cursor-pointer items-center gap-3 px-5 py-3 text-left hover:bg-hover group-data-expanded:bg-hover';

function Plan({ plan }: { plan: ActionPlan }) {
  const { t } = useTranslation('actions');
  const { calls, error, is_exact: isExact, no_calls_because: because } = plan;
  return (
    <Disclosure className="group">
      <Heading level={3}>
        <Button slot="trigger" className={TRIGGER}>
          <ActionTypeIcon type={plan.type} />
          <span className="min-w-0 flex-1">
            <span className="block font-medium wrap-anywhere">{plan.name}</span>
            <span className={`block text-[13px] ${because === null ? 'text-ink-muted' : 'text-warning'}`}>
              {because === null
                ? t('what_if.calls', { count: calls.length })
                : t(`what_if.because.${because}`)}
              {because === null && !isExact && ` · ${t('what_if.maybe_more')}`}
            </span>
          </span>
          <ChevronRight
            size={16}
            aria-hidden
            className="shrink-0 text-ink-muted transition-transform duration-150 group-data-expanded:rotate-90"
          />
        </Button>
      </Heading>
      <DisclosurePanel>
        <div className="flex flex-col gap-6 border-t border-line p-5">
          {error !== null && <Notice tone="warning">{error}</Notice>}
          {because === null && !isExact && <Notice>{t('what_if.maybe_more_text')}</Notice>}
          {calls.map((call, index) => (
            <HttpRequest key={index} request={call} />
          ))}
        </div>
      </DisclosurePanel>
    </Disclosure>
  );
}

/** The actions that would send nothing, each with the reason. */
function Rest({ plans, isFirst }: { plans: readonly ActionPlan[]; isFirst: boolean }) {
  const { t } = useTranslation('actions');
  return (
    <Disclosure className="group border-t border-line" defaultExpanded={isFirst}>
      <Heading level={3}>
        <Button slot="trigger" className={`${TRIGGER} text-ink-muted`}>
          <span className="min-w-0 flex-1">{t('what_if.rests', { count: plans.length })}</span>
          <ChevronRight
            size={16}
            aria-hidden
            className="shrink-0 transition-transform duration-150 group-data-expanded:rotate-90"
          />
        </Button>
      </Heading>
      <DisclosurePanel>
        <ul className="divide-y divide-line border-t border-line">
          {plans.map((plan) => (
            <li key={plan.action_id} className="px-5 py-3">
              <p className="wrap-anywhere">{plan.name}</p>
              <p className="text-[13px] text-pretty text-ink-muted">
                {plan.no_calls_because !== null && t(`what_if.because.${plan.no_calls_because}`)}
                {plan.error !== null && ` ${plan.error}`}
              </p>
            </li>
          ))}
        </ul>
      </DisclosurePanel>
    </Disclosure>
  );
}

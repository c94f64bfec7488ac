import { ChevronRight } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Evidence, JudgedEvidence } from '#contract/choices.ts';
import { Card } from '#web/ui/Card.tsx';
import { ErrorState } from '#web/ui/ErrorState.tsx';
import { TextLink } from '#web/ui/Link.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { LoadMore } from '../../components/LoadMore.tsx';
import { TestBadge } from '../../components/TestBadge.tsx';
import { useRowLimit } from '../../components/first-frame.ts';
import { listFormat } from '../../i18n/formats.ts';
import { useLanguage } from '../../i18n/i18n.ts';
import { useDay, RelativeTime } from '../../components/RelativeTime.tsx';
import { ChoiceDeliveries } from '../deliveries/ChoiceDeliveries.tsx';
import { EvidenceFacts } from '../deliveries/EvidenceCard.tsx';
import { MachineBadge } from '../deliveries/Judgement.tsx';
import { useTimeline } from './customers.api.ts';
import { type Headline, headlineOf } from './customers.logic.ts';

/** A customer's choices, newest first, each with its evidence. */
export function Timeline({ id }: { id: string }) {
  const { t } = useTranslation('customers');
  const query = useTimeline(id);
  return (
    <Card title={t('timeline.title')} description={t('timeline.help')} isPadded={false}>
      {query.isPending ? (
        <div className="p-5">
          <Skeleton shape="text" count={5} />
        </div>
      ) : query.isLoadingError ? (
        <div className="p-5">
          <ErrorState error={query.error} onRetry={() => void query.refetch()} />
        </div>
      ) : (
        <Choices
          label={t('timeline.title')}
          choices={query.data.pages.flatMap((page) => page.results)}
          more={query.hasNextPage && <LoadMore query={query} label={t('more')} />}
        />
      )}
    </Card>
  );
}

/** In pixels: two lines, with their padding and the line below. */
const ROW_HEIGHT = 65;
/** The least height of the title and a customer's lists, in pixels. */
const ABOVE_TIMELINE = 400;

interface ChoicesProps {
  label: string;
  choices: JudgedEvidence[];
  /** For several customers: each entry names its own. */
  isOfMany?: boolean;
  more: ReactNode;
}

export function Choices({ label, choices, isOfMany = false, more }: ChoicesProps) {
  const { t } = useTranslation('customers');
  const limit = useRowLimit(ROW_HEIGHT, isOfMany ? undefined : ABOVE_TIMELINE);
  if (choices.length === 0) return <p className="p-5 text-ink-muted">{t('timeline.none')}</p>;
  return (
    <>
      <ol aria-label={label} className="divide-y divide-line">
        {choices.slice(0, limit).map((choice) => (
          <Choice key={choice.id} choice={choice} isOfMany={isOfMany} />
        ))}
      </ol>
      {more && <div className="flex justify-center border-t border-line p-4">{more}</div>}
    </>
  );
}

const DOTS: Record<Headline['kind'], string> = {
  created: 'bg-accent',
  joined: 'bg-success',
  back: 'bg-success',
  unsubscribed: 'bg-warning',
  declined: 'bg-line-strong',
  paused: 'bg-warning',
  left: 'bg-danger',
  wrong_recipient: 'bg-warning',
  erased: 'bg-danger',
  moved: 'bg-accent',
  already_off: 'bg-line-strong',
  deleted_list: 'bg-line-strong',
  nothing: 'bg-line-strong',
};

function Choice({ choice, isOfMany }: { choice: JudgedEvidence; isOfMany: boolean }) {
  const { t } = useTranslation(['customers', 'deliveries']);
  const [isOpen, setIsOpen] = useState(false);
  const id = useId();
  const { kind } = headlineOf(choice);
  const Heading = isOfMany ? 'h2' : 'h3';
  return (
    <li>
      <Heading>
        <button
          id={id}
          type="button"
          aria-expanded={isOpen}
          aria-controls={isOpen ? `${id}-panel` : undefined}
          onClick={() => setIsOpen(!isOpen)}
          className="flex w-full cursor-pointer items-start gap-3 px-5 py-3 text-left -outline-offset-2 hover:bg-hover"
        >
          <span aria-hidden className={`mt-1.5 size-2 shrink-0 rounded-full ${DOTS[kind]}`} />
          <span className="min-w-0 flex-1">
            <span className={`font-medium wrap-anywhere ${isOpen ? 'block' : 'line-clamp-3'}`}>
              <Words choice={choice} />
            </span>
            {isOfMany && choice.email !== null && (
              <span className="block text-[13px] wrap-anywhere text-ink-muted">{choice.email}</span>
            )}
            <span className="block text-[13px] text-ink-muted">
              {choice.shown.undone
                ? t(`deliveries:undone.${choice.shown.undone.kind}`)
                : t(`deliveries:source.${choice.source}`)}{' '}
              · <RelativeTime at={choice.occurred_at} />
            </span>
            {choice.reason !== null && (
              <span className="block text-[13px] text-ink-muted">
                {t('timeline.reason', { reason: t(`reason.${choice.reason}`) })}
              </span>
            )}
            {choice.judgement?.verdict === 'likely_machine' && (
              <span className="mt-1 block">
                <MachineBadge />
              </span>
            )}
          </span>
          {choice.test && <TestBadge />}
          <ChevronRight
            size={16}
            aria-hidden
            className={`mt-0.5 shrink-0 text-ink-muted transition-transform duration-150 ${isOpen ? 'rotate-90' : ''}`}
          />
        </button>
      </Heading>
      {isOpen && (
        <div id={`${id}-panel`} role="group" aria-labelledby={id} className="px-5 pt-3 pb-5">
          {isOfMany && (
            <p className="mb-3">
              <TextLink to="/customers/$id" params={{ id: choice.customer_id }}>
                {t('one')}
              </TextLink>
            </p>
          )}
          <ChoiceDeliveries choiceId={choice.id} title={t('timeline.deliveries')} />
          <EvidenceFacts evidence={choice} />
        </div>
      )}
    </li>
  );
}

function Words({ choice }: { choice: Evidence }) {
  const { t } = useTranslation('customers');
  const day = useDay();
  const names = listFormat(useLanguage());
  const { kind, joined, unsubscribed, declined } = headlineOf(choice);
  const isAboutLists = kind === 'joined' || kind === 'unsubscribed' || kind === 'declined';
  const parts = [
    ...(isAboutLists ? [] : [t(`choice.${kind}`, { date: day(choice.paused_until ?? choice.occurred_at) })]),
    ...(joined.length > 0 ? [t('choice.joined', { lists: names.format(joined) })] : []),
    ...(unsubscribed.length > 0 ? [t('choice.unsubscribed', { lists: names.format(unsubscribed) })] : []),
    ...(declined.length > 0 ? [t('choice.declined', { lists: names.format(declined) })] : []),
  ];
  return parts.join(' · ');
}

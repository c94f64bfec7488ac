import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { Button, Disclosure, DisclosurePanel, Heading } from 'react-aria-components';
import { useTranslation } from 'react-i18next';
import type { Attempt, StoredAttempt } from '#contract/deliveries.ts';
import { Badge } from '#web/ui/Badge.tsx';
import { useLanguage } from '../../i18n/i18n.ts';
import { ExactTime, useDay } from '../../components/RelativeTime.tsx';
import { useAskedText } from './AskedChanges.tsx';
import { type Differences, differencesOf } from './asked.logic.ts';
import { durationText, isSuccess } from './deliveries.logic.ts';
import { Exchange } from './Exchange.tsx';
import { FromTo } from './WhatChanged.tsx';

interface AttemptItemProps {
  attempt: StoredAttempt;
  /** The attempt before it. */
  before: StoredAttempt | undefined;
  isOpen: boolean;
  /** The tool does not have the person: a response that says so is not an error. */
  wasAlreadyInSync: boolean;
}

export function AttemptItem({ attempt, before, isOpen, wasAlreadyInSync }: AttemptItemProps) {
  const { t } = useTranslation('deliveries');
  const [isExpanded, setIsExpanded] = useState(isOpen);
  const wasExpected = wasAlreadyInSync && isSuccess(attempt);
  const differences = before === undefined ? null : differencesOf(before, attempt);
  return (
    <li className="rounded-lg border border-line bg-surface">
      <Disclosure isExpanded={isExpanded} onExpandedChange={setIsExpanded}>
        <Heading level={4}>
          <Button
            slot="trigger"
            className="flex w-full cursor-pointer flex-wrap items-center gap-x-3 gap-y-1 rounded-lg px-4 py-3 text-left hover:bg-hover"
          >
            <ChevronRight
              size={16}
              aria-hidden
              className={`shrink-0 text-ink-muted transition-transform duration-150 ${isExpanded ? 'rotate-90' : ''}`}
            />
            <span className="font-medium">{t('attempt.title', { number: attempt.number })}</span>
            <Badge tone={!isSuccess(attempt) ? 'danger' : wasExpected ? 'neutral' : 'success'}>
              {wasExpected
                ? t('attempt.answered')
                : (attempt.response?.status ?? t(`outcome.${attempt.outcome}`))}
            </Badge>
            <span className="text-[13px] text-ink-muted sm:ml-auto">
              <ExactTime at={attempt.started_at} /> · {durationText(attempt.duration_ms, useLanguage())}
            </span>
          </Button>
        </Heading>
        <DisclosurePanel>
          <div className="flex flex-col gap-5 border-t border-line p-4">
            {attempt.error && (
              <p className="rounded-lg bg-danger-soft px-3 py-2 break-words text-danger">
                <strong className="font-semibold">{t(`outcome.${attempt.outcome}`)}</strong>
                <br />
                {attempt.error}
              </p>
            )}
            {attempt.content_deleted_at === null ? (
              <>
                {differences && <Different differences={differences} from={attempt.number - 1} />}
                <Exchange heading="h5" attempt={attempt} wasExpected={wasExpected} />
              </>
            ) : (
              <Deleted at={attempt.content_deleted_at} request={attempt.request} />
            )}
          </div>
        </DisclosurePanel>
      </Disclosure>
    </li>
  );
}

/** The rest of an attempt with deleted content: method and URL, if they contain no personal data. */
function Deleted({ at, request }: { at: string; request: Attempt['request'] }) {
  const { t } = useTranslation('deliveries');
  return (
    <>
      {request.url !== '' && (
        <code className="font-mono text-[13px] wrap-anywhere">
          <strong className="font-semibold">{request.method}</strong> {request.url}
        </code>
      )}
      <p className="text-pretty text-ink-muted">{t('attempt.content_deleted', { date: useDay()(at) })}</p>
    </>
  );
}

/** What was different from the attempt before. */
function Different({ differences, from }: { differences: Differences; from: number }) {
  const { t } = useTranslation('deliveries');
  const textOf = useAskedText();
  const textsOf = (changes: Attempt['changes']) => changes.map(textOf).join(', ');
  const { asked, url, isOtherBody, status } = differences;
  const said = (code: number | null) => (code === null ? t('difference.none') : String(code));
  return (
    <section>
      <h5 className="font-semibold">{t('difference.title', { number: from })}</h5>
      <ul className="mt-1 flex flex-col gap-1 text-[13px]">
        {asked && (
          <li>
            {t('difference.asked')}: <FromTo before={textsOf(asked.before)} now={textsOf(asked.now)} />
          </li>
        )}
        {url && (
          <li>
            {t('difference.url')}: <FromTo before={url.before} now={url.now} />
          </li>
        )}
        {isOtherBody && <li>{t('difference.body')}</li>}
        {status && (
          <li>
            {t('attempt.response')}: <FromTo before={said(status.before)} now={said(status.now)} />
          </li>
        )}
      </ul>
    </section>
  );
}

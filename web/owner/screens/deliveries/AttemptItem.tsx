import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { Button, Disclosure, DisclosurePanel, Heading } from 'react-aria-components';
import { useTranslation } from 'react-i18next';
import type { Attempt, StoredAttempt } from '#contract/deliveries.ts';
import { Badge } from '#web/ui/Badge.tsx';
import { useLanguage } from '../../i18n/i18n.ts';
import { HttpBody, HttpRequest } from '../../components/HttpMessage.tsx';
import { ExactTime, useDay } from '../../components/RelativeTime.tsx';
import { durationText, isSuccess } from './deliveries.logic.ts';

interface AttemptItemProps {
  attempt: StoredAttempt;
  isOpen: boolean;
  /** The tool does not have the person: a response that says so is not an error. */
  hadNothingToDo: boolean;
}

export function AttemptItem({ attempt, isOpen, hadNothingToDo }: AttemptItemProps) {
  const { t } = useTranslation('deliveries');
  const [isExpanded, setIsExpanded] = useState(isOpen);
  const wasExpected = hadNothingToDo && isSuccess(attempt);
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
                <Response response={attempt.response} wasExpected={wasExpected} />
                <section>
                  <h5 className="font-semibold">{t('attempt.request')}</h5>
                  <HttpRequest request={attempt.request} />
                </section>
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

function Response({ response, wasExpected }: { response: Attempt['response']; wasExpected: boolean }) {
  const { t } = useTranslation('deliveries');
  return (
    <section>
      <h5 className="font-semibold">{t('attempt.response')}</h5>
      {response === null ? (
        <p className="mt-1 text-ink-muted">{t('attempt.no_response')}</p>
      ) : (
        <>
          {wasExpected && <p className="my-1 text-pretty">{t('attempt.expected')}</p>}
          <p className="my-1">{t('attempt.status', { status: response.status })}</p>
          <HttpBody body={response.body} />
        </>
      )}
    </section>
  );
}

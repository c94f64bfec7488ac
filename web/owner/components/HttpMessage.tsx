import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '#web/ui/CopyButton.tsx';
import { prettyBody } from './http-body.ts';

interface HttpRequestProps {
  request: { method: string; url: string; headers: Record<string, string>; body: string | null };
}

/** A call as it goes over the wire: line, headers, body. */
export function HttpRequest({ request }: HttpRequestProps) {
  const { t } = useTranslation('deliveries');
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <p className="flex items-start gap-2">
        <code className="min-w-0 flex-1 py-1.5 font-mono text-[13px] wrap-anywhere">
          <strong className="font-semibold">{request.method}</strong> {request.url}
        </code>
        <CopyButton value={request.url} label={t('attempt.copy_url')} />
      </p>
      <HttpHeaders headers={request.headers} />
      <HttpBody body={request.body ?? ''} />
    </div>
  );
}

export function HttpHeaders({ headers }: { headers: Record<string, string> }) {
  const { t } = useTranslation('deliveries');
  const entries = Object.entries(headers);
  if (entries.length === 0) return null;
  return (
    <Part title={t('attempt.headers')}>
      <dl className="grid grid-cols-1 gap-x-4 rounded-lg border border-line bg-sunken px-3 py-2 font-mono text-[13px] sm:grid-cols-[max-content_minmax(0,1fr)]">
        {entries.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-ink-muted">{name}</dt>
            <dd className="mb-1 min-w-0 wrap-anywhere sm:mb-0">{value}</dd>
          </div>
        ))}
      </dl>
    </Part>
  );
}

export function HttpBody({ body }: { body: string }) {
  const { t } = useTranslation('deliveries');
  if (body === '') return <p className="text-[13px] text-ink-muted">{t('attempt.empty_body')}</p>;
  const pretty = prettyBody(body);
  return (
    <Part title={t('attempt.body')} action={<CopyButton value={pretty} label={t('attempt.copy_body')} />}>
      <pre
        // What scrolls has to be reachable with the keyboard.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        role="group"
        aria-label={t('attempt.body')}
        className="max-h-80 overflow-auto rounded-lg border border-line bg-sunken px-3 py-2 font-mono text-[13px] break-words whitespace-pre-wrap"
      >
        {pretty}
      </pre>
    </Part>
  );
}

function Part({ title, action, children }: { title: string; action?: ReactNode; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <div className="mb-1 flex min-h-8 items-center justify-between gap-2">
        <p className="text-[13px] font-medium text-ink-muted">{title}</p>
        {action}
      </div>
      {children}
    </div>
  );
}

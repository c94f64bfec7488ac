import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { PlugZap } from 'lucide-react';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '#contract/client.ts';
import { EmptyState } from '#web/ui/EmptyState.tsx';
import { ErrorState } from '#web/ui/ErrorState.tsx';
import { LinkButton } from '#web/ui/LinkButton.tsx';
import { PageHeader } from '#web/ui/PageHeader.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { ArrivedScene } from '../../components/scenes/scenes.tsx';
import { hasErrorCode } from '../../api/error-codes.ts';
import { isRetryable } from '../../api/query-client.ts';
import { oauthReturnQuery } from './oauth-return.ts';
import { sentenceOf } from './integrations.logic.ts';

/** The redirect URI of tools: finishes the login, and shows the outcome. */
export function ConnectedScreen() {
  const { t } = useTranslation('connected');
  return (
    <>
      <PageHeader title={t('title')} />
      <Outcome />
    </>
  );
}

function Outcome() {
  const { t } = useTranslation('connected');
  const navigate = useNavigate();
  const query = useQuery(oauthReturnQuery);
  const redirect = query.data?.redirect ?? null;
  useEffect(() => {
    if (redirect !== null) void navigate({ href: redirect, replace: true });
  }, [redirect, navigate]);

  if (query.isFetching || redirect !== null) {
    return (
      <>
        <p className="mb-4 text-ink-muted">{t('waiting')}</p>
        <Skeleton shape="panels" count={1} />
      </>
    );
  }
  if (query.isError) {
    const again = isRetryable(query.error) ? { onRetry: () => void query.refetch() } : {};
    return (
      <ErrorState
        error={query.error}
        title={t('failed')}
        {...reasonOf(query.error)}
        {...again}
        action={<ToIntegrations />}
      />
    );
  }
  const integration = query.data?.integration;
  return integration === undefined ? (
    <EmptyState
      icon={<PlugZap />}
      title={t('nothing.title')}
      text={t('nothing.text')}
      action={<ToIntegrations />}
    />
  ) : (
    <EmptyState
      art={<ArrivedScene />}
      title={t('done.title', { name: integration.name })}
      text={t('done.text', { account: integration.account_name })}
      action={
        <div className="flex flex-wrap justify-center gap-2">
          <LinkButton to="/integrations/$id" params={{ id: integration.id }}>
            {t('to_integration')}
          </LinkButton>
          <LinkButton to="/integrations/$id/set-up" params={{ id: integration.id }} variant="primary">
            {t('to_set_up')}
          </LinkButton>
        </div>
      }
    />
  );
}

/** The server's message, if it is about the tool's parameters. */
function reasonOf(error: unknown): { text?: string } {
  const [reason] = error instanceof ApiError ? error.errors : [];
  if (hasErrorCode(error, 'other_tool_account')) return {};
  return reason?.field === undefined ? {} : { text: sentenceOf(reason) };
}

function ToIntegrations() {
  const { t } = useTranslation('connected');
  return <LinkButton to="/integrations">{t('to_integrations')}</LinkButton>;
}

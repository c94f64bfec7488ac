import { ArrowLeft, SearchX } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '#contract/client.ts';
import { EmptyState } from '#web/ui/EmptyState.tsx';
import { ErrorState } from '#web/ui/ErrorState.tsx';
import { LinkButton } from '#web/ui/LinkButton.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { useConnectors } from '../../queries/integration-queries.ts';
import type { IntegrationProps } from './integration-props.ts';
import { useIntegration } from './integrations.api.ts';

/** An integration and its connector, as far as they are known. */
export function useIntegrationProps(id: string): Partial<IntegrationProps> {
  const integration = useIntegration(id).data;
  const connectors = useConnectors().data;
  const connector = connectors?.find((one) => one.id === integration?.provider);
  return { ...(integration && { integration }), ...(connector && { connector }) };
}

interface LoadedIntegrationProps {
  id: string;
  /** While it loads. */
  panels: number;
  children: (props: IntegrationProps) => ReactNode;
}

/** What a screen shows of an integration, or why there is nothing to show. */
export function LoadedIntegration({ id, panels, children }: LoadedIntegrationProps) {
  const queries = [useIntegration(id), useConnectors()] as const;
  const { integration, connector } = useIntegrationProps(id);
  if (isGone(queries[0].error)) return <Gone />;
  const failed = queries.find((query) => query.isLoadingError);
  if (failed) return <ErrorState error={failed.error} onRetry={() => void failed.refetch()} />;
  if (queries.some((query) => query.isPending)) {
    return (
      <div className="max-w-4xl">
        <Skeleton shape="panels" count={panels} />
      </div>
    );
  }
  return integration && connector ? children({ integration, connector }) : <Gone />;
}

export function isGone(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404;
}

export function Gone() {
  const { t } = useTranslation('integrations');
  return (
    <EmptyState
      icon={<SearchX />}
      title={t('detail.gone')}
      text={t('detail.gone_text')}
      action={
        <LinkButton to="/integrations" icon={<ArrowLeft />}>
          {t('detail.to_all')}
        </LinkButton>
      }
    />
  );
}

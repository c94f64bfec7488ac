import { KeyRound, Plus } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { NewApiKey } from '#contract/api-keys.ts';
import { Button } from '#web/ui/Button.tsx';
import { Card } from '#web/ui/Card.tsx';
import { ErrorState } from '#web/ui/ErrorState.tsx';
import { TextAnchor } from '#web/ui/Link.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { usePermission } from '../../../account/permissions.ts';
import { useSite } from '../../../site/current-site.tsx';
import { ApiKeyRow } from './ApiKeyRow.tsx';
import { useApiKeys } from './api-keys.api.ts';
import { BaseUrl, ExampleCall } from './ApiUsage.tsx';
import { NewKeyDialog } from './NewKeyDialog.tsx';
import { ShowKeyDialog } from './ShowKeyDialog.tsx';

/** The API keys of the current site; renders nothing for people who may not manage them. */
export function ApiKeysSection() {
  const { t } = useTranslation('api-keys');
  const { site } = useSite();
  const canManage = usePermission('admin');
  const [isMaking, setIsMaking] = useState(false);
  const [made, setMade] = useState<NewApiKey | null>(null);
  if (!canManage) return null;
  return (
    <Card
      title={t('title_of', { site: site.name })}
      description={
        <>
          {t('description', { site: site.name })}{' '}
          <TextAnchor href="/docs/api/" target="_blank" rel="noreferrer">
            {t('reference')}
          </TextAnchor>
        </>
      }
      isPadded={false}
      action={
        <Button icon={<Plus />} onPress={() => setIsMaking(true)}>
          {t('new')}
        </Button>
      }
    >
      <Keys />
      <div className="flex flex-col gap-3 border-t border-line p-5">
        <BaseUrl />
        <ExampleCall />
      </div>
      {isMaking && (
        <NewKeyDialog
          onClose={() => setIsMaking(false)}
          onMade={(key) => {
            setIsMaking(false);
            setMade(key);
          }}
        />
      )}
      {made && <ShowKeyDialog made={made} onClose={() => setMade(null)} />}
    </Card>
  );
}

function Keys() {
  const { t } = useTranslation('api-keys');
  const query = useApiKeys();
  if (query.isPending) {
    return (
      <div className="p-5">
        <Skeleton shape="text" count={2} />
      </div>
    );
  }
  if (query.isLoadingError) {
    return (
      <div className="p-5">
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      </div>
    );
  }
  if (query.data.length === 0) {
    return (
      <p className="flex items-start gap-2.5 p-5 text-ink-muted">
        <KeyRound size={16} aria-hidden className="mt-0.5 shrink-0" />
        {t('none')}
      </p>
    );
  }
  return (
    <ul aria-label={t('title')} className="divide-y divide-line">
      {query.data.map((apiKey) => (
        <ApiKeyRow key={apiKey.id} apiKey={apiKey} />
      ))}
    </ul>
  );
}

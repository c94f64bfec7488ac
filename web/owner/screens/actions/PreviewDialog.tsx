import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Action } from '#contract/actions.ts';
import { Dialog } from '#web/ui/Dialog.tsx';
import { ErrorState } from '#web/ui/ErrorState.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { HttpRequest } from '../../components/HttpMessage.tsx';
import { useActionPreview } from './actions.api.ts';
import { CustomerPicker } from './CustomerPicker.tsx';

export function PreviewDialog({ action, onClose }: { action: Action; onClose: () => void }) {
  const { t } = useTranslation('actions');
  const [customerId, setCustomerId] = useState<string | null>(null);
  return (
    <Dialog
      isOpen
      onOpenChange={onClose}
      size="lg"
      title={t('preview.title')}
      description={t('preview.text')}
    >
      <div className="flex min-h-72 flex-col gap-5">
        <CustomerPicker value={customerId} onChange={setCustomerId} />
        {customerId !== null && <Calls actionId={action.id} customerId={customerId} />}
      </div>
    </Dialog>
  );
}

function Calls({ actionId, customerId }: { actionId: string; customerId: string }) {
  const { t } = useTranslation('actions');
  const query = useActionPreview(actionId, customerId, 'choice');
  if (query.isPending) return <Skeleton shape="text" count={5} />;
  if (query.isLoadingError) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  const { calls, nothing_because: why } = query.data;
  if (calls.length === 0) {
    return <p className="text-ink-muted">{t(why === 'test' ? 'test.nothing.test' : 'preview.nothing')}</p>;
  }
  return (
    <ol className="flex flex-col gap-6">
      {calls.map((one, index) => (
        <li key={index}>
          <HttpRequest request={one} />
        </li>
      ))}
    </ol>
  );
}

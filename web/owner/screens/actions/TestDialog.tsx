import { Play } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ActionTest } from '#contract/action-tests.ts';
import type { Action } from '#contract/actions.ts';
import { Button } from '#web/ui/Button.tsx';
import { Dialog } from '#web/ui/Dialog.tsx';
import { ErrorState } from '#web/ui/ErrorState.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { Notice } from '#web/ui/Notice.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { useLanguage } from '../../i18n/i18n.ts';
import { AskedChanges } from '../deliveries/AskedChanges.tsx';
import { durationText, isSuccess } from '../deliveries/deliveries.logic.ts';
import { Exchange } from '../deliveries/Exchange.tsx';
import { useActionPreview, useActionTest } from './actions.api.ts';
import { targetOf } from './actions.logic.ts';
import { CustomerPicker } from './CustomerPicker.tsx';
import { useConnectorOf } from './use-connector-of.ts';

/** Runs an action once, for real: says first what that does and to whom, and then what came of it. */
export function TestDialog({ action, onClose }: { action: Action; onClose: () => void }) {
  const { t } = useTranslation(['actions', 'ui']);
  const [customerId, setCustomerId] = useState<string | null>(null);
  const { tool } = useConnectorOf(action.integration_id ?? '');
  const isInTool = action.integration_id !== null;
  const test = useActionTest(action.id);
  const plan = useActionPreview(action.id, isInTool ? customerId : null, 'test');
  const isReady = !isInTool || (customerId !== null && (plan.data?.changes.length ?? 0) > 0);

  function choose(id: string | null) {
    setCustomerId(id);
    test.reset();
  }

  return (
    <Dialog
      isOpen
      onOpenChange={onClose}
      size="lg"
      title={t('test.title')}
      description={
        <>
          <p className="font-medium wrap-anywhere text-ink">{action.name}</p>
          <Explanation action={action} tool={tool} />
        </>
      }
      footer={
        <>
          <Button onPress={onClose}>{t('ui:close')}</Button>
          <Button
            variant="primary"
            icon={<Play />}
            isPending={test.isPending}
            isDisabled={!isReady}
            onPress={() => test.mutate(isInTool ? customerId : null)}
          >
            {t('test.run')}
          </Button>
        </>
      }
    >
      <div className={`flex flex-col gap-5 ${isInTool ? 'min-h-72' : ''}`}>
        {isInTool && <CustomerPicker value={customerId} onChange={choose} />}
        {customerId !== null && !test.isSuccess && <Plan query={plan} tool={tool} />}
        <FormError error={test.error} />
        <div role="status" className="flex flex-col gap-5 empty:hidden">
          {test.data && <Result test={test.data} tool={tool} />}
        </div>
      </div>
    </Dialog>
  );
}

function Explanation({ action, tool }: { action: Action; tool: string }) {
  const { t } = useTranslation('actions');
  if (action.integration_id !== null) return <p>{t('test.about_tool', { tool })}</p>;
  const target = targetOf(action);
  const kind = action.type === 'webhook' ? 'webhook' : 'email' in action.target ? 'mail' : 'evidence';
  return <p className="wrap-anywhere">{t(`test.about_${kind}`, { target })}</p>;
}

/** What a test would really change, or why it would change nothing. */
function Plan({ query, tool }: { query: ReturnType<typeof useActionPreview>; tool: string }) {
  const { t } = useTranslation('actions');
  if (query.isPending) return <Skeleton shape="text" count={2} />;
  if (query.isLoadingError) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  const { nothing_because: why, changes } = query.data;
  if (why !== null) return <Notice>{t(`test.nothing.${why}`, { tool })}</Notice>;
  const [first] = changes;
  return (
    <Notice tone="warning">
      <p className="mb-1.5 text-pretty">{t('test.will', { tool, email: first?.email ?? '' })}</p>
      <AskedChanges changes={changes} tool={tool} />
    </Notice>
  );
}

function Result({ test, tool }: { test: ActionTest; tool: string }) {
  const { t } = useTranslation(['actions', 'deliveries']);
  const language = useLanguage();
  const verdict = useVerdict(test, tool);
  return (
    <>
      <Notice tone={verdict.tone}>
        <p className="font-medium text-pretty">{verdict.text}</p>
        {test.error !== null && <p className="mt-0.5 text-pretty">{test.error}</p>}
        <p className="mt-0.5 text-[13px]">
          {t('test.took', { duration: durationText(test.duration_ms, language) })} {t('test.unlogged')}
        </p>
      </Notice>
      {test.changes.length > 0 && (
        <section>
          <h3 className="mb-1.5 font-semibold">{t('deliveries:diff.requested', { tool })}</h3>
          <AskedChanges changes={test.changes} tool={tool} />
        </section>
      )}
      <Exchange heading="h3" attempt={test} />
    </>
  );
}

function useVerdict(test: ActionTest, tool: string) {
  const { t } = useTranslation(['actions', 'deliveries']);
  if (!isSuccess(test)) {
    const why = t(`deliveries:outcome.${test.outcome}`);
    return { tone: 'danger', text: t('test.failed', { why }) } as const;
  }
  if (tool === '') return { tone: 'success', text: t('test.passed') } as const;
  if (test.changes.some(({ shown }) => shown === false)) {
    return { tone: 'warning', text: t('test.not_shown', { tool }) } as const;
  }
  const isShown = test.changes.every(({ shown }) => shown === true);
  return { tone: 'success', text: t(isShown ? 'test.shown' : 'test.accepted', { tool }) } as const;
}

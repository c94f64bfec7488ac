import { Undo2 } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { BulkChange, BulkUndo } from '#contract/bulk-changes.ts';
import { Button } from '#web/ui/Button.tsx';
import { ConfirmDialog } from '#web/ui/ConfirmDialog.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { Notice } from '#web/ui/Notice.tsx';
import { ProgressBar } from '#web/ui/ProgressBar.tsx';
import { usePermission } from '../../account/permissions.ts';
import { FormBar } from '../../components/FormBar.tsx';
import { ReadOnlyNotice } from '../../components/ReadOnlyNotice.tsx';
import { useNumber } from '../../i18n/use-number.ts';
import { useActions } from '../../queries/action-queries.ts';
import { useIntegrations } from '../../queries/integration-queries.ts';
import { usePreviewUndo, useStartUndo } from './bulk-changes.api.ts';
import { hasEffect, isWorking, shareOf, stateOf, toldLines } from './bulk-changes.logic.ts';
import { UndoneCustomers } from './UndoneCustomers.tsx';

/** The undo of a bulk change at its current step, as the server reports it. */
export function UndoSteps({ item, trouble }: { item: BulkChange; trouble: unknown }) {
  const { undo } = item;
  return (
    <div className="flex flex-col gap-6">
      {undo?.status !== 'finished' && <ReadOnlyNotice needs="editor" />}
      <FormError error={trouble} />
      {undo === null ? (
        <Start item={item} />
      ) : isWorking(item) ? (
        <Working item={item} undo={undo} />
      ) : undo.status === 'checked' ? (
        <Checked item={item} undo={undo} />
      ) : (
        <Finished item={item} undo={undo} />
      )}
    </div>
  );
}

/** Nothing is known yet of what the undo would do. */
function Start({ item }: { item: BulkChange }) {
  const { t } = useTranslation('bulk-changes');
  const canUndo = usePermission('editor');
  const preview = usePreviewUndo(item.id);
  const isRunning = stateOf(item) === 'running';
  return (
    <section className="flex max-w-3xl flex-col gap-4 rounded-lg border border-line bg-surface p-5">
      <div>
        <h2 className="font-semibold">{t('start.title')}</h2>
        <p className="mt-1 text-pretty text-ink-muted">{t('start.text')}</p>
      </div>
      {isRunning && <Notice>{t(item.kind === 'import' ? 'start.importing' : 'start.running')}</Notice>}
      <FormError error={preview.error} />
      {canUndo && (
        <div>
          <Button
            variant="primary"
            icon={<Undo2 />}
            isDisabled={isRunning}
            isPending={preview.isPending}
            onPress={() => preview.mutate()}
          >
            {t('start.preview')}
          </Button>
        </div>
      )}
    </section>
  );
}

type UndoProps = { item: BulkChange; undo: BulkUndo };

function Working({ item, undo }: UndoProps) {
  const { t } = useTranslation('bulk-changes');
  const number = useNumber();
  const { status, counts } = undo;
  const [done, total] =
    status === 'checking'
      ? [counts.customers, Math.max(item.customers, counts.customers)]
      : status === 'deleting'
        ? [counts.deleted, counts.new_customers]
        : [counts.applied, counts.customers];
  const phase = status === 'checking' || status === 'deleting' ? status : 'applying';
  return (
    <div className="flex max-w-3xl flex-col gap-4 rounded-lg border border-line bg-surface p-5">
      <ProgressBar
        label={t(`working.${phase}`)}
        share={shareOf(item)}
        text={t('working.done', { done: number(done), total: number(total) })}
      />
      <Notice>{t(`working.${phase}_text`)}</Notice>
    </div>
  );
}

function Checked({ item, undo }: UndoProps) {
  const { t } = useTranslation('bulk-changes');
  const number = useNumber();
  const canUndo = usePermission('editor');
  const preview = usePreviewUndo(item.id);
  const start = useStartUndo(item.id);
  const [isAsking, setIsAsking] = useState(false);
  const { subscribes, unsubscribes } = undo.counts;
  const isWorthIt = hasEffect(undo.counts);
  return (
    <>
      <UndoneCustomers item={item} undo={undo} title={t('checked.title')} help={t('checked.help')}>
        <Effects undo={undo} />
      </UndoneCustomers>
      <Told undo={undo} />
      {!isWorthIt && <Notice>{t('checked.nothing')}</Notice>}
      {subscribes > 0 && (
        <Notice tone="warning">
          {t('checked.subscribes', { count: subscribes, number: number(subscribes) })}
        </Notice>
      )}
      <FormError error={preview.error} />
      {canUndo && (
        <FormBar status={t('checked.nothing_yet')}>
          <Button isPending={preview.isPending} onPress={() => preview.mutate()}>
            {t('checked.again')}
          </Button>
          <Button
            variant="primary"
            icon={<Undo2 />}
            isDisabled={!isWorthIt}
            onPress={() => setIsAsking(true)}
          >
            {t('checked.start')}
          </Button>
        </FormBar>
      )}
      <ConfirmDialog
        isOpen={isAsking}
        onOpenChange={setIsAsking}
        {...(unsubscribes > 0 ? { typedConfirmation: String(unsubscribes) } : { variant: 'primary' })}
        title={t('checked.ask')}
        description={
          <>
            {t('checked.ask_text')}
            {unsubscribes > 0 && (
              <strong className="mt-3 block font-semibold tabular-nums">
                {t('effects.unsubscribes', { number: number(unsubscribes) })}
              </strong>
            )}
          </>
        }
        confirmLabel={t('checked.start')}
        onConfirm={() => start.mutateAsync({ unsubscribes })}
      />
    </>
  );
}

const EFFECTS = ['subscribes', 'unsubscribes', 'new_customers'] as const;

function Effects({ undo: { counts } }: { undo: BulkUndo }) {
  const { t } = useTranslation('bulk-changes');
  const number = useNumber();
  return (
    <ul className="flex flex-wrap gap-x-6 gap-y-1 font-medium tabular-nums">
      {EFFECTS.filter((effect) => counts[effect] > 0).map((effect) => (
        <li key={effect}>{t(`effects.${effect}`, { number: number(counts[effect]) })}</li>
      ))}
    </ul>
  );
}

/** Which actions run, so that tools are told. */
function Told({ undo: { tells, counts } }: { undo: BulkUndo }) {
  const { t } = useTranslation('bulk-changes');
  const number = useNumber();
  const actions = useActions().data ?? [];
  const integrations = useIntegrations().data ?? [];
  return (
    <section aria-labelledby="told-title" className="flex flex-col gap-2">
      <h2 id="told-title" className="font-semibold">
        {t('told.title')}
      </h2>
      {tells.length === 0 ? (
        <p className="text-ink-muted">{t('told.none')}</p>
      ) : (
        <ul className="max-w-3xl divide-y divide-line rounded-lg border border-line bg-surface">
          {tells.map((told) => {
            const action = actions.find(({ id }) => id === told.action_id);
            const tool = integrations.find(({ id }) => id === told.integration_id)?.name;
            return (
              <li key={told.action_id} className="flex flex-col gap-1 px-4 py-3 sm:px-5">
                <span className="flex flex-wrap items-baseline gap-x-4">
                  <span className="min-w-0 flex-1 basis-48 font-medium wrap-anywhere">
                    {action?.name ?? t('told.deleted')}
                  </span>
                  <span className="text-[13px] text-ink-muted wrap-anywhere">{tool}</span>
                </span>
                <ul className="text-[13px] text-pretty text-ink-muted tabular-nums">
                  {toldLines(told, action).map(({ key, count }) => (
                    <li key={key} className="wrap-anywhere">
                      {key === 'count'
                        ? t('count', { number: number(count) })
                        : t(`told.${key}`, {
                            number: number(count),
                            target: action?.target?.name ?? '',
                            tool: tool ?? t('a_tool'),
                          })}
                    </li>
                  ))}
                </ul>
              </li>
            );
          })}
        </ul>
      )}
      <p className="max-w-3xl text-[13px] text-pretty text-ink-muted">
        {t('told.help')} {counts.new_customers > 0 && t('told.new_customers')}
      </p>
    </section>
  );
}

function Finished({ item, undo }: UndoProps) {
  const { t } = useTranslation('bulk-changes');
  const number = useNumber();
  const { restored, partly, kept } = undo.counts;
  return (
    <>
      <div role="status">
        <Notice tone="success">
          {t('finished.text', { count: restored, number: number(restored) })}
          {partly > 0 && ` ${t('finished.partly', { count: partly, number: number(partly) })}`}
          {kept > 0 && ` ${t('finished.kept', { count: kept, number: number(kept) })}`}
        </Notice>
      </div>
      <UndoneCustomers
        item={item}
        undo={undo}
        title={t('finished.title')}
        help={undo.started_by?.name ? t('finished.by', { name: undo.started_by.name }) : ''}
      />
    </>
  );
}

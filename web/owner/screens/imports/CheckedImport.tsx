import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ImportDetail } from '#contract/imports.ts';
import { Button } from '#web/ui/Button.tsx';
import { ConfirmDialog } from '#web/ui/ConfirmDialog.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { Notice } from '#web/ui/Notice.tsx';
import { listFormat, numberFormat } from '../../i18n/formats.ts';
import { useLanguage } from '../../i18n/i18n.ts';
import { usePermission } from '../../account/permissions.ts';
import { useActions } from '../../queries/action-queries.ts';
import { useIntegrations } from '../../queries/integration-queries.ts';
import { FormBar } from '../../components/FormBar.tsx';
import { useApply, useCheck } from './imports.api.ts';
import { changesOf } from './imports.logic.ts';
import { ReviveField } from './ReviveField.tsx';
import { Verdicts } from './Verdicts.tsx';

const EFFECTS = ['subscribes', 'unsubscribes', 'no_choice'] as const;

/** The result of the dry run: the outcome of each row, before anything changes. */
export function CheckedImport({ item, onMapping }: { item: ImportDetail; onMapping: () => void }) {
  const { t } = useTranslation('imports');
  const language = useLanguage();
  const number = numberFormat(language);
  const names = listFormat(language);
  const tools = useReceivers(item);
  const [isAsking, setIsAsking] = useState(false);
  const canImport = usePermission('editor');
  const apply = useApply(item.id);
  const changes = changesOf(item.counts);
  const { added, changed, revived } = item.counts;
  return (
    <>
      <Verdicts item={item} title={t('checked.title')} help={t('checked.help')}>
        <Effects item={item} />
      </Verdicts>
      {changes === 0 && <Notice>{t('checked.no_changes')}</Notice>}
      {revived > 0 && (
        <Notice tone="warning">{t('checked.revives', { revived: number.format(revived) })}</Notice>
      )}
      {item.source === 'tool' && canImport && <Again item={item} />}
      {canImport && (
        <FormBar status={t('columns.nothing_yet')}>
          {item.source === 'csv' && <Button onPress={onMapping}>{t('checked.columns')}</Button>}
          <Button variant="primary" isDisabled={changes === 0} onPress={() => setIsAsking(true)}>
            {t('checked.apply')}
          </Button>
        </FormBar>
      )}
      <ConfirmDialog
        isOpen={isAsking}
        onOpenChange={setIsAsking}
        variant="primary"
        title={t('checked.ask')}
        description={
          <>
            {t('checked.ask_counts', {
              added: number.format(added),
              changed: number.format(changed),
              revived: number.format(revived),
            })}{' '}
            {tools.length > 0
              ? t('checked.ask_text_tools', { tools: names.format(tools) })
              : t('checked.ask_text')}
          </>
        }
        confirmLabel={t('checked.apply')}
        onConfirm={() => apply.mutateAsync()}
      />
    </>
  );
}

/** The names of the tools that changes are sent to: not the one that they come from. */
function useReceivers({ integration_id }: ImportDetail): string[] {
  const actions = useActions().data ?? [];
  const integrations = useIntegrations().data ?? [];
  return integrations
    .filter(({ id }) => id !== integration_id)
    .filter(({ id }) => actions.some((action) => action.enabled && action.integration_id === id))
    .map(({ name }) => name);
}

/** What the import does to what customers receive. */
function Effects({ item }: { item: ImportDetail }) {
  const { t } = useTranslation('imports');
  const number = numberFormat(useLanguage());
  const shown = EFFECTS.filter((effect) => item.counts[effect] > 0);
  if (shown.length === 0) return null;
  return (
    <ul aria-label={t('effects.label')} className="flex flex-wrap gap-x-6 gap-y-1 font-medium tabular-nums">
      {shown.map((effect) => (
        <li key={effect}>
          {t(`effects.${effect}`, { count: item.counts[effect], number: number.format(item.counts[effect]) })}
        </li>
      ))}
    </ul>
  );
}

/** An import from a tool can be checked again with the other rule. */
function Again({ item }: { item: ImportDetail }) {
  const check = useCheck(item.id);
  return (
    <div className="flex flex-col gap-3">
      <ReviveField
        isSelected={check.variables?.options?.revive ?? item.options.revive}
        onChange={(revive) => check.mutate({ options: { revive } })}
      />
      <FormError error={check.error} />
    </div>
  );
}

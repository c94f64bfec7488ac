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
import { useIntegrations } from '../../queries/integration-queries.ts';
import { FormBar } from '../../components/FormBar.tsx';
import { useApply, useCheck } from './imports.api.ts';
import { changesOf } from './imports.logic.ts';
import { ReviveField } from './ReviveField.tsx';
import { Verdicts } from './Verdicts.tsx';

const CHANGES = ['added', 'changed', 'revived'] as const;
const EFFECTS = ['subscribes', 'unsubscribes', 'no_choice'] as const;

/** The result of the dry run: the outcome of each row, before anything changes. */
export function CheckedImport({ item, onMapping }: { item: ImportDetail; onMapping: () => void }) {
  const { t } = useTranslation('imports');
  const language = useLanguage();
  const number = numberFormat(language);
  const receivers = useReceivers(item);
  const [isAsking, setIsAsking] = useState(false);
  const canImport = usePermission('editor');
  const apply = useApply(item.id);
  const changes = changesOf(item.counts);
  const { revived } = item.counts;
  return (
    <>
      <Verdicts item={item} title={t('checked.title')} help={t('checked.help')}>
        <Effects item={item} />
        {changes > 0 && (
          <p>{receivers === null ? t('checked.sends_none') : t('checked.sends', { tools: receivers })}</p>
        )}
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
            {CHANGES.filter((change) => item.counts[change] > 0)
              .map((change) =>
                t(`checked.will.${change}`, {
                  count: item.counts[change],
                  number: number.format(item.counts[change]),
                }),
              )
              .join(' ')}{' '}
            {receivers === null ? t('checked.sends_none') : t('checked.sends', { tools: receivers })}{' '}
            {t('checked.ask_text')}
          </>
        }
        confirmLabel={t('checked.apply')}
        onConfirm={() => apply.mutateAsync()}
      />
    </>
  );
}

/** The tools that are sent something, each with the number of its customers; null: none. */
function useReceivers({ tells }: ImportDetail): string | null {
  const { t } = useTranslation('imports');
  const language = useLanguage();
  const integrations = useIntegrations().data ?? [];
  if (tells.length === 0) return null;
  const nameOf = (id: string | null) =>
    integrations.find((one) => one.id === id)?.name ?? t(id === null ? 'checked.endpoints' : 'a_tool');
  return listFormat(language).format(
    tells.map(
      ({ integration_id: id, customers }) => `${nameOf(id)} (${numberFormat(language).format(customers)})`,
    ),
  );
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

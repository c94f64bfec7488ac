import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ImportDetail } from '#contract/imports.ts';
import { Button } from '#web/ui/Button.tsx';
import { ErrorState } from '#web/ui/ErrorState.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { Notice } from '#web/ui/Notice.tsx';
import { SelectField } from '#web/ui/SelectField.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { FormBar } from '../../components/FormBar.tsx';
import { useLists } from '../../queries/list-queries.ts';
import { useCheck } from './imports.api.ts';
import { mappingOf, meaningsOf, withMeaning } from './imports.logic.ts';
import { ReviveField } from './ReviveField.tsx';

interface MappingFormProps {
  item: ImportDetail;
  onChecked: () => void;
  /** Returns to the existing check. */
  onBack?: () => void;
}

/** Maps the columns, with their first values beside them. */
export function MappingForm({ item, onChecked, onBack }: MappingFormProps) {
  const { t } = useTranslation(['imports', 'ui']);
  const columns = item.columns ?? [];
  const [meanings, setMeanings] = useState(() => meaningsOf(columns, item.mapping ?? item.suggested_mapping));
  const [revive, setRevive] = useState(item.options.revive);
  const check = useCheck(item.id);
  const lists = useLists();
  const mapping = mappingOf(meanings);

  if (lists.isPending) return <Skeleton shape="form" />;
  if (lists.isLoadingError) return <ErrorState error={lists.error} onRetry={() => void lists.refetch()} />;
  const options = [
    { value: 'ignore', label: t('columns.ignore') },
    { value: 'email', label: t('columns.email') },
    { value: 'all', label: t('columns.all') },
    ...lists.data.map((list) => ({ value: list.id, label: t('columns.list', { name: list.name }) })),
  ];

  return (
    <div className="flex max-w-4xl flex-col gap-6">
      <section aria-labelledby="columns-title">
        <h2 id="columns-title" className="font-semibold">
          {t('columns.title')}
        </h2>
        <p className="mt-0.5 mb-3 text-[13px] text-ink-muted">{t('columns.help')}</p>
        <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
          {columns.map((column, index) => (
            <li
              key={column}
              className="grid items-center gap-x-6 gap-y-2 px-5 py-3 sm:grid-cols-[minmax(0,1fr)_18rem]"
            >
              <div className="min-w-0">
                <p className="font-medium break-words">{column}</p>
                <Samples values={item.preview.map((row) => row[index] ?? '')} />
              </div>
              <SelectField
                label={t('columns.means', { column })}
                isLabelHidden
                options={options}
                value={meanings.get(column) ?? 'ignore'}
                onChange={(meaning) => setMeanings(withMeaning(meanings, column, meaning))}
              />
            </li>
          ))}
        </ul>
      </section>
      <ReviveField isSelected={revive} onChange={setRevive} />
      {mapping === null && <Notice tone="warning">{t('columns.no_email')}</Notice>}
      {mapping !== null && mapping.lists.length === 0 && mapping.all === undefined && (
        <Notice>{t('columns.no_lists')}</Notice>
      )}
      <FormError error={check.error} />
      <FormBar status={t('columns.nothing_yet')}>
        {onBack && <Button onPress={onBack}>{t('ui:cancel')}</Button>}
        <Button
          variant="primary"
          isDisabled={mapping === null}
          isPending={check.isPending}
          onPress={() => {
            if (mapping) check.mutate({ mapping, options: { revive } }, { onSuccess: onChecked });
          }}
        >
          {t('columns.check')}
        </Button>
      </FormBar>
    </div>
  );
}

function Samples({ values }: { values: string[] }) {
  const { t } = useTranslation('imports');
  const shown = [...new Set(values)].filter((value) => value.trim() !== '');
  if (shown.length === 0) return <p className="text-[13px] text-ink-muted">{t('columns.empty')}</p>;
  return (
    <ul aria-label={t('columns.samples')} className="mt-1 flex min-w-0 flex-wrap gap-1">
      {shown.map((value) => (
        <li
          key={value}
          className="max-w-full truncate rounded-sm bg-hover px-1.5 font-mono text-xs text-ink-muted"
        >
          {value}
        </li>
      ))}
    </ul>
  );
}

import { TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { DateOrder } from '#contract/import-cells.ts';
import {
  EVIDENCE_COLUMNS,
  type ImportDetail,
  NO_MEANINGS,
  type NoMeaning,
  SUPPRESSION_STATES,
} from '#contract/imports.ts';
import { Badge } from '#web/ui/Badge.tsx';
import { Button } from '#web/ui/Button.tsx';
import { ErrorState } from '#web/ui/ErrorState.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { Notice } from '#web/ui/Notice.tsx';
import { SelectField, type SelectOption } from '#web/ui/SelectField.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { FormBar } from '../../components/FormBar.tsx';
import { numberFormat } from '../../i18n/formats.ts';
import { useLanguage } from '../../i18n/i18n.ts';
import { useLists } from '../../queries/list-queries.ts';
import { useCheck } from './imports.api.ts';
import {
  type CellEffect,
  effectOf,
  everyoneOf,
  isList,
  losesUnsubscribes,
  mappingOf,
  samplesOf,
  type Meaning,
  type Sending,
  meaningsOf,
  silentColumnsOf,
  suretyOf,
  withMeaning,
  withSilence,
} from './imports.logic.ts';
import { EveryoneField } from './EveryoneField.tsx';
import { Recognized } from './Recognized.tsx';
import { ReviveField } from './ReviveField.tsx';
import { SendField } from './SendField.tsx';

interface MappingFormProps {
  item: ImportDetail;
  onChecked: () => void;
  /** Returns to the existing check. */
  onBack?: () => void;
}

/** Maps the columns, with the first values of each beside it. */
export function MappingForm({ item, onChecked, onBack }: MappingFormProps) {
  const { t } = useTranslation(['imports', 'ui']);
  const columns = item.columns ?? [];
  const begin = item.mapping ?? item.suggested_mapping;
  const [meanings, setMeanings] = useState(() => meaningsOf(columns, begin));
  const [silent, setSilent] = useState(() => silentColumnsOf(begin));
  const [everyone, setEveryone] = useState(() => everyoneOf(begin));
  const [revive, setRevive] = useState(item.options.revive);
  const [sending, setSending] = useState<Sending>(item.options);
  const check = useCheck(item.id);
  const lists = useLists();
  const mapping = mappingOf(meanings, silent, everyone);
  const sureOf = suretyOf(item, columns);

  if (lists.isPending) return <Skeleton shape="form" />;
  if (lists.isLoadingError) return <ErrorState error={lists.error} onRetry={() => void lists.refetch()} />;
  const options = [
    { value: 'ignore', label: t('columns.ignore') },
    { value: 'email', label: t('columns.email') },
    { value: 'all', label: t('columns.all') },
    ...lists.data.map((list) => ({ value: list.id, label: t('columns.list', { name: list.name }) })),
    ...SUPPRESSION_STATES.map((value) => ({ value, label: t(`columns.${value}`) })),
    ...EVIDENCE_COLUMNS.map((value) => ({ value, label: t(`columns.${value}`) })),
  ];

  return (
    <div className="flex max-w-4xl flex-col gap-6">
      <Recognized item={item} />
      {(mapping === null || begin?.email === undefined) && (
        <div className="max-w-lg">
          <SelectField
            label={t('columns.which_email')}
            description={t('columns.which_email_help')}
            options={columns.map((column) => ({ value: column, label: column }))}
            value={mapping?.email ?? null}
            onChange={(column) => setMeanings(withMeaning(meanings, column, 'email'))}
          />
        </div>
      )}
      <EveryoneField
        lists={lists.data.filter(({ id }) => ![...meanings.values()].includes(id))}
        value={mapping === null ? everyone : everyoneOf(mapping)}
        onChange={setEveryone}
      />
      <SendField value={sending} onChange={setSending} isFile />
      <section aria-labelledby="columns-title">
        <h2 id="columns-title" className="font-semibold">
          {t('columns.title')}
        </h2>
        <p className="mt-0.5 mb-3 text-[13px] text-pretty text-ink-muted">
          {t('columns.help')} {t('columns.ignored_help')}
          {mapping !== null && mapping.lists.length > 0 && ` ${t('columns.no_help')}`}
        </p>
        <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
          {columns.map((column, index) => (
            <Column
              key={column}
              name={column}
              values={samplesOf(item, index)}
              filled={item.column_samples?.[index]?.filled ?? null}
              total={item.counts.total}
              options={options}
              meaning={meanings.get(column) ?? 'ignore'}
              dateOrder={item.column_samples?.[index]?.date_order ?? null}
              wouldBeLost={losesUnsubscribes(column, samplesOf(item, index), item.suggested_mapping)}
              surety={sureOf(column, meanings.get(column) ?? 'ignore')}
              onMeaning={(meaning) => setMeanings(withMeaning(meanings, column, meaning))}
              isSilent={silent.has(column)}
              onNo={(no) => setSilent(withSilence(silent, column, no))}
            />
          ))}
        </ul>
      </section>
      <ReviveField isSelected={revive} onChange={setRevive} />
      {mapping !== null &&
        mapping.lists.length === 0 &&
        mapping.all === undefined &&
        mapping.suppressions === undefined &&
        mapping.everyone === undefined && <Notice>{t('columns.no_lists')}</Notice>}
      <FormError error={check.error} />
      <FormBar status={t('columns.nothing_yet')}>
        {onBack && <Button onPress={onBack}>{t('ui:cancel')}</Button>}
        <Button
          variant="primary"
          isDisabled={mapping === null}
          isPending={check.isPending}
          onPress={() => {
            if (!mapping) return;
            const { send_subscriptions, exported_from } = sending;
            const options = { revive, send_subscriptions, exported_from };
            check.mutate({ mapping, options }, { onSuccess: onChecked });
          }}
        >
          {t('columns.check')}
        </Button>
      </FormBar>
    </div>
  );
}

interface ColumnProps {
  name: string;
  values: string[];
  /** Rows with a value; null if nobody counted them. */
  filled: number | null;
  total: number;
  options: SelectOption<Meaning>[];
  meaning: Meaning;
  dateOrder: DateOrder | null;
  /** Does it say against sending to somebody what would be lost if it were ignored? */
  wouldBeLost: boolean;
  /** How sure we are of the meaning; null if it is the person's own choice. */
  surety: 'known' | 'guessed' | null;
  onMeaning: (meaning: Meaning) => void;
  /** Its "no" changes nothing. */
  isSilent: boolean;
  onNo: (no: NoMeaning) => void;
}

/** One column: its first values, each with what it will do, and the choices that decide that. */
function Column({
  name,
  values,
  filled,
  total,
  options,
  meaning,
  dateOrder,
  wouldBeLost,
  surety,
  onMeaning,
  isSilent,
  onNo,
}: ColumnProps) {
  const { t } = useTranslation('imports');
  const format = numberFormat(useLanguage());
  return (
    <li className="grid items-start gap-x-6 gap-y-2 px-5 py-3 sm:grid-cols-[minmax(0,1fr)_18rem]">
      <div className="min-w-0">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1 font-medium">
          <span className="min-w-0 wrap-anywhere">{name}</span>
          {surety !== null && (
            <Badge tone={surety === 'known' ? 'success' : 'neutral'}>{t(`columns.surety.${surety}`)}</Badge>
          )}
        </p>
        {filled !== null && filled > 0 && (
          <p className="text-[13px] text-ink-muted tabular-nums">
            {t('columns.filled', { filled: format.format(filled), total: format.format(total) })}
          </p>
        )}
        <Samples
          values={values}
          emptyText={t(filled === 0 ? 'columns.empty_all' : 'columns.empty')}
          effectOf={(value) => effectOf(value, meaning, isSilent, dateOrder)}
        />
        {meaning === 'ignore' && wouldBeLost && (
          <p className="mt-2 flex items-start gap-1.5 text-[13px] text-pretty text-warning">
            <TriangleAlert aria-hidden className="mt-0.5 size-3.5 shrink-0" />
            {t('columns.ignored_unsubscribes')}
          </p>
        )}
      </div>
      <div className="flex min-w-0 flex-col gap-3">
        <SelectField
          label={t('columns.means', { column: name })}
          isLabelHidden
          options={options}
          value={meaning}
          onChange={onMeaning}
        />
        {isList(meaning) && (
          <SelectField
            label={t('columns.no_means')}
            options={NO_MEANINGS.map((value) => ({ value, label: t(`columns.no.${value}`) }))}
            value={isSilent ? 'unchanged' : 'unsubscribed'}
            onChange={onNo}
          />
        )}
      </div>
    </li>
  );
}

interface SamplesProps {
  values: string[];
  emptyText: string;
  effectOf: (value: string) => CellEffect | null;
}

function Samples({ values, emptyText, effectOf: effectOfValue }: SamplesProps) {
  const { t } = useTranslation('imports');
  if (values.length === 0) return <p className="text-[13px] text-ink-muted">{emptyText}</p>;
  return (
    <ul aria-label={t('columns.samples')} className="mt-1 flex min-w-0 flex-wrap gap-x-3 gap-y-1">
      {values.map((value) => {
        const effect = effectOfValue(value);
        return (
          <li key={value} className="flex max-w-full min-w-0 items-center gap-1.5 text-xs text-ink-muted">
            <span className="truncate rounded-sm bg-hover px-1.5 font-mono">{value}</span>
            {effect !== null && (
              <span className={`shrink-0 ${effect === 'unreadable' ? 'text-danger' : ''}`}>
                <span aria-hidden>→ </span>
                <span>{t(`columns.effect.${effect}`)}</span>
              </span>
            )}
          </li>
        );
      })}
    </ul>
  );
}

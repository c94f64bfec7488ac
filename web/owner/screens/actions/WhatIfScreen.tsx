import { Play } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { PAUSE_DAYS, PAUSE_UNTIL } from '#contract/public-preferences.ts';
import { Button } from '#web/ui/Button.tsx';
import { Card } from '#web/ui/Card.tsx';
import { ErrorState } from '#web/ui/ErrorState.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { PageHeader } from '#web/ui/PageHeader.tsx';
import { SegmentedControl } from '#web/ui/SegmentedControl.tsx';
import { SelectField } from '#web/ui/SelectField.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { SwitchField } from '#web/ui/SwitchField.tsx';
import { TextField } from '#web/ui/TextField.tsx';
import { BackLink } from '../../components/BackLink.tsx';
import { useLists } from '../../queries/list-queries.ts';
import { CustomerPicker } from './CustomerPicker.tsx';
import { useChoicePreview, useListsOfCustomer, useNamedCustomer } from './what-if.api.ts';
import {
  choiceOf,
  customerOf,
  kindsFor,
  type ShownList,
  type WhatIfField,
  type WhatIfForm,
  whatIfProblems,
} from './what-if.logic.ts';
import { WhatIfResult } from './WhatIfResult.tsx';

const COLUMNS = 'grid items-start gap-6 lg:grid-cols-[minmax(0,22rem)_minmax(0,1fr)]';

/** Everything that a choice would send, without making it; of this customer, if there is one. */
export function WhatIfScreen({ customerId }: { customerId: string | undefined }) {
  const { t } = useTranslation('actions');
  const named = useNamedCustomer(customerId);
  const isWaiting = customerId !== undefined && named.isPending;
  return (
    <>
      <PageHeader
        title={t('what_if.title')}
        description={t('what_if.text')}
        back={<BackLink to="/actions">{t('what_if.back')}</BackLink>}
      />
      {isWaiting ? (
        <Skeleton shape="panels" />
      ) : named.isLoadingError ? (
        <ErrorState error={named.error} onRetry={() => void named.refetch()} />
      ) : (
        <WhatIf begin={named.data === undefined ? null : { id: named.data.id, email: named.data.email }} />
      )}
    </>
  );
}

function WhatIf({ begin }: { begin: WhatIfForm['customer'] }) {
  const { t } = useTranslation('actions');
  const preview = useChoicePreview();
  const [missing, setMissing] = useState<readonly WhatIfField[]>([]);
  const [form, setForm] = useState<WhatIfForm>({
    who: 'known',
    customer: begin,
    newEmail: '',
    kind: 'lists',
    moved: {},
    pause: 30,
    pauseUntil: '',
    email: '',
    confirmChanges: false,
  });
  const lists = useShownLists(form);
  const { reset } = preview;

  function change(values: Partial<WhatIfForm>) {
    setForm((before) => ({ ...before, ...values }));
    setMissing([]);
    // What is shown is about another choice now.
    reset();
  }

  function submit(event: FormEvent) {
    event.preventDefault();
    const wrong = whatIfProblems(form, lists.data ?? [], new Date());
    setMissing(wrong);
    const needsLists = form.kind === 'lists' || form.kind === 'leave';
    if (wrong.length > 0 || (needsLists && lists.data === undefined)) return;
    preview.mutate({
      customer: customerOf(form),
      choice: choiceOf(form, lists.data ?? []),
      confirm_changes: form.confirmChanges,
    });
  }

  const errorOf = (field: WhatIfField) =>
    missing.includes(field)
      ? t(`what_if.missing.${field}`, { min: PAUSE_UNTIL.minDays, max: PAUSE_UNTIL.maxDays })
      : undefined;
  return (
    <div className={COLUMNS}>
      <form onSubmit={submit} noValidate>
        <Card title={t('what_if.choice')}>
          <div className="flex flex-col gap-5">
            <div>
              <SegmentedControl
                label={t('what_if.who.label')}
                options={(['known', 'new'] as const).map((value) => ({
                  value,
                  label: t(`what_if.who.${value}`),
                }))}
                value={form.who}
                onChange={(who) =>
                  change({
                    who,
                    moved: {},
                    ...(kindsFor({ who }).includes(form.kind) ? {} : { kind: 'lists' }),
                  })
                }
              />
            </div>
            {form.who === 'known' ? (
              <CustomerPicker
                value={form.customer?.id ?? null}
                initial={form.customer}
                errorMessage={errorOf('customer')}
                onChange={(id, email = '') =>
                  change({ customer: id === null ? null : { id, email }, moved: {} })
                }
              />
            ) : (
              <TextField
                label={t('what_if.new_email')}
                type="email"
                autoComplete="off"
                value={form.newEmail}
                onChange={(newEmail) => change({ newEmail })}
                errorMessage={errorOf('newEmail')}
              />
            )}
            <SelectField
              label={t('what_if.kind.label')}
              options={kindsFor(form).map((value) => ({ value, label: t(`what_if.kind.${value}`) }))}
              value={form.kind}
              onChange={(kind) => change({ kind })}
            />
            {form.kind === 'lists' && (
              <Switches
                lists={lists}
                moved={form.moved}
                error={errorOf('lists')}
                onChange={(moved) => change({ moved })}
              />
            )}
            {form.kind === 'leave' && lists.error !== null && (
              <ErrorState error={lists.error} onRetry={lists.retry} />
            )}
            {form.kind === 'pause' && (
              <SelectField
                label={t('what_if.pause')}
                options={[
                  ...PAUSE_DAYS.map((days) => ({
                    value: String(days),
                    label: t('what_if.days', { count: days }),
                  })),
                  { value: 'until', label: t('what_if.until') },
                ]}
                value={String(form.pause)}
                onChange={(value) =>
                  change({ pause: PAUSE_DAYS.find((days) => String(days) === value) ?? 'until' })
                }
              />
            )}
            {form.kind === 'pause' && form.pause === 'until' && (
              <TextField
                label={t('what_if.until_day')}
                type="date"
                value={form.pauseUntil}
                onChange={(pauseUntil) => change({ pauseUntil })}
                errorMessage={errorOf('pauseUntil')}
              />
            )}
            {form.kind === 'email' && (
              <TextField
                label={t('what_if.email')}
                type="email"
                autoComplete="off"
                value={form.email}
                onChange={(email) => change({ email })}
                errorMessage={errorOf('email')}
              />
            )}
            <SwitchField
              label={t('what_if.confirm_changes')}
              description={t('what_if.confirm_changes_text')}
              isSelected={form.confirmChanges}
              onChange={(confirmChanges) => change({ confirmChanges })}
            />
            <FormError error={preview.error} />
            <Button type="submit" variant="primary" icon={<Play />} isPending={preview.isPending}>
              {t('what_if.show')}
            </Button>
          </div>
        </Card>
      </form>
      <div className="min-w-0" aria-live="polite" aria-busy={preview.isPending}>
        {preview.isPending ? (
          <Skeleton count={3} />
        ) : preview.data ? (
          <WhatIfResult preview={preview.data} />
        ) : (
          <p className="rounded-lg border border-dashed border-line-strong px-5 py-10 text-center text-pretty text-ink-muted">
            {t('what_if.empty')}
          </p>
        )}
      </div>
    </div>
  );
}

type Lists = ReturnType<typeof useShownLists>;

/** The switches as the customer would find them. */
function useShownLists({ who, customer }: WhatIfForm) {
  const all = useLists();
  const customerId = who === 'known' ? (customer?.id ?? null) : null;
  const own = useListsOfCustomer(customerId);
  const isReady = all.data !== undefined && (customerId === null || own.data !== undefined);
  const chosen = new Map(own.data?.map((one) => [one.notification_list_id, one.subscribed]));
  const data: ShownList[] | undefined = isReady
    ? all.data?.map(({ id, name, subscription_default_state: isOn }) => ({
        id,
        name,
        subscribed: (customerId === null ? null : chosen.get(id)) ?? isOn,
      }))
    : undefined;
  const failed = [all, own].filter((one) => one.isLoadingError);
  return { data, error: failed[0]?.error ?? null, retry: () => failed.forEach((one) => void one.refetch()) };
}

interface SwitchesProps {
  lists: Lists;
  moved: WhatIfForm['moved'];
  error: string | undefined;
  onChange: (moved: WhatIfForm['moved']) => void;
}

function Switches({ lists, moved, error, onChange }: SwitchesProps) {
  const { t } = useTranslation('actions');
  if (lists.error !== null) return <ErrorState error={lists.error} onRetry={lists.retry} />;
  if (lists.data === undefined) return <Skeleton shape="text" />;
  if (lists.data.length === 0) {
    return <p className={error === undefined ? 'text-ink-muted' : 'text-danger'}>{t('what_if.no_lists')}</p>;
  }
  return (
    <ul
      aria-label={t('what_if.kind.lists')}
      className="-m-1 flex max-h-96 flex-col gap-3 overflow-y-auto p-1"
    >
      {lists.data.map(({ id, name, subscribed }) => (
        <li key={id}>
          <SwitchField
            label={<span className="wrap-anywhere">{name}</span>}
            isSelected={moved[id] ?? subscribed}
            onChange={(isOn) => onChange({ ...moved, [id]: isOn })}
          />
        </li>
      ))}
    </ul>
  );
}

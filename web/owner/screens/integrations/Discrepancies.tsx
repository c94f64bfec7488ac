import { useTranslation } from 'react-i18next';
import {
  type ComparisonKind,
  DIFFERENCE_KINDS,
  type Difference,
  type DifferenceKind,
  type OpenChange,
} from '#contract/comparisons.ts';
import { Button } from '#web/ui/Button.tsx';
import { useErrorText } from '#web/ui/error-text.ts';
import { ErrorState } from '#web/ui/ErrorState.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { toast } from '#web/ui/toast.tsx';
import { LoadMore } from '../../components/LoadMore.tsx';
import { numberFormat } from '../../i18n/formats.ts';
import { useLanguage } from '../../i18n/i18n.ts';
import { usePermission } from '../../account/permissions.ts';
import { RelativeTime } from '../../components/RelativeTime.tsx';
import { useDiscrepancies, useResolveDiscrepancy } from './reconciliation.api.ts';
import { hasErrorCode } from '../../api/error-codes.ts';
import { DifferingCustomer } from './DifferingCustomer.tsx';
import { RepairAll } from './RepairAll.tsx';

/** The sentence that says when something can be fixed. */
const WAIT_ID = 'differences-wait';

interface DiscrepanciesProps {
  id: string;
  tool: string;
  /** A comparison or a repair that is running, until whose end nothing can be fixed. */
  running: ComparisonKind | null;
}

/** The open discrepancies by kind, to repair or dismiss. */
export function Discrepancies({ id, tool, running }: DiscrepanciesProps) {
  const { t } = useTranslation('integrations');
  const query = useDiscrepancies(id);
  const canMend = usePermission('editor');
  if (query.isPending) return <Skeleton shape="text" />;
  if (query.isLoadingError) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  const differences = query.data.pages.flatMap((page) => page.results);
  const [first] = query.data.pages;
  if (differences.length === 0 || first === undefined) return null;
  const { open } = first;
  return (
    <div className="flex flex-col gap-5">
      {running !== null && canMend && (
        <p id={WAIT_ID} className="-mb-3 text-[13px] text-ink-muted">
          {t(`comparison.wait.${running}`)}
        </p>
      )}
      {DIFFERENCE_KINDS.filter((kind) => open[kind] > 0).map((kind) => (
        <Kind
          key={kind}
          {...{ id, tool, running, kind }}
          count={open[kind]}
          changes={first.open_changes.filter((one) => one.kind === kind)}
          differences={differences.filter((one) => one.kind === kind)}
        />
      ))}
      <div className="flex justify-center empty:hidden">
        <LoadMore query={query} label={t('more')} size="sm" />
      </div>
    </div>
  );
}

interface KindProps extends DiscrepanciesProps {
  kind: DifferenceKind;
  count: number;
  changes: OpenChange[];
  differences: Difference[];
}

function Kind({ id, tool, running, kind, count, changes, differences }: KindProps) {
  const { t } = useTranslation('integrations');
  const canMend = usePermission('editor');
  return (
    <section aria-labelledby={`differences-${kind}`} className="rounded-lg border border-line">
      <div className="flex flex-wrap items-center justify-between gap-2 border-b border-line px-4 py-3">
        <h3 id={`differences-${kind}`} className="min-w-0 font-medium">
          {t(`difference.kind.${kind}`, { tool })}{' '}
          <span className="font-normal text-ink-muted tabular-nums">
            {numberFormat(useLanguage()).format(count)}
          </span>
        </h3>
        {canMend && (
          <RepairAll {...{ id, tool, kind, count, changes }} waitId={running === null ? null : WAIT_ID} />
        )}
      </div>
      <ul className="divide-y divide-line">
        {differences.map((difference) => (
          <DifferenceRow key={difference.id} id={id} tool={tool} difference={difference} running={running} />
        ))}
      </ul>
    </section>
  );
}

interface DifferenceRowProps extends DiscrepanciesProps {
  difference: Difference;
}

function DifferenceRow({ id, tool, difference, running }: DifferenceRowProps) {
  const { t } = useTranslation('integrations');
  const errorText = useErrorText();
  const settle = useResolveDiscrepancy(id, difference.id);
  const canMend = usePermission('editor');
  const email = difference.customer_email ?? t('difference.no_address');

  function run(how: 'mend' | 'dismiss') {
    settle.mutate(how, {
      onSuccess: ({ status, error }) => {
        if (status === 'open') toast(error ?? t('difference.open'), { tone: 'error' });
        else toast(t(`difference.settled.${status}`));
      },
      onError: (error) =>
        toast(hasErrorCode(error, 'unavailable') ? t('error.no_answer', { tool }) : errorText(error), {
          tone: 'error',
        }),
    });
  }

  return (
    <li className="flex flex-wrap items-start gap-x-4 gap-y-2 px-4 py-3">
      <div className="min-w-0 flex-1 basis-60">
        <DifferingCustomer difference={difference} tool={tool} />
        <p className="text-[13px] text-ink-muted">
          {t('difference.changed')} <RelativeTime at={difference.ours.changed_at} />
        </p>
        {difference.error !== null && (
          <p lang="en" className="text-[13px] wrap-anywhere text-danger">
            {difference.error}
          </p>
        )}
      </div>
      <div className="flex shrink-0 flex-wrap gap-2" hidden={!canMend}>
        <Button
          size="sm"
          variant="ghost"
          aria-label={`${t('difference.dismiss')}: ${email}`}
          isDisabled={settle.isPending}
          onPress={() => run('dismiss')}
        >
          {t('difference.dismiss')}
        </Button>
        <Button
          size="sm"
          aria-label={t('difference.mend_of', { email })}
          isPending={settle.isPending && settle.variables === 'mend'}
          isDisabled={running !== null}
          aria-describedby={running === null ? undefined : WAIT_ID}
          onPress={() => run('mend')}
        >
          {t('difference.mend')}
        </Button>
      </div>
    </li>
  );
}

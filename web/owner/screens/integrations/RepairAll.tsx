import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { DifferenceKind, OpenChange } from '#contract/comparisons.ts';
import { Button } from '#web/ui/Button.tsx';
import { ConfirmDialog } from '#web/ui/ConfirmDialog.tsx';
import { useErrorText } from '#web/ui/error-text.ts';
import { toast } from '#web/ui/toast.tsx';
import { useNumber } from '../../i18n/use-number.ts';
import { mayStartAutomations } from './integrations.logic.ts';
import { useRepairAll } from './reconciliation.api.ts';
import { useChangeWords } from './use-change-words.ts';

interface RepairAllProps {
  id: string;
  tool: string;
  kind: DifferenceKind;
  count: number;
  /** What fixing them changes. */
  changes: readonly OpenChange[];
  /** The sentence that says why it has to wait; null: it doesn't. */
  waitId: string | null;
}

/** Fixes all of a kind. Of more than one, it says first what that changes, and for how many. */
export function RepairAll({ id, tool, kind, count, changes, waitId }: RepairAllProps) {
  const { t } = useTranslation('integrations');
  const errorText = useErrorText();
  const number = useNumber();
  const wordsOf = useChangeWords('fix', tool);
  const repair = useRepairAll(id);
  // What the dialog says stays as it was when it was opened, also when the differences are read again.
  const [asked, setAsked] = useState<Pick<RepairAllProps, 'count' | 'changes'> | null>(null);
  const inDialog = asked ?? { count, changes };
  const counted = { count: inDialog.count, number: number(inDialog.count) };
  return (
    <>
      <Button
        size="sm"
        isPending={repair.isPending && asked === null}
        isDisabled={waitId !== null}
        aria-describedby={waitId ?? undefined}
        onPress={() => {
          if (count > 1) setAsked({ count, changes });
          else repair.mutate(kind, { onError: (error) => toast(errorText(error), { tone: 'error' }) });
        }}
      >
        {t('difference.mend_all')}
      </Button>
      <ConfirmDialog
        isOpen={asked !== null}
        onOpenChange={() => setAsked(null)}
        variant="primary"
        title={t('difference.all.title', counted)}
        description={
          <>
            <ul className="mt-2 flex flex-col gap-1.5 text-ink">
              {inDialog.changes.map((one) => (
                <li key={JSON.stringify(one.change)} className="flex justify-between gap-4">
                  <span className="min-w-0 wrap-anywhere">{wordsOf(one.change)}</span>
                  <span className="shrink-0 tabular-nums">{number(one.count)}</span>
                </li>
              ))}
            </ul>
            {mayStartAutomations(inDialog.changes) && (
              <p className="mt-3">{t('difference.all.automations', { tool })}</p>
            )}
          </>
        }
        confirmLabel={t('difference.all.confirm', counted)}
        onConfirm={() => repair.mutateAsync(kind)}
      />
    </>
  );
}

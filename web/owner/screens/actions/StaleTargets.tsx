import { type Control, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import type { Action } from '#contract/actions.ts';
import { CheckboxField } from '#web/ui/CheckboxField.tsx';
import { Notice } from '#web/ui/Notice.tsx';
import { useActions } from '../../queries/action-queries.ts';
import { useLists } from '../../queries/list-queries.ts';
import { type ActionForm, ruleOf, targetOf } from './actions.logic.ts';
import { leftBehind } from './partners.logic.ts';

/** Actions that would still follow the target that the form began with. */
export function useStaleTargets(start: ActionForm, id: string | null): (now: ActionForm) => Action[] {
  const { data: actions = [] } = useActions();
  const { data: lists = [] } = useLists();
  return (now) => (id === null ? [] : leftBehind(ruleOf(start, id), ruleOf(now, id), actions, lists));
}

interface StaleTargetsProps {
  control: Control<ActionForm>;
  start: ActionForm;
  id: string;
  /** Ids of those that stay as they are. */
  kept: ReadonlySet<string>;
  onKept: (kept: ReadonlySet<string>) => void;
}

/** Offers to change them, too. */
export function StaleTargets({ control, start, id, kept, onKept }: StaleTargetsProps) {
  const { t } = useTranslation('actions');
  const form = useWatch({ control }) as ActionForm;
  const behind = useStaleTargets(start, id)(form);

  function change(action: Action, isChanged: boolean) {
    const others = [...kept].filter((one) => one !== action.id);
    onKept(new Set(isChanged ? others : [...others, action.id]));
  }

  return (
    <div aria-live="polite" className="flex flex-col gap-3 empty:hidden">
      {behind.map((action) => (
        <Notice key={action.id} tone="warning">
          <p className="text-pretty">
            {t(action.operation === 'add' ? 'builder.left_behind_add' : 'builder.left_behind_remove', {
              action: action.name,
              target: targetOf(action),
            })}
          </p>
          <div className="mt-2 text-ink">
            <CheckboxField
              label={t('builder.also_change', { action: action.name, target: form.target?.name })}
              isSelected={!kept.has(action.id)}
              onChange={(isChanged) => change(action, isChanged)}
            />
          </div>
        </Notice>
      ))}
    </div>
  );
}

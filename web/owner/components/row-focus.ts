import { moveFocus } from '#web/ui/move-focus.ts';

/**
 * A ref for a row that may leave its list, for example because it no longer matches the filter: the focus goes to the
 * next row that stays, or else to the one before.
 */
export const moveFocusToNextRow = moveFocus((row) => {
  const rows = [...(row.parentElement?.children ?? [])];
  const at = rows.indexOf(row);
  const nearest = [...rows.slice(at + 1), ...rows.slice(0, at).toReversed()];
  return nearest.map((one) => one.querySelector('a'));
});

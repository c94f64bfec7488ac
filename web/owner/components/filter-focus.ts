import { moveFocus } from '#web/ui/move-focus.ts';

/**
 * A ref for a button within `data-filters` that disappears when it is pressed: the focus goes to the chip after it or
 * before it, or else to the first field.
 */
export const moveFocusToNextFilter = moveFocus((from) => {
  const filters = from.closest('[data-filters]');
  const chips = [...(filters?.querySelectorAll<HTMLElement>('[data-filter-chip]') ?? [])];
  const at = chips.indexOf(from);
  const chip = at < 0 ? undefined : (chips[at + 1] ?? chips[at - 1]);
  return [chip, filters?.querySelector('button')];
});

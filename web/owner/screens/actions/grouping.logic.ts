import type { Action } from '#contract/actions.ts';
import type { ActionFigures } from '#contract/dashboard.ts';
import { isAboutLists } from '#contract/choices.ts';

/** What the actions of a group have in common; `id` is that of an integration or a list. */
type GroupKind =
  | { kind: 'tool' | 'list'; id: string; name: string }
  | { kind: 'webhook' | 'evidence' | 'other_tools' | 'any_list' | 'no_list' | 'deleted_lists' };

export type ActionGroup = GroupKind & {
  actions: readonly { action: Action; /** It stands in a group further up, too. */ isRepeated: boolean }[];
};

interface Named {
  id: string;
  name: string;
}

/**
 * By where they go: the tools in their order, the business's own endpoints, then tools that are not among the
 * integrations, which may have been loaded earlier. Empty groups are left out.
 */
export function groupByTool(actions: readonly Action[], integrations: readonly Named[]): ActionGroup[] {
  const isKnown = new Set(integrations.map(({ id }) => id));
  const kinds: GroupKind[] = [
    ...integrations.map(({ id, name }) => ({ kind: 'tool', id, name }) as const),
    { kind: 'webhook' },
    { kind: 'evidence' },
    { kind: 'other_tools' },
  ];
  return filled(kinds, actions, ({ type, integration_id }, group) => {
    if (group.kind === 'tool') return integration_id === group.id;
    if (group.kind === 'other_tools') return integration_id !== null && !isKnown.has(integration_id);
    return type === group.kind;
  });
}

/** By what they are about: the lists in their order. An action for several lists stands under each. */
export function groupByList(actions: readonly Action[], lists: readonly Named[]): ActionGroup[] {
  const isKnown = new Set(lists.map(({ id }) => id));
  const kinds: GroupKind[] = [
    ...lists.map(({ id, name }) => ({ kind: 'list', id, name }) as const),
    { kind: 'any_list' },
    { kind: 'no_list' },
    { kind: 'deleted_lists' },
  ];
  return filled(kinds, actions, ({ trigger: { event, list_ids } }, group) => {
    if (group.kind === 'no_list') return !isAboutLists(event);
    if (!isAboutLists(event)) return false;
    if (group.kind === 'any_list') return list_ids.length === 0;
    if (group.kind === 'list') return list_ids.includes(group.id);
    return list_ids.length > 0 && !list_ids.some((id) => isKnown.has(id));
  });
}

/** Since when a tool has been failing, whose actions these are; null: it works, or they go to different receivers. */
export function failingSince(
  group: ActionGroup,
  figures: ReadonlyMap<string, Pick<ActionFigures, 'failing_since'>> | undefined,
): string | null {
  if (group.kind !== 'tool') return null;
  const times = group.actions.flatMap(({ action }) => figures?.get(action.id)?.failing_since ?? []);
  return times.toSorted()[0] ?? null;
}

/**
 * The first rows: groups with as many of their actions as fit, without groups that would be empty. A group's heading is
 * about as tall as a row and counts as one.
 * @param count of rows, headings included
 */
export function startOf(groups: readonly ActionGroup[], count: number) {
  let before = 0;
  return groups.flatMap((group) => {
    before += 1;
    const first = group.actions.slice(0, Math.max(0, count - before));
    before += group.actions.length;
    return first.length === 0 ? [] : [{ group, first }];
  });
}

function filled(
  kinds: readonly GroupKind[],
  actions: readonly Action[],
  belongs: (action: Action, group: GroupKind) => boolean,
): ActionGroup[] {
  const shown = new Set<string>();
  return kinds.flatMap((group) => {
    const own = actions.filter((action) => belongs(action, group));
    if (own.length === 0) return [];
    const members = own.map((action) => ({ action, isRepeated: shown.has(action.id) }));
    for (const { id } of own) shown.add(id);
    return [{ ...group, actions: members }];
  });
}

import {
  BadgeCheck,
  Filter,
  List,
  type LucideIcon,
  MailCheck,
  MailX,
  Repeat2,
  ShieldBan,
  ShieldCheck,
  Tag,
  Webhook,
  Workflow,
} from 'lucide-react';
import type { ActionType } from '#contract/actions.ts';

/** Spec section 2: each type of action is shown with its icon. */
const ICONS: Record<ActionType, LucideIcon> = {
  global_unsubscribe: MailX,
  suppression_group: ShieldBan,
  switch_email: Repeat2,
  webhook: Webhook,
  evidence: BadgeCheck,
  tag: Tag,
  funnel: Filter,
  list: List,
  automation: Workflow,
};

/** What lets somebody get emails again doesn't look like what stops them. */
const ICONS_BACK: Record<string, LucideIcon> = {
  global_unsubscribe_resubscribe: MailCheck,
  suppression_group_remove: ShieldCheck,
};

interface ActionTypeIconProps {
  type: ActionType;
  /** null, or left out: the type as such. */
  operation?: string | null;
  size?: number;
}

export function ActionTypeIcon({ type, operation = null, size = 16 }: ActionTypeIconProps) {
  const Icon = ICONS_BACK[`${type}_${operation}`] ?? ICONS[type];
  return <Icon size={size} aria-hidden className="shrink-0" />;
}

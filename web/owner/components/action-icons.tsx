import {
  BadgeCheck,
  Filter,
  List,
  type LucideIcon,
  MailX,
  Repeat2,
  ShieldBan,
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

export function ActionTypeIcon({ type, size = 16 }: { type: ActionType; size?: number }) {
  const Icon = ICONS[type];
  return <Icon size={size} aria-hidden className="shrink-0" />;
}

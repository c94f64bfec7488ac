import { CircleAlert, Info, type LucideIcon, TriangleAlert } from 'lucide-react';
import type { Severity } from './page-lint.ts';

/** How each severity of the checks looks. */
export const SEVERITIES: Record<Severity, { icon: LucideIcon; colour: string }> = {
  problem: { icon: CircleAlert, colour: 'text-danger' },
  warning: { icon: TriangleAlert, colour: 'text-warning' },
  hint: { icon: Info, colour: 'text-ink-muted' },
};

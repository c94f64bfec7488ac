import type { ReactNode } from 'react';
import {
  Button as AriaButton,
  type ButtonProps as AriaButtonProps,
  Tooltip,
  TooltipTrigger,
} from 'react-aria-components';

export interface IconButtonProps extends Omit<
  AriaButtonProps,
  'className' | 'style' | 'children' | 'aria-label'
> {
  /** Its accessible name, also shown as a tooltip. */
  label: string;
  icon: ReactNode;
  variant?: 'plain' | 'outlined' | 'danger';
}

const VARIANTS = {
  plain: 'size-8 border-transparent text-ink-muted hover:bg-hover hover:text-ink',
  // As high as the buttons that it stands beside.
  outlined: 'size-9 border-line bg-surface text-ink hover:bg-hover',
  danger: 'size-8 border-transparent text-ink-muted hover:bg-danger-soft hover:text-danger',
};

const SHAPE =
  'inline-flex shrink-0 items-center justify-center rounded-lg border pointer-coarse:size-11 [&_svg]:size-4';

export function IconButton({ label, icon, variant = 'plain', ...props }: IconButtonProps) {
  return (
    <TooltipTrigger delay={500}>
      <AriaButton
        {...props}
        aria-label={label}
        className={`cursor-pointer transition-colors duration-100 data-disabled:cursor-not-allowed data-disabled:opacity-40 ${SHAPE} ${VARIANTS[variant]}`}
      >
        {icon}
      </AriaButton>
      <Tooltip offset={4} className="animate-fade rounded-md bg-ink px-2 py-1 text-xs text-canvas">
        {label}
      </Tooltip>
    </TooltipTrigger>
  );
}

/** What a plain `IconButton` looks like, in the first frame of a row that gets its button right after. */
export function IconButtonOutline({ icon }: { icon: ReactNode }) {
  return (
    <span aria-hidden className={`${SHAPE} ${VARIANTS.plain}`}>
      {icon}
    </span>
  );
}

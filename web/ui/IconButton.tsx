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

export function IconButton({ label, icon, variant = 'plain', ...props }: IconButtonProps) {
  return (
    <TooltipTrigger delay={500}>
      <AriaButton
        {...props}
        aria-label={label}
        className={`inline-flex shrink-0 cursor-pointer items-center justify-center rounded-lg border transition-colors duration-100 data-disabled:cursor-not-allowed data-disabled:opacity-40 pointer-coarse:size-11 [&_svg]:size-4 ${VARIANTS[variant]}`}
      >
        {icon}
      </AriaButton>
      <Tooltip offset={4} className="animate-fade rounded-md bg-ink px-2 py-1 text-xs text-canvas">
        {label}
      </Tooltip>
    </TooltipTrigger>
  );
}

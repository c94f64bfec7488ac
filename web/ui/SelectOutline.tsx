import { ChevronDown } from 'lucide-react';
import type { ReactNode } from 'react';
import { FieldLayout, type FieldTexts } from './Field.tsx';

interface SelectOutlineProps extends FieldTexts {
  isDisabled?: boolean;
  /** What the select shows as its value. */
  children: ReactNode;
}

/** What a select looks like, in the first frame of a form that gets its selects right after. */
export function SelectOutline({ isDisabled = false, children, ...texts }: SelectOutlineProps) {
  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      <FieldLayout {...texts}>
        <span
          data-disabled={isDisabled || undefined}
          className="field-box flex items-center justify-between gap-2 text-left"
        >
          {children}
          <ChevronDown size={16} aria-hidden className="shrink-0 text-ink-muted" />
        </span>
      </FieldLayout>
    </div>
  );
}

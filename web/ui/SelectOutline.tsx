import type { ReactNode } from 'react';
import { FieldLayout, type FieldTexts } from './Field.tsx';
import { SELECT_BOX, SELECT_COLUMN, SelectChevron } from './SelectBox.tsx';

interface SelectOutlineProps extends FieldTexts {
  isDisabled?: boolean;
  /** What the select shows as its value. */
  children: ReactNode;
}

/** What a select looks like, in the first frame of a form that gets its selects right after. */
export function SelectOutline({ isDisabled = false, children, ...texts }: SelectOutlineProps) {
  return (
    <div className={SELECT_COLUMN}>
      <FieldLayout {...texts}>
        <span data-disabled={isDisabled || undefined} className={SELECT_BOX}>
          {children}
          <SelectChevron />
        </span>
      </FieldLayout>
    </div>
  );
}

import { type ComponentType, type Dispatch, memo } from 'react';
import type { PageForm, PageOperation } from './pages.logic.ts';
import type { FieldErrors } from './use-page-editor.ts';

export interface SectionProps {
  form: PageForm;
  dispatch: Dispatch<PageOperation>;
}

export interface CheckedSectionProps extends SectionProps {
  errors: FieldErrors;
}

/**
 * A section that re-renders only when a prop other than the form changes, or the part of the form that
 * it shows: the preview follows each keystroke, and re-rendering every section would delay it.
 */
export function memoSection<Props extends SectionProps>(
  Section: ComponentType<Props>,
  shownOf: (form: PageForm) => readonly unknown[],
) {
  return memo(Section, (before, after) => {
    const shown = shownOf(before.form);
    const others = Object.keys(after).filter((name) => name !== 'form') as (keyof Props)[];
    return (
      shownOf(after.form).every((one, index) => one === shown[index]) &&
      others.every((name) => before[name] === after[name])
    );
  });
}

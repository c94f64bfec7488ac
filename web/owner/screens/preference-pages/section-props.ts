import type { Dispatch } from 'react';
import type { PageForm, PageOperation } from './pages.logic.ts';
import type { FieldErrors } from './use-page-editor.ts';

export interface SectionProps {
  form: PageForm;
  dispatch: Dispatch<PageOperation>;
}

export interface CheckedSectionProps extends SectionProps {
  errors: FieldErrors;
}

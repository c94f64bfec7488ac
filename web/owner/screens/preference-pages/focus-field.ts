import type { EditorField } from './editor-tabs.ts';

const FOCUSABLE = 'input:not([type="color"]), textarea, button, [role="row"], [tabindex="0"]';

/** Scrolls to a field of the editor and focuses it. */
export function focusField(form: HTMLElement | null, field: EditorField): void {
  const place = form?.querySelector<HTMLElement>(`[data-page-field="${field}"]`);
  if (!place) return;
  place.scrollIntoView({ block: 'center' });
  place.querySelector<HTMLElement>(FOCUSABLE)?.focus({ preventScroll: true });
}

/** Scrolls to and focuses the first field that cannot be saved, or else what says why nothing could. */
export function focusFirstError(form: HTMLElement | null): void {
  const wrong = form?.querySelector<HTMLElement>('[aria-invalid="true"], [role="alert"]');
  if (!wrong) return;
  // What focus itself scrolls to may stay behind the bar with the buttons.
  wrong.scrollIntoView({ block: 'center' });
  // A group of radio buttons takes no focus itself.
  const radio = wrong.matches('[role="radiogroup"]') ? wrong.querySelector('input') : null;
  (radio ?? wrong).focus({ preventScroll: true });
}

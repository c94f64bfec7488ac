import type { Language } from '#contract/fields.ts';
import type { Operator } from '#contract/operator.ts';
import { type PageStep, type PageView, viewOf } from '#web/page/view.ts';
import { wholeColours } from './colour-advice.ts';
import { shownAddress } from './image-field.logic.ts';
import { keyOf, type PageForm } from './pages.logic.ts';

const SAMPLE_ADDRESS = 'nora@example.com';

/** What the renderer shows for an unsaved form, to a customer who has never chosen. */
export function previewView(
  form: PageForm,
  site: { id: string; operator: Operator | null },
  step: PageStep & ('form' | 'preferences'),
  language: Language,
): PageView {
  return viewOf({
    step,
    language,
    custom_path: form.custom_path,
    customer: {
      level: 'open',
      id: 'preview',
      email: SAMPLE_ADDRESS,
      global_unsubscribe: false,
      paused_until: null,
      lists: [],
      pending: [],
    },
    page: {
      name: form.name,
      logo: shownAddress(form.logo, site.id),
      logo_size: null,
      favicon: '',
      lists: form.lists.map((list) => ({ ...list, id: keyOf(list) })),
      attrs: wholeColours(form.attrs),
      languages: { default: form.attrs.language, active_languages: form.active_languages },
      operator: site.operator !== null && isNamed(site.operator) ? site.operator : null,
    },
  });
}

function isNamed(operator: Operator): boolean {
  return Object.values(operator).some((one) => one !== '');
}

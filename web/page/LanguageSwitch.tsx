import type { FocusEvent, KeyboardEvent } from 'react';
import type { Language } from '#contract/fields.ts';
import { LANGUAGE_NAMES } from './languages.ts';
import { useAddressQuery, usePage } from './page-context.tsx';
import {
  CHOICES_FORM,
  FIELD,
  offeredLanguages,
  type PageQuery,
  type PageStep,
  type PageView,
} from './view.ts';

/** Steps that reloading the URL shows again; the outcome of a form would be lost. */
const STEPS = new Set<PageStep>([
  'form',
  'preferences',
  'leave',
  'confirm',
  'not-found',
  'rate-limited',
  'unavailable',
]);

function isOffered(view: PageView): boolean {
  return (
    STEPS.has(view.step) && !view.leave?.done && !view.confirm?.done && offeredLanguages(view.page).length > 1
  );
}

/** The same URL in another language, with the same identity. */
function addressIn(language: Language, query: PageQuery): string {
  const { challenge, email, state, listId } = query;
  const kept = { challenge, email, state, listId };
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(kept)) if (value !== null) search.set(name, value);
  search.set('lang', language);
  return `?${search.toString()}`;
}

type Props = {
  /** With switches on the page, submits them too, along with the identity. */
  hasChoices: boolean;
};

/** The page in the customer's own language. A disclosure of links or buttons: works without JavaScript. */
export function LanguageSwitch({ hasChoices }: Props) {
  const { view, t, onLanguage } = usePage();
  const query = useAddressQuery();
  if (!isOffered(view)) return null;

  function item(language: Language) {
    const name = LANGUAGE_NAMES[language];
    const address = addressIn(language, query);
    if (language === view.language) {
      return (
        <span lang={language} aria-current="true">
          {name}
        </span>
      );
    }
    const onClick =
      onLanguage &&
      ((event: { preventDefault: () => void }) => {
        event.preventDefault();
        onLanguage(language);
      });
    return hasChoices ? (
      <button
        type="submit"
        form={CHOICES_FORM}
        name={FIELD.instead}
        value="language"
        formAction={address}
        lang={language}
        onClick={onClick}
      >
        {name}
      </button>
    ) : (
      <a href={address} hrefLang={language} lang={language} onClick={onClick}>
        {name}
      </a>
    );
  }

  return (
    // It is left by Escape and by going elsewhere, which bubble up to it from what is in it.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <details className="pp-languages" onKeyDown={closeOnEscape} onBlur={closeWhenLeft}>
      <summary aria-label={t('language.label', { language: LANGUAGE_NAMES[view.language] })}>
        <svg viewBox="0 0 20 20" width="18" height="18" aria-hidden="true">
          <path
            d="M10 2a8 8 0 1 0 0 16 8 8 0 0 0 0-16Zm0 0c2.3 2.2 3.4 4.9 3.4 8s-1.1 5.8-3.4 8c-2.3-2.2-3.4-4.9-3.4-8S7.7 4.200 10 2ZM2 10h16"
            fill="none"
            stroke="currentColor"
            strokeWidth="1.5"
          />
        </svg>
        <span lang={view.language}>{LANGUAGE_NAMES[view.language]}</span>
      </summary>
      <ul>
        {offeredLanguages(view.page).map((language) => (
          <li key={language}>{item(language)}</li>
        ))}
      </ul>
    </details>
  );
}

function closeOnEscape({ key, currentTarget }: KeyboardEvent<HTMLDetailsElement>) {
  if (key !== 'Escape' || !currentTarget.open) return;
  currentTarget.open = false;
  currentTarget.querySelector('summary')?.focus();
}

function closeWhenLeft({ currentTarget, relatedTarget }: FocusEvent<HTMLDetailsElement>) {
  if (relatedTarget && !currentTarget.contains(relatedTarget)) currentTarget.open = false;
}

import type { Language } from '#contract/fields.ts';
import de from './locales/de.json' with { type: 'json' };
import en from './locales/en.json' with { type: 'json' };
import es from './locales/es.json' with { type: 'json' };
import fr from './locales/fr.json' with { type: 'json' };
import it from './locales/it.json' with { type: 'json' };
import pl from './locales/pl.json' with { type: 'json' };
import ro from './locales/ro.json' with { type: 'json' };
import sl from './locales/sl.json' with { type: 'json' };
import type { Texts } from './texts.ts';

const TEXTS: Record<Language, Texts> = { en, es, de, fr, it, sl, ro, pl };

/** The page's texts in one language. For the server and the owner's preview; a visitor's browser gets one language only. */
export function textsOf(language: Language): Texts {
  return TEXTS[language];
}

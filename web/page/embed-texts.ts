import type { Language } from '#contract/fields.ts';

type Said = readonly [sentence: string, link: string];

/** What stands in place of a frame that the browser refused: the sentence, and the link after it. */
const TEXTS = {
  en: ['This page can’t be shown here.', 'Open it in a new tab.'],
  es: ['Esta página no se puede mostrar aquí.', 'Abrir en una pestaña nueva.'],
  de: ['Diese Seite kann hier nicht angezeigt werden.', 'In einem neuen Tab öffnen.'],
  fr: ['Cette page ne peut pas s’afficher ici.', 'L’ouvrir dans un nouvel onglet.'],
  it: ['Questa pagina non può essere mostrata qui.', 'Aprirla in una nuova scheda.'],
  sl: ['Te strani ni mogoče prikazati tukaj.', 'Odpri v novem zavihku.'],
  ro: ['Această pagină nu poate fi afișată aici.', 'Deschideți-o într-o filă nouă.'],
  pl: ['Tej strony nie można tu wyświetlić.', 'Otwórz w nowej karcie.'],
} satisfies Record<Language, Said>;

/** @param tag of a language, as in `lang`; English for those that we do not speak */
export function textsIn(tag: string): Said {
  return (TEXTS as Partial<Record<string, Said>>)[tag.slice(0, 2).toLowerCase()] ?? TEXTS.en;
}

import i18next from 'i18next';
import { use } from 'react';
import type { ActionType } from '#contract/actions.ts';
import type { Language } from '#contract/fields.ts';
import { useLanguage } from './i18n.ts';
import { toLanguage } from './language.logic.ts';

/**
 * What connectors say, in the owner's language. The English is the connector's own and comes from the API, so there is
 * no English file. The others are not among the texts that i18next knows: nothing of them is in the first load.
 */

/** Where a text stands in what the API says of a connector, or of an integration. */
export type ConnectorPlace =
  | `credentials.${string}.${'label' | 'help' | `choices.${string}`}`
  | `actions.${ActionType}.${'reason' | 'irreversible' | 'note'}`
  | 'webhook_setup';

/** By connector, then by place. */
type Texts = Readonly<Record<string, Readonly<Record<string, string>>>>;

const files = import.meta.glob<Texts>('../locales/*/connectors.json', { import: 'default' });

const loaded = new Map<Language, Texts>();
const awaited = new Map<Language, Promise<Texts>>();

/** @returns nothing for a language that did not load: its owners read English until they reload */
async function load(language: Language): Promise<Texts> {
  const file = files[`../locales/${language}/connectors.json`];
  const texts = (await file?.().catch(() => null)) ?? {};
  loaded.set(language, texts);
  return texts;
}

function textsIn(language: Language): Promise<Texts> {
  const texts = awaited.get(language) ?? load(language);
  awaited.set(language, texts);
  return texts;
}

// Comes with the code of the first screen that needs it, before the connectors themselves do.
void textsIn(toLanguage(i18next.resolvedLanguage) ?? 'en');

export interface ConnectorText {
  text: string;
  /** Set while it is English for want of a translation. */
  lang: 'en' | undefined;
}

/** @param connectorId missing while the connectors load, or for a tool that this version no longer knows */
export function useConnectorText(
  connectorId: string | undefined,
): (place: ConnectorPlace, english: string) => ConnectorText {
  const language = useLanguage();
  const texts = loaded.get(language) ?? use(textsIn(language));
  return (place, english) => {
    const text = connectorId === undefined ? undefined : texts[connectorId]?.[place];
    return text === undefined ? { text: english, lang: 'en' } : { text, lang: undefined };
  };
}

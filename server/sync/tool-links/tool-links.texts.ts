import type { Language } from '#contract/fields.ts';

/** What the snippets for a tool's footer say. */
export const LINK_TEXTS: Readonly<Record<Language, { manage: string; leave: string }>> = {
  en: { manage: 'Choose what you receive', leave: 'Unsubscribe from all' },
  es: { manage: 'Elegir qué recibe', leave: 'Darse de baja de todo' },
  de: { manage: 'Auswählen, was Sie erhalten', leave: 'Von allem abmelden' },
  fr: { manage: 'Choisir ce que vous recevez', leave: 'Se désabonner de tout' },
  it: { manage: 'Scegli cosa ricevere', leave: 'Annulla tutte le iscrizioni' },
  sl: { manage: 'Izberite, kaj prejemate', leave: 'Odjava od vsega' },
  ro: { manage: 'Alegeți ce primiți', leave: 'Dezabonare de la toate' },
  pl: { manage: 'Zmień preferencje', leave: 'Wypisz się ze wszystkiego' },
};

import type { Language } from '#contract/fields.ts';

export interface StatusTexts {
  title: string;
  allWell: string;
  someTrouble: string;
  pages: string;
  saving: string;
  tools: string;
  emails: string;
  working: string;
  notWorking: string;
  /** The database cannot be asked. */
  unknown: string;
  delayed: (minutes: number) => string;
}

export const STATUS_TEXTS: Record<Language, StatusTexts> = {
  en: {
    title: 'Status',
    allWell: 'Everything is working.',
    someTrouble: "Something isn't working. We're on it.",
    pages: 'Preference pages',
    saving: 'Saving preferences',
    tools: 'Sending changes to email tools',
    emails: 'Emails to customers',
    working: 'Working',
    notWorking: 'Not working right now',
    unknown: 'Unknown right now',
    delayed: (minutes) => `Delayed by ${minutes} min`,
  },
  es: {
    title: 'Estado',
    allWell: 'Todo funciona.',
    someTrouble: 'Algo no funciona. Estamos trabajando en ello.',
    pages: 'Páginas de preferencias',
    saving: 'Guardado de preferencias',
    tools: 'Envío de cambios a las herramientas de correo',
    emails: 'Correos a los clientes',
    working: 'Funciona',
    notWorking: 'No funciona en este momento',
    unknown: 'Sin datos en este momento',
    delayed: (minutes) => `Con ${minutes} min de retraso`,
  },
  de: {
    title: 'Status',
    allWell: 'Alles funktioniert.',
    someTrouble: 'Etwas funktioniert nicht, wie es sollte. Wir kümmern uns darum.',
    pages: 'Einstellungsseiten',
    saving: 'Speichern von Entscheidungen',
    tools: 'Übertragung an E-Mail-Tools',
    emails: 'E-Mails an Kunden',
    working: 'Funktioniert',
    notWorking: 'Funktioniert gerade nicht',
    unknown: 'Zurzeit nicht bekannt',
    delayed: (minutes) => `${minutes} Min. verzögert`,
  },
  fr: {
    title: 'État du service',
    allWell: 'Tout fonctionne.',
    someTrouble: 'Quelque chose ne fonctionne pas comme prévu. Nous nous en occupons.',
    pages: 'Pages de préférences',
    saving: 'Enregistrement des choix',
    tools: 'Envoi des choix aux outils d’e-mail',
    emails: 'E-mails aux clients',
    working: 'Fonctionne',
    notWorking: 'Ne fonctionne pas actuellement',
    unknown: 'Inconnu pour le moment',
    delayed: (minutes) => `${minutes} min de retard`,
  },
  it: {
    title: 'Stato',
    allWell: 'Tutto funziona.',
    someTrouble: 'Qualcosa non funziona come dovrebbe. Ce ne stiamo occupando.',
    pages: 'Pagine delle preferenze',
    saving: 'Salvataggio delle scelte',
    tools: 'Invio delle scelte agli strumenti email',
    emails: 'Email ai clienti',
    working: 'Funziona',
    notWorking: 'Al momento non funziona',
    unknown: 'Al momento non noto',
    delayed: (minutes) => `In ritardo di ${minutes} min`,
  },
  sl: {
    title: 'Stanje',
    allWell: 'Vse deluje.',
    someTrouble: 'Nekaj ne deluje, kot bi moralo. Težavo že odpravljamo.',
    pages: 'Strani z nastavitvami',
    saving: 'Shranjevanje izbir',
    tools: 'Pošiljanje izbir e-poštnim orodjem',
    emails: 'E-pošta strankam',
    working: 'Deluje',
    notWorking: 'Trenutno ne deluje',
    unknown: 'Trenutno ni znano',
    delayed: (minutes) => `Zamuda: ${minutes} min`,
  },
  ro: {
    title: 'Stare',
    allWell: 'Totul funcționează.',
    someTrouble: 'Ceva nu funcționează cum ar trebui. Lucrăm la remediere.',
    pages: 'Pagini de preferințe',
    saving: 'Salvarea alegerilor',
    tools: 'Trimiterea alegerilor către instrumentele de e-mail',
    emails: 'E-mailuri către clienți',
    working: 'Funcționează',
    notWorking: 'Nu funcționează acum',
    unknown: 'Necunoscut acum',
    delayed: (minutes) => `Întârziere: ${minutes} min`,
  },
  pl: {
    title: 'Status',
    allWell: 'Wszystko działa.',
    someTrouble: 'Coś nie działa tak, jak powinno. Pracujemy nad tym.',
    pages: 'Strony preferencji',
    saving: 'Zapisywanie wyborów',
    tools: 'Przekazywanie wyborów do narzędzi e-mail',
    emails: 'E-maile do klientów',
    working: 'Działa',
    notWorking: 'Obecnie nie działa',
    unknown: 'Obecnie nie wiadomo',
    delayed: (minutes) => `Opóźnienie: ${minutes} min`,
  },
};

import type { Language } from '#contract/fields.ts';

export interface StatusTexts {
  title: string;
  open: string;
  allWell: string;
  /** No trouble, but a part is not set up. */
  wellAsSetUp: string;
  someTrouble: string;
  pages: string;
  saving: string;
  tools: string;
  emails: string;
  working: string;
  notWorking: string;
  notSetUp: string;
  /** The database cannot be asked. */
  unknown: string;
  delayed: (minutes: number) => string;
  checked: (time: string) => string;
}

export const STATUS_TEXTS: Record<Language, StatusTexts> = {
  en: {
    title: 'Status',
    open: 'Open Sayso',
    allWell: 'Everything is working.',
    wellAsSetUp: 'Everything that is set up is working.',
    someTrouble: 'Something isn’t working. We’re on it.',
    pages: 'Preference pages',
    saving: 'Saving preferences',
    tools: 'Sending changes to email tools',
    emails: 'Emails to customers',
    working: 'Working',
    notWorking: 'Not working right now',
    notSetUp: 'Not set up',
    unknown: 'Unknown right now',
    delayed: (minutes) => `Delayed by ${minutes} min`,
    checked: (time) => `Checked ${time}`,
  },
  es: {
    title: 'Estado',
    open: 'Abrir Sayso',
    allWell: 'Todo funciona.',
    wellAsSetUp: 'Todo lo que está configurado funciona.',
    someTrouble: 'Algo no funciona. Estamos trabajando en ello.',
    pages: 'Páginas de preferencias',
    saving: 'Guardado de preferencias',
    tools: 'Envío de cambios a las herramientas de correo',
    emails: 'Correos a los clientes',
    working: 'Funciona',
    notWorking: 'No funciona en este momento',
    notSetUp: 'Sin configurar',
    unknown: 'Sin datos en este momento',
    delayed: (minutes) => `Con ${minutes} min de retraso`,
    checked: (time) => `Comprobado: ${time}`,
  },
  de: {
    title: 'Status',
    open: 'Sayso öffnen',
    allWell: 'Alles funktioniert.',
    wellAsSetUp: 'Alles, was eingerichtet ist, funktioniert.',
    someTrouble: 'Etwas funktioniert nicht. Wir kümmern uns darum.',
    pages: 'Präferenzseiten',
    saving: 'Präferenzen speichern',
    tools: 'Änderungen an E-Mail-Tools senden',
    emails: 'E-Mails an Kunden',
    working: 'Funktioniert',
    notWorking: 'Funktioniert gerade nicht',
    notSetUp: 'Nicht eingerichtet',
    unknown: 'Gerade nicht bekannt',
    delayed: (minutes) => `${minutes} Min. verzögert`,
    checked: (time) => `Geprüft: ${time}`,
  },
  fr: {
    title: 'État du service',
    open: 'Ouvrir Sayso',
    allWell: 'Tout fonctionne.',
    wellAsSetUp: 'Tout ce qui est configuré fonctionne.',
    someTrouble: 'Quelque chose ne fonctionne pas. Nous nous en occupons.',
    pages: 'Pages de préférences',
    saving: 'Enregistrement des préférences',
    tools: 'Envoi des modifications aux outils d’e-mail',
    emails: 'E-mails aux clients',
    working: 'Fonctionne',
    notWorking: 'Ne fonctionne pas pour le moment',
    notSetUp: 'Non configuré',
    unknown: 'Inconnu pour le moment',
    delayed: (minutes) => `${minutes} min de retard`,
    checked: (time) => `Vérifié : ${time}`,
  },
  it: {
    title: 'Stato',
    open: 'Apri Sayso',
    allWell: 'Funziona tutto.',
    wellAsSetUp: 'Tutto ciò che è configurato funziona.',
    someTrouble: 'Qualcosa non funziona. Ce ne stiamo occupando.',
    pages: 'Pagine delle preferenze',
    saving: 'Salvataggio delle preferenze',
    tools: 'Invio delle modifiche agli strumenti email',
    emails: 'Email ai clienti',
    working: 'Funziona',
    notWorking: 'Al momento non funziona',
    notSetUp: 'Non configurato',
    unknown: 'Al momento sconosciuto',
    delayed: (minutes) => `In ritardo di ${minutes} min`,
    checked: (time) => `Verificato: ${time}`,
  },
  sl: {
    title: 'Stanje',
    open: 'Odpri Sayso',
    allWell: 'Vse deluje.',
    wellAsSetUp: 'Vse, kar je nastavljeno, deluje.',
    someTrouble: 'Nekaj ne deluje. Težavo že odpravljamo.',
    pages: 'Strani z nastavitvami',
    saving: 'Shranjevanje nastavitev',
    tools: 'Pošiljanje sprememb e-poštnim orodjem',
    emails: 'E-pošta strankam',
    working: 'Deluje',
    notWorking: 'Trenutno ne deluje',
    notSetUp: 'Ni nastavljeno',
    unknown: 'Trenutno neznano',
    delayed: (minutes) => `Zamuda: ${minutes} min`,
    checked: (time) => `Preverjeno: ${time}`,
  },
  ro: {
    title: 'Stare',
    open: 'Deschide Sayso',
    allWell: 'Totul funcționează.',
    wellAsSetUp: 'Tot ce este configurat funcționează.',
    someTrouble: 'Ceva nu funcționează. Lucrăm la remediere.',
    pages: 'Pagini de preferințe',
    saving: 'Salvarea preferințelor',
    tools: 'Trimiterea modificărilor către instrumentele de e-mail',
    emails: 'E-mailuri către clienți',
    working: 'Funcționează',
    notWorking: 'Nu funcționează momentan',
    notSetUp: 'Neconfigurat',
    unknown: 'Necunoscut momentan',
    delayed: (minutes) => `Întârziere: ${minutes} min`,
    checked: (time) => `Verificat: ${time}`,
  },
  pl: {
    title: 'Status',
    open: 'Otwórz Sayso',
    allWell: 'Wszystko działa.',
    wellAsSetUp: 'Wszystko, co skonfigurowano, działa.',
    someTrouble: 'Coś nie działa. Pracujemy nad tym.',
    pages: 'Strony preferencji',
    saving: 'Zapisywanie preferencji',
    tools: 'Wysyłanie zmian do narzędzi e-mail',
    emails: 'E-maile do klientów',
    working: 'Działa',
    notWorking: 'Teraz nie działa',
    notSetUp: 'Nie skonfigurowano',
    unknown: 'Teraz nie wiadomo',
    delayed: (minutes) => `Opóźnienie: ${minutes} min`,
    checked: (time) => `Sprawdzono: ${time}`,
  },
};

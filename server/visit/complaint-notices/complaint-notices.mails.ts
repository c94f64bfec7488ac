import type { Language } from '#contract/fields.ts';
import { accountLanguage, mailDocument } from '#server/accounts/mails/mail-document.ts';

/** Why owners are told about a complaint: it is new, or due in a week. */
export type ComplaintNews = 'received' | 'due';

interface Words {
  subject: string;
  line: string;
}

interface Texts extends Record<ComplaintNews, Words> {
  facts: { site: string; received: string; due: string };
  button: string;
}

const TEXTS: Record<Language, Texts> = {
  en: {
    received: {
      subject: 'A customer complained about how you use their data',
      line: 'A customer complained about how you use their data. Look into it and answer it by the date below.',
    },
    due: {
      subject: 'A complaint is due in a week',
      line: 'A customer’s complaint about how you use their data is still open. Answer it by the date below.',
    },
    facts: { site: 'Site', received: 'Received', due: 'Answer by' },
    button: 'Open complaint',
  },
  es: {
    received: {
      subject: 'Reclamación de un cliente sobre el uso de sus datos',
      line: 'Un cliente ha presentado una reclamación sobre el uso que hace usted de sus datos. Estúdiela y respóndala antes de la fecha indicada abajo.',
    },
    due: {
      subject: 'Una reclamación vence en una semana',
      line: 'La reclamación de un cliente sobre el uso de sus datos sigue abierta. Respóndala antes de la fecha indicada abajo.',
    },
    facts: { site: 'Sitio', received: 'Recibida', due: 'Responder hasta' },
    button: 'Abrir reclamación',
  },
  de: {
    received: {
      subject: 'Beschwerde über den Umgang mit Kundendaten',
      line: 'Ein Kunde hat sich darüber beschwert, wie Sie seine Daten verwenden. Prüfen Sie die Beschwerde und antworten Sie bis zum unten genannten Tag.',
    },
    due: {
      subject: 'Eine Beschwerde ist in einer Woche fällig',
      line: 'Die Beschwerde eines Kunden darüber, wie Sie seine Daten verwenden, ist noch offen. Antworten Sie bis zum unten genannten Tag.',
    },
    facts: { site: 'Site', received: 'Eingegangen', due: 'Antwort bis' },
    button: 'Beschwerde öffnen',
  },
  fr: {
    received: {
      subject: 'Réclamation d’un client sur l’utilisation de ses données',
      line: 'Un client vous a adressé une réclamation sur l’utilisation de ses données. Examinez-la et répondez-y avant la date ci-dessous.',
    },
    due: {
      subject: 'Une réclamation arrive à échéance dans une semaine',
      line: 'La réclamation d’un client sur l’utilisation de ses données est toujours ouverte. Répondez-y avant la date ci-dessous.',
    },
    facts: { site: 'Site', received: 'Reçue', due: 'Répondre avant' },
    button: 'Ouvrir la réclamation',
  },
  it: {
    received: {
      subject: 'Reclamo di un cliente sull’uso dei suoi dati',
      line: 'Un cliente ha presentato un reclamo su come usi i suoi dati. Esaminalo e rispondi entro la data indicata sotto.',
    },
    due: {
      subject: 'Un reclamo scade tra una settimana',
      line: 'Il reclamo di un cliente su come usi i suoi dati è ancora aperto. Rispondi entro la data indicata sotto.',
    },
    facts: { site: 'Sito', received: 'Ricevuto', due: 'Rispondere entro' },
    button: 'Apri reclamo',
  },
  sl: {
    received: {
      subject: 'Pritožba stranke glede uporabe njenih podatkov',
      line: 'Stranka se je pritožila glede uporabe svojih podatkov. Preučite pritožbo in nanjo odgovorite do spodnjega datuma.',
    },
    due: {
      subject: 'Rok za pritožbo poteče čez en teden',
      line: 'Pritožba stranke glede uporabe njenih podatkov je še odprta. Odgovorite nanjo do spodnjega datuma.',
    },
    facts: { site: 'Spletno mesto', received: 'Prejeto', due: 'Odgovor do' },
    button: 'Odpri pritožbo',
  },
  ro: {
    received: {
      subject: 'Plângerea unui client privind folosirea datelor sale',
      line: 'Un client a trimis o plângere privind modul în care îi folosiți datele. Analizați-o și răspundeți până la data de mai jos.',
    },
    due: {
      subject: 'O plângere are termen peste o săptămână',
      line: 'Plângerea unui client privind modul în care îi folosiți datele este încă deschisă. Răspundeți până la data de mai jos.',
    },
    facts: { site: 'Site', received: 'Primită', due: 'Răspuns până la' },
    button: 'Deschide plângerea',
  },
  pl: {
    received: {
      subject: 'Skarga klienta na wykorzystywanie danych',
      line: 'Klient złożył skargę na to, jak wykorzystujesz jego dane. Rozpatrz ją i odpowiedz przed terminem podanym poniżej.',
    },
    due: {
      subject: 'Termin odpowiedzi na skargę mija za tydzień',
      line: 'Skarga klienta na to, jak wykorzystujesz jego dane, jest nadal otwarta. Odpowiedz na nią przed terminem podanym poniżej.',
    },
    facts: { site: 'Witryna', received: 'Otrzymano', due: 'Termin odpowiedzi' },
    button: 'Otwórz skargę',
  },
};

/**
 * Quotes neither the complaint nor the customer: an inbox is read by more people than a site's data.
 * @param input.language what the account says; anything unknown is English
 */
export function complaintMail(input: {
  kind: ComplaintNews;
  site: string;
  receivedAt: Date;
  dueAt: Date;
  link: string;
  language: unknown;
}) {
  const language = accountLanguage(input.language);
  const texts = TEXTS[language];
  const { subject, line } = texts[input.kind];
  const day = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' });
  return {
    subject: `${subject} · ${input.site}`,
    ...mailDocument({
      language,
      lines: [line],
      facts: [
        [texts.facts.site, input.site],
        [texts.facts.received, day.format(input.receivedAt)],
        [texts.facts.due, day.format(input.dueAt)],
      ],
      button: { text: texts.button, link: input.link },
      footnote: '',
    }),
  };
}

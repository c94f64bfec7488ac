import type { Language } from '#contract/fields.ts';
import { accountLanguage, mailDocument } from '#server/accounts/mails/mail-document.ts';

/** Why a tool has not confirmed choices. */
export type LateWhy =
  | 'bad_credentials'
  | 'tool_off'
  | 'unavailable'
  | 'rate_limited'
  | 'refused'
  | 'not_shown'
  | 'not_tried';

interface Texts {
  subject: (tool: string) => string;
  what: (tool: string) => string;
  next: string;
  facts: { site: string; tool: string; choices: string; since: string; why: string };
  why: Record<LateWhy, string>;
  button: string;
}

const TEXTS: Record<Language, Texts> = {
  en: {
    subject: (tool) => `"${tool}" hasn't confirmed changes after 24 hours`,
    what: (tool) =>
      `"${tool}" hasn't confirmed some of your customers' changes 24 hours after they were saved. An unsubscribe has to take effect within 48 hours.`,
    next: "We retry what can be retried. Check what's unconfirmed, fix the cause, and send failed deliveries again.",
    facts: { site: 'Site', tool: 'Tool', choices: 'Unconfirmed changes', since: 'Since', why: 'Cause' },
    why: {
      bad_credentials: 'The tool rejected its credentials.',
      tool_off: 'The integration is off.',
      unavailable: "The tool isn't responding correctly.",
      rate_limited: 'The tool limits how many calls we may send.',
      refused: 'The tool rejected changes.',
      not_shown: "The tool accepted changes but doesn't show them.",
      not_tried: "We haven't tried to send them yet.",
    },
    button: 'See unconfirmed changes',
  },
  de: {
    subject: (tool) => `Entscheidungen sind nach 24 Stunden nicht in „${tool}“ bestätigt`,
    what: (tool) =>
      `„${tool}“ hat Entscheidungen Ihrer Kunden 24 Stunden danach noch nicht bestätigt. Eine Abmeldung muss innerhalb von 48 Stunden wirksam werden.`,
    next: 'Was erneut versucht werden kann, wird erneut versucht. Sehen Sie nach, was offen ist, beheben Sie die Ursache und senden Sie Fehlgeschlagenes noch einmal.',
    facts: {
      site: 'Website',
      tool: 'Tool',
      choices: 'Wie viele Entscheidungen',
      since: 'Seit',
      why: 'Grund',
    },
    why: {
      bad_credentials: 'Das Tool akzeptiert die Zugangsdaten nicht.',
      tool_off: 'Das Tool ist hier abgeschaltet.',
      unavailable: 'Das Tool antwortet nicht richtig.',
      rate_limited: 'Das Tool nimmt keine Aufrufe mehr an.',
      refused: 'Das Tool hat Änderungen abgelehnt.',
      not_shown: 'Das Tool hat Änderungen angenommen, zeigt sie aber nicht.',
      not_tried: 'Sie wurden noch nicht versucht.',
    },
    button: 'Ansehen, was offen ist',
  },
  es: {
    subject: (tool) => `Hay elecciones sin confirmar en «${tool}» tras 24 horas`,
    what: (tool) =>
      `«${tool}» no ha confirmado elecciones de sus clientes 24 horas después de que se hicieran. Una baja debe surtir efecto en un plazo de 48 horas.`,
    next: 'Lo que puede reintentarse se vuelve a intentar. Revise lo que queda abierto, corrija la causa y reenvíe lo que ha fallado.',
    facts: {
      site: 'Sitio',
      tool: 'Herramienta',
      choices: 'Cuántas elecciones',
      since: 'Desde',
      why: 'Motivo',
    },
    why: {
      bad_credentials: 'La herramienta no acepta las credenciales.',
      tool_off: 'La herramienta está desactivada aquí.',
      unavailable: 'La herramienta no responde como debería.',
      rate_limited: 'La herramienta no admite más llamadas.',
      refused: 'La herramienta rechazó cambios.',
      not_shown: 'La herramienta aceptó cambios, pero no los muestra.',
      not_tried: 'Aún no se ha intentado.',
    },
    button: 'Ver lo que queda abierto',
  },
  fr: {
    subject: (tool) => `Des choix ne sont pas confirmés dans « ${tool} » après 24 heures`,
    what: (tool) =>
      `« ${tool} » n’a pas confirmé des choix de vos clients 24 heures après. Une désinscription doit prendre effet dans les 48 heures.`,
    next: 'Ce qui peut être réessayé l’est. Regardez ce qui reste ouvert, corrigez la cause et renvoyez ce qui a échoué.',
    facts: { site: 'Site', tool: 'Outil', choices: 'Nombre de choix', since: 'Depuis', why: 'Raison' },
    why: {
      bad_credentials: 'L’outil n’accepte pas les identifiants.',
      tool_off: 'L’outil est désactivé ici.',
      unavailable: 'L’outil ne répond pas correctement.',
      rate_limited: 'L’outil n’accepte plus d’appels.',
      refused: 'L’outil a refusé des changements.',
      not_shown: 'L’outil a accepté des changements mais ne les affiche pas.',
      not_tried: 'Rien n’a encore été tenté.',
    },
    button: 'Voir ce qui reste ouvert',
  },
  it: {
    subject: (tool) => `Scelte non confermate in «${tool}» dopo 24 ore`,
    what: (tool) =>
      `«${tool}» non ha confermato scelte dei suoi clienti 24 ore dopo. Una disiscrizione deve avere effetto entro 48 ore.`,
    next: 'Ciò che si può ritentare viene ritentato. Guardi che cosa è ancora aperto, corregga la causa e invii di nuovo ciò che non è riuscito.',
    facts: { site: 'Sito', tool: 'Strumento', choices: 'Quante scelte', since: 'Dal', why: 'Motivo' },
    why: {
      bad_credentials: 'Lo strumento non accetta le credenziali.',
      tool_off: 'Lo strumento è disattivato qui.',
      unavailable: 'Lo strumento non risponde come dovrebbe.',
      rate_limited: 'Lo strumento non accetta altre chiamate.',
      refused: 'Lo strumento ha rifiutato modifiche.',
      not_shown: 'Lo strumento ha accettato modifiche ma non le mostra.',
      not_tried: 'Non è ancora stato fatto alcun tentativo.',
    },
    button: 'Vedere che cosa è aperto',
  },
  sl: {
    subject: (tool) => `Izbire po 24 urah niso potrjene v »${tool}«`,
    what: (tool) =>
      `»${tool}« 24 ur pozneje še ni potrdil izbir vaših strank. Odjava mora začeti veljati v 48 urah.`,
    next: 'Kar je mogoče poskusiti znova, se poskuša znova. Oglejte si, kaj je odprto, odpravite vzrok in znova pošljite, kar ni uspelo.',
    facts: { site: 'Spletno mesto', tool: 'Orodje', choices: 'Število izbir', since: 'Od', why: 'Razlog' },
    why: {
      bad_credentials: 'Orodje ne sprejme poverilnic.',
      tool_off: 'Orodje je tukaj izklopljeno.',
      unavailable: 'Orodje ne odgovarja, kot bi moralo.',
      rate_limited: 'Orodje ne sprejema več klicev.',
      refused: 'Orodje je zavrnilo spremembe.',
      not_shown: 'Orodje je sprejelo spremembe, a jih ne prikazuje.',
      not_tried: 'Poskusa še ni bilo.',
    },
    button: 'Oglejte si, kaj je odprto',
  },
  ro: {
    subject: (tool) => `Alegeri neconfirmate în „${tool}” după 24 de ore`,
    what: (tool) =>
      `„${tool}” nu a confirmat alegeri ale clienților dumneavoastră la 24 de ore după ce au fost făcute. O dezabonare trebuie să aibă efect în 48 de ore.`,
    next: 'Ce poate fi reîncercat se reîncearcă. Vedeți ce este deschis, remediați cauza și retrimiteți ce a eșuat.',
    facts: { site: 'Site', tool: 'Instrument', choices: 'Câte alegeri', since: 'Din', why: 'Motiv' },
    why: {
      bad_credentials: 'Instrumentul nu acceptă datele de acces.',
      tool_off: 'Instrumentul este dezactivat aici.',
      unavailable: 'Instrumentul nu răspunde cum trebuie.',
      rate_limited: 'Instrumentul nu mai acceptă apeluri.',
      refused: 'Instrumentul a refuzat modificări.',
      not_shown: 'Instrumentul a acceptat modificări, dar nu le arată.',
      not_tried: 'Nu s-a încercat încă.',
    },
    button: 'Vedeți ce este deschis',
  },
  pl: {
    subject: (tool) => `Wybory niepotwierdzone w „${tool}” po 24 godzinach`,
    what: (tool) =>
      `W „${tool}” wybory Państwa klientów nie zostały potwierdzone po 24 godzinach. Rezygnacja musi zacząć działać w ciągu 48 godzin.`,
    next: 'To, co można ponowić, jest ponawiane. Prosimy sprawdzić, co jest otwarte, usunąć przyczynę i ponownie wysłać to, co się nie udało.',
    facts: { site: 'Witryna', tool: 'Narzędzie', choices: 'Liczba wyborów', since: 'Od', why: 'Powód' },
    why: {
      bad_credentials: 'Narzędzie nie przyjmuje danych dostępowych.',
      tool_off: 'Narzędzie jest tu wyłączone.',
      unavailable: 'Narzędzie nie odpowiada poprawnie.',
      rate_limited: 'Narzędzie nie przyjmuje więcej wywołań.',
      refused: 'Narzędzie odrzuciło zmiany.',
      not_shown: 'Narzędzie przyjęło zmiany, ale ich nie pokazuje.',
      not_tried: 'Nie było jeszcze żadnej próby.',
    },
    button: 'Zobacz, co jest otwarte',
  },
};

/** @param input.language what the account says; anything unknown is English */
export function lateMail(input: {
  tool: string;
  site: string;
  choices: number;
  /** When the oldest of them was made. */
  since: Date;
  why: readonly LateWhy[];
  link: string;
  language: unknown;
}) {
  const language = accountLanguage(input.language);
  const texts = TEXTS[language];
  const moment = new Intl.DateTimeFormat(language, {
    dateStyle: 'long',
    timeStyle: 'short',
    timeZone: 'UTC',
  });
  const { facts } = texts;
  return {
    subject: texts.subject(input.tool),
    ...mailDocument({
      language,
      lines: [texts.what(input.tool), texts.next],
      facts: [
        [facts.site, input.site],
        [facts.tool, input.tool],
        [facts.choices, new Intl.NumberFormat(language).format(input.choices)],
        [facts.since, `${moment.format(input.since)} UTC`],
        [facts.why, input.why.map((why) => texts.why[why]).join(' ')],
      ],
      button: { text: texts.button, link: input.link },
      footnote: '',
    }),
  };
}

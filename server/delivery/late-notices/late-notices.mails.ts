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
    subject: (tool) => `“${tool}” hasn’t confirmed changes after 24 hours`,
    what: (tool) =>
      `“${tool}” hasn’t confirmed some of your customers’ changes 24 hours after they were saved. An unsubscribe has to take effect within 48 hours.`,
    next: 'We retry what can be retried. Check what’s unconfirmed, fix the cause, and send failed deliveries again.',
    facts: { site: 'Site', tool: 'Tool', choices: 'Unconfirmed changes', since: 'Since', why: 'Cause' },
    why: {
      bad_credentials: 'The tool rejected its credentials.',
      tool_off: 'The integration is off.',
      unavailable: 'The tool isn’t responding correctly.',
      rate_limited: 'The tool limits how many calls we may send.',
      refused: 'The tool rejected changes.',
      not_shown: 'The tool accepted changes but doesn’t show them.',
      not_tried: 'We haven’t tried to send them yet.',
    },
    button: 'See unconfirmed changes',
  },
  de: {
    subject: (tool) => `„${tool}“ hat Änderungen nach 24 Stunden nicht bestätigt`,
    what: (tool) =>
      `„${tool}“ hat einige Änderungen Ihrer Kunden 24 Stunden nach dem Speichern noch nicht bestätigt. Eine Abmeldung muss innerhalb von 48 Stunden wirksam werden.`,
    next: 'Was sich wiederholen lässt, versuchen wir erneut. Prüfen Sie, was unbestätigt ist, beheben Sie die Ursache und senden Sie fehlgeschlagene Zustellungen erneut.',
    facts: {
      site: 'Site',
      tool: 'Tool',
      choices: 'Unbestätigte Änderungen',
      since: 'Seit',
      why: 'Ursache',
    },
    why: {
      bad_credentials: 'Das Tool hat die Zugangsdaten abgelehnt.',
      tool_off: 'Die Integration ist ausgeschaltet.',
      unavailable: 'Das Tool antwortet nicht richtig.',
      rate_limited: 'Das Tool begrenzt, wie viele Aufrufe wir senden dürfen.',
      refused: 'Das Tool hat Änderungen abgelehnt.',
      not_shown: 'Das Tool hat Änderungen angenommen, zeigt sie aber nicht.',
      not_tried: 'Wir haben noch nicht versucht, die Änderungen zu senden.',
    },
    button: 'Unbestätigte Änderungen ansehen',
  },
  es: {
    subject: (tool) => `«${tool}» no ha confirmado cambios tras 24 horas`,
    what: (tool) =>
      `«${tool}» no ha confirmado algunos cambios de sus clientes 24 horas después de guardarse. Una baja debe surtir efecto en un plazo de 48 horas.`,
    next: 'Reintentamos lo que se puede reintentar. Revise lo que está sin confirmar, corrija la causa y reenvíe las entregas fallidas.',
    facts: {
      site: 'Sitio',
      tool: 'Herramienta',
      choices: 'Cambios sin confirmar',
      since: 'Desde',
      why: 'Causa',
    },
    why: {
      bad_credentials: 'La herramienta rechazó las credenciales.',
      tool_off: 'La integración está desactivada.',
      unavailable: 'La herramienta no responde correctamente.',
      rate_limited: 'La herramienta limita cuántas llamadas podemos enviar.',
      refused: 'La herramienta rechazó cambios.',
      not_shown: 'La herramienta aceptó cambios, pero no los muestra.',
      not_tried: 'Aún no hemos intentado enviar los cambios.',
    },
    button: 'Ver cambios sin confirmar',
  },
  fr: {
    subject: (tool) => `« ${tool} » n’a pas confirmé des modifications après 24 heures`,
    what: (tool) =>
      `« ${tool} » n’a pas confirmé certaines modifications de vos clients 24 heures après leur enregistrement. Un désabonnement doit prendre effet dans les 48 heures.`,
    next: 'Nous réessayons ce qui peut l’être. Vérifiez ce qui n’est pas confirmé, corrigez la cause et renvoyez les livraisons échouées.',
    facts: {
      site: 'Site',
      tool: 'Outil',
      choices: 'Modifications non confirmées',
      since: 'Depuis',
      why: 'Cause',
    },
    why: {
      bad_credentials: 'L’outil a refusé les identifiants.',
      tool_off: 'L’intégration est désactivée.',
      unavailable: 'L’outil ne répond pas correctement.',
      rate_limited: 'L’outil limite le nombre d’appels que nous pouvons envoyer.',
      refused: 'L’outil a refusé des modifications.',
      not_shown: 'L’outil a accepté des modifications mais ne les affiche pas.',
      not_tried: 'Nous n’avons pas encore essayé d’envoyer les modifications.',
    },
    button: 'Voir les modifications',
  },
  it: {
    subject: (tool) => `«${tool}» non ha confermato modifiche dopo 24 ore`,
    what: (tool) =>
      `«${tool}» non ha confermato alcune modifiche dei tuoi clienti 24 ore dopo il salvataggio. Una disiscrizione deve avere effetto entro 48 ore.`,
    next: 'Riproviamo ciò che si può riprovare. Controlla che cosa non è confermato, correggi la causa e invia di nuovo le consegne non riuscite.',
    facts: {
      site: 'Sito',
      tool: 'Strumento',
      choices: 'Modifiche non confermate',
      since: 'Dal',
      why: 'Causa',
    },
    why: {
      bad_credentials: 'Lo strumento ha rifiutato le credenziali.',
      tool_off: 'L’integrazione è disattivata.',
      unavailable: 'Lo strumento non risponde correttamente.',
      rate_limited: 'Lo strumento limita il numero di chiamate che possiamo inviare.',
      refused: 'Lo strumento ha rifiutato modifiche.',
      not_shown: 'Lo strumento ha accettato modifiche ma non le mostra.',
      not_tried: 'Non abbiamo ancora provato a inviare le modifiche.',
    },
    button: 'Vedi modifiche non confermate',
  },
  sl: {
    subject: (tool) => `»${tool}« po 24 urah ni potrdil sprememb`,
    what: (tool) =>
      `»${tool}« 24 ur po shranjevanju še ni potrdil nekaterih sprememb vaših strank. Odjava mora začeti veljati v 48 urah.`,
    next: 'Kar je mogoče ponoviti, poskušamo znova. Preverite, kaj ni potrjeno, odpravite vzrok in znova pošljite neuspešne dostave.',
    facts: {
      site: 'Spletno mesto',
      tool: 'Orodje',
      choices: 'Nepotrjene spremembe',
      since: 'Od',
      why: 'Vzrok',
    },
    why: {
      bad_credentials: 'Orodje je zavrnilo poverilnice.',
      tool_off: 'Integracija je izklopljena.',
      unavailable: 'Orodje se ne odziva pravilno.',
      rate_limited: 'Orodje omejuje število klicev, ki jih lahko pošljemo.',
      refused: 'Orodje je zavrnilo spremembe.',
      not_shown: 'Orodje je sprejelo spremembe, a jih ne prikazuje.',
      not_tried: 'Sprememb še nismo poskusili poslati.',
    },
    button: 'Prikaži nepotrjene spremembe',
  },
  ro: {
    subject: (tool) => `„${tool}” nu a confirmat modificări după 24 de ore`,
    what: (tool) =>
      `„${tool}” nu a confirmat unele modificări ale clienților dvs. la 24 de ore după salvare. O dezabonare trebuie să aibă efect în 48 de ore.`,
    next: 'Reîncercăm ce se poate reîncerca. Verificați ce este neconfirmat, remediați cauza și retrimiteți livrările eșuate.',
    facts: {
      site: 'Site',
      tool: 'Instrument',
      choices: 'Modificări neconfirmate',
      since: 'Din',
      why: 'Cauză',
    },
    why: {
      bad_credentials: 'Instrumentul a respins datele de acces.',
      tool_off: 'Integrarea este dezactivată.',
      unavailable: 'Instrumentul nu răspunde corect.',
      rate_limited: 'Instrumentul limitează numărul de apeluri pe care le putem trimite.',
      refused: 'Instrumentul a respins modificări.',
      not_shown: 'Instrumentul a acceptat modificări, dar nu le arată.',
      not_tried: 'Încă nu am încercat să trimitem modificările.',
    },
    button: 'Arată modificările',
  },
  pl: {
    subject: (tool) => `Brak potwierdzenia zmian w „${tool}” po 24 godzinach`,
    what: (tool) =>
      `„${tool}” nie potwierdza niektórych zmian Twoich klientów, choć od ich zapisania minęły 24 godziny. Wypisanie musi zacząć działać w ciągu 48 godzin.`,
    next: 'Ponawiamy to, co można ponowić. Sprawdź, co jest niepotwierdzone, usuń przyczynę i wyślij ponownie nieudane dostawy.',
    facts: {
      site: 'Witryna',
      tool: 'Narzędzie',
      choices: 'Niepotwierdzone zmiany',
      since: 'Od',
      why: 'Przyczyna',
    },
    why: {
      bad_credentials: 'Narzędzie odrzuciło dane dostępowe.',
      tool_off: 'Integracja jest wyłączona.',
      unavailable: 'Narzędzie nie odpowiada poprawnie.',
      rate_limited: 'Narzędzie ogranicza liczbę wywołań, które możemy wysłać.',
      refused: 'Narzędzie odrzuciło zmiany.',
      not_shown: 'Narzędzie przyjęło zmiany, ale ich nie pokazuje.',
      not_tried: 'Jeszcze nie próbowaliśmy wysłać zmian.',
    },
    button: 'Zobacz niepotwierdzone zmiany',
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
    subject: `${texts.subject(input.tool)} · ${input.site}`,
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

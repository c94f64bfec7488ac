import type { DisabledBecause } from '#contract/actions.ts';
import type { Language } from '#contract/fields.ts';
import { accountLanguage, mailDocument } from '#server/accounts/mails/mail-document.ts';
import { GIVE_UP_AFTER_DAYS } from '#server/platform/retries.ts';

/** News about an action or a tool that no longer runs. */
export type OwnerNotice =
  | { kind: 'action_off'; name: string; why: DisabledBecause }
  | { kind: 'target_gone'; name: string; tool: string }
  | { kind: 'tool_trouble'; integrationId: string; name: string; why: ToolTrouble; detail: string };

/** What the tool rejected, or that nothing has reached it for days. */
type ToolTrouble = 'key' | 'credentials' | 'failing';

interface MailTexts<Why extends string> {
  subject: (name: string) => string;
  what: (name: string) => string;
  why: Record<Why, string>;
  next: string;
  button: string;
}

interface ToolTexts {
  subject: (name: string) => string;
  what: Record<ToolTrouble, (name: string, site: string) => string>;
  next: Record<ToolTrouble, string>;
  button: Record<ToolTrouble, string>;
}

interface GoneTexts {
  subject: (name: string) => string;
  what: (name: string, tool: string) => string;
  next: string;
  button: string;
}

interface Texts {
  action_off: MailTexts<DisabledBecause>;
  target_gone: GoneTexts;
  tool_trouble: ToolTexts;
  /** The last error, in the server's English. */
  detail: (text: string) => string;
}

const DAYS = GIVE_UP_AFTER_DAYS;

const TEXTS: Record<Language, Texts> = {
  en: {
    action_off: {
      subject: (name) => `We turned off “${name}”`,
      what: (name) => `We turned off the action “${name}”.`,
      why: {
        gone: 'The receiver answered 410 Gone.',
        failing: `Every delivery failed for ${DAYS} days.`,
      },
      next: 'We still record every change. Fix the receiver, turn the action on again, then send the failed deliveries again under Deliveries.',
      button: 'Open actions',
    },
    target_gone: {
      subject: (name) => `“${name}” needs a new target`,
      what: (name, tool) =>
        `The action “${name}” is about something that is no longer in ${tool}, or is in another account. Nothing of it arrives there.`,
      next: 'Choose another target for it under Actions. We mark every action that this concerns, and write only once.',
      button: 'Open actions',
    },
    tool_trouble: {
      subject: (name) => `“${name}” needs attention`,
      what: {
        key: (name, site) =>
          `Changes at ${site} aren’t reaching ${name}, because ${name} rejected the API key.`,
        credentials: (name, site) =>
          `Changes at ${site} aren’t reaching ${name}, because ${name} rejected the credentials.`,
        failing: (name, site) =>
          `Changes at ${site} aren’t reaching ${name}: every delivery failed for ${DAYS} days.`,
      },
      next: {
        key: 'We’ll send the waiting changes once you enter a new key.',
        credentials: 'We’ll send the waiting changes once you enter new credentials.',
        failing: 'We’ll send the waiting changes once you reconnect the tool.',
      },
      button: {
        key: 'Enter a new API key',
        credentials: 'Enter new credentials',
        failing: 'Open the integration',
      },
    },
    detail: (text) => `Details: ${text}`,
  },
  es: {
    action_off: {
      subject: (name) => `«${name}» se ha desactivado`,
      what: (name) => `La acción «${name}» se ha desactivado.`,
      why: {
        gone: 'El receptor respondió 410 Gone.',
        failing: `Todas las entregas fallaron durante ${DAYS} días.`,
      },
      next: 'Seguimos registrando cada cambio. Corrija el receptor, vuelva a activar la acción y reenvíe las entregas fallidas en «Entregas».',
      button: 'Abrir acciones',
    },
    target_gone: {
      subject: (name) => `«${name}» necesita un nuevo destino`,
      what: (name, tool) =>
        `La acción «${name}» se refiere a algo que ya no está en ${tool}, o está en otra cuenta. No llega nada allí.`,
      next: 'Elija otro destino en «Acciones». Marcamos todas las acciones afectadas y solo escribimos una vez.',
      button: 'Abrir acciones',
    },
    tool_trouble: {
      subject: (name) => `«${name}» requiere atención`,
      what: {
        key: (name, site) =>
          `Los cambios de ${site} no llegan a ${name}, porque ${name} rechazó la clave API.`,
        credentials: (name, site) =>
          `Los cambios de ${site} no llegan a ${name}, porque ${name} rechazó las credenciales.`,
        failing: (name, site) =>
          `Los cambios de ${site} no llegan a ${name}: todas las entregas fallaron durante ${DAYS} días.`,
      },
      next: {
        key: 'Enviaremos los cambios en espera en cuanto introduzca una clave nueva.',
        credentials: 'Enviaremos los cambios en espera en cuanto introduzca credenciales nuevas.',
        failing: 'Enviaremos los cambios en espera en cuanto vuelva a conectar la herramienta.',
      },
      button: {
        key: 'Introducir una clave API nueva',
        credentials: 'Introducir credenciales',
        failing: 'Abrir la integración',
      },
    },
    detail: (text) => `Detalles (en inglés): ${text}`,
  },
  de: {
    action_off: {
      subject: (name) => `„${name}“ wurde ausgeschaltet`,
      what: (name) => `Die Aktion „${name}“ wurde ausgeschaltet.`,
      why: {
        gone: 'Der Empfänger hat mit 410 Gone geantwortet.',
        failing: `Alle Zustellungen sind ${DAYS} Tage lang fehlgeschlagen.`,
      },
      next: 'Wir zeichnen weiterhin jede Änderung auf. Bringen Sie den Empfänger in Ordnung, schalten Sie die Aktion wieder ein und senden Sie unter „Zustellungen“ die fehlgeschlagenen erneut.',
      button: 'Aktionen öffnen',
    },
    target_gone: {
      subject: (name) => `„${name}“ braucht ein neues Ziel`,
      what: (name, tool) =>
        `Was die Aktion „${name}“ betrifft, gibt es in ${tool} nicht mehr, oder es liegt in einem anderen Konto. Dort kommt nichts an.`,
      next: 'Wählen Sie unter „Aktionen“ ein anderes Ziel. Wir markieren alle betroffenen Aktionen und schreiben Ihnen nur einmal.',
      button: 'Aktionen öffnen',
    },
    tool_trouble: {
      subject: (name) => `Handlungsbedarf bei „${name}“`,
      what: {
        key: (name, site) =>
          `Änderungen bei ${site} kommen in ${name} nicht an, weil ${name} den API-Schlüssel abgelehnt hat.`,
        credentials: (name, site) =>
          `Änderungen bei ${site} kommen in ${name} nicht an, weil ${name} die Zugangsdaten abgelehnt hat.`,
        failing: (name, site) =>
          `Änderungen bei ${site} kommen in ${name} nicht an: Alle Zustellungen sind ${DAYS} Tage lang fehlgeschlagen.`,
      },
      next: {
        key: 'Sobald Sie einen neuen Schlüssel eingeben, senden wir die wartenden Änderungen.',
        credentials: 'Sobald Sie neue Zugangsdaten eingeben, senden wir die wartenden Änderungen.',
        failing: 'Sobald Sie das Tool neu verbinden, senden wir die wartenden Änderungen.',
      },
      button: {
        key: 'Neuen API-Schlüssel eingeben',
        credentials: 'Neue Zugangsdaten eingeben',
        failing: 'Integration öffnen',
      },
    },
    detail: (text) => `Details (auf Englisch): ${text}`,
  },
  fr: {
    action_off: {
      subject: (name) => `« ${name} » a été désactivée`,
      what: (name) => `L’action « ${name} » a été désactivée.`,
      why: {
        gone: 'Le destinataire a répondu 410 Gone.',
        failing: `Toutes les livraisons ont échoué pendant ${DAYS} jours.`,
      },
      next: 'Nous enregistrons toujours chaque modification. Réparez le destinataire, réactivez l’action, puis renvoyez les livraisons échouées sous « Livraisons ».',
      button: 'Ouvrir les actions',
    },
    target_gone: {
      subject: (name) => `« ${name} » a besoin d’une nouvelle cible`,
      what: (name, tool) =>
        `L’action « ${name} » porte sur un élément qui n’existe plus dans ${tool}, ou qui se trouve dans un autre compte. Rien n’y arrive.`,
      next: 'Choisissez une autre cible sous « Actions ». Nous signalons toutes les actions concernées et n’écrivons qu’une fois.',
      button: 'Ouvrir les actions',
    },
    tool_trouble: {
      subject: (name) => `« ${name} » est à vérifier`,
      what: {
        key: (name, site) =>
          `Les modifications de ${site} n’arrivent pas à ${name}, car ${name} a refusé la clé API.`,
        credentials: (name, site) =>
          `Les modifications de ${site} n’arrivent pas à ${name}, car ${name} a refusé les identifiants.`,
        failing: (name, site) =>
          `Les modifications de ${site} n’arrivent pas à ${name} : toutes les livraisons ont échoué pendant ${DAYS} jours.`,
      },
      next: {
        key: 'Nous enverrons les modifications en attente dès que vous aurez saisi une nouvelle clé.',
        credentials:
          'Nous enverrons les modifications en attente dès que vous aurez saisi de nouveaux identifiants.',
        failing: 'Nous enverrons les modifications en attente dès que vous aurez reconnecté l’outil.',
      },
      button: {
        key: 'Saisir une nouvelle clé API',
        credentials: 'Saisir de nouveaux identifiants',
        failing: 'Ouvrir l’intégration',
      },
    },
    detail: (text) => `Détails (en anglais) : ${text}`,
  },
  it: {
    action_off: {
      subject: (name) => `«${name}» è stata disattivata`,
      what: (name) => `L’azione «${name}» è stata disattivata.`,
      why: {
        gone: 'Il destinatario ha risposto 410 Gone.',
        failing: `Nessuna consegna è riuscita per ${DAYS} giorni.`,
      },
      next: 'Registriamo ancora ogni modifica. Sistema il destinatario, riattiva l’azione e poi invia di nuovo le consegne non riuscite in «Consegne».',
      button: 'Apri azioni',
    },
    target_gone: {
      subject: (name) => `«${name}» ha bisogno di una nuova destinazione`,
      what: (name, tool) =>
        `L’azione «${name}» riguarda qualcosa che non è più in ${tool}, o che si trova in un altro account. Non vi arriva nulla.`,
      next: 'Scegli un’altra destinazione in «Azioni». Segnaliamo tutte le azioni interessate e scriviamo una volta sola.',
      button: 'Apri azioni',
    },
    tool_trouble: {
      subject: (name) => `«${name}» richiede attenzione`,
      what: {
        key: (name, site) =>
          `Le modifiche di ${site} non arrivano a ${name}, perché ${name} ha rifiutato la chiave API.`,
        credentials: (name, site) =>
          `Le modifiche di ${site} non arrivano a ${name}, perché ${name} ha rifiutato le credenziali.`,
        failing: (name, site) =>
          `Le modifiche di ${site} non arrivano a ${name}: nessuna consegna è riuscita per ${DAYS} giorni.`,
      },
      next: {
        key: 'Invieremo le modifiche in attesa appena inserisci una nuova chiave.',
        credentials: 'Invieremo le modifiche in attesa appena inserisci nuove credenziali.',
        failing: 'Invieremo le modifiche in attesa appena colleghi di nuovo lo strumento.',
      },
      button: {
        key: 'Inserisci una nuova chiave API',
        credentials: 'Inserisci nuove credenziali',
        failing: 'Apri l’integrazione',
      },
    },
    detail: (text) => `Dettagli (in inglese): ${text}`,
  },
  sl: {
    action_off: {
      subject: (name) => `Dejanje »${name}« je izklopljeno`,
      what: (name) => `Dejanje »${name}« je bilo izklopljeno.`,
      why: {
        gone: 'Prejemnik je odgovoril s 410 Gone.',
        failing: `Vse dostave so bile ${DAYS} dni neuspešne.`,
      },
      next: 'Vsako spremembo še vedno zabeležimo. Popravite prejemnika, znova vklopite dejanje in v razdelku »Dostave« znova pošljite neuspešne dostave.',
      button: 'Odpri dejanja',
    },
    target_gone: {
      subject: (name) => `Dejanje »${name}« potrebuje nov cilj`,
      what: (name, tool) =>
        `Tega, na kar se nanaša dejanje »${name}«, v orodju ${tool} ni več ali pa je v drugem računu. Tja ne prispe nič.`,
      next: 'V razdelku »Dejanja« izberite drug cilj. Označimo vsa dejanja, ki jih to zadeva, in pišemo le enkrat.',
      button: 'Odpri dejanja',
    },
    tool_trouble: {
      subject: (name) => `»${name}« zahteva pozornost`,
      what: {
        key: (name, site) =>
          `Spremembe s spletnega mesta ${site} ne prispejo v orodje ${name}, ker je to zavrnilo ključ API.`,
        credentials: (name, site) =>
          `Spremembe s spletnega mesta ${site} ne prispejo v orodje ${name}, ker je to zavrnilo poverilnice.`,
        failing: (name, site) =>
          `Spremembe s spletnega mesta ${site} ne prispejo v orodje ${name}: vse dostave so bile ${DAYS} dni neuspešne.`,
      },
      next: {
        key: 'Čakajoče spremembe bomo poslali, ko vnesete nov ključ.',
        credentials: 'Čakajoče spremembe bomo poslali, ko vnesete nove poverilnice.',
        failing: 'Čakajoče spremembe bomo poslali, ko orodje znova povežete.',
      },
      button: {
        key: 'Vnesi nov ključ API',
        credentials: 'Vnesi nove poverilnice',
        failing: 'Odpri integracijo',
      },
    },
    detail: (text) => `Podrobnosti (v angleščini): ${text}`,
  },
  ro: {
    action_off: {
      subject: (name) => `„${name}” a fost dezactivată`,
      what: (name) => `Acțiunea „${name}” a fost dezactivată.`,
      why: {
        gone: 'Destinatarul a răspuns 410 Gone.',
        failing: `Toate livrările au eșuat timp de ${DAYS} zile.`,
      },
      next: 'Înregistrăm în continuare fiecare modificare. Remediați destinatarul, activați din nou acțiunea, apoi retrimiteți livrările eșuate din „Livrări”.',
      button: 'Deschide acțiunile',
    },
    target_gone: {
      subject: (name) => `„${name}” are nevoie de o țintă nouă`,
      what: (name, tool) =>
        `Acțiunea „${name}” se referă la ceva ce nu mai este în ${tool} sau se află în alt cont. Nimic nu ajunge acolo.`,
      next: 'Alegeți altă țintă în „Acțiuni”. Marcăm toate acțiunile vizate și scriem o singură dată.',
      button: 'Deschide acțiunile',
    },
    tool_trouble: {
      subject: (name) => `„${name}” necesită atenție`,
      what: {
        key: (name, site) =>
          `Modificările de la ${site} nu ajung în ${name}, deoarece ${name} a respins cheia API.`,
        credentials: (name, site) =>
          `Modificările de la ${site} nu ajung în ${name}, deoarece ${name} a respins datele de acces.`,
        failing: (name, site) =>
          `Modificările de la ${site} nu ajung în ${name}: toate livrările au eșuat timp de ${DAYS} zile.`,
      },
      next: {
        key: 'Trimitem modificările în așteptare imediat ce introduceți o cheie nouă.',
        credentials: 'Trimitem modificările în așteptare imediat ce introduceți date de acces noi.',
        failing: 'Trimitem modificările în așteptare imediat ce reconectați instrumentul.',
      },
      button: {
        key: 'Introdu altă cheie API',
        credentials: 'Introdu alte date de acces',
        failing: 'Deschide integrarea',
      },
    },
    detail: (text) => `Detalii (în engleză): ${text}`,
  },
  pl: {
    action_off: {
      subject: (name) => `Akcja „${name}” została wyłączona`,
      what: (name) => `Akcja „${name}” została wyłączona.`,
      why: {
        gone: 'Odbiorca odpowiedział 410 Gone.',
        failing: `Przez ${DAYS} dni żadna dostawa się nie udała.`,
      },
      next: 'Nadal zapisujemy każdą zmianę. Napraw odbiorcę, włącz akcję ponownie, a potem w sekcji „Dostawy” wyślij ponownie nieudane dostawy.',
      button: 'Otwórz akcje',
    },
    target_gone: {
      subject: (name) => `Akcja „${name}” potrzebuje nowego celu`,
      what: (name, tool) =>
        `Tego, czego dotyczy akcja „${name}”, nie ma już w narzędziu ${tool} albo jest na innym koncie. Nic tam nie dociera.`,
      next: 'Wybierz inny cel w sekcji „Akcje”. Oznaczamy wszystkie takie akcje i piszemy tylko raz.',
      button: 'Otwórz akcje',
    },
    tool_trouble: {
      subject: (name) => `„${name}” wymaga uwagi`,
      what: {
        key: (name, site) =>
          `Zmiany z witryny ${site} nie docierają do narzędzia ${name}, bo odrzuciło ono klucz API.`,
        credentials: (name, site) =>
          `Zmiany z witryny ${site} nie docierają do narzędzia ${name}, bo odrzuciło ono dane dostępowe.`,
        failing: (name, site) =>
          `Zmiany z witryny ${site} nie docierają do narzędzia ${name}: przez ${DAYS} dni żadna dostawa się nie udała.`,
      },
      next: {
        key: 'Wyślemy oczekujące zmiany, gdy wpiszesz nowy klucz.',
        credentials: 'Wyślemy oczekujące zmiany, gdy wpiszesz nowe dane dostępowe.',
        failing: 'Wyślemy oczekujące zmiany, gdy połączysz narzędzie ponownie.',
      },
      button: {
        key: 'Wpisz nowy klucz API',
        credentials: 'Wpisz nowe dane dostępowe',
        failing: 'Otwórz integrację',
      },
    },
    detail: (text) => `Szczegóły (po angielsku): ${text}`,
  },
};

/** Why an action is off, for the API. */
export const reasonOfAction = (why: DisabledBecause): string => TEXTS.en.action_off.why[why];

/** The reason that is stored with an action. */
export function disabledBecauseOf(reason: string | null): DisabledBecause | null {
  if (reason === null) return null;
  return reason === reasonOfAction('gone') ? 'gone' : 'failing';
}

function wordsOf(texts: Texts, notice: OwnerNotice, site: string): { lines: string[]; button: string } {
  if (notice.kind === 'action_off') {
    const { what, why, next, button } = texts.action_off;
    return { lines: [what(notice.name), why[notice.why], next], button };
  }
  if (notice.kind === 'target_gone') {
    const { what, next, button } = texts.target_gone;
    return { lines: [what(notice.name, notice.tool), next], button };
  }
  const { what, next, button } = texts.tool_trouble;
  const detail = notice.detail === '' ? [] : [texts.detail(notice.detail)];
  return {
    lines: [what[notice.why](notice.name, site), ...detail, next[notice.why]],
    button: button[notice.why],
  };
}

/**
 * @param input.link where the owner can fix it
 * @param input.language of the account; English if unknown
 */
export function ownerNoticeMail({
  notice,
  site,
  link,
  language: asked,
}: {
  notice: OwnerNotice;
  /** The site's name. */
  site: string;
  link: string;
  language: unknown;
}) {
  const language = accountLanguage(asked);
  const texts = TEXTS[language];
  const { lines, button } = wordsOf(texts, notice, site);
  return {
    // An owner of many brands sees in the inbox which one it is about.
    subject: `${texts[notice.kind].subject(notice.name)} · ${site}`,
    ...mailDocument({
      language,
      lines,
      button: { text: button, link },
      footnote: '',
    }),
  };
}

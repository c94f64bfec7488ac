import type { DisabledBecause } from '#contract/actions.ts';
import type { Language } from '#contract/fields.ts';
import { accountLanguage, mailDocument } from '#server/accounts/mails/mail-document.ts';
import { GIVE_UP_AFTER_DAYS } from '#server/platform/retries.ts';

/** News about an action or a tool that no longer runs. */
export type OwnerNotice =
  | { kind: 'action_off'; name: string; why: DisabledBecause }
  | { kind: 'tool_trouble'; name: string; why: 'refused' | 'failing'; detail: string };

interface MailTexts<Why extends string> {
  subject: (name: string) => string;
  what: (name: string) => string;
  why: Record<Why, string>;
  next: string;
  button: string;
}

interface Texts {
  action_off: MailTexts<DisabledBecause>;
  tool_trouble: MailTexts<'refused' | 'failing'>;
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
    tool_trouble: {
      subject: (name) => `“${name}” needs attention`,
      what: (name) => `Changes aren’t reaching “${name}”.`,
      why: {
        refused: 'The tool rejected its credentials.',
        failing: `Every delivery failed for ${DAYS} days.`,
      },
      next: 'We’ve stored them. Reconnect the tool under Integrations and we’ll send the waiting changes right away.',
      button: 'Open integrations',
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
    tool_trouble: {
      subject: (name) => `«${name}» requiere atención`,
      what: (name) => `Los cambios no llegan a «${name}».`,
      why: {
        refused: 'La herramienta rechazó las credenciales.',
        failing: `Todas las entregas fallaron durante ${DAYS} días.`,
      },
      next: 'Los hemos guardado. Vuelva a conectarla en «Integraciones» y enviaremos enseguida los cambios en espera.',
      button: 'Abrir integraciones',
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
    tool_trouble: {
      subject: (name) => `Handlungsbedarf bei „${name}“`,
      what: (name) => `Änderungen kommen bei „${name}“ nicht an.`,
      why: {
        refused: 'Das Tool hat die Zugangsdaten abgelehnt.',
        failing: `Alle Zustellungen sind ${DAYS} Tage lang fehlgeschlagen.`,
      },
      next: 'Wir haben sie gespeichert. Verbinden Sie das Tool unter „Integrationen“ neu, dann senden wir die wartenden Änderungen sofort.',
      button: 'Integrationen öffnen',
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
    tool_trouble: {
      subject: (name) => `« ${name} » est à vérifier`,
      what: (name) => `Les modifications n’arrivent pas à « ${name} ».`,
      why: {
        refused: 'L’outil a refusé les identifiants.',
        failing: `Toutes les livraisons ont échoué pendant ${DAYS} jours.`,
      },
      next: 'Nous les avons enregistrées. Reconnectez l’outil sous « Intégrations » et nous enverrons aussitôt les modifications en attente.',
      button: 'Ouvrir les intégrations',
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
    tool_trouble: {
      subject: (name) => `«${name}» richiede attenzione`,
      what: (name) => `Le modifiche non arrivano a «${name}».`,
      why: {
        refused: 'Lo strumento ha rifiutato le credenziali.',
        failing: `Nessuna consegna è riuscita per ${DAYS} giorni.`,
      },
      next: 'Le abbiamo salvate. Collega di nuovo lo strumento in «Integrazioni» e invieremo subito le modifiche in attesa.',
      button: 'Apri integrazioni',
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
    tool_trouble: {
      subject: (name) => `»${name}« zahteva pozornost`,
      what: (name) => `Spremembe ne prispejo v »${name}«.`,
      why: {
        refused: 'Orodje je zavrnilo poverilnice.',
        failing: `Vse dostave so bile ${DAYS} dni neuspešne.`,
      },
      next: 'Shranili smo jih. Orodje znova povežite v razdelku »Integracije« in čakajoče spremembe bomo takoj poslali.',
      button: 'Odpri integracije',
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
    tool_trouble: {
      subject: (name) => `„${name}” necesită atenție`,
      what: (name) => `Modificările nu ajung la „${name}”.`,
      why: {
        refused: 'Instrumentul a respins datele de acces.',
        failing: `Toate livrările au eșuat timp de ${DAYS} zile.`,
      },
      next: 'Le-am salvat. Reconectați instrumentul la „Integrări” și trimitem imediat modificările în așteptare.',
      button: 'Deschide integrările',
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
    tool_trouble: {
      subject: (name) => `„${name}” wymaga uwagi`,
      what: (name) => `Zmiany nie docierają do „${name}”.`,
      why: {
        refused: 'Narzędzie odrzuciło dane dostępowe.',
        failing: `Przez ${DAYS} dni żadna dostawa się nie udała.`,
      },
      next: 'Przechowujemy je. Połącz narzędzie ponownie w sekcji „Integracje”, a od razu wyślemy oczekujące zmiany.',
      button: 'Otwórz integracje',
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

function linesOf(texts: Texts, notice: OwnerNotice): string[] {
  if (notice.kind === 'action_off') {
    const { what, why, next } = texts.action_off;
    return [what(notice.name), why[notice.why], next];
  }
  const { what, why, next } = texts.tool_trouble;
  const detail = notice.detail === '' ? [] : [texts.detail(notice.detail)];
  return [what(notice.name), why[notice.why], ...detail, next];
}

/**
 * @param input.link where the owner can fix it
 * @param input.language of the account; English if unknown
 */
export function ownerNoticeMail({
  notice,
  link,
  language: asked,
}: {
  notice: OwnerNotice;
  link: string;
  language: unknown;
}) {
  const language = accountLanguage(asked);
  const texts = TEXTS[language];
  const { subject, button } = texts[notice.kind];
  return {
    subject: subject(notice.name),
    ...mailDocument({
      language,
      lines: linesOf(texts, notice),
      button: { text: button, link },
      footnote: '',
    }),
  };
}

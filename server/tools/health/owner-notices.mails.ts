import type { Language } from '#contract/fields.ts';
import { accountLanguage, mailDocument } from '#server/accounts/mails/mail-document.ts';
import { GIVE_UP_AFTER_DAYS } from '#server/platform/retries.ts';

/** News about an action or a tool that no longer runs. */
export type OwnerNotice =
  | { kind: 'action_off'; name: string; why: 'gone' | 'failing' }
  | { kind: 'tool_trouble'; name: string; why: 'refused' | 'failing'; detail: string };

interface MailTexts<Why extends string> {
  subject: (name: string) => string;
  what: (name: string) => string;
  why: Record<Why, string>;
  next: string;
  button: string;
}

interface Texts {
  action_off: MailTexts<'gone' | 'failing'>;
  tool_trouble: MailTexts<'refused' | 'failing'>;
  /** The last error, in the server's English. */
  detail: (text: string) => string;
}

const DAYS = GIVE_UP_AFTER_DAYS;

const TEXTS: Record<Language, Texts> = {
  en: {
    action_off: {
      subject: (name) => `"${name}" was switched off`,
      what: (name) => `The action "${name}" was switched off.`,
      why: {
        gone: 'The receiver answered 410 Gone.',
        failing: `Every delivery failed for ${DAYS} days.`,
      },
      next: 'We still record every change. Fix the receiver, switch the action on again, then send failed deliveries again under Deliveries.',
      button: 'Open actions',
    },
    tool_trouble: {
      subject: (name) => `"${name}" needs attention`,
      what: (name) => `Changes aren't reaching "${name}".`,
      why: {
        refused: 'It rejected its credentials.',
        failing: `Every delivery failed for ${DAYS} days.`,
      },
      next: "We've stored them. Reconnect it under Integrations and we'll send the waiting changes right away.",
      button: 'Open integrations',
    },
    detail: (text) => `Details: ${text}`,
  },
  es: {
    action_off: {
      subject: (name) => `«${name}» se ha desactivado`,
      what: (name) => `La acción «${name}» se ha desactivado.`,
      why: {
        gone: 'El receptor respondió 410: ha dejado de existir.',
        failing: `Falló durante ${DAYS} días sin un solo éxito.`,
      },
      next: 'Las elecciones se siguen registrando. Arregle el receptor, vuelva a activar la acción y reenvíe lo que falló desde el registro de entregas.',
      button: 'Abrir las acciones',
    },
    tool_trouble: {
      subject: (name) => `«${name}» le necesita`,
      what: (name) => `Las elecciones no llegan a «${name}» en este momento.`,
      why: {
        refused: 'Ya no acepta sus credenciales.',
        failing: `Falló durante ${DAYS} días sin un solo éxito.`,
      },
      next: 'Se conservan y esperan. Vuelva a conectarlo en Integraciones y lo que espera se entregará enseguida.',
      button: 'Abrir las integraciones',
    },
    detail: (text) => `En detalle (en inglés): ${text}`,
  },
  de: {
    action_off: {
      subject: (name) => `„${name}“ wurde abgeschaltet`,
      what: (name) => `Die Aktion „${name}“ wurde abgeschaltet.`,
      why: {
        gone: 'Der Empfänger antwortete mit 410: Es gibt ihn nicht mehr.',
        failing: `Sie ist ${DAYS} Tage lang ohne einen einzigen Erfolg gescheitert.`,
      },
      next: 'Entscheidungen werden weiterhin aufgezeichnet. Bringen Sie den Empfänger in Ordnung, schalten Sie die Aktion wieder ein und senden Sie das Gescheiterte im Zustellprotokoll erneut.',
      button: 'Aktionen öffnen',
    },
    tool_trouble: {
      subject: (name) => `„${name}“ braucht Sie`,
      what: (name) => `Entscheidungen kommen bei „${name}“ zurzeit nicht an.`,
      why: {
        refused: 'Die Zugangsdaten werden dort nicht mehr angenommen.',
        failing: `Es ist ${DAYS} Tage lang ohne einen einzigen Erfolg gescheitert.`,
      },
      next: 'Sie sind aufgehoben und warten. Verbinden Sie das Tool unter „Integrationen“ neu; was wartet, wird dann sofort zugestellt.',
      button: 'Integrationen öffnen',
    },
    detail: (text) => `Im Einzelnen (auf Englisch): ${text}`,
  },
  fr: {
    action_off: {
      subject: (name) => `« ${name} » a été désactivée`,
      what: (name) => `L’action « ${name} » a été désactivée.`,
      why: {
        gone: 'Le destinataire a répondu 410 : il n’existe plus.',
        failing: `Elle a échoué pendant ${DAYS} jours sans un seul succès.`,
      },
      next: 'Les choix sont toujours enregistrés. Réparez le destinataire, réactivez l’action, puis renvoyez ce qui a échoué depuis le journal des livraisons.',
      button: 'Ouvrir les actions',
    },
    tool_trouble: {
      subject: (name) => `« ${name} » a besoin de vous`,
      what: (name) => `Les choix n’arrivent pas à « ${name} » en ce moment.`,
      why: {
        refused: 'Il n’accepte plus ses identifiants.',
        failing: `Il a échoué pendant ${DAYS} jours sans un seul succès.`,
      },
      next: 'Ils sont conservés et attendent. Reconnectez l’outil sous Intégrations : ce qui attend sera livré aussitôt.',
      button: 'Ouvrir les intégrations',
    },
    detail: (text) => `En détail (en anglais) : ${text}`,
  },
  it: {
    action_off: {
      subject: (name) => `«${name}» è stata disattivata`,
      what: (name) => `L’azione «${name}» è stata disattivata.`,
      why: {
        gone: 'Il destinatario ha risposto 410: non esiste più.',
        failing: `Non è riuscita per ${DAYS} giorni, nemmeno una volta.`,
      },
      next: 'Le scelte vengono ancora registrate. Sistemi il destinatario, riattivi l’azione e invii di nuovo ciò che è fallito dal registro delle consegne.',
      button: 'Apri le azioni',
    },
    tool_trouble: {
      subject: (name) => `«${name}» ha bisogno di lei`,
      what: (name) => `Al momento le scelte non arrivano a «${name}».`,
      why: {
        refused: 'Non accetta più le sue credenziali.',
        failing: `Non ha funzionato per ${DAYS} giorni, nemmeno una volta.`,
      },
      next: 'Sono conservate e in attesa. Colleghi di nuovo lo strumento in Integrazioni: ciò che attende verrà consegnato subito.',
      button: 'Apri le integrazioni',
    },
    detail: (text) => `In dettaglio (in inglese): ${text}`,
  },
  sl: {
    action_off: {
      subject: (name) => `Dejanje »${name}« je izklopljeno`,
      what: (name) => `Dejanje »${name}« je bilo izklopljeno.`,
      why: {
        gone: 'Prejemnik je odgovoril s 410: ne obstaja več.',
        failing: `Že ${DAYS} dni ni uspelo niti enkrat.`,
      },
      next: 'Izbire se še vedno beležijo. Popravite prejemnika, znova vklopite dejanje in v dnevniku dostav znova pošljite, kar ni uspelo.',
      button: 'Odprite dejanja',
    },
    tool_trouble: {
      subject: (name) => `»${name}« vas potrebuje`,
      what: (name) => `Izbire trenutno ne prispejo v »${name}«.`,
      why: {
        refused: 'Poverilnic ne sprejema več.',
        failing: `Že ${DAYS} dni ni uspelo niti enkrat.`,
      },
      next: 'Shranjene so in čakajo. Orodje znova povežite v razdelku Integracije; kar čaka, bo takoj dostavljeno.',
      button: 'Odprite integracije',
    },
    detail: (text) => `Podrobneje (v angleščini): ${text}`,
  },
  ro: {
    action_off: {
      subject: (name) => `„${name}” a fost dezactivată`,
      what: (name) => `Acțiunea „${name}” a fost dezactivată.`,
      why: {
        gone: 'Destinatarul a răspuns 410: nu mai există.',
        failing: `A eșuat timp de ${DAYS} zile, fără nicio reușită.`,
      },
      next: 'Alegerile sunt în continuare înregistrate. Remediați destinatarul, activați din nou acțiunea, apoi retrimiteți din jurnalul livrărilor ce a eșuat.',
      button: 'Deschideți acțiunile',
    },
    tool_trouble: {
      subject: (name) => `„${name}” are nevoie de dumneavoastră`,
      what: (name) => `Alegerile nu ajung la „${name}” în acest moment.`,
      why: {
        refused: 'Nu mai acceptă datele de acces.',
        failing: `A eșuat timp de ${DAYS} zile, fără nicio reușită.`,
      },
      next: 'Sunt păstrate și așteaptă. Conectați din nou instrumentul la Integrări, iar ce așteaptă va fi livrat imediat.',
      button: 'Deschideți integrările',
    },
    detail: (text) => `În detaliu (în engleză): ${text}`,
  },
  pl: {
    action_off: {
      subject: (name) => `Akcja „${name}” została wyłączona`,
      what: (name) => `Akcja „${name}” została wyłączona.`,
      why: {
        gone: 'Odbiorca odpowiedział kodem 410: już nie istnieje.',
        failing: `Nie udawała się przez ${DAYS} dni ani razu.`,
      },
      next: 'Wybory są nadal zapisywane. Prosimy naprawić odbiorcę, ponownie włączyć akcję, a potem wysłać z dziennika dostaw to, co się nie udało.',
      button: 'Otwórz akcje',
    },
    tool_trouble: {
      subject: (name) => `„${name}” wymaga Państwa uwagi`,
      what: (name) => `Wybory nie docierają obecnie do „${name}”.`,
      why: {
        refused: 'Dane dostępowe nie są już tam przyjmowane.',
        failing: `Nie działało przez ${DAYS} dni ani razu.`,
      },
      next: 'Są przechowywane i czekają. Prosimy połączyć narzędzie ponownie w sekcji Integracje, a to, co czeka, zostanie od razu dostarczone.',
      button: 'Otwórz integracje',
    },
    detail: (text) => `Szczegóły (po angielsku): ${text}`,
  },
};

/** Why an action is off, for the API. */
export const reasonOfAction = (why: keyof Texts['action_off']['why']): string => TEXTS.en.action_off.why[why];

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

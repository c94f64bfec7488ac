import type { Language } from '#contract/fields.ts';
import { accountLanguage, mailDocument } from '#server/accounts/mails/mail-document.ts';

interface Words {
  subject: string;
  lines: readonly string[];
}

interface Texts {
  down: Words;
  back: Words;
  facts: { site: string; reason: string };
  button: string;
}

const TEXTS: Record<Language, Texts> = {
  en: {
    down: {
      subject: 'Your preference pages were taken down',
      lines: [
        'The people who run this server took the public preference pages of this site down. Customers can still unsubscribe with the links in your emails, and those changes still go to your tools. Nothing else can be changed on the pages.',
        'Only they can put the pages back. If you think this is a mistake, get in touch with them.',
      ],
    },
    back: {
      subject: 'Your preference pages are back',
      lines: [
        'The people who run this server put the public preference pages of this site back. They work as before.',
      ],
    },
    facts: { site: 'Site', reason: 'Reason' },
    button: 'Open Sayso',
  },
  es: {
    down: {
      subject: 'Sus páginas de preferencias se han retirado',
      lines: [
        'Los responsables de este servidor han retirado las páginas públicas de preferencias de este sitio. Los clientes aún pueden darse de baja con los enlaces de sus correos, y esos cambios siguen llegando a sus herramientas. En las páginas no se puede cambiar nada más.',
        'Solo ellos pueden volver a publicarlas. Si cree que se trata de un error, póngase en contacto con ellos.',
      ],
    },
    back: {
      subject: 'Sus páginas de preferencias vuelven a estar disponibles',
      lines: [
        'Los responsables de este servidor han vuelto a publicar las páginas públicas de preferencias de este sitio. Funcionan como antes.',
      ],
    },
    facts: { site: 'Sitio', reason: 'Motivo' },
    button: 'Abrir Sayso',
  },
  de: {
    down: {
      subject: 'Ihre Präferenzseiten wurden gesperrt',
      lines: [
        'Die Betreiber dieses Servers haben die öffentlichen Präferenzseiten dieser Site gesperrt. Kunden können sich mit den Links in Ihren E-Mails weiterhin abmelden, und diese Änderungen gehen weiterhin an Ihre Tools. Alles andere lässt sich auf den Seiten nicht ändern.',
        'Nur die Betreiber können die Seiten wieder freigeben. Wenn Sie das für einen Irrtum halten, wenden Sie sich an sie.',
      ],
    },
    back: {
      subject: 'Ihre Präferenzseiten sind wieder erreichbar',
      lines: [
        'Die Betreiber dieses Servers haben die öffentlichen Präferenzseiten dieser Site wieder freigegeben. Sie funktionieren wie zuvor.',
      ],
    },
    facts: { site: 'Site', reason: 'Grund' },
    button: 'Sayso öffnen',
  },
  fr: {
    down: {
      subject: 'Vos pages de préférences ont été retirées',
      lines: [
        'Les responsables de ce serveur ont retiré les pages de préférences publiques de ce site. Vos clients peuvent toujours se désabonner avec les liens de vos e-mails, et ces changements parviennent toujours à vos outils. Rien d’autre ne peut être modifié sur ces pages.',
        'Eux seuls peuvent les remettre en ligne. Si vous pensez qu’il s’agit d’une erreur, contactez-les.',
      ],
    },
    back: {
      subject: 'Vos pages de préférences sont de nouveau en ligne',
      lines: [
        'Les responsables de ce serveur ont remis en ligne les pages de préférences publiques de ce site. Elles fonctionnent comme avant.',
      ],
    },
    facts: { site: 'Site', reason: 'Motif' },
    button: 'Ouvrir Sayso',
  },
  it: {
    down: {
      subject: 'Le tue pagine delle preferenze sono state rimosse',
      lines: [
        'Chi gestisce questo server ha rimosso le pagine pubbliche delle preferenze di questo sito. I clienti possono ancora disiscriversi con i link nelle tue email, e queste modifiche arrivano ancora ai tuoi strumenti. Sulle pagine non si può modificare altro.',
        'Solo chi gestisce il server può ripristinarle. Se pensi che si tratti di un errore, contattalo.',
      ],
    },
    back: {
      subject: 'Le tue pagine delle preferenze sono di nuovo online',
      lines: [
        'Chi gestisce questo server ha ripristinato le pagine pubbliche delle preferenze di questo sito. Funzionano come prima.',
      ],
    },
    facts: { site: 'Sito', reason: 'Motivo' },
    button: 'Apri Sayso',
  },
  sl: {
    down: {
      subject: 'Vaše strani z nastavitvami so umaknjene',
      lines: [
        'Upravljavci tega strežnika so umaknili javne strani z nastavitvami tega spletnega mesta. Stranke se lahko še vedno odjavijo s povezavami v vaših e-sporočilih in te spremembe še vedno prispejo v vaša orodja. Ničesar drugega na straneh ni mogoče spremeniti.',
        'Strani lahko znova objavijo samo oni. Če menite, da gre za napako, stopite v stik z njimi.',
      ],
    },
    back: {
      subject: 'Vaše strani z nastavitvami so spet na voljo',
      lines: [
        'Upravljavci tega strežnika so znova objavili javne strani z nastavitvami tega spletnega mesta. Delujejo kot prej.',
      ],
    },
    facts: { site: 'Spletno mesto', reason: 'Razlog' },
    button: 'Odpri Sayso',
  },
  ro: {
    down: {
      subject: 'Paginile dvs. de preferințe au fost retrase',
      lines: [
        'Administratorii acestui server au retras paginile publice de preferințe ale acestui site. Clienții se pot dezabona în continuare cu linkurile din e-mailurile dvs., iar aceste modificări ajung în continuare în instrumentele dvs. Nimic altceva nu mai poate fi modificat pe pagini.',
        'Numai ei le pot repune online. Dacă credeți că este o greșeală, contactați-i.',
      ],
    },
    back: {
      subject: 'Paginile dvs. de preferințe sunt din nou online',
      lines: [
        'Administratorii acestui server au repus online paginile publice de preferințe ale acestui site. Funcționează ca înainte.',
      ],
    },
    facts: { site: 'Site', reason: 'Motiv' },
    button: 'Deschide Sayso',
  },
  pl: {
    down: {
      subject: 'Twoje strony preferencji zostały wyłączone',
      lines: [
        'Osoby prowadzące ten serwer wyłączyły publiczne strony preferencji tej witryny. Klienci nadal mogą zrezygnować z subskrypcji za pomocą linków w Twoich e-mailach, a te zmiany nadal trafiają do Twoich narzędzi. Niczego innego nie da się na tych stronach zmienić.',
        'Tylko te osoby mogą przywrócić strony. Jeśli uważasz, że to pomyłka, skontaktuj się z nimi.',
      ],
    },
    back: {
      subject: 'Twoje strony preferencji znów działają',
      lines: [
        'Osoby prowadzące ten serwer przywróciły publiczne strony preferencji tej witryny. Działają jak wcześniej.',
      ],
    },
    facts: { site: 'Witryna', reason: 'Powód' },
    button: 'Otwórz Sayso',
  },
};

/**
 * @param input.reason null: the pages are back
 * @param input.language what the account says; anything unknown is English
 */
export function takeDownMail(input: {
  site: string;
  reason: string | null;
  link: string;
  language: unknown;
}) {
  const language = accountLanguage(input.language);
  const { facts, button, ...texts } = TEXTS[language];
  const { site, reason } = input;
  const { subject, lines } = reason === null ? texts.back : texts.down;
  return {
    subject: `${subject} · ${site}`,
    ...mailDocument({
      language,
      lines,
      facts: [[facts.site, site], ...(reason === null ? [] : ([[facts.reason, reason]] as const))],
      button: { text: button, link: input.link },
      footnote: '',
    }),
  };
}

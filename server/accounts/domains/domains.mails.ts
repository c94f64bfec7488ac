import type { Language } from '#contract/fields.ts';
import { accountLanguage, mailDocument } from '#server/accounts/mails/mail-document.ts';

interface MailTexts {
  subject: (host: string) => string;
  lines: (host: string, day: string) => string[];
  button: string;
}

type News = 'verified' | 'losing' | 'lapsed';

const TEXTS: Record<Language, Record<News, MailTexts>> = {
  en: {
    verified: {
      subject: (host) => `${host} is ready`,
      lines: (host) => [
        `Your domain ${host} is verified. Your preference pages are live there, and new links use it.`,
        'Keep both DNS records. The domain only works while they exist.',
      ],
      button: 'Open domain',
    },
    losing: {
      subject: (host) => `${host}: a DNS record is missing`,
      lines: (host, day) => [
        `We can’t find the TXT record that proves ${host} is yours.`,
        `Add it again, or your pages at ${host} go offline on ${day}.`,
      ],
      button: 'See record',
    },
    lapsed: {
      subject: (host) => `${host} is no longer used`,
      lines: (host) => [
        `The TXT record that proves ${host} is yours was missing for a week, so your pages are offline there. Links to this domain no longer work.`,
        'New links use your Sayso domain. Once both DNS records are right again, your domain works again automatically.',
      ],
      button: 'See records',
    },
  },
  es: {
    verified: {
      subject: (host) => `${host} está listo`,
      lines: (host) => [
        `Su dominio ${host} está verificado. Sus páginas de preferencias ya se muestran allí y los enlaces nuevos lo usan.`,
        'Conserve los dos registros DNS. El dominio solo funciona mientras existan.',
      ],
      button: 'Abrir dominio',
    },
    losing: {
      subject: (host) => `${host}: falta un registro DNS`,
      lines: (host, day) => [
        `No encontramos el registro TXT que demuestra que ${host} es suyo.`,
        `Añádalo de nuevo. Si no, sus páginas dejarán de mostrarse en ${host} el ${day}.`,
      ],
      button: 'Ver registro',
    },
    lapsed: {
      subject: (host) => `${host} ya no se usa`,
      lines: (host) => [
        `El registro TXT que demuestra que ${host} es suyo ha faltado durante una semana, así que sus páginas ya no se muestran allí. Los enlaces a este dominio ya no funcionan.`,
        'Los enlaces nuevos usan su dominio de Sayso. Cuando los dos registros DNS vuelvan a ser correctos, su dominio volverá a funcionar automáticamente.',
      ],
      button: 'Ver registros',
    },
  },
  de: {
    verified: {
      subject: (host) => `${host} ist bereit`,
      lines: (host) => [
        `Ihre Domain ${host} ist bestätigt. Ihre Präferenzseiten sind jetzt dort erreichbar, und neue Links verwenden sie.`,
        'Behalten Sie beide DNS-Einträge. Die Domain funktioniert nur, solange es sie gibt.',
      ],
      button: 'Domain öffnen',
    },
    losing: {
      subject: (host) => `${host}: Ein DNS-Eintrag fehlt`,
      lines: (host, day) => [
        `Wir finden den TXT-Eintrag nicht, der beweist, dass ${host} Ihnen gehört.`,
        `Fügen Sie ihn wieder hinzu. Sonst sind Ihre Seiten unter ${host} ab dem ${day} nicht mehr erreichbar.`,
      ],
      button: 'Eintrag ansehen',
    },
    lapsed: {
      subject: (host) => `${host} wird nicht mehr verwendet`,
      lines: (host) => [
        `Der TXT-Eintrag, der beweist, dass ${host} Ihnen gehört, fehlte eine Woche lang. Ihre Seiten sind dort deshalb nicht mehr erreichbar. Links zu dieser Domain funktionieren nicht mehr.`,
        'Neue Links verwenden Ihre Sayso-Domain. Sobald beide DNS-Einträge wieder stimmen, funktioniert Ihre Domain automatisch wieder.',
      ],
      button: 'Einträge ansehen',
    },
  },
  fr: {
    verified: {
      subject: (host) => `${host} est prêt`,
      lines: (host) => [
        `Votre domaine ${host} est vérifié. Vos pages de préférences y sont en ligne et les nouveaux liens l’utilisent.`,
        'Conservez les deux enregistrements DNS. Le domaine ne fonctionne que tant qu’ils existent.',
      ],
      button: 'Ouvrir le domaine',
    },
    losing: {
      subject: (host) => `${host} : un enregistrement DNS est manquant`,
      lines: (host, day) => [
        `Nous ne trouvons pas l’enregistrement TXT qui prouve que ${host} vous appartient.`,
        `Ajoutez-le de nouveau. Sinon, vos pages sur ${host} seront hors ligne à partir du ${day}.`,
      ],
      button: 'Voir l’enregistrement',
    },
    lapsed: {
      subject: (host) => `${host} n’est plus utilisé`,
      lines: (host) => [
        `L’enregistrement TXT qui prouve que ${host} vous appartient a manqué pendant une semaine : vos pages n’y sont plus en ligne. Les liens vers ce domaine ne fonctionnent plus.`,
        'Les nouveaux liens utilisent votre domaine Sayso. Dès que les deux enregistrements DNS seront de nouveau corrects, votre domaine fonctionnera automatiquement.',
      ],
      button: 'Voir les enregistrements',
    },
  },
  it: {
    verified: {
      subject: (host) => `${host} è pronto`,
      lines: (host) => [
        `Il tuo dominio ${host} è verificato. Le tue pagine delle preferenze sono già online lì e i nuovi link lo usano.`,
        'Conserva entrambi i record DNS. Il dominio funziona solo finché esistono.',
      ],
      button: 'Apri dominio',
    },
    losing: {
      subject: (host) => `${host}: manca un record DNS`,
      lines: (host, day) => [
        `Non troviamo il record TXT che dimostra che ${host} è tuo.`,
        `Aggiungilo di nuovo, altrimenti le tue pagine su ${host} andranno offline in questa data: ${day}.`,
      ],
      button: 'Vedi record',
    },
    lapsed: {
      subject: (host) => `${host} non è più in uso`,
      lines: (host) => [
        `Il record TXT che dimostra che ${host} è tuo è mancato per una settimana, quindi lì le tue pagine sono offline. I link a questo dominio non funzionano più.`,
        'I nuovi link usano il tuo dominio Sayso. Quando entrambi i record DNS saranno di nuovo corretti, il tuo dominio tornerà a funzionare automaticamente.',
      ],
      button: 'Vedi record',
    },
  },
  sl: {
    verified: {
      subject: (host) => `Domena ${host} je pripravljena`,
      lines: (host) => [
        `Vaša domena ${host} je potrjena. Vaše strani z nastavitvami so že objavljene na njej in nove povezave jo uporabljajo.`,
        'Ohranite oba zapisa DNS. Domena deluje le, dokler obstajata.',
      ],
      button: 'Odpri domeno',
    },
    losing: {
      subject: (host) => `${host}: manjka zapis DNS`,
      lines: (host, day) => [
        `Ne najdemo zapisa TXT, ki dokazuje, da je domena ${host} vaša.`,
        `Dodajte ga znova, sicer vaše strani na ${host} od tega dne ne bodo več dosegljive: ${day}.`,
      ],
      button: 'Prikaži zapis',
    },
    lapsed: {
      subject: (host) => `Domena ${host} ni več v uporabi`,
      lines: (host) => [
        `Zapis TXT, ki dokazuje, da je domena ${host} vaša, je manjkal en teden, zato vaše strani na njej niso več dosegljive. Povezave na to domeno ne delujejo več.`,
        'Nove povezave uporabljajo vašo domeno Sayso. Ko bosta oba zapisa DNS spet pravilna, bo vaša domena znova samodejno delovala.',
      ],
      button: 'Prikaži zapisa',
    },
  },
  ro: {
    verified: {
      subject: (host) => `${host} este gata`,
      lines: (host) => [
        `Domeniul dvs. ${host} este verificat. Paginile de preferințe sunt publicate acolo, iar linkurile noi îl folosesc.`,
        'Păstrați ambele înregistrări DNS. Domeniul funcționează numai cât timp există.',
      ],
      button: 'Deschide domeniul',
    },
    losing: {
      subject: (host) => `${host}: lipsește o înregistrare DNS`,
      lines: (host, day) => [
        `Nu găsim înregistrarea TXT care dovedește că ${host} vă aparține.`,
        `Adăugați-o din nou, altfel paginile de la ${host} nu mai sunt disponibile din ${day}.`,
      ],
      button: 'Arată înregistrarea',
    },
    lapsed: {
      subject: (host) => `${host} nu mai este folosit`,
      lines: (host) => [
        `Înregistrarea TXT care dovedește că ${host} vă aparține a lipsit o săptămână, așa că paginile nu mai sunt disponibile acolo. Linkurile către acest domeniu nu mai funcționează.`,
        'Linkurile noi folosesc domeniul dvs. Sayso. Când ambele înregistrări DNS sunt din nou corecte, domeniul funcționează iar automat.',
      ],
      button: 'Arată înregistrările',
    },
  },
  pl: {
    verified: {
      subject: (host) => `Domena ${host} jest gotowa`,
      lines: (host) => [
        `Twoja domena ${host} została zweryfikowana. Twoje strony preferencji już tam działają, a nowe linki jej używają.`,
        'Zachowaj oba rekordy DNS. Domena działa tylko wtedy, gdy istnieją.',
      ],
      button: 'Otwórz domenę',
    },
    losing: {
      subject: (host) => `${host}: brakuje rekordu DNS`,
      lines: (host, day) => [
        `Nie znajdujemy rekordu TXT, który potwierdza, że domena ${host} należy do Ciebie.`,
        `Dodaj go ponownie, w przeciwnym razie od ${day} Twoje strony w domenie ${host} nie będą dostępne.`,
      ],
      button: 'Zobacz rekord',
    },
    lapsed: {
      subject: (host) => `Domena ${host} nie jest już używana`,
      lines: (host) => [
        `Rekordu TXT, który potwierdza, że domena ${host} należy do Ciebie, brakowało przez tydzień, dlatego Twoje strony nie są tam już dostępne. Linki do tej domeny już nie działają.`,
        'Nowe linki używają Twojej domeny Sayso. Gdy oba rekordy DNS znów będą prawidłowe, Twoja domena zacznie ponownie działać automatycznie.',
      ],
      button: 'Zobacz rekordy',
    },
  },
};

/**
 * Notifies an owner of the state of their domain.
 * @param input.language the account's; an unknown one means English
 */
export function domainMail(input: {
  news: News;
  host: string;
  lostAt: Date;
  link: string;
  language: unknown;
}) {
  const language = accountLanguage(input.language);
  const texts = TEXTS[language][input.news];
  const day = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(input.lostAt);
  return {
    subject: texts.subject(input.host),
    ...mailDocument({
      language,
      lines: texts.lines(input.host, day),
      button: { text: texts.button, link: input.link },
      footnote: '',
    }),
  };
}

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
        `We can't find the TXT record that proves ${host} is yours.`,
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
        `Su dominio ${host} está verificado. Sus páginas de preferencias ya se muestran en él y los enlaces nuevos lo utilizan.`,
        'Conserve los dos registros DNS: el dominio solo funciona mientras existan.',
      ],
      button: 'Abrir su dominio',
    },
    losing: {
      subject: (host) => `${host}: falta un registro DNS`,
      lines: (host, day) => [
        `Ya no se encuentra el registro TXT que demuestra que ${host} es suyo.`,
        `Vuelva a crearlo. De lo contrario, sus páginas dejarán de mostrarse en ${host} a partir del ${day}.`,
      ],
      button: 'Ver el registro',
    },
    lapsed: {
      subject: (host) => `${host} ya no se utiliza`,
      lines: (host) => [
        `El registro TXT que demuestra que ${host} es suyo ha faltado durante una semana, por lo que sus páginas ya no se muestran en ese dominio. Los enlaces que lo utilizan han dejado de funcionar.`,
        'Los enlaces nuevos utilizan su dirección de Sayso. En cuanto los dos registros DNS vuelvan a ser correctos, su dominio se activará de nuevo por sí solo.',
      ],
      button: 'Ver los registros',
    },
  },
  de: {
    verified: {
      subject: (host) => `${host} ist bereit`,
      lines: (host) => [
        `Ihre Domain ${host} ist bestätigt. Ihre Präferenzseiten sind ab jetzt dort erreichbar, und neue Links verwenden sie.`,
        'Bitte behalten Sie beide DNS-Einträge: Die Domain funktioniert nur, solange sie bestehen.',
      ],
      button: 'Ihre Domain öffnen',
    },
    losing: {
      subject: (host) => `${host}: Ein DNS-Eintrag fehlt`,
      lines: (host, day) => [
        `Der TXT-Eintrag, der belegt, dass ${host} Ihnen gehört, ist nicht mehr zu finden.`,
        `Bitte setzen Sie ihn wieder. Sonst sind Ihre Seiten ab dem ${day} nicht mehr unter ${host} erreichbar.`,
      ],
      button: 'Eintrag ansehen',
    },
    lapsed: {
      subject: (host) => `${host} wird nicht mehr verwendet`,
      lines: (host) => [
        `Der TXT-Eintrag, der belegt, dass ${host} Ihnen gehört, fehlte eine Woche lang. Ihre Seiten sind dort deshalb nicht mehr erreichbar, und Links mit dieser Domain funktionieren nicht mehr.`,
        'Neue Links verwenden Ihre Sayso-Adresse. Sobald beide DNS-Einträge wieder stimmen, kommt Ihre Domain von selbst zurück.',
      ],
      button: 'Einträge ansehen',
    },
  },
  fr: {
    verified: {
      subject: (host) => `${host} est prêt`,
      lines: (host) => [
        `Votre domaine ${host} est vérifié. Vos pages de préférences y sont désormais affichées et les nouveaux liens l’utilisent.`,
        'Conservez les deux enregistrements DNS : le domaine ne fonctionne que tant qu’ils existent.',
      ],
      button: 'Ouvrir votre domaine',
    },
    losing: {
      subject: (host) => `${host} : un enregistrement DNS est manquant`,
      lines: (host, day) => [
        `L’enregistrement TXT qui prouve que ${host} vous appartient est introuvable.`,
        `Veuillez le rétablir. Sinon, vos pages ne seront plus affichées sur ${host} à partir du ${day}.`,
      ],
      button: 'Voir l’enregistrement',
    },
    lapsed: {
      subject: (host) => `${host} n’est plus utilisé`,
      lines: (host) => [
        `L’enregistrement TXT qui prouve que ${host} vous appartient a été absent pendant une semaine : vos pages n’y sont plus affichées et les liens qui utilisent ce domaine ne fonctionnent plus.`,
        'Les nouveaux liens utilisent votre adresse Sayso. Dès que les deux enregistrements DNS seront de nouveau corrects, votre domaine reviendra de lui-même.',
      ],
      button: 'Voir les enregistrements',
    },
  },
  it: {
    verified: {
      subject: (host) => `${host} è pronto`,
      lines: (host) => [
        `Il suo dominio ${host} è verificato. Le sue pagine delle preferenze sono ora raggiungibili lì e i nuovi link lo utilizzano.`,
        'Conservi entrambi i record DNS: il dominio funziona solo finché esistono.',
      ],
      button: 'Apri il suo dominio',
    },
    losing: {
      subject: (host) => `${host}: manca un record DNS`,
      lines: (host, day) => [
        `Il record TXT che dimostra che ${host} è suo non si trova più.`,
        `Lo imposti di nuovo prima di questa data: ${day}. Dopo, le sue pagine non saranno più raggiungibili su ${host}.`,
      ],
      button: 'Vedi il record',
    },
    lapsed: {
      subject: (host) => `${host} non è più in uso`,
      lines: (host) => [
        `Il record TXT che dimostra che ${host} è suo è mancato per una settimana: le sue pagine non sono più raggiungibili lì e i link che usano questo dominio non funzionano più.`,
        'I nuovi link utilizzano il suo indirizzo Sayso. Non appena entrambi i record DNS saranno di nuovo corretti, il dominio tornerà attivo da solo.',
      ],
      button: 'Vedi i record',
    },
  },
  sl: {
    verified: {
      subject: (host) => `${host} je pripravljena`,
      lines: (host) => [
        `Vaša domena ${host} je potrjena. Vaše strani z nastavitvami so odslej dosegljive na njej in nove povezave jo uporabljajo.`,
        'Prosimo, ohranite oba zapisa DNS: domena deluje le, dokler obstajata.',
      ],
      button: 'Odprite svojo domeno',
    },
    losing: {
      subject: (host) => `${host}: manjka zapis DNS`,
      lines: (host, day) => [
        `Zapisa TXT, ki dokazuje, da je domena ${host} vaša, ni več mogoče najti.`,
        `Prosimo, nastavite ga znova pred tem datumom: ${day}. Pozneje vaše strani na ${host} ne bodo več dosegljive.`,
      ],
      button: 'Oglejte si zapis',
    },
    lapsed: {
      subject: (host) => `${host} ni več v uporabi`,
      lines: (host) => [
        `Zapis TXT, ki dokazuje, da je domena ${host} vaša, je manjkal en teden, zato vaše strani na njej niso več dosegljive. Povezave s to domeno ne delujejo več.`,
        'Nove povezave uporabljajo vaš naslov Sayso. Ko bosta oba zapisa DNS spet pravilna, se bo domena vrnila sama.',
      ],
      button: 'Oglejte si zapisa',
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
        `Państwa domena ${host} została zweryfikowana. Strony preferencji są teraz dostępne pod tym adresem, a nowe linki go używają.`,
        'Prosimy zachować oba rekordy DNS: domena działa tylko tak długo, jak one istnieją.',
      ],
      button: 'Otwórz domenę',
    },
    losing: {
      subject: (host) => `${host}: brakuje rekordu DNS`,
      lines: (host, day) => [
        `Nie można już znaleźć rekordu TXT, który potwierdza, że domena ${host} należy do Państwa.`,
        `Prosimy ustawić go ponownie. W przeciwnym razie od ${day} Państwa strony nie będą już dostępne pod adresem ${host}.`,
      ],
      button: 'Zobacz rekord',
    },
    lapsed: {
      subject: (host) => `Domena ${host} nie jest już używana`,
      lines: (host) => [
        `Rekordu TXT, który potwierdza, że domena ${host} należy do Państwa, brakowało przez tydzień, dlatego Państwa strony nie są już pod nią dostępne. Linki z tą domeną już nie działają.`,
        'Nowe linki używają Państwa adresu Sayso. Gdy oba rekordy DNS będą znowu prawidłowe, domena wróci sama.',
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

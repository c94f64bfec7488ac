import type { Language } from '#contract/fields.ts';
import { accountLanguage, mailDocument } from '#server/accounts/mails/mail-document.ts';
import { quotedName } from '#server/accounts/mails/quoted-name.texts.ts';

interface What {
  subject: (site: string) => string;
  body: (site: string) => string;
}

/** The subject and body are about signed heads. */
interface MailTexts extends What {
  greeting: string;
  records: What;
  agree: (days: number) => string;
  button: string;
  ignore: string;
}

const TEXTS: Record<Language, MailTexts> = {
  en: {
    subject: (site) => `${site} wants to send you its signed evidence`,
    greeting: 'Hello,',
    body: (site) =>
      `${site} wants this mailbox to get a small file from Sayso every night: the signature of its evidence of what customers chose. It shows later whether evidence was altered.`,
    records: {
      subject: (site) => `${site} wants to send you its evidence`,
      body: (site) =>
        `${site} wants this mailbox to get an email from Sayso for changes that its customers make: who chose what, when and how.`,
    },
    agree: (days) => `We send nothing else unless you agree. The link works once, within ${days} days.`,
    button: 'See request',
    ignore: 'If you don’t know who this is from, ignore this email.',
  },
  es: {
    subject: (site) => `${site} quiere enviarle su evidencia firmada`,
    greeting: 'Hola:',
    body: (site) =>
      `${site} quiere que este buzón reciba cada noche un pequeño archivo de Sayso: la firma de su evidencia de lo que eligieron los clientes. Con ella se ve más tarde si se alteró la evidencia.`,
    records: {
      subject: (site) => `${site} quiere enviarle su evidencia`,
      body: (site) =>
        `${site} quiere que este buzón reciba un correo de Sayso cuando sus clientes cambien algo: quién eligió qué, cuándo y cómo.`,
    },
    agree: (days) =>
      `No enviaremos nada más si usted no acepta. El enlace funciona una sola vez, durante ${days} días.`,
    button: 'Ver solicitud',
    ignore: 'Si no sabe de quién viene, ignore este correo.',
  },
  de: {
    subject: (site) => `${site} möchte Ihnen signierte Nachweise senden`,
    greeting: 'Guten Tag,',
    body: (site) =>
      `${site} möchte, dass dieses Postfach jede Nacht eine kleine Datei von Sayso erhält: die Signatur der Nachweise darüber, was Kunden gewählt haben. Sie zeigt später, ob Nachweise verändert wurden.`,
    records: {
      subject: (site) => `${site} möchte Ihnen Nachweise senden`,
      body: (site) =>
        `${site} möchte, dass dieses Postfach eine E-Mail von Sayso erhält, wenn Kunden etwas ändern: wer was gewählt hat, wann und wie.`,
    },
    agree: (days) =>
      `Wir senden nichts weiter, solange Sie nicht zustimmen. Der Link funktioniert einmal, ${days} Tage lang.`,
    button: 'Anfrage ansehen',
    ignore: 'Wenn Sie nicht wissen, von wem das kommt, ignorieren Sie diese E-Mail.',
  },
  fr: {
    subject: (site) => `${site} souhaite vous envoyer ses preuves signées`,
    greeting: 'Bonjour,',
    body: (site) =>
      `${site} souhaite que cette boîte aux lettres reçoive chaque nuit un petit fichier de Sayso : la signature de ses preuves de ce que les clients ont choisi. Elle montre plus tard si des preuves ont été modifiées.`,
    records: {
      subject: (site) => `${site} souhaite vous envoyer ses preuves`,
      body: (site) =>
        `${site} souhaite que cette boîte aux lettres reçoive un e-mail de Sayso quand ses clients changent quelque chose : qui a choisi quoi, quand et comment.`,
    },
    agree: (days) =>
      `Nous n’enverrons rien d’autre sans votre accord. Le lien fonctionne une seule fois, pendant ${days} jours.`,
    button: 'Voir la demande',
    ignore: 'Si vous ne savez pas de qui vient cet e-mail, ignorez-le.',
  },
  it: {
    subject: (site) => `${site} vuole inviarti le sue prove firmate`,
    greeting: 'Ciao,',
    body: (site) =>
      `${site} vuole che questa casella riceva ogni notte un piccolo file da Sayso: la firma delle sue prove di ciò che i clienti hanno scelto. Mostra in seguito se le prove sono state alterate.`,
    records: {
      subject: (site) => `${site} vuole inviarti le sue prove`,
      body: (site) =>
        `${site} vuole che questa casella riceva un’email da Sayso quando i clienti cambiano qualcosa: chi ha scelto cosa, quando e come.`,
    },
    agree: (days) =>
      `Non invieremo altro se non accetti. Il link funziona una volta sola, per ${days} giorni.`,
    button: 'Vedi richiesta',
    ignore: 'Se non sai da chi arriva, ignora questa email.',
  },
  sl: {
    subject: (site) => `${site} vam želi pošiljati podpisana dokazila`,
    greeting: 'Pozdravljeni!',
    body: (site) =>
      `${site} želi, da ta nabiralnik vsako noč prejme majhno datoteko od Sayso: podpis dokazil o tem, kaj so izbrale stranke. Z njim je pozneje vidno, ali so bila dokazila spremenjena.`,
    records: {
      subject: (site) => `${site} vam želi pošiljati dokazila`,
      body: (site) =>
        `${site} želi, da ta nabiralnik prejme sporočilo od Sayso, ko stranke kaj spremenijo: kdo je kaj izbral, kdaj in kako.`,
    },
    agree: (days) =>
      `Brez vašega soglasja ne pošljemo ničesar več. Povezava deluje enkrat in velja ${days} dni.`,
    button: 'Poglej prošnjo',
    ignore: 'Če ne veste, od koga je sporočilo, ga prezrite.',
  },
  ro: {
    subject: (site) => `${site} vrea să vă trimită dovezile sale semnate`,
    greeting: 'Bună ziua,',
    body: (site) =>
      `${site} vrea ca această căsuță poștală să primească în fiecare noapte un mic fișier de la Sayso: semnătura dovezilor despre ce au ales clienții. Ea arată mai târziu dacă dovezile au fost modificate.`,
    records: {
      subject: (site) => `${site} vrea să vă trimită dovezile sale`,
      body: (site) =>
        `${site} vrea ca această căsuță poștală să primească un e-mail de la Sayso când clienții schimbă ceva: cine ce a ales, când și cum.`,
    },
    agree: (days) =>
      `Nu trimitem nimic altceva fără acordul dvs. Linkul funcționează o singură dată, timp de ${days} zile.`,
    button: 'Vezi cererea',
    ignore: 'Dacă nu știți de la cine vine, ignorați acest e-mail.',
  },
  pl: {
    subject: (site) => `${site} chce wysyłać Ci podpisane dowody`,
    greeting: 'Dzień dobry,',
    body: (site) =>
      `${site} chce, aby ta skrzynka co noc otrzymywała z Sayso mały plik: podpis dowodów tego, co wybrali klienci. Pokazuje on później, czy dowody zostały zmienione.`,
    records: {
      subject: (site) => `${site} chce wysyłać Ci dowody`,
      body: (site) =>
        `${site} chce, aby ta skrzynka otrzymywała wiadomość z Sayso, gdy klienci coś zmienią: kto co wybrał, kiedy i jak.`,
    },
    agree: (days) => `Bez Twojej zgody nie wyślemy nic więcej. Link działa jeden raz, przez ${days} dni.`,
    button: 'Zobacz prośbę',
    ignore: 'Jeśli nie wiesz, od kogo pochodzi ta wiadomość, zignoruj ją.',
  },
};

/**
 * The email that asks a mailbox to agree, to signed heads or to the evidence of single choices.
 * @param input.language what the account that asks says; anything unknown is English
 */
export function evidenceMailboxMail(input: {
  of: 'receive_evidence' | 'receive_records';
  site: string;
  link: string;
  days: number;
  language: unknown;
}) {
  const language = accountLanguage(input.language);
  const texts = TEXTS[language];
  const { subject, body } = input.of === 'receive_records' ? texts.records : texts;
  const site = quotedName(input.site, language);
  return {
    subject: subject(site),
    ...mailDocument({
      language,
      lines: [texts.greeting, body(site), texts.agree(input.days)],
      button: { text: texts.button, link: input.link },
      footnote: texts.ignore,
    }),
  };
}

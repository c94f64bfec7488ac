import type { Language } from '#contract/fields.ts';
import type { Role } from '#contract/roles.ts';
import { accountLanguage, mailDocument } from '#server/accounts/mails/mail-document.ts';
import { quotedName } from '#server/accounts/mails/quoted-name.texts.ts';

interface InvitationTexts {
  subject: (inviter: string, organization: string) => string;
  greeting: string;
  body: (inviter: string, organization: string) => string;
  may: Record<Role, string>;
  link: (days: number) => string;
  button: string;
  ignore: string;
}

const TEXTS: Record<Language, InvitationTexts> = {
  en: {
    subject: (inviter, organization) => `${inviter} invited you to ${organization} on Sayso`,
    greeting: 'Hello,',
    body: (inviter, organization) =>
      `${inviter} invited you to work on ${organization}’s email preferences in Sayso.`,
    may: {
      viewer: 'You’ll be able to see customers, lists, pages, actions and deliveries.',
      editor: 'You’ll be able to change lists, pages, actions and customers.',
      admin: 'You’ll be able to change everything, including the team and integrations.',
      owner: 'You’ll be an owner, like the person who invited you.',
    },
    link: (days) => `The link works once, within ${days} days.`,
    button: 'See invitation',
    ignore: 'If you don’t know who this is from, ignore this email.',
  },
  es: {
    subject: (inviter, organization) => `${inviter} le invita a ${organization} en Sayso`,
    greeting: 'Hola:',
    body: (inviter, organization) =>
      `${inviter} le invita a trabajar en las preferencias de correo de ${organization} en Sayso.`,
    may: {
      viewer: 'Podrá ver clientes, listas, páginas, acciones y entregas.',
      editor: 'Podrá cambiar listas, páginas, acciones y clientes.',
      admin: 'Podrá cambiarlo todo, también el equipo y las integraciones.',
      owner: 'Será propietario, como quien le invita.',
    },
    link: (days) => `El enlace funciona una sola vez, durante ${days} días.`,
    button: 'Ver invitación',
    ignore: 'Si no sabe de quién viene, ignore este correo.',
  },
  de: {
    subject: (inviter, organization) => `${inviter} hat Sie zu ${organization} bei Sayso eingeladen`,
    greeting: 'Guten Tag,',
    body: (inviter, organization) =>
      `${inviter} hat Sie eingeladen, in Sayso an den E-Mail-Präferenzen von ${organization} zu arbeiten.`,
    may: {
      viewer: 'Sie können dann Kunden, Listen, Seiten, Aktionen und Zustellungen sehen.',
      editor: 'Sie können dann Listen, Seiten, Aktionen und Kunden ändern.',
      admin: 'Sie können dann alles ändern, auch Team und Integrationen.',
      owner: 'Sie werden Inhaber, wie die Person, die Sie eingeladen hat.',
    },
    link: (days) => `Der Link funktioniert einmal, ${days} Tage lang.`,
    button: 'Einladung ansehen',
    ignore: 'Wenn Sie nicht wissen, von wem das kommt, ignorieren Sie diese E-Mail.',
  },
  fr: {
    subject: (inviter, organization) => `${inviter} vous invite à rejoindre ${organization} sur Sayso`,
    greeting: 'Bonjour,',
    body: (inviter, organization) =>
      `${inviter} vous invite à gérer les préférences e-mail de ${organization} dans Sayso.`,
    may: {
      viewer: 'Vous pourrez voir les clients, les listes, les pages, les actions et les livraisons.',
      editor: 'Vous pourrez modifier les listes, les pages, les actions et les clients.',
      admin: 'Vous pourrez tout modifier, y compris l’équipe et les intégrations.',
      owner: 'Vous serez propriétaire, comme la personne qui vous invite.',
    },
    link: (days) => `Le lien fonctionne une seule fois, pendant ${days} jours.`,
    button: 'Voir l’invitation',
    ignore: 'Si vous ne savez pas de qui vient cet e-mail, ignorez-le.',
  },
  it: {
    subject: (inviter, organization) => `${inviter} ti invita a ${organization} su Sayso`,
    greeting: 'Ciao,',
    body: (inviter, organization) =>
      `${inviter} ti invita a lavorare alle preferenze email di ${organization} in Sayso.`,
    may: {
      viewer: 'Potrai vedere clienti, liste, pagine, azioni e consegne.',
      editor: 'Potrai modificare liste, pagine, azioni e clienti.',
      admin: 'Potrai modificare tutto, anche team e integrazioni.',
      owner: 'Avrai il ruolo di proprietario, come chi ti ha invitato.',
    },
    link: (days) => `Il link funziona una volta sola, per ${days} giorni.`,
    button: 'Vedi invito',
    ignore: 'Se non sai da chi arriva, ignora questa email.',
  },
  sl: {
    subject: (inviter, organization) => `${inviter} vas vabi v organizacijo ${organization} v Saysu`,
    greeting: 'Pozdravljeni!',
    body: (inviter, organization) =>
      `${inviter} vas vabi, da v Saysu urejate e-poštne nastavitve za ${organization}.`,
    may: {
      viewer: 'Videli boste lahko stranke, sezname, strani, dejanja in dostave.',
      editor: 'Spreminjali boste lahko sezname, strani, dejanja in stranke.',
      admin: 'Spreminjali boste lahko vse, tudi ekipo in integracije.',
      owner: 'Postali boste lastnik, tako kot oseba, ki vas je povabila.',
    },
    link: (days) => `Povezava deluje enkrat in velja ${days} dni.`,
    button: 'Prikaži povabilo',
    ignore: 'Če ne veste, od koga je, prezrite to sporočilo.',
  },
  ro: {
    subject: (inviter, organization) => `${inviter} v-a invitat în ${organization} pe Sayso`,
    greeting: 'Bună ziua,',
    body: (inviter, organization) =>
      `${inviter} v-a invitat să lucrați la preferințele de e-mail ale ${organization} în Sayso.`,
    may: {
      viewer: 'Veți putea vedea clienți, liste, pagini, acțiuni și livrări.',
      editor: 'Veți putea modifica liste, pagini, acțiuni și clienți.',
      admin: 'Veți putea modifica totul, inclusiv echipa și integrările.',
      owner: 'Veți fi proprietar, ca persoana care v-a invitat.',
    },
    link: (days) => `Linkul funcționează o singură dată, timp de ${days} zile.`,
    button: 'Deschide invitația',
    ignore: 'Dacă nu știți de la cine vine, ignorați acest e-mail.',
  },
  pl: {
    subject: (inviter, organization) => `${inviter} zaprasza Cię do organizacji ${organization} w Sayso`,
    greeting: 'Dzień dobry,',
    body: (inviter, organization) =>
      `${inviter} zaprasza Cię do pracy nad preferencjami e-mail organizacji ${organization} w Sayso.`,
    may: {
      viewer: 'Zobaczysz klientów, listy, strony, akcje i dostawy.',
      editor: 'Dostaniesz prawo do zmiany list, stron, akcji i klientów.',
      admin: 'Dostaniesz prawo do zmiany wszystkiego, także zespołu i integracji.',
      owner: 'Dostaniesz rolę właściciela, jak osoba, która Cię zaprasza.',
    },
    link: (days) => `Link działa jeden raz, przez ${days} dni.`,
    button: 'Zobacz zaproszenie',
    ignore: 'Jeśli nie wiesz, od kogo jest ta wiadomość, zignoruj ją.',
  },
};

/** @param input.language what the account of who invites says; anything unknown is English */
export function invitationMail(input: {
  organization: string;
  inviter: string;
  role: Role;
  days: number;
  link: string;
  language: unknown;
}) {
  const language = accountLanguage(input.language);
  const texts = TEXTS[language];
  const inviter = quotedName(input.inviter, language);
  const organization = quotedName(input.organization, language);
  return {
    subject: texts.subject(inviter, organization),
    ...mailDocument({
      language,
      lines: [
        texts.greeting,
        texts.body(inviter, organization),
        `${texts.may[input.role]} ${texts.link(input.days)}`,
      ],
      button: { text: texts.button, link: input.link },
      footnote: texts.ignore,
    }),
  };
}

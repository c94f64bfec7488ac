import type { Language } from '#contract/fields.ts';
import type { Role } from '#contract/roles.ts';
import { accountLanguage, mailDocument } from '#server/accounts/mails/mail-document.ts';

interface InvitationTexts {
  subject: (organization: string) => string;
  greeting: string;
  body: (inviter: string, organization: string) => string;
  may: Record<Role, string>;
  link: (days: number) => string;
  button: string;
  ignore: string;
}

const TEXTS: Record<Language, InvitationTexts> = {
  en: {
    subject: (organization) => `You're invited to ${organization} on Sayso`,
    greeting: 'Hello,',
    body: (inviter, organization) =>
      `${inviter} invited you to work on ${organization}'s email preferences in Sayso.`,
    may: {
      viewer: "You'll be able to see everything.",
      editor: "You'll be able to change lists, pages, actions and customers.",
      admin: "You'll be able to change everything, including the team and integrations.",
      owner: "You'll be an owner, like the person who invited you.",
    },
    link: (days) => `The link works once, within ${days} days.`,
    button: 'See invitation',
    ignore: "If you don't know who this is from, ignore this email.",
  },
  es: {
    subject: (organization) => `Invitación a ${organization} en Sayso`,
    greeting: 'Hola:',
    body: (inviter, organization) =>
      `${inviter} le invita a trabajar en las preferencias de correo de ${organization} con Sayso.`,
    may: {
      viewer: 'Podrá verlo todo.',
      editor: 'Podrá cambiar listas, páginas, acciones y clientes.',
      admin: 'Podrá cambiarlo todo, también los miembros y las conexiones.',
      owner: 'Será propietario, como quien le invita.',
    },
    link: (days) => `El enlace funciona una sola vez, durante ${days} días.`,
    button: 'Ver la invitación',
    ignore: 'Si no sabe de quién viene, puede ignorar este correo; sin usted no ocurre nada.',
  },
  de: {
    subject: (organization) => `Einladung zu ${organization} bei Sayso`,
    greeting: 'Guten Tag,',
    body: (inviter, organization) =>
      `${inviter} lädt Sie ein, mit Sayso an den E-Mail-Einstellungen von ${organization} zu arbeiten.`,
    may: {
      viewer: 'Sie können dann alles ansehen.',
      editor: 'Sie können dann Listen, Seiten, Aktionen und Kunden ändern.',
      admin: 'Sie können dann alles ändern, auch Mitglieder und Verbindungen.',
      owner: 'Sie werden Inhaber, wie die Person, die Sie einlädt.',
    },
    link: (days) => `Der Link gilt einmal und ${days} Tage lang.`,
    button: 'Einladung ansehen',
    ignore:
      'Wenn Sie nicht wissen, von wem das kommt, können Sie diese E-Mail ignorieren; ohne Sie geschieht nichts.',
  },
  fr: {
    subject: (organization) => `Invitation à rejoindre ${organization} sur Sayso`,
    greeting: 'Bonjour,',
    body: (inviter, organization) =>
      `${inviter} vous invite à gérer les préférences e-mail de ${organization} avec Sayso.`,
    may: {
      viewer: 'Vous pourrez tout consulter.',
      editor: 'Vous pourrez modifier les listes, les pages, les actions et les clients.',
      admin: 'Vous pourrez tout modifier, y compris les membres et les connexions.',
      owner: 'Vous serez propriétaire, comme la personne qui vous invite.',
    },
    link: (days) => `Le lien fonctionne une seule fois, pendant ${days} jours.`,
    button: 'Voir l’invitation',
    ignore: 'Si vous ne savez pas de qui cela vient, ignorez cet e-mail ; rien ne se passe sans vous.',
  },
  it: {
    subject: (organization) => `Invito a ${organization} su Sayso`,
    greeting: 'Buongiorno,',
    body: (inviter, organization) =>
      `${inviter} la invita a lavorare alle preferenze e-mail di ${organization} con Sayso.`,
    may: {
      viewer: 'Potrà vedere tutto.',
      editor: 'Potrà modificare liste, pagine, azioni e clienti.',
      admin: 'Potrà modificare tutto, anche i membri e le connessioni.',
      owner: 'Sarà proprietario, come chi la invita.',
    },
    link: (days) => `Il link funziona una sola volta, per ${days} giorni.`,
    button: 'Vedi l’invito',
    ignore: 'Se non sa da chi arriva, può ignorare questa e-mail; senza di lei non succede nulla.',
  },
  sl: {
    subject: (organization) => `Povabilo v ${organization} na Sayso`,
    greeting: 'Pozdravljeni!',
    body: (inviter, organization) =>
      `${inviter} vas vabi, da s Sayso urejate e-poštne nastavitve za ${organization}.`,
    may: {
      viewer: 'Videli boste vse.',
      editor: 'Spreminjali boste lahko sezname, strani, dejanja in stranke.',
      admin: 'Spreminjali boste lahko vse, tudi člane in povezave.',
      owner: 'Postali boste lastnik, tako kot oseba, ki vas vabi.',
    },
    link: (days) => `Povezava deluje enkrat in velja ${days} dni.`,
    button: 'Oglejte si povabilo',
    ignore: 'Če ne veste, od koga je, lahko sporočilo prezrete; brez vas se ne zgodi nič.',
  },
  ro: {
    subject: (organization) => `Invitație în ${organization} pe Sayso`,
    greeting: 'Bună ziua,',
    body: (inviter, organization) =>
      `${inviter} v-a invitat să lucrați la preferințele de e-mail ale ${organization} în Sayso.`,
    may: {
      viewer: 'Veți putea vedea totul.',
      editor: 'Veți putea modifica liste, pagini, acțiuni și clienți.',
      admin: 'Veți putea modifica totul, inclusiv echipa și integrările.',
      owner: 'Veți fi proprietar, ca persoana care v-a invitat.',
    },
    link: (days) => `Linkul funcționează o singură dată, timp de ${days} zile.`,
    button: 'Deschide invitația',
    ignore: 'Dacă nu știți de la cine vine, ignorați acest e-mail.',
  },
  pl: {
    subject: (organization) => `Zaproszenie do ${organization} w Sayso`,
    greeting: 'Dzień dobry,',
    body: (inviter, organization) =>
      `${inviter} zaprasza do pracy nad preferencjami e-mail ${organization} w Sayso.`,
    may: {
      viewer: 'Będzie można wszystko oglądać.',
      editor: 'Będzie można zmieniać listy, strony, akcje i klientów.',
      admin: 'Będzie można zmieniać wszystko, także członków i połączenia.',
      owner: 'To rola właściciela, taka jak osoby zapraszającej.',
    },
    link: (days) => `Link działa jeden raz, przez ${days} dni.`,
    button: 'Zobacz zaproszenie',
    ignore:
      'Jeśli nie wiadomo, od kogo to jest, prosimy zignorować tę wiadomość; bez Państwa nic się nie stanie.',
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
  return {
    subject: texts.subject(input.organization),
    ...mailDocument({
      language,
      lines: [
        texts.greeting,
        texts.body(input.inviter, input.organization),
        `${texts.may[input.role]} ${texts.link(input.days)}`,
      ],
      button: { text: texts.button, link: input.link },
      footnote: texts.ignore,
    }),
  };
}

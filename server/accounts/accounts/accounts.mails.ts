import type { Language } from '#contract/fields.ts';
import { accountLanguage, mailDocument } from '#server/accounts/mails/mail-document.ts';

interface PasswordTexts {
  subject: string;
  greeting: (name: string) => string;
  body: (minutes: number) => string;
  button: string;
  ignore: string;
}

const TEXTS: Record<Language, PasswordTexts> = {
  en: {
    subject: 'Set a new password',
    greeting: (name) => `Hello ${name},`,
    body: (minutes) =>
      `Someone asked to reset the password of your Sayso account. The link works once, within ${minutes} minutes.`,
    button: 'Set a new password',
    ignore: "If it wasn't you, ignore this email. Nothing has changed.",
  },
  es: {
    subject: 'Establecer una nueva contraseña',
    greeting: (name) => `Hola, ${name}:`,
    body: (minutes) =>
      `se ha solicitado una nueva contraseña para su cuenta de Sayso. El enlace funciona una sola vez, durante ${minutes} minutos.`,
    button: 'Establecer una nueva contraseña',
    ignore: 'Si no ha sido usted, puede ignorar este correo; no ha cambiado nada.',
  },
  de: {
    subject: 'Neues Passwort festlegen',
    greeting: (name) => `Guten Tag ${name},`,
    body: (minutes) =>
      `für Ihr Sayso-Konto wurde ein neues Passwort angefordert. Der Link gilt einmal und ${minutes} Minuten lang.`,
    button: 'Neues Passwort festlegen',
    ignore: 'Wenn Sie das nicht waren, können Sie diese E-Mail ignorieren; es hat sich nichts geändert.',
  },
  fr: {
    subject: 'Définir un nouveau mot de passe',
    greeting: (name) => `Bonjour ${name},`,
    body: (minutes) =>
      `Un nouveau mot de passe a été demandé pour votre compte Sayso. Le lien fonctionne une seule fois, pendant ${minutes} minutes.`,
    button: 'Définir un nouveau mot de passe',
    ignore: 'Si ce n’était pas vous, ignorez cet e-mail ; rien n’a changé.',
  },
  it: {
    subject: 'Imposta una nuova password',
    greeting: (name) => `Buongiorno ${name},`,
    body: (minutes) =>
      `è stata richiesta una nuova password per il suo account Sayso. Il link funziona una sola volta, per ${minutes} minuti.`,
    button: 'Imposta una nuova password',
    ignore: 'Se non è stato lei, può ignorare questa e-mail; non è cambiato nulla.',
  },
  sl: {
    subject: 'Nastavite novo geslo',
    greeting: (name) => `Pozdravljeni, ${name}!`,
    body: (minutes) =>
      `Za vaš račun Sayso je bilo zahtevano novo geslo. Povezava deluje enkrat in velja ${minutes} minut.`,
    button: 'Nastavite novo geslo',
    ignore: 'Če tega niste zahtevali vi, lahko sporočilo prezrete; nič se ni spremenilo.',
  },
  ro: {
    subject: 'Setați o parolă nouă',
    greeting: (name) => `Bună ziua, ${name},`,
    body: (minutes) =>
      `Cineva a cerut resetarea parolei contului dvs. Sayso. Linkul funcționează o singură dată, timp de ${minutes} de minute.`,
    button: 'Setează o parolă nouă',
    ignore: 'Dacă nu ați fost dvs., ignorați acest e-mail. Nu s-a schimbat nimic.',
  },
  pl: {
    subject: 'Ustaw nowe hasło',
    greeting: (name) => `Dzień dobry, ${name},`,
    body: (minutes) =>
      `poproszono o nowe hasło do Państwa konta Sayso. Link działa jeden raz, przez ${minutes} minut.`,
    button: 'Ustaw nowe hasło',
    ignore: 'Jeśli to nie Państwo, prosimy zignorować tę wiadomość; nic się nie zmieniło.',
  },
};

/** @param input.language what the account says; anything unknown is English */
export function passwordMail(input: { username: string; link: string; minutes: number; language: unknown }) {
  const language = accountLanguage(input.language);
  const texts = TEXTS[language];
  return {
    subject: texts.subject,
    ...mailDocument({
      language,
      lines: [texts.greeting(input.username), texts.body(input.minutes)],
      button: { text: texts.button, link: input.link },
      footnote: texts.ignore,
    }),
  };
}

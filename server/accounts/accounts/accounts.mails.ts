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
    ignore: 'If it wasn’t you, ignore this email. Nothing has changed.',
  },
  es: {
    subject: 'Establezca una contraseña nueva',
    greeting: (name) => `Hola, ${name}:`,
    body: (minutes) =>
      `Alguien ha pedido restablecer la contraseña de su cuenta de Sayso. El enlace funciona una sola vez, durante ${minutes} minutos.`,
    button: 'Establecer contraseña nueva',
    ignore: 'Si no ha sido usted, ignore este correo. No ha cambiado nada.',
  },
  de: {
    subject: 'Neues Passwort festlegen',
    greeting: (name) => `Guten Tag ${name},`,
    body: (minutes) =>
      `jemand möchte das Passwort Ihres Sayso-Kontos zurücksetzen. Der Link funktioniert einmal, ${minutes} Minuten lang.`,
    button: 'Neues Passwort festlegen',
    ignore: 'Wenn Sie das nicht waren, ignorieren Sie diese E-Mail. Es hat sich nichts geändert.',
  },
  fr: {
    subject: 'Définissez un nouveau mot de passe',
    greeting: (name) => `Bonjour ${name},`,
    body: (minutes) =>
      `Quelqu’un a demandé à réinitialiser le mot de passe de votre compte Sayso. Le lien fonctionne une seule fois, pendant ${minutes} minutes.`,
    button: 'Définir un nouveau mot de passe',
    ignore: 'Si ce n’était pas vous, ignorez cet e-mail. Rien n’a changé.',
  },
  it: {
    subject: 'Imposta una nuova password',
    greeting: (name) => `Ciao ${name},`,
    body: (minutes) =>
      `qualcuno ha chiesto di reimpostare la password del tuo account Sayso. Il link funziona una volta sola, per ${minutes} minuti.`,
    button: 'Imposta una nuova password',
    ignore: 'Se non eri tu, ignora questa email. Non è cambiato nulla.',
  },
  sl: {
    subject: 'Nastavite novo geslo',
    greeting: (name) => `Pozdravljeni, ${name}!`,
    body: (minutes) =>
      `Nekdo je zahteval ponastavitev gesla vašega računa Sayso. Povezava deluje enkrat in velja ${minutes} minut.`,
    button: 'Nastavi novo geslo',
    ignore: 'Če to niste bili vi, prezrite to sporočilo. Nič se ni spremenilo.',
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
      `ktoś poprosił o zresetowanie hasła do Twojego konta Sayso. Link działa jeden raz, przez ${minutes} minut.`,
    button: 'Ustaw nowe hasło',
    ignore: 'Jeśli to nie Ty, zignoruj tę wiadomość. Nic się nie zmieniło.',
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

import { plainWords, withoutGuard } from '#contract/import-cells.ts';

const EMAIL_WORDS = new Set([
  ...['email', 'e-mail', 'mail', 'email address', 'e-mail address', 'emailaddress', 'email_address'],
  ...['correo', 'correo electronico', 'direccion de correo', 'direccion de correo electronico'],
  ...['e-mail-adresse', 'email-adresse', 'mailadresse', 'e-mailadresse'],
  ...['courriel', 'adresse e-mail', 'adresse mail', 'adresse email', 'adresse courriel'],
  ...['indirizzo email', 'indirizzo e-mail', 'posta elettronica'],
  ...['e-posta', 'e-postni naslov', 'elektronski naslov', 'naslov e-poste'],
  ...['adresa de email', 'adresa e-mail', 'adresa email'],
  ...['adres e-mail', 'adres email', 'poczta'],
]);

export function isEmailName(column: string): boolean {
  return EMAIL_WORDS.has(plainWords(withoutGuard(column)));
}

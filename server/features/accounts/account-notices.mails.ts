import type { Browser, System } from '#contract/account-data.ts';
import { BROWSER_NAMES, SYSTEM_NAMES } from '#contract/device-names.ts';
import type { Language } from '#contract/fields.ts';
import { accountLanguage, mailDocument } from '#server/platform/mail-document.ts';

export const NOTICE_KINDS = [
  'password_changed',
  'new_device',
  'confirm_email',
  'email_changed',
  'link_google',
  'google_linked',
  'google_unlinked',
] as const;
export type NoticeKind = (typeof NOTICE_KINDS)[number];

interface NoticeText {
  subject: string;
  /** `{email}` is the address that the mail is about. */
  body: string;
  button: string;
  footnote: string;
}

interface Texts extends Record<NoticeKind, NoticeText> {
  greeting: string;
  when: string;
  device: string;
  unknownDevice: string;
}

const TEXTS: Record<Language, Texts> = {
  en: {
    greeting: 'Hello {name},',
    when: 'When',
    device: 'Device',
    unknownDevice: 'Unknown browser',
    password_changed: {
      subject: 'Your password was changed',
      body: 'The password of your Sayso account was changed, and every session ended.',
      button: 'Set a new password',
      footnote: 'If this was you, there is nothing to do. If not, set a new password now.',
    },
    new_device: {
      subject: 'New sign-in to your account',
      body: 'Someone signed in to your Sayso account on a device that we have not seen before.',
      button: 'Review your sessions',
      footnote: 'If this was you, there is nothing to do. If not, end that session and set a new password.',
    },
    confirm_email: {
      subject: 'Confirm your new email',
      body: 'Confirm that your Sayso account should use {email} from now on. The link works once, for 60 minutes.',
      button: 'Confirm the new email',
      footnote: 'If you did not ask for this, you can ignore this email; nothing has changed.',
    },
    email_changed: {
      subject: 'The email of your account was changed',
      body: 'Your Sayso account now uses {email}. This address no longer receives its emails.',
      button: 'This was not me',
      footnote:
        'If this was you, there is nothing to do. If not, the button brings this address back, within 3 days, and lets you set a new password.',
    },
    link_google: {
      subject: 'Link Google to your account',
      body: 'Someone signed in with the Google account {email} and asked to link it to your Sayso account. Confirm it to sign in with Google from now on. Your present password then stops working. The link works once, for 30 minutes.',
      button: 'Link Google',
      footnote: 'If this was not you, you can ignore this email; nothing has changed.',
    },
    google_linked: {
      subject: 'Google was linked to your account',
      body: 'The Google account {email} now opens your Sayso account.',
      button: 'Review your account',
      footnote: 'If this was not you, set a new password and unlink Google.',
    },
    google_unlinked: {
      subject: 'Google was unlinked from your account',
      body: 'The Google account {email} no longer opens your Sayso account.',
      button: 'Review your account',
      footnote: 'If this was not you, set a new password.',
    },
  },
  es: {
    greeting: 'Hola, {name}:',
    when: 'Cuándo',
    device: 'Dispositivo',
    unknownDevice: 'Navegador desconocido',
    password_changed: {
      subject: 'Se ha cambiado su contraseña',
      body: 'Se ha cambiado la contraseña de su cuenta de Sayso y se han cerrado todas las sesiones.',
      button: 'Establecer una nueva contraseña',
      footnote: 'Si ha sido usted, no tiene que hacer nada. Si no, establezca ahora una nueva contraseña.',
    },
    new_device: {
      subject: 'Nuevo inicio de sesión en su cuenta',
      body: 'Alguien ha iniciado sesión en su cuenta de Sayso con un dispositivo que no habíamos visto antes.',
      button: 'Revisar sus sesiones',
      footnote:
        'Si ha sido usted, no tiene que hacer nada. Si no, cierre esa sesión y establezca una nueva contraseña.',
    },
    confirm_email: {
      subject: 'Confirme su nuevo correo electrónico',
      body: 'Confirme que su cuenta de Sayso debe usar {email} a partir de ahora. El enlace funciona una sola vez, durante 60 minutos.',
      button: 'Confirmar el nuevo correo',
      footnote: 'Si no lo ha pedido usted, puede ignorar este correo; no ha cambiado nada.',
    },
    email_changed: {
      subject: 'Se ha cambiado el correo electrónico de su cuenta',
      body: 'Su cuenta de Sayso usa ahora {email}. Esta dirección ya no recibe sus correos.',
      button: 'No he sido yo',
      footnote:
        'Si ha sido usted, no tiene que hacer nada. Si no, el botón restaura esta dirección, durante 3 días, y le permite establecer una nueva contraseña.',
    },
    link_google: {
      subject: 'Vincular Google a su cuenta',
      body: 'Alguien ha iniciado sesión con la cuenta de Google {email} y ha pedido vincularla a su cuenta de Sayso. Confírmelo para entrar con Google a partir de ahora. Su contraseña actual dejará entonces de funcionar. El enlace funciona una sola vez, durante 30 minutos.',
      button: 'Vincular Google',
      footnote: 'Si no ha sido usted, puede ignorar este correo; no ha cambiado nada.',
    },
    google_linked: {
      subject: 'Se ha vinculado Google a su cuenta',
      body: 'La cuenta de Google {email} da ahora acceso a su cuenta de Sayso.',
      button: 'Revisar su cuenta',
      footnote: 'Si no ha sido usted, establezca una nueva contraseña y desvincule Google.',
    },
    google_unlinked: {
      subject: 'Se ha desvinculado Google de su cuenta',
      body: 'La cuenta de Google {email} ya no da acceso a su cuenta de Sayso.',
      button: 'Revisar su cuenta',
      footnote: 'Si no ha sido usted, establezca una nueva contraseña.',
    },
  },
  de: {
    greeting: 'Guten Tag {name},',
    when: 'Wann',
    device: 'Gerät',
    unknownDevice: 'Unbekannter Browser',
    password_changed: {
      subject: 'Ihr Passwort wurde geändert',
      body: 'Das Passwort Ihres Sayso-Kontos wurde geändert, und alle Sitzungen wurden beendet.',
      button: 'Neues Passwort festlegen',
      footnote:
        'Wenn Sie das waren, müssen Sie nichts tun. Wenn nicht, legen Sie jetzt ein neues Passwort fest.',
    },
    new_device: {
      subject: 'Neue Anmeldung in Ihrem Konto',
      body: 'Jemand hat sich mit einem Gerät in Ihrem Sayso-Konto angemeldet, das wir bisher nicht kannten.',
      button: 'Sitzungen ansehen',
      footnote:
        'Wenn Sie das waren, müssen Sie nichts tun. Wenn nicht, beenden Sie diese Sitzung und legen Sie ein neues Passwort fest.',
    },
    confirm_email: {
      subject: 'Neue E-Mail-Adresse bestätigen',
      body: 'Bestätigen Sie, dass Ihr Sayso-Konto künftig {email} verwenden soll. Der Link gilt einmal und 60 Minuten lang.',
      button: 'Neue Adresse bestätigen',
      footnote:
        'Wenn Sie das nicht angefordert haben, können Sie diese E-Mail ignorieren; es hat sich nichts geändert.',
    },
    email_changed: {
      subject: 'Die E-Mail-Adresse Ihres Kontos wurde geändert',
      body: 'Ihr Sayso-Konto verwendet jetzt {email}. Diese Adresse erhält seine E-Mails nicht mehr.',
      button: 'Das war ich nicht',
      footnote:
        'Wenn Sie das waren, müssen Sie nichts tun. Wenn nicht, stellt die Schaltfläche innerhalb von 3 Tagen diese Adresse wieder her, und Sie legen ein neues Passwort fest.',
    },
    link_google: {
      subject: 'Google mit Ihrem Konto verknüpfen',
      body: 'Jemand hat sich mit dem Google-Konto {email} angemeldet und möchte es mit Ihrem Sayso-Konto verknüpfen. Bestätigen Sie das, um sich künftig mit Google anzumelden. Ihr bisheriges Passwort gilt dann nicht mehr. Der Link gilt einmal und 30 Minuten lang.',
      button: 'Google verknüpfen',
      footnote: 'Wenn Sie das nicht waren, können Sie diese E-Mail ignorieren; es hat sich nichts geändert.',
    },
    google_linked: {
      subject: 'Google wurde mit Ihrem Konto verknüpft',
      body: 'Mit dem Google-Konto {email} kommt man jetzt in Ihr Sayso-Konto.',
      button: 'Konto ansehen',
      footnote:
        'Wenn Sie das nicht waren, legen Sie ein neues Passwort fest und heben Sie die Verknüpfung mit Google auf.',
    },
    google_unlinked: {
      subject: 'Die Verknüpfung mit Google wurde aufgehoben',
      body: 'Mit dem Google-Konto {email} kommt man nicht mehr in Ihr Sayso-Konto.',
      button: 'Konto ansehen',
      footnote: 'Wenn Sie das nicht waren, legen Sie ein neues Passwort fest.',
    },
  },
  fr: {
    greeting: 'Bonjour {name},',
    when: 'Quand',
    device: 'Appareil',
    unknownDevice: 'Navigateur inconnu',
    password_changed: {
      subject: 'Votre mot de passe a été modifié',
      body: 'Le mot de passe de votre compte Sayso a été modifié et toutes les sessions ont été fermées.',
      button: 'Définir un nouveau mot de passe',
      footnote:
        'Si c’était vous, vous n’avez rien à faire. Sinon, définissez dès maintenant un nouveau mot de passe.',
    },
    new_device: {
      subject: 'Nouvelle connexion à votre compte',
      body: 'Une personne s’est connectée à votre compte Sayso depuis un appareil que nous ne connaissions pas.',
      button: 'Voir vos sessions',
      footnote:
        'Si c’était vous, vous n’avez rien à faire. Sinon, fermez cette session et définissez un nouveau mot de passe.',
    },
    confirm_email: {
      subject: 'Confirmez votre nouvelle adresse e-mail',
      body: 'Confirmez que votre compte Sayso doit désormais utiliser {email}. Le lien fonctionne une seule fois, pendant 60 minutes.',
      button: 'Confirmer la nouvelle adresse',
      footnote: 'Si vous n’êtes pas à l’origine de cette demande, ignorez cet e-mail ; rien n’a changé.',
    },
    email_changed: {
      subject: 'L’adresse e-mail de votre compte a été modifiée',
      body: 'Votre compte Sayso utilise désormais {email}. Cette adresse ne reçoit plus ses e-mails.',
      button: 'Ce n’était pas moi',
      footnote:
        'Si c’était vous, vous n’avez rien à faire. Sinon, le bouton rétablit cette adresse, pendant 3 jours, et vous permet de définir un nouveau mot de passe.',
    },
    link_google: {
      subject: 'Associer Google à votre compte',
      body: 'Une personne s’est connectée avec le compte Google {email} et a demandé à l’associer à votre compte Sayso. Confirmez pour vous connecter désormais avec Google. Votre mot de passe actuel ne fonctionnera alors plus. Le lien fonctionne une seule fois, pendant 30 minutes.',
      button: 'Associer Google',
      footnote: 'Si ce n’était pas vous, ignorez cet e-mail ; rien n’a changé.',
    },
    google_linked: {
      subject: 'Google a été associé à votre compte',
      body: 'Le compte Google {email} donne désormais accès à votre compte Sayso.',
      button: 'Vérifier votre compte',
      footnote: 'Si ce n’était pas vous, définissez un nouveau mot de passe et dissociez Google.',
    },
    google_unlinked: {
      subject: 'Google a été dissocié de votre compte',
      body: 'Le compte Google {email} ne donne plus accès à votre compte Sayso.',
      button: 'Vérifier votre compte',
      footnote: 'Si ce n’était pas vous, définissez un nouveau mot de passe.',
    },
  },
  it: {
    greeting: 'Buongiorno {name},',
    when: 'Quando',
    device: 'Dispositivo',
    unknownDevice: 'Browser sconosciuto',
    password_changed: {
      subject: 'La sua password è stata cambiata',
      body: 'La password del suo account Sayso è stata cambiata e tutte le sessioni sono state chiuse.',
      button: 'Imposta una nuova password',
      footnote: 'Se è stato lei, non deve fare nulla. Altrimenti imposti subito una nuova password.',
    },
    new_device: {
      subject: 'Nuovo accesso al suo account',
      body: 'Qualcuno ha effettuato l’accesso al suo account Sayso da un dispositivo che non conoscevamo.',
      button: 'Controlla le sessioni',
      footnote:
        'Se è stato lei, non deve fare nulla. Altrimenti chiuda quella sessione e imposti una nuova password.',
    },
    confirm_email: {
      subject: 'Confermi il nuovo indirizzo e-mail',
      body: 'Confermi che il suo account Sayso deve usare {email} d’ora in poi. Il link funziona una sola volta, per 60 minuti.',
      button: 'Conferma il nuovo indirizzo',
      footnote: 'Se non è stato lei a chiederlo, può ignorare questa e-mail; non è cambiato nulla.',
    },
    email_changed: {
      subject: 'L’indirizzo e-mail del suo account è stato cambiato',
      body: 'Il suo account Sayso ora usa {email}. Questo indirizzo non riceve più le sue e-mail.',
      button: 'Non sono stato io',
      footnote:
        'Se è stato lei, non deve fare nulla. Altrimenti il pulsante ripristina questo indirizzo, entro 3 giorni, e le permette di impostare una nuova password.',
    },
    link_google: {
      subject: 'Collegare Google al suo account',
      body: 'Qualcuno ha effettuato l’accesso con l’account Google {email} e ha chiesto di collegarlo al suo account Sayso. Confermi per accedere con Google d’ora in poi. La password attuale non funzionerà più. Il link funziona una sola volta, per 30 minuti.',
      button: 'Collega Google',
      footnote: 'Se non è stato lei, può ignorare questa e-mail; non è cambiato nulla.',
    },
    google_linked: {
      subject: 'Google è stato collegato al suo account',
      body: 'L’account Google {email} ora dà accesso al suo account Sayso.',
      button: 'Controlla l’account',
      footnote: 'Se non è stato lei, imposti una nuova password e scolleghi Google.',
    },
    google_unlinked: {
      subject: 'Google è stato scollegato dal suo account',
      body: 'L’account Google {email} non dà più accesso al suo account Sayso.',
      button: 'Controlla l’account',
      footnote: 'Se non è stato lei, imposti una nuova password.',
    },
  },
  sl: {
    greeting: 'Pozdravljeni, {name}!',
    when: 'Kdaj',
    device: 'Naprava',
    unknownDevice: 'Neznan brskalnik',
    password_changed: {
      subject: 'Vaše geslo je bilo spremenjeno',
      body: 'Geslo vašega računa Sayso je bilo spremenjeno in vse seje so bile končane.',
      button: 'Nastavite novo geslo',
      footnote: 'Če ste bili to vi, vam ni treba storiti ničesar. Če niste, takoj nastavite novo geslo.',
    },
    new_device: {
      subject: 'Nova prijava v vaš račun',
      body: 'Nekdo se je prijavil v vaš račun Sayso z napravo, ki je doslej nismo poznali.',
      button: 'Preglejte seje',
      footnote:
        'Če ste bili to vi, vam ni treba storiti ničesar. Če niste, končajte to sejo in nastavite novo geslo.',
    },
    confirm_email: {
      subject: 'Potrdite novi e-naslov',
      body: 'Potrdite, da naj vaš račun Sayso odslej uporablja {email}. Povezava deluje enkrat in velja 60 minut.',
      button: 'Potrdite novi naslov',
      footnote: 'Če tega niste zahtevali vi, lahko sporočilo prezrete; nič se ni spremenilo.',
    },
    email_changed: {
      subject: 'E-naslov vašega računa je bil spremenjen',
      body: 'Vaš račun Sayso zdaj uporablja {email}. Ta naslov ne prejema več njegovih sporočil.',
      button: 'To nisem bil jaz',
      footnote:
        'Če ste bili to vi, vam ni treba storiti ničesar. Če niste, gumb v 3 dneh povrne ta naslov in vam omogoči, da nastavite novo geslo.',
    },
    link_google: {
      subject: 'Povežite Google s svojim računom',
      body: 'Nekdo se je prijavil z računom Google {email} in želi, da ga povežemo z vašim računom Sayso. Potrdite, če se želite odslej prijavljati z Googlom. Vaše sedanje geslo potem ne bo več veljalo. Povezava deluje enkrat in velja 30 minut.',
      button: 'Povežite Google',
      footnote: 'Če to niste bili vi, lahko sporočilo prezrete; nič se ni spremenilo.',
    },
    google_linked: {
      subject: 'Google je povezan z vašim računom',
      body: 'Račun Google {email} zdaj odpira vaš račun Sayso.',
      button: 'Preglejte račun',
      footnote: 'Če to niste bili vi, nastavite novo geslo in prekinite povezavo z Googlom.',
    },
    google_unlinked: {
      subject: 'Google ni več povezan z vašim računom',
      body: 'Račun Google {email} ne odpira več vašega računa Sayso.',
      button: 'Preglejte račun',
      footnote: 'Če to niste bili vi, nastavite novo geslo.',
    },
  },
  ro: {
    greeting: 'Bună ziua, {name},',
    when: 'Când',
    device: 'Dispozitiv',
    unknownDevice: 'Browser necunoscut',
    password_changed: {
      subject: 'Parola dumneavoastră a fost schimbată',
      body: 'Parola contului dumneavoastră Sayso a fost schimbată și toate sesiunile au fost închise.',
      button: 'Setați o parolă nouă',
      footnote:
        'Dacă ați fost dumneavoastră, nu trebuie să faceți nimic. Dacă nu, setați acum o parolă nouă.',
    },
    new_device: {
      subject: 'Autentificare nouă în contul dumneavoastră',
      body: 'Cineva s-a autentificat în contul dumneavoastră Sayso de pe un dispozitiv pe care nu îl cunoșteam.',
      button: 'Verificați sesiunile',
      footnote:
        'Dacă ați fost dumneavoastră, nu trebuie să faceți nimic. Dacă nu, închideți sesiunea respectivă și setați o parolă nouă.',
    },
    confirm_email: {
      subject: 'Confirmați noua adresă de e-mail',
      body: 'Confirmați că de acum înainte contul dumneavoastră Sayso folosește {email}. Linkul funcționează o singură dată, timp de 60 de minute.',
      button: 'Confirmați noua adresă',
      footnote: 'Dacă nu ați cerut acest lucru, puteți ignora mesajul; nu s-a schimbat nimic.',
    },
    email_changed: {
      subject: 'Adresa de e-mail a contului a fost schimbată',
      body: 'Contul dumneavoastră Sayso folosește acum {email}. Această adresă nu mai primește mesajele lui.',
      button: 'Nu am fost eu',
      footnote:
        'Dacă ați fost dumneavoastră, nu trebuie să faceți nimic. Dacă nu, butonul readuce această adresă, timp de 3 zile, și vă permite să setați o parolă nouă.',
    },
    link_google: {
      subject: 'Asociați Google cu contul dumneavoastră',
      body: 'Cineva s-a autentificat cu contul Google {email} și a cerut asocierea lui cu contul dumneavoastră Sayso. Confirmați pentru a vă autentifica de acum înainte cu Google. Parola actuală nu va mai funcționa. Linkul funcționează o singură dată, timp de 30 de minute.',
      button: 'Asociați Google',
      footnote: 'Dacă nu ați fost dumneavoastră, puteți ignora acest mesaj; nu s-a schimbat nimic.',
    },
    google_linked: {
      subject: 'Google a fost asociat cu contul dumneavoastră',
      body: 'Contul Google {email} deschide acum contul dumneavoastră Sayso.',
      button: 'Verificați contul',
      footnote: 'Dacă nu ați fost dumneavoastră, setați o parolă nouă și eliminați asocierea cu Google.',
    },
    google_unlinked: {
      subject: 'Asocierea cu Google a fost eliminată',
      body: 'Contul Google {email} nu mai deschide contul dumneavoastră Sayso.',
      button: 'Verificați contul',
      footnote: 'Dacă nu ați fost dumneavoastră, setați o parolă nouă.',
    },
  },
  pl: {
    greeting: 'Dzień dobry, {name},',
    when: 'Kiedy',
    device: 'Urządzenie',
    unknownDevice: 'Nieznana przeglądarka',
    password_changed: {
      subject: 'Hasło zostało zmienione',
      body: 'Hasło do Państwa konta Sayso zostało zmienione, a wszystkie sesje zakończone.',
      button: 'Ustaw nowe hasło',
      footnote: 'Jeśli to Państwo, nie trzeba nic robić. Jeśli nie, prosimy teraz ustawić nowe hasło.',
    },
    new_device: {
      subject: 'Nowe logowanie na konto',
      body: 'Ktoś zalogował się na Państwa konto Sayso z urządzenia, którego dotąd nie znaliśmy.',
      button: 'Sprawdź sesje',
      footnote:
        'Jeśli to Państwo, nie trzeba nic robić. Jeśli nie, prosimy zakończyć tę sesję i ustawić nowe hasło.',
    },
    confirm_email: {
      subject: 'Potwierdzenie nowego adresu e-mail',
      body: 'Prosimy potwierdzić, że Państwa konto Sayso ma odtąd używać adresu {email}. Link działa jeden raz, przez 60 minut.',
      button: 'Potwierdź nowy adres',
      footnote: 'Jeśli to nie Państwo o to prosili, prosimy zignorować tę wiadomość; nic się nie zmieniło.',
    },
    email_changed: {
      subject: 'Adres e-mail konta został zmieniony',
      body: 'Państwa konto Sayso używa teraz adresu {email}. Na ten adres nie przychodzą już wiadomości z konta.',
      button: 'To nie ja',
      footnote:
        'Jeśli to Państwo, nie trzeba nic robić. Jeśli nie, przycisk w ciągu 3 dni przywraca ten adres i pozwala ustawić nowe hasło.',
    },
    link_google: {
      subject: 'Połączenie Google z kontem',
      body: 'Ktoś zalogował się kontem Google {email} i poprosił o połączenie go z Państwa kontem Sayso. Po potwierdzeniu można logować się przez Google. Dotychczasowe hasło przestanie wtedy działać. Link działa jeden raz, przez 30 minut.',
      button: 'Połącz z Google',
      footnote: 'Jeśli to nie Państwo, prosimy zignorować tę wiadomość; nic się nie zmieniło.',
    },
    google_linked: {
      subject: 'Konto zostało połączone z Google',
      body: 'Konto Google {email} otwiera teraz Państwa konto Sayso.',
      button: 'Sprawdź konto',
      footnote: 'Jeśli to nie Państwo, prosimy ustawić nowe hasło i odłączyć Google.',
    },
    google_unlinked: {
      subject: 'Konto zostało odłączone od Google',
      body: 'Konto Google {email} nie otwiera już Państwa konta Sayso.',
      button: 'Sprawdź konto',
      footnote: 'Jeśli to nie Państwo, prosimy ustawić nowe hasło.',
    },
  },
};

export interface Notice {
  kind: NoticeKind;
  username: string;
  /** What the account says; anything unknown is English. */
  language: unknown;
  at: Date;
  link: string;
  /** The address that the mail is about. */
  email?: string;
  device?: { browser: Browser | null; system: System | null };
}

/** Mails that only ask for a click tell no time: it would be that of the question. */
const ASKING: readonly NoticeKind[] = ['confirm_email', 'link_google'];

export function noticeMail({ kind, username, language: said, at, link, email = '', device }: Notice) {
  const language = accountLanguage(said);
  const texts = TEXTS[language];
  const { subject, body, button, footnote } = texts[kind];
  const time = new Intl.DateTimeFormat(language, {
    dateStyle: 'long',
    timeStyle: 'short',
    hourCycle: 'h23',
    timeZone: 'UTC',
  });
  const facts: [string, string][] = [];
  if (!ASKING.includes(kind)) facts.push([texts.when, `${time.format(at)} UTC`]);
  if (device !== undefined) {
    const names = [
      device.browser && BROWSER_NAMES[device.browser],
      device.system && SYSTEM_NAMES[device.system],
    ];
    facts.push([texts.device, names.filter(Boolean).join(', ') || texts.unknownDevice]);
  }
  return {
    subject,
    ...mailDocument({
      language,
      // A function as the replacement: `$` in an address has no meaning.
      lines: [texts.greeting.replace('{name}', () => username), body.replace('{email}', () => email)],
      facts,
      button: { text: button, link },
      footnote,
    }),
  };
}

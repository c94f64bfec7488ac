import type { Browser, System } from '#contract/account-data.ts';
import { BROWSER_NAMES, SYSTEM_NAMES } from '#contract/device-names.ts';
import type { Language } from '#contract/fields.ts';
import { accountLanguage, mailDocument } from '#server/accounts/mails/mail-document.ts';

export const NOTICE_KINDS = [
  'password_changed',
  'new_device',
  'confirm_email',
  'email_changed',
  'link_google',
  'google_linked',
  'google_unlinked',
  'second_factor_added',
  'second_factor_removed',
  'recovery_codes_created',
  'recovery_code_used',
  'passkey_blocked',
  'second_factor_guessed',
] as const;
export type NoticeKind = (typeof NOTICE_KINDS)[number];

interface NoticeText {
  subject: string;
  /** `{email}` is the address that the mail is about, `{factor}` a second factor, `{left}` how many are left. */
  body: string;
  button: string;
  footnote: string;
}

interface Texts extends Record<NoticeKind, NoticeText> {
  greeting: string;
  when: string;
  device: string;
  unknownDevice: string;
  authenticatorApp: string;
}

const TEXTS: Record<Language, Texts> = {
  en: {
    greeting: 'Hello {name},',
    when: 'When',
    device: 'Device',
    unknownDevice: 'Unknown browser',
    authenticatorApp: 'authenticator app',
    password_changed: {
      subject: 'Your password was changed',
      body: 'Your Sayso password was changed. All sessions have ended.',
      button: 'Set a new password',
      footnote: "If this was you, there's nothing to do. If not, set a new password now.",
    },
    new_device: {
      subject: 'New log-in to your account',
      body: "Someone logged in to your Sayso account on a device we haven't seen before.",
      button: 'Review sessions',
      footnote: "If this was you, there's nothing to do. If not, end that session and set a new password.",
    },
    confirm_email: {
      subject: 'Confirm your new email',
      body: 'Confirm that your Sayso account should use {email} from now on. The link works once, within 60 minutes.',
      button: 'Confirm new email',
      footnote: "If you didn't ask for this, ignore this email. Nothing has changed.",
    },
    email_changed: {
      subject: 'Your account email was changed',
      body: 'Your Sayso account now uses {email}. We no longer send account emails to this one.',
      button: "This wasn't me",
      footnote:
        "If this was you, there's nothing to do. If not, use the button within 3 days: it restores this email and lets you set a new password.",
    },
    link_google: {
      subject: 'Link Google to your account',
      body: 'Someone used the Google account {email} and asked to link it to your Sayso account. Confirm to log in with Google from now on. Your current password then stops working. The link works once, within 30 minutes.',
      button: 'Link Google',
      footnote: "If this wasn't you, ignore this email. Nothing has changed.",
    },
    google_linked: {
      subject: 'Google was linked to your account',
      body: 'You can now log in to your Sayso account with the Google account {email}.',
      button: 'Review your account',
      footnote: "If this wasn't you, set a new password and unlink Google.",
    },
    google_unlinked: {
      subject: 'Google was unlinked from your account',
      body: "You can't log in to your Sayso account with the Google account {email} any more.",
      button: 'Review your account',
      footnote: "If this wasn't you, set a new password.",
    },
    second_factor_added: {
      subject: 'A second factor was added to your account',
      body: 'The second factor “{factor}” was added to your Sayso account. You now need a second factor to log in.',
      button: 'Review your account',
      footnote:
        "If this was you, there's nothing to do. If not, remove it, end all other sessions and set a new password.",
    },
    second_factor_removed: {
      subject: 'A second factor was removed from your account',
      body: 'The second factor “{factor}” was removed from your Sayso account.',
      button: 'Review your account',
      footnote:
        "If this was you, there's nothing to do. If not, end all other sessions and set a new password.",
    },
    recovery_codes_created: {
      subject: 'New recovery codes for your account',
      body: 'New recovery codes were created for your Sayso account. The old ones no longer work.',
      button: 'Review your account',
      footnote:
        "If this was you, there's nothing to do. If not, end all other sessions and set a new password.",
    },
    recovery_code_used: {
      subject: 'A recovery code was used',
      body: 'Someone used a recovery code to log in to your Sayso account. Codes left: {left}.',
      button: 'Review your account',
      footnote:
        'If this was you, create new codes before they run out. If not, end all other sessions and set a new password.',
    },
    passkey_blocked: {
      subject: 'We blocked one of your passkeys',
      body: 'The passkey “{factor}” looks like it was copied, so we blocked it. Log in with another second factor and remove it.',
      button: 'Review your account',
      footnote: "If you can't explain this, set a new password too.",
    },
    second_factor_guessed: {
      subject: 'Someone knows your password',
      body: "Someone got past the first step of your Sayso log-in and tried wrong second factors until we stopped them. They didn't get in.",
      button: 'Set a new password',
      footnote: "If this was you, there's nothing to do. If not, set a new password now.",
    },
  },
  es: {
    greeting: 'Hola, {name}:',
    when: 'Cuándo',
    device: 'Dispositivo',
    unknownDevice: 'Navegador desconocido',
    authenticatorApp: 'aplicación de autenticación',
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
    second_factor_added: {
      subject: 'Se ha añadido un segundo factor a su cuenta',
      body: 'Se ha añadido el segundo factor «{factor}» a su cuenta de Sayso. A partir de ahora, al iniciar sesión se pide un segundo factor.',
      button: 'Revisar su cuenta',
      footnote:
        'Si ha sido usted, no tiene que hacer nada. Si no, elimínelo, cierre todas las demás sesiones y establezca una nueva contraseña.',
    },
    second_factor_removed: {
      subject: 'Se ha eliminado un segundo factor de su cuenta',
      body: 'Se ha eliminado el segundo factor «{factor}» de su cuenta de Sayso.',
      button: 'Revisar su cuenta',
      footnote:
        'Si ha sido usted, no tiene que hacer nada. Si no, cierre todas las demás sesiones y establezca una nueva contraseña.',
    },
    recovery_codes_created: {
      subject: 'Nuevos códigos de recuperación para su cuenta',
      body: 'Se han creado nuevos códigos de recuperación para su cuenta de Sayso. Los anteriores ya no funcionan.',
      button: 'Revisar su cuenta',
      footnote:
        'Si ha sido usted, no tiene que hacer nada. Si no, cierre todas las demás sesiones y establezca una nueva contraseña.',
    },
    recovery_code_used: {
      subject: 'Se ha usado un código de recuperación',
      body: 'Alguien ha usado un código de recuperación como segundo factor de su cuenta de Sayso. Códigos restantes: {left}.',
      button: 'Revisar su cuenta',
      footnote:
        'Si ha sido usted, no tiene que hacer nada; cree códigos nuevos antes de que se agoten. Si no, cierre todas las demás sesiones y establezca una nueva contraseña.',
    },
    passkey_blocked: {
      subject: 'Se ha bloqueado una llave de acceso de su cuenta',
      body: 'La llave de acceso «{factor}» ha respondido como lo haría una copia, así que ya no la aceptamos. Inicie sesión con otro segundo factor y elimínela.',
      button: 'Revisar su cuenta',
      footnote: 'Si no encuentra una explicación, establezca también una nueva contraseña.',
    },
    second_factor_guessed: {
      subject: 'Alguien conoce su contraseña',
      body: 'Alguien ha superado el primer paso del inicio de sesión en su cuenta de Sayso y ha probado segundos factores erróneos hasta que lo hemos detenido. No ha podido entrar.',
      button: 'Establecer una nueva contraseña',
      footnote: 'Si ha sido usted, no tiene que hacer nada. Si no, establezca ahora una nueva contraseña.',
    },
  },
  de: {
    greeting: 'Guten Tag {name},',
    when: 'Wann',
    device: 'Gerät',
    unknownDevice: 'Unbekannter Browser',
    authenticatorApp: 'Authenticator-App',
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
    second_factor_added: {
      subject: 'Ihrem Konto wurde ein zweiter Faktor hinzugefügt',
      body: 'Ihrem Sayso-Konto wurde der zweite Faktor „{factor}“ hinzugefügt. Die Anmeldung fragt ab jetzt nach einem zweiten Faktor.',
      button: 'Konto prüfen',
      footnote:
        'Wenn Sie das waren, müssen Sie nichts tun. Wenn nicht, entfernen Sie ihn, beenden Sie alle anderen Sitzungen und legen Sie ein neues Passwort fest.',
    },
    second_factor_removed: {
      subject: 'Ein zweiter Faktor Ihres Kontos wurde entfernt',
      body: 'Der zweite Faktor „{factor}“ wurde aus Ihrem Sayso-Konto entfernt.',
      button: 'Konto prüfen',
      footnote:
        'Wenn Sie das waren, müssen Sie nichts tun. Wenn nicht, beenden Sie alle anderen Sitzungen und legen Sie ein neues Passwort fest.',
    },
    recovery_codes_created: {
      subject: 'Neue Wiederherstellungscodes für Ihr Konto',
      body: 'Für Ihr Sayso-Konto wurden neue Wiederherstellungscodes erstellt. Die bisherigen funktionieren nicht mehr.',
      button: 'Konto prüfen',
      footnote:
        'Wenn Sie das waren, müssen Sie nichts tun. Wenn nicht, beenden Sie alle anderen Sitzungen und legen Sie ein neues Passwort fest.',
    },
    recovery_code_used: {
      subject: 'Ein Wiederherstellungscode wurde verwendet',
      body: 'Jemand hat einen Wiederherstellungscode als zweiten Faktor Ihres Sayso-Kontos verwendet. Übrige Codes: {left}.',
      button: 'Konto prüfen',
      footnote:
        'Wenn Sie das waren, müssen Sie nichts tun; erstellen Sie neue Codes, bevor sie ausgehen. Wenn nicht, beenden Sie alle anderen Sitzungen und legen Sie ein neues Passwort fest.',
    },
    passkey_blocked: {
      subject: 'Ein Passkey Ihres Kontos wurde gesperrt',
      body: 'Der Passkey „{factor}“ hat geantwortet, wie es eine Kopie täte. Wir nehmen ihn deshalb nicht mehr an. Melden Sie sich mit einem anderen zweiten Faktor an und entfernen Sie ihn.',
      button: 'Konto prüfen',
      footnote: 'Wenn Sie sich das nicht erklären können, legen Sie auch ein neues Passwort fest.',
    },
    second_factor_guessed: {
      subject: 'Jemand kennt Ihr Passwort',
      body: 'Jemand hat den ersten Schritt der Anmeldung bei Ihrem Sayso-Konto geschafft und falsche zweite Faktoren probiert, bis wir ihn aufgehalten haben. Die Anmeldung ist nicht gelungen.',
      button: 'Neues Passwort festlegen',
      footnote:
        'Wenn Sie das waren, müssen Sie nichts tun. Wenn nicht, legen Sie jetzt ein neues Passwort fest.',
    },
  },
  fr: {
    greeting: 'Bonjour {name},',
    when: 'Quand',
    device: 'Appareil',
    unknownDevice: 'Navigateur inconnu',
    authenticatorApp: 'application d’authentification',
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
    second_factor_added: {
      subject: 'Un second facteur a été ajouté à votre compte',
      body: 'Le second facteur « {factor} » a été ajouté à votre compte Sayso. La connexion demande désormais un second facteur.',
      button: 'Vérifier votre compte',
      footnote:
        'Si c’était vous, vous n’avez rien à faire. Sinon, supprimez-le, fermez toutes les autres sessions et définissez un nouveau mot de passe.',
    },
    second_factor_removed: {
      subject: 'Un second facteur a été supprimé de votre compte',
      body: 'Le second facteur « {factor} » a été supprimé de votre compte Sayso.',
      button: 'Vérifier votre compte',
      footnote:
        'Si c’était vous, vous n’avez rien à faire. Sinon, fermez toutes les autres sessions et définissez un nouveau mot de passe.',
    },
    recovery_codes_created: {
      subject: 'Nouveaux codes de récupération pour votre compte',
      body: 'De nouveaux codes de récupération ont été créés pour votre compte Sayso. Les précédents ne fonctionnent plus.',
      button: 'Vérifier votre compte',
      footnote:
        'Si c’était vous, vous n’avez rien à faire. Sinon, fermez toutes les autres sessions et définissez un nouveau mot de passe.',
    },
    recovery_code_used: {
      subject: 'Un code de récupération a été utilisé',
      body: 'Quelqu’un a utilisé un code de récupération comme second facteur de votre compte Sayso. Codes restants : {left}.',
      button: 'Vérifier votre compte',
      footnote:
        'Si c’était vous, vous n’avez rien à faire ; créez de nouveaux codes avant de les épuiser. Sinon, fermez toutes les autres sessions et définissez un nouveau mot de passe.',
    },
    passkey_blocked: {
      subject: 'Une clé d’accès de votre compte a été bloquée',
      body: 'La clé d’accès « {factor} » a répondu comme le ferait une copie ; nous ne l’acceptons donc plus. Connectez-vous avec un autre second facteur et supprimez-la.',
      button: 'Vérifier votre compte',
      footnote: 'Si vous ne vous l’expliquez pas, définissez aussi un nouveau mot de passe.',
    },
    second_factor_guessed: {
      subject: 'Quelqu’un connaît votre mot de passe',
      body: 'Quelqu’un a passé la première étape de la connexion à votre compte Sayso et a essayé de faux seconds facteurs jusqu’à ce que nous l’arrêtions. Il n’a pas pu entrer.',
      button: 'Définir un nouveau mot de passe',
      footnote:
        'Si c’était vous, vous n’avez rien à faire. Sinon, définissez maintenant un nouveau mot de passe.',
    },
  },
  it: {
    greeting: 'Buongiorno {name},',
    when: 'Quando',
    device: 'Dispositivo',
    unknownDevice: 'Browser sconosciuto',
    authenticatorApp: 'app di autenticazione',
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
    second_factor_added: {
      subject: 'Al suo account è stato aggiunto un secondo fattore',
      body: 'Al suo account Sayso è stato aggiunto il secondo fattore «{factor}». D’ora in poi l’accesso richiede un secondo fattore.',
      button: 'Controlla l’account',
      footnote:
        'Se è stato lei, non deve fare nulla. Altrimenti lo rimuova, chiuda tutte le altre sessioni e imposti una nuova password.',
    },
    second_factor_removed: {
      subject: 'Dal suo account è stato rimosso un secondo fattore',
      body: 'Il secondo fattore «{factor}» è stato rimosso dal suo account Sayso.',
      button: 'Controlla l’account',
      footnote:
        'Se è stato lei, non deve fare nulla. Altrimenti chiuda tutte le altre sessioni e imposti una nuova password.',
    },
    recovery_codes_created: {
      subject: 'Nuovi codici di recupero per il suo account',
      body: 'Per il suo account Sayso sono stati creati nuovi codici di recupero. Quelli precedenti non funzionano più.',
      button: 'Controlla l’account',
      footnote:
        'Se è stato lei, non deve fare nulla. Altrimenti chiuda tutte le altre sessioni e imposti una nuova password.',
    },
    recovery_code_used: {
      subject: 'È stato usato un codice di recupero',
      body: 'Qualcuno ha usato un codice di recupero come secondo fattore del suo account Sayso. Codici rimasti: {left}.',
      button: 'Controlla l’account',
      footnote:
        'Se è stato lei, non deve fare nulla; crei nuovi codici prima che finiscano. Altrimenti chiuda tutte le altre sessioni e imposti una nuova password.',
    },
    passkey_blocked: {
      subject: 'Una passkey del suo account è stata bloccata',
      body: 'La passkey «{factor}» ha risposto come farebbe una sua copia, quindi non la accettiamo più. Acceda con un altro secondo fattore e la rimuova.',
      button: 'Controlla l’account',
      footnote: 'Se non riesce a spiegarselo, imposti anche una nuova password.',
    },
    second_factor_guessed: {
      subject: 'Qualcuno conosce la sua password',
      body: 'Qualcuno ha superato il primo passo dell’accesso al suo account Sayso e ha provato secondi fattori sbagliati finché non lo abbiamo fermato. Non è riuscito a entrare.',
      button: 'Imposta una nuova password',
      footnote: 'Se è stato lei, non deve fare nulla. Altrimenti imposti subito una nuova password.',
    },
  },
  sl: {
    greeting: 'Pozdravljeni, {name}!',
    when: 'Kdaj',
    device: 'Naprava',
    unknownDevice: 'Neznan brskalnik',
    authenticatorApp: 'aplikacija za preverjanje pristnosti',
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
    second_factor_added: {
      subject: 'Vašemu računu je bil dodan drugi faktor',
      body: 'Vašemu računu Sayso je bil dodan drugi faktor »{factor}«. Prijava odslej zahteva drugi faktor.',
      button: 'Preglejte račun',
      footnote:
        'Če ste bili to vi, vam ni treba storiti ničesar. Če niste, ga odstranite, končajte vse druge seje in nastavite novo geslo.',
    },
    second_factor_removed: {
      subject: 'Iz vašega računa je bil odstranjen drugi faktor',
      body: 'Drugi faktor »{factor}« je bil odstranjen iz vašega računa Sayso.',
      button: 'Preglejte račun',
      footnote:
        'Če ste bili to vi, vam ni treba storiti ničesar. Če niste, končajte vse druge seje in nastavite novo geslo.',
    },
    recovery_codes_created: {
      subject: 'Nove obnovitvene kode za vaš račun',
      body: 'Za vaš račun Sayso so bile ustvarjene nove obnovitvene kode. Prejšnje ne delujejo več.',
      button: 'Preglejte račun',
      footnote:
        'Če ste bili to vi, vam ni treba storiti ničesar. Če niste, končajte vse druge seje in nastavite novo geslo.',
    },
    recovery_code_used: {
      subject: 'Uporabljena je bila obnovitvena koda',
      body: 'Nekdo je kot drugi faktor vašega računa Sayso uporabil obnovitveno kodo. Preostale kode: {left}.',
      button: 'Preglejte račun',
      footnote:
        'Če ste bili to vi, vam ni treba storiti ničesar; ustvarite nove kode, preden vam zmanjkajo. Če niste, končajte vse druge seje in nastavite novo geslo.',
    },
    passkey_blocked: {
      subject: 'Ključ za dostop vašega računa je bil blokiran',
      body: 'Ključ za dostop »{factor}« je odgovoril tako, kot bi odgovorila njegova kopija, zato ga ne sprejemamo več. Prijavite se z drugačnim drugim faktorjem in ga odstranite.',
      button: 'Preglejte račun',
      footnote: 'Če si tega ne znate razložiti, nastavite tudi novo geslo.',
    },
    second_factor_guessed: {
      subject: 'Nekdo pozna vaše geslo',
      body: 'Nekdo je opravil prvi korak prijave v vaš račun Sayso in poskušal z napačnimi drugimi faktorji, dokler ga nismo ustavili. V račun ni prišel.',
      button: 'Nastavite novo geslo',
      footnote: 'Če ste bili to vi, vam ni treba storiti ničesar. Če niste, takoj nastavite novo geslo.',
    },
  },
  ro: {
    greeting: 'Bună ziua, {name},',
    when: 'Când',
    device: 'Dispozitiv',
    unknownDevice: 'Browser necunoscut',
    authenticatorApp: 'aplicație de autentificare',
    password_changed: {
      subject: 'Parola dvs. a fost schimbată',
      body: 'Parola contului dvs. Sayso a fost schimbată. Toate sesiunile s-au încheiat.',
      button: 'Setează o parolă nouă',
      footnote: 'Dacă ați fost dvs., nu este nimic de făcut. Dacă nu, setați acum o parolă nouă.',
    },
    new_device: {
      subject: 'Autentificare nouă în contul dvs.',
      body: 'Cineva s-a autentificat în contul dvs. Sayso de pe un dispozitiv pe care nu l-am mai văzut.',
      button: 'Verifică sesiunile',
      footnote:
        'Dacă ați fost dvs., nu este nimic de făcut. Dacă nu, încheiați acea sesiune și setați o parolă nouă.',
    },
    confirm_email: {
      subject: 'Confirmați noua adresă de e-mail',
      body: 'Confirmați că de acum contul dvs. Sayso folosește {email}. Linkul funcționează o singură dată, timp de 60 de minute.',
      button: 'Confirmă adresa nouă',
      footnote: 'Dacă nu ați cerut acest lucru, ignorați acest e-mail. Nu s-a schimbat nimic.',
    },
    email_changed: {
      subject: 'Adresa de e-mail a contului a fost schimbată',
      body: 'Contul dvs. Sayso folosește acum {email}. Nu mai trimitem e-mailurile contului la această adresă.',
      button: 'Nu am fost eu',
      footnote:
        'Dacă ați fost dvs., nu este nimic de făcut. Dacă nu, folosiți butonul în cel mult 3 zile: readuce această adresă și vă lasă să setați o parolă nouă.',
    },
    link_google: {
      subject: 'Asociați Google cu contul dvs.',
      body: 'Cineva a folosit contul Google {email} și a cerut asocierea lui cu contul dvs. Sayso. Confirmați ca să vă autentificați de acum cu Google. Parola actuală nu va mai funcționa. Linkul funcționează o singură dată, timp de 30 de minute.',
      button: 'Asociază Google',
      footnote: 'Dacă nu ați fost dvs., ignorați acest e-mail. Nu s-a schimbat nimic.',
    },
    google_linked: {
      subject: 'Google a fost asociat cu contul dvs.',
      body: 'Vă puteți autentifica acum în contul dvs. Sayso cu contul Google {email}.',
      button: 'Verifică contul',
      footnote: 'Dacă nu ați fost dvs., setați o parolă nouă și eliminați asocierea cu Google.',
    },
    google_unlinked: {
      subject: 'Asocierea cu Google a fost eliminată',
      body: 'Nu vă mai puteți autentifica în contul dvs. Sayso cu contul Google {email}.',
      button: 'Verifică contul',
      footnote: 'Dacă nu ați fost dvs., setați o parolă nouă.',
    },
    second_factor_added: {
      subject: 'Un al doilea factor a fost adăugat contului',
      body: 'Al doilea factor „{factor}” a fost adăugat contului dvs. Sayso. De acum, autentificarea cere un al doilea factor.',
      button: 'Verifică contul',
      footnote:
        'Dacă ați fost dvs., nu este nimic de făcut. Dacă nu, eliminați-l, încheiați toate celelalte sesiuni și setați o parolă nouă.',
    },
    second_factor_removed: {
      subject: 'Un al doilea factor a fost eliminat din cont',
      body: 'Al doilea factor „{factor}” a fost eliminat din contul dvs. Sayso.',
      button: 'Verifică contul',
      footnote:
        'Dacă ați fost dvs., nu este nimic de făcut. Dacă nu, încheiați toate celelalte sesiuni și setați o parolă nouă.',
    },
    recovery_codes_created: {
      subject: 'Coduri de recuperare noi pentru contul dvs.',
      body: 'Au fost create coduri de recuperare noi pentru contul dvs. Sayso. Cele vechi nu mai funcționează.',
      button: 'Verifică contul',
      footnote:
        'Dacă ați fost dvs., nu este nimic de făcut. Dacă nu, încheiați toate celelalte sesiuni și setați o parolă nouă.',
    },
    recovery_code_used: {
      subject: 'A fost folosit un cod de recuperare',
      body: 'Cineva a folosit un cod de recuperare ca să se autentifice în contul dvs. Sayso. Coduri rămase: {left}.',
      button: 'Verifică contul',
      footnote:
        'Dacă ați fost dvs., creați coduri noi înainte să se termine. Dacă nu, încheiați toate celelalte sesiuni și setați o parolă nouă.',
    },
    passkey_blocked: {
      subject: 'Am blocat o cheie de acces a contului dvs.',
      body: 'Cheia de acces „{factor}” pare să fi fost copiată, așa că am blocat-o. Autentificați-vă cu alt factor și eliminați-o.',
      button: 'Verifică contul',
      footnote: 'Dacă nu știți de ce, setați și o parolă nouă.',
    },
    second_factor_guessed: {
      subject: 'Cineva vă știe parola',
      body: 'Cineva a trecut de primul pas al autentificării în contul dvs. Sayso și a încercat factori greșiți până când l-am oprit. Nu a reușit să intre.',
      button: 'Setează o parolă nouă',
      footnote: 'Dacă ați fost dvs., nu este nimic de făcut. Dacă nu, setați acum o parolă nouă.',
    },
  },
  pl: {
    greeting: 'Dzień dobry, {name},',
    when: 'Kiedy',
    device: 'Urządzenie',
    unknownDevice: 'Nieznana przeglądarka',
    authenticatorApp: 'aplikacja uwierzytelniająca',
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
    second_factor_added: {
      subject: 'Do konta dodano drugi składnik',
      body: 'Do Państwa konta Sayso dodano drugi składnik „{factor}”. Logowanie wymaga odtąd drugiego składnika.',
      button: 'Sprawdź konto',
      footnote:
        'Jeśli to Państwo, nie trzeba nic robić. Jeśli nie, prosimy go usunąć, zakończyć wszystkie pozostałe sesje i ustawić nowe hasło.',
    },
    second_factor_removed: {
      subject: 'Z konta usunięto drugi składnik',
      body: 'Z Państwa konta Sayso usunięto drugi składnik „{factor}”.',
      button: 'Sprawdź konto',
      footnote:
        'Jeśli to Państwo, nie trzeba nic robić. Jeśli nie, prosimy zakończyć wszystkie pozostałe sesje i ustawić nowe hasło.',
    },
    recovery_codes_created: {
      subject: 'Nowe kody odzyskiwania konta',
      body: 'Dla Państwa konta Sayso utworzono nowe kody odzyskiwania. Poprzednie już nie działają.',
      button: 'Sprawdź konto',
      footnote:
        'Jeśli to Państwo, nie trzeba nic robić. Jeśli nie, prosimy zakończyć wszystkie pozostałe sesje i ustawić nowe hasło.',
    },
    recovery_code_used: {
      subject: 'Użyto kodu odzyskiwania',
      body: 'Ktoś użył kodu odzyskiwania jako drugiego składnika Państwa konta Sayso. Pozostałe kody: {left}.',
      button: 'Sprawdź konto',
      footnote:
        'Jeśli to Państwo, nie trzeba nic robić; prosimy utworzyć nowe kody, zanim się skończą. Jeśli nie, prosimy zakończyć wszystkie pozostałe sesje i ustawić nowe hasło.',
    },
    passkey_blocked: {
      subject: 'Zablokowano klucz dostępu do konta',
      body: 'Klucz dostępu „{factor}” odpowiedział tak, jak zrobiłaby to jego kopia, więc już go nie przyjmujemy. Prosimy zalogować się innym drugim składnikiem i go usunąć.',
      button: 'Sprawdź konto',
      footnote: 'Jeśli nie potrafią Państwo tego wyjaśnić, prosimy ustawić także nowe hasło.',
    },
    second_factor_guessed: {
      subject: 'Ktoś zna Państwa hasło',
      body: 'Ktoś przeszedł pierwszy krok logowania na Państwa konto Sayso i podawał błędne drugie składniki, aż go zatrzymaliśmy. Nie udało mu się wejść.',
      button: 'Ustaw nowe hasło',
      footnote: 'Jeśli to Państwo, nie trzeba nic robić. Jeśli nie, prosimy teraz ustawić nowe hasło.',
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
  /** By the name that its owner gave it; null: the authenticator app. */
  factor?: string | null;
  left?: number;
}

/** Mails that only ask for a click tell no time: it would be that of the question. */
const ASKING: readonly NoticeKind[] = ['confirm_email', 'link_google'];

export function noticeMail({ kind, username, language: said, at, link, ...about }: Notice) {
  const { email = '', device, factor, left = 0 } = about;
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
      lines: [
        texts.greeting.replace('{name}', () => username),
        body
          .replace('{left}', () => String(left))
          .replace('{email}', () => email)
          .replace('{factor}', () => factor ?? texts.authenticatorApp),
      ],
      facts,
      button: { text: button, link },
      footnote,
    }),
  };
}

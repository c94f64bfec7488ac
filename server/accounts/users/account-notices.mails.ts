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
      footnote: 'If this was you, there’s nothing to do. If not, set a new password now.',
    },
    new_device: {
      subject: 'New login to your account',
      body: 'Someone logged in to your Sayso account on a device we haven’t seen before.',
      button: 'Review sessions',
      footnote: 'If this was you, there’s nothing to do. If not, end that session and set a new password.',
    },
    confirm_email: {
      subject: 'Confirm your new email',
      body: 'Confirm that your Sayso account should use {email} from now on. The link works once, within 60 minutes.',
      button: 'Confirm new email',
      footnote: 'If you didn’t ask for this, ignore this email. Nothing has changed.',
    },
    email_changed: {
      subject: 'Your account email was changed',
      body: 'Your Sayso account now uses {email}. We no longer send account emails to this address.',
      button: 'This wasn’t me',
      footnote:
        'If this was you, there’s nothing to do. If not, use the button within 3 days: it restores this email and lets you set a new password.',
    },
    link_google: {
      subject: 'Link Google to your account',
      body: 'Someone used the Google account {email} and asked to link it to your Sayso account. Confirm to log in with Google from now on. Your current password then stops working. The link works once, within 30 minutes.',
      button: 'Link Google',
      footnote: 'If this wasn’t you, ignore this email. Nothing has changed.',
    },
    google_linked: {
      subject: 'Google was linked to your account',
      body: 'You can now log in to your Sayso account with the Google account {email}.',
      button: 'Review your account',
      footnote: 'If this wasn’t you, set a new password and unlink Google.',
    },
    google_unlinked: {
      subject: 'Google was unlinked from your account',
      body: 'You can’t log in to your Sayso account with the Google account {email} anymore.',
      button: 'Review your account',
      footnote: 'If this wasn’t you, set a new password.',
    },
    second_factor_added: {
      subject: 'A second factor was added to your account',
      body: 'The second factor “{factor}” was added to your Sayso account. You now need a second factor to log in.',
      button: 'Review your account',
      footnote:
        'If this was you, there’s nothing to do. If not, remove it, end all other sessions and set a new password.',
    },
    second_factor_removed: {
      subject: 'A second factor was removed from your account',
      body: 'The second factor “{factor}” was removed from your Sayso account.',
      button: 'Review your account',
      footnote:
        'If this was you, there’s nothing to do. If not, end all other sessions and set a new password.',
    },
    recovery_codes_created: {
      subject: 'New recovery codes for your account',
      body: 'New recovery codes were created for your Sayso account. The old ones no longer work.',
      button: 'Review your account',
      footnote:
        'If this was you, there’s nothing to do. If not, end all other sessions and set a new password.',
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
      footnote: 'If you can’t explain this, set a new password too.',
    },
    second_factor_guessed: {
      subject: 'Someone knows your password',
      body: 'Someone got past the first step of your Sayso login and tried wrong second factors until we stopped them. They didn’t get in.',
      button: 'Set a new password',
      footnote: 'If this was you, there’s nothing to do. If not, set a new password now.',
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
      body: 'Se ha cambiado la contraseña de su cuenta de Sayso. Todas las sesiones se han cerrado.',
      button: 'Establecer contraseña nueva',
      footnote: 'Si ha sido usted, no tiene que hacer nada. Si no, establezca ahora una contraseña nueva.',
    },
    new_device: {
      subject: 'Nuevo inicio de sesión en su cuenta',
      body: 'Alguien ha iniciado sesión en su cuenta de Sayso con un dispositivo que no habíamos visto antes.',
      button: 'Revisar sesiones',
      footnote:
        'Si ha sido usted, no tiene que hacer nada. Si no, cierre esa sesión y establezca una contraseña nueva.',
    },
    confirm_email: {
      subject: 'Confirme su correo nuevo',
      body: 'Confirme que su cuenta de Sayso debe usar {email} a partir de ahora. El enlace funciona una sola vez, durante 60 minutos.',
      button: 'Confirmar correo nuevo',
      footnote: 'Si no lo ha solicitado, ignore este correo. No ha cambiado nada.',
    },
    email_changed: {
      subject: 'Se ha cambiado el correo de su cuenta',
      body: 'Su cuenta de Sayso usa ahora {email}. Ya no enviamos los correos de la cuenta a esta dirección.',
      button: 'No he sido yo',
      footnote:
        'Si ha sido usted, no tiene que hacer nada. Si no, use el botón en un plazo de 3 días: restaura esta dirección y le permite establecer una contraseña nueva.',
    },
    link_google: {
      subject: 'Vincule Google a su cuenta',
      body: 'Alguien ha usado la cuenta de Google {email} y ha pedido vincularla a su cuenta de Sayso. Confírmelo para iniciar sesión con Google a partir de ahora. Su contraseña actual dejará entonces de funcionar. El enlace funciona una sola vez, durante 30 minutos.',
      button: 'Vincular Google',
      footnote: 'Si no ha sido usted, ignore este correo. No ha cambiado nada.',
    },
    google_linked: {
      subject: 'Se ha vinculado Google a su cuenta',
      body: 'Ya puede iniciar sesión en su cuenta de Sayso con la cuenta de Google {email}.',
      button: 'Revisar su cuenta',
      footnote: 'Si no ha sido usted, establezca una contraseña nueva y desvincule Google.',
    },
    google_unlinked: {
      subject: 'Se ha desvinculado Google de su cuenta',
      body: 'Ya no puede iniciar sesión en su cuenta de Sayso con la cuenta de Google {email}.',
      button: 'Revisar su cuenta',
      footnote: 'Si no ha sido usted, establezca una contraseña nueva.',
    },
    second_factor_added: {
      subject: 'Se ha añadido un segundo factor a su cuenta',
      body: 'Se ha añadido el segundo factor «{factor}» a su cuenta de Sayso. Ahora necesita un segundo factor para iniciar sesión.',
      button: 'Revisar su cuenta',
      footnote:
        'Si ha sido usted, no tiene que hacer nada. Si no, elimínelo, cierre todas las demás sesiones y establezca una contraseña nueva.',
    },
    second_factor_removed: {
      subject: 'Se ha eliminado un segundo factor de su cuenta',
      body: 'Se ha eliminado el segundo factor «{factor}» de su cuenta de Sayso.',
      button: 'Revisar su cuenta',
      footnote:
        'Si ha sido usted, no tiene que hacer nada. Si no, cierre todas las demás sesiones y establezca una contraseña nueva.',
    },
    recovery_codes_created: {
      subject: 'Nuevos códigos de recuperación para su cuenta',
      body: 'Se han creado nuevos códigos de recuperación para su cuenta de Sayso. Los anteriores ya no funcionan.',
      button: 'Revisar su cuenta',
      footnote:
        'Si ha sido usted, no tiene que hacer nada. Si no, cierre todas las demás sesiones y establezca una contraseña nueva.',
    },
    recovery_code_used: {
      subject: 'Se ha usado un código de recuperación',
      body: 'Alguien ha usado un código de recuperación para iniciar sesión en su cuenta de Sayso. Códigos restantes: {left}.',
      button: 'Revisar su cuenta',
      footnote:
        'Si ha sido usted, cree códigos nuevos antes de que se agoten. Si no, cierre todas las demás sesiones y establezca una contraseña nueva.',
    },
    passkey_blocked: {
      subject: 'Hemos bloqueado una de sus llaves de acceso',
      body: 'Parece que alguien ha copiado la llave de acceso «{factor}», así que la hemos bloqueado. Inicie sesión con otro segundo factor y elimínela.',
      button: 'Revisar su cuenta',
      footnote: 'Si no se lo explica, establezca también una contraseña nueva.',
    },
    second_factor_guessed: {
      subject: 'Alguien conoce su contraseña',
      body: 'Alguien ha superado el primer paso del inicio de sesión en su cuenta de Sayso y ha probado segundos factores erróneos hasta que lo hemos detenido. No ha conseguido entrar.',
      button: 'Establecer contraseña nueva',
      footnote: 'Si ha sido usted, no tiene que hacer nada. Si no, establezca ahora una contraseña nueva.',
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
      body: 'Ihr Sayso-Passwort wurde geändert. Alle Sitzungen wurden beendet.',
      button: 'Neues Passwort festlegen',
      footnote:
        'Wenn Sie das waren, müssen Sie nichts tun. Wenn nicht, legen Sie jetzt ein neues Passwort fest.',
    },
    new_device: {
      subject: 'Neue Anmeldung in Ihrem Konto',
      body: 'jemand hat sich mit einem Gerät in Ihrem Sayso-Konto angemeldet, das wir noch nicht kannten.',
      button: 'Sitzungen prüfen',
      footnote:
        'Wenn Sie das waren, müssen Sie nichts tun. Wenn nicht, beenden Sie diese Sitzung und legen Sie ein neues Passwort fest.',
    },
    confirm_email: {
      subject: 'Bestätigen Sie Ihre neue E-Mail-Adresse',
      body: 'bestätigen Sie, dass Ihr Sayso-Konto ab jetzt {email} verwenden soll. Der Link funktioniert einmal, 60 Minuten lang.',
      button: 'Neue Adresse bestätigen',
      footnote:
        'Wenn Sie das nicht angefordert haben, ignorieren Sie diese E-Mail. Es hat sich nichts geändert.',
    },
    email_changed: {
      subject: 'Die E-Mail-Adresse Ihres Kontos wurde geändert',
      body: 'Ihr Sayso-Konto verwendet jetzt {email}. Wir senden keine Konto-E-Mails mehr an diese Adresse.',
      button: 'Das war ich nicht',
      footnote:
        'Wenn Sie das waren, müssen Sie nichts tun. Wenn nicht, klicken Sie innerhalb von 3 Tagen auf die Schaltfläche: Sie stellt diese Adresse wieder her, und Sie können ein neues Passwort festlegen.',
    },
    link_google: {
      subject: 'Google mit Ihrem Konto verknüpfen',
      body: 'jemand hat das Google-Konto {email} verwendet und möchte es mit Ihrem Sayso-Konto verknüpfen. Bestätigen Sie das, um sich ab jetzt mit Google anzumelden. Ihr bisheriges Passwort funktioniert dann nicht mehr. Der Link funktioniert einmal, 30 Minuten lang.',
      button: 'Google verknüpfen',
      footnote: 'Wenn Sie das nicht waren, ignorieren Sie diese E-Mail. Es hat sich nichts geändert.',
    },
    google_linked: {
      subject: 'Google wurde mit Ihrem Konto verknüpft',
      body: 'Sie können sich jetzt mit dem Google-Konto {email} in Ihrem Sayso-Konto anmelden.',
      button: 'Konto prüfen',
      footnote: 'Wenn Sie das nicht waren, legen Sie ein neues Passwort fest und trennen Sie Google.',
    },
    google_unlinked: {
      subject: 'Google wurde von Ihrem Konto getrennt',
      body: 'Sie können sich nicht mehr mit dem Google-Konto {email} in Ihrem Sayso-Konto anmelden.',
      button: 'Konto prüfen',
      footnote: 'Wenn Sie das nicht waren, legen Sie ein neues Passwort fest.',
    },
    second_factor_added: {
      subject: 'Ihrem Konto wurde ein zweiter Faktor hinzugefügt',
      body: 'Ihrem Sayso-Konto wurde der zweite Faktor „{factor}“ hinzugefügt. Für die Anmeldung brauchen Sie jetzt einen zweiten Faktor.',
      button: 'Konto prüfen',
      footnote:
        'Wenn Sie das waren, müssen Sie nichts tun. Wenn nicht, entfernen Sie ihn, beenden Sie alle anderen Sitzungen und legen Sie ein neues Passwort fest.',
    },
    second_factor_removed: {
      subject: 'Ein zweiter Faktor Ihres Kontos wurde entfernt',
      body: 'der zweite Faktor „{factor}“ wurde aus Ihrem Sayso-Konto entfernt.',
      button: 'Konto prüfen',
      footnote:
        'Wenn Sie das waren, müssen Sie nichts tun. Wenn nicht, beenden Sie alle anderen Sitzungen und legen Sie ein neues Passwort fest.',
    },
    recovery_codes_created: {
      subject: 'Neue Wiederherstellungscodes für Ihr Konto',
      body: 'für Ihr Sayso-Konto wurden neue Wiederherstellungscodes erstellt. Die alten funktionieren nicht mehr.',
      button: 'Konto prüfen',
      footnote:
        'Wenn Sie das waren, müssen Sie nichts tun. Wenn nicht, beenden Sie alle anderen Sitzungen und legen Sie ein neues Passwort fest.',
    },
    recovery_code_used: {
      subject: 'Ein Wiederherstellungscode wurde verwendet',
      body: 'jemand hat sich mit einem Wiederherstellungscode in Ihrem Sayso-Konto angemeldet. Übrige Codes: {left}.',
      button: 'Konto prüfen',
      footnote:
        'Wenn Sie das waren, erstellen Sie neue Codes, bevor sie ausgehen. Wenn nicht, beenden Sie alle anderen Sitzungen und legen Sie ein neues Passwort fest.',
    },
    passkey_blocked: {
      subject: 'Wir haben einen Ihrer Passkeys gesperrt',
      body: 'der Passkey „{factor}“ sieht nach einer Kopie aus. Deshalb haben wir ihn gesperrt. Melden Sie sich mit einem anderen zweiten Faktor an und entfernen Sie ihn.',
      button: 'Konto prüfen',
      footnote: 'Wenn Sie sich das nicht erklären können, legen Sie auch ein neues Passwort fest.',
    },
    second_factor_guessed: {
      subject: 'Jemand kennt Ihr Passwort',
      body: 'jemand hat den ersten Schritt der Anmeldung in Ihrem Sayso-Konto geschafft und falsche zweite Faktoren probiert, bis wir die Versuche gestoppt haben. Die Anmeldung ist nicht gelungen.',
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
      subject: 'Votre mot de passe a été changé',
      body: 'Le mot de passe de votre compte Sayso a été changé. Toutes les sessions ont été terminées.',
      button: 'Définir un nouveau mot de passe',
      footnote:
        'Si c’était vous, vous n’avez rien à faire. Sinon, définissez maintenant un nouveau mot de passe.',
    },
    new_device: {
      subject: 'Nouvelle connexion à votre compte',
      body: 'Quelqu’un s’est connecté à votre compte Sayso depuis un appareil que nous ne connaissions pas.',
      button: 'Vérifier les sessions',
      footnote:
        'Si c’était vous, vous n’avez rien à faire. Sinon, terminez cette session et définissez un nouveau mot de passe.',
    },
    confirm_email: {
      subject: 'Confirmez votre nouvelle adresse e-mail',
      body: 'Confirmez que votre compte Sayso doit désormais utiliser {email}. Le lien fonctionne une seule fois, pendant 60 minutes.',
      button: 'Confirmer la nouvelle adresse',
      footnote: 'Si vous n’avez rien demandé, ignorez cet e-mail. Rien n’a changé.',
    },
    email_changed: {
      subject: 'L’adresse e-mail de votre compte a été modifiée',
      body: 'Votre compte Sayso utilise désormais {email}. Nous n’envoyons plus les e-mails du compte à cette adresse-ci.',
      button: 'Ce n’était pas moi',
      footnote:
        'Si c’était vous, vous n’avez rien à faire. Sinon, utilisez le bouton dans les 3 jours : il rétablit cette adresse et vous permet de définir un nouveau mot de passe.',
    },
    link_google: {
      subject: 'Associez Google à votre compte',
      body: 'Quelqu’un a utilisé le compte Google {email} et a demandé à l’associer à votre compte Sayso. Confirmez pour vous connecter désormais avec Google. Votre mot de passe actuel ne fonctionnera alors plus. Le lien fonctionne une seule fois, pendant 30 minutes.',
      button: 'Associer Google',
      footnote: 'Si ce n’était pas vous, ignorez cet e-mail. Rien n’a changé.',
    },
    google_linked: {
      subject: 'Google a été associé à votre compte',
      body: 'Vous pouvez maintenant vous connecter à votre compte Sayso avec le compte Google {email}.',
      button: 'Vérifier votre compte',
      footnote: 'Si ce n’était pas vous, définissez un nouveau mot de passe et dissociez Google.',
    },
    google_unlinked: {
      subject: 'Google a été dissocié de votre compte',
      body: 'Vous ne pouvez plus vous connecter à votre compte Sayso avec le compte Google {email}.',
      button: 'Vérifier votre compte',
      footnote: 'Si ce n’était pas vous, définissez un nouveau mot de passe.',
    },
    second_factor_added: {
      subject: 'Un second facteur a été ajouté à votre compte',
      body: 'Le second facteur « {factor} » a été ajouté à votre compte Sayso. Il vous faut maintenant un second facteur pour vous connecter.',
      button: 'Vérifier votre compte',
      footnote:
        'Si c’était vous, vous n’avez rien à faire. Sinon, supprimez-le, terminez toutes les autres sessions et définissez un nouveau mot de passe.',
    },
    second_factor_removed: {
      subject: 'Un second facteur a été supprimé de votre compte',
      body: 'Le second facteur « {factor} » a été supprimé de votre compte Sayso.',
      button: 'Vérifier votre compte',
      footnote:
        'Si c’était vous, vous n’avez rien à faire. Sinon, terminez toutes les autres sessions et définissez un nouveau mot de passe.',
    },
    recovery_codes_created: {
      subject: 'Nouveaux codes de récupération pour votre compte',
      body: 'De nouveaux codes de récupération ont été créés pour votre compte Sayso. Les anciens ne fonctionnent plus.',
      button: 'Vérifier votre compte',
      footnote:
        'Si c’était vous, vous n’avez rien à faire. Sinon, terminez toutes les autres sessions et définissez un nouveau mot de passe.',
    },
    recovery_code_used: {
      subject: 'Un code de récupération a été utilisé',
      body: 'Quelqu’un a utilisé un code de récupération pour se connecter à votre compte Sayso. Codes restants : {left}.',
      button: 'Vérifier votre compte',
      footnote:
        'Si c’était vous, créez de nouveaux codes avant qu’ils soient épuisés. Sinon, terminez toutes les autres sessions et définissez un nouveau mot de passe.',
    },
    passkey_blocked: {
      subject: 'Nous avons bloqué une de vos clés d’accès',
      body: 'La clé d’accès « {factor} » semble avoir été copiée : nous l’avons bloquée. Connectez-vous avec un autre second facteur et supprimez-la.',
      button: 'Vérifier votre compte',
      footnote: 'Si vous ne vous l’expliquez pas, définissez aussi un nouveau mot de passe.',
    },
    second_factor_guessed: {
      subject: 'Quelqu’un connaît votre mot de passe',
      body: 'Quelqu’un a passé la première étape de la connexion à votre compte Sayso et a essayé de faux seconds facteurs jusqu’à ce que nous bloquions ses tentatives. La connexion a échoué.',
      button: 'Définir un nouveau mot de passe',
      footnote:
        'Si c’était vous, vous n’avez rien à faire. Sinon, définissez maintenant un nouveau mot de passe.',
    },
  },
  it: {
    greeting: 'Ciao {name},',
    when: 'Quando',
    device: 'Dispositivo',
    unknownDevice: 'Browser sconosciuto',
    authenticatorApp: 'app di autenticazione',
    password_changed: {
      subject: 'La tua password è stata cambiata',
      body: 'la password del tuo account Sayso è stata cambiata. Tutte le sessioni sono terminate.',
      button: 'Imposta una nuova password',
      footnote: 'Se eri tu, non devi fare nulla. Altrimenti imposta subito una nuova password.',
    },
    new_device: {
      subject: 'Nuovo accesso al tuo account',
      body: 'qualcuno ha effettuato l’accesso al tuo account Sayso da un dispositivo che non avevamo mai visto.',
      button: 'Controlla le sessioni',
      footnote:
        'Se eri tu, non devi fare nulla. Altrimenti termina quella sessione e imposta una nuova password.',
    },
    confirm_email: {
      subject: 'Conferma la tua nuova email',
      body: 'conferma che d’ora in poi il tuo account Sayso deve usare {email}. Il link funziona una volta sola, per 60 minuti.',
      button: 'Conferma la nuova email',
      footnote: 'Se non l’hai chiesto tu, ignora questa email. Non è cambiato nulla.',
    },
    email_changed: {
      subject: 'L’email del tuo account è stata cambiata',
      body: 'il tuo account Sayso ora usa {email}. Non inviamo più i messaggi dell’account a questo indirizzo.',
      button: 'Non ero io',
      footnote:
        'Se eri tu, non devi fare nulla. Altrimenti usa il pulsante entro 3 giorni: ripristina questo indirizzo e ti permette di impostare una nuova password.',
    },
    link_google: {
      subject: 'Collega Google al tuo account',
      body: 'qualcuno ha usato l’account Google {email} e ha chiesto di collegarlo al tuo account Sayso. Conferma per accedere con Google d’ora in poi. La tua password attuale smetterà di funzionare. Il link funziona una volta sola, per 30 minuti.',
      button: 'Collega Google',
      footnote: 'Se non eri tu, ignora questa email. Non è cambiato nulla.',
    },
    google_linked: {
      subject: 'Google è stato collegato al tuo account',
      body: 'ora puoi accedere al tuo account Sayso con l’account Google {email}.',
      button: 'Controlla il tuo account',
      footnote: 'Se non eri tu, imposta una nuova password e scollega Google.',
    },
    google_unlinked: {
      subject: 'Google è stato scollegato dal tuo account',
      body: 'non puoi più accedere al tuo account Sayso con l’account Google {email}.',
      button: 'Controlla il tuo account',
      footnote: 'Se non eri tu, imposta una nuova password.',
    },
    second_factor_added: {
      subject: 'Al tuo account è stato aggiunto un secondo fattore',
      body: 'al tuo account Sayso è stato aggiunto il secondo fattore «{factor}». Ora per accedere serve un secondo fattore.',
      button: 'Controlla il tuo account',
      footnote:
        'Se eri tu, non devi fare nulla. Altrimenti rimuovilo, termina tutte le altre sessioni e imposta una nuova password.',
    },
    second_factor_removed: {
      subject: 'Dal tuo account è stato rimosso un secondo fattore',
      body: 'il secondo fattore «{factor}» è stato rimosso dal tuo account Sayso.',
      button: 'Controlla il tuo account',
      footnote:
        'Se eri tu, non devi fare nulla. Altrimenti termina tutte le altre sessioni e imposta una nuova password.',
    },
    recovery_codes_created: {
      subject: 'Nuovi codici di recupero per il tuo account',
      body: 'sono stati creati nuovi codici di recupero per il tuo account Sayso. Quelli vecchi non funzionano più.',
      button: 'Controlla il tuo account',
      footnote:
        'Se eri tu, non devi fare nulla. Altrimenti termina tutte le altre sessioni e imposta una nuova password.',
    },
    recovery_code_used: {
      subject: 'È stato usato un codice di recupero',
      body: 'qualcuno ha usato un codice di recupero per accedere al tuo account Sayso. Codici rimasti: {left}.',
      button: 'Controlla il tuo account',
      footnote:
        'Se eri tu, crea nuovi codici prima che finiscano. Altrimenti termina tutte le altre sessioni e imposta una nuova password.',
    },
    passkey_blocked: {
      subject: 'Abbiamo bloccato una delle tue passkey',
      body: 'la passkey «{factor}» sembra una copia, quindi l’abbiamo bloccata. Accedi con un altro secondo fattore e rimuovila.',
      button: 'Controlla il tuo account',
      footnote: 'Se non sai spiegartelo, imposta anche una nuova password.',
    },
    second_factor_guessed: {
      subject: 'Qualcuno conosce la tua password',
      body: 'qualcuno ha superato il primo passaggio dell’accesso al tuo account Sayso e ha provato secondi fattori sbagliati finché non abbiamo bloccato i tentativi. L’accesso non è riuscito.',
      button: 'Imposta una nuova password',
      footnote: 'Se eri tu, non devi fare nulla. Altrimenti imposta subito una nuova password.',
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
      body: 'Geslo vašega računa Sayso je bilo spremenjeno. Vse seje so končane.',
      button: 'Nastavi novo geslo',
      footnote: 'Če ste bili to vi, vam ni treba storiti ničesar. Če niste, takoj nastavite novo geslo.',
    },
    new_device: {
      subject: 'Nova prijava v vaš račun',
      body: 'Nekdo se je prijavil v vaš račun Sayso z naprave, ki je še ne poznamo.',
      button: 'Preglej seje',
      footnote:
        'Če ste bili to vi, vam ni treba storiti ničesar. Če niste, končajte to sejo in nastavite novo geslo.',
    },
    confirm_email: {
      subject: 'Potrdite novi e-naslov',
      body: 'Potrdite, da naj vaš račun Sayso odslej uporablja {email}. Povezava deluje enkrat in velja 60 minut.',
      button: 'Potrdi novi e-naslov',
      footnote: 'Če tega niste zahtevali, prezrite to sporočilo. Nič se ni spremenilo.',
    },
    email_changed: {
      subject: 'E-naslov vašega računa je bil spremenjen',
      body: 'Vaš račun Sayso zdaj uporablja {email}. Sporočil o računu ne pošiljamo več na ta naslov.',
      button: 'To nisem jaz',
      footnote:
        'Če ste bili to vi, vam ni treba storiti ničesar. Če niste, v 3 dneh uporabite gumb: povrne ta naslov in vam omogoči, da nastavite novo geslo.',
    },
    link_google: {
      subject: 'Povežite Google s svojim računom',
      body: 'Nekdo je uporabil račun Google {email} in zahteval povezavo z vašim računom Sayso. Potrdite, če se želite odslej prijavljati z Googlom. Vaše sedanje geslo potem ne bo več delovalo. Povezava deluje enkrat in velja 30 minut.',
      button: 'Poveži Google',
      footnote: 'Če to niste bili vi, prezrite to sporočilo. Nič se ni spremenilo.',
    },
    google_linked: {
      subject: 'Google je povezan z vašim računom',
      body: 'V svoj račun Sayso se zdaj lahko prijavite z računom Google {email}.',
      button: 'Preglej račun',
      footnote: 'Če to niste bili vi, nastavite novo geslo in prekinite povezavo z Googlom.',
    },
    google_unlinked: {
      subject: 'Google ni več povezan z vašim računom',
      body: 'V svoj račun Sayso se ne morete več prijaviti z računom Google {email}.',
      button: 'Preglej račun',
      footnote: 'Če to niste bili vi, nastavite novo geslo.',
    },
    second_factor_added: {
      subject: 'Vašemu računu je bil dodan drugi faktor',
      body: 'Vašemu računu Sayso je bil dodan drugi faktor »{factor}«. Za prijavo zdaj potrebujete drugi faktor.',
      button: 'Preglej račun',
      footnote:
        'Če ste bili to vi, vam ni treba storiti ničesar. Če niste, ga odstranite, končajte vse druge seje in nastavite novo geslo.',
    },
    second_factor_removed: {
      subject: 'Iz vašega računa je bil odstranjen drugi faktor',
      body: 'Drugi faktor »{factor}« je bil odstranjen iz vašega računa Sayso.',
      button: 'Preglej račun',
      footnote:
        'Če ste bili to vi, vam ni treba storiti ničesar. Če niste, končajte vse druge seje in nastavite novo geslo.',
    },
    recovery_codes_created: {
      subject: 'Nove obnovitvene kode za vaš račun',
      body: 'Za vaš račun Sayso so bile ustvarjene nove obnovitvene kode. Stare ne delujejo več.',
      button: 'Preglej račun',
      footnote:
        'Če ste bili to vi, vam ni treba storiti ničesar. Če niste, končajte vse druge seje in nastavite novo geslo.',
    },
    recovery_code_used: {
      subject: 'Uporabljena je bila obnovitvena koda',
      body: 'Nekdo se je v vaš račun Sayso prijavil z obnovitveno kodo. Preostale kode: {left}.',
      button: 'Preglej račun',
      footnote:
        'Če ste bili to vi, ustvarite nove kode, preden vam zmanjkajo. Če niste, končajte vse druge seje in nastavite novo geslo.',
    },
    passkey_blocked: {
      subject: 'Blokirali smo enega od vaših ključev za dostop',
      body: 'Ključ za dostop »{factor}« je videti kot kopija, zato smo ga blokirali. Prijavite se s kakim drugim faktorjem in blokirani ključ odstranite.',
      button: 'Preglej račun',
      footnote: 'Če si tega ne znate razložiti, nastavite tudi novo geslo.',
    },
    second_factor_guessed: {
      subject: 'Nekdo pozna vaše geslo',
      body: 'Nekdo je opravil prvi korak prijave v vaš račun Sayso in poskušal z napačnimi drugimi faktorji, dokler poskusov nismo ustavili. Prijava ni uspela.',
      button: 'Nastavi novo geslo',
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
      subject: 'Twoje hasło zostało zmienione',
      body: 'hasło do Twojego konta Sayso zostało zmienione. Wszystkie sesje zostały zakończone.',
      button: 'Ustaw nowe hasło',
      footnote: 'Jeśli to Ty, nie musisz nic robić. Jeśli nie, ustaw teraz nowe hasło.',
    },
    new_device: {
      subject: 'Nowe logowanie na Twoje konto',
      body: 'ktoś zalogował się na Twoje konto Sayso z urządzenia, którego dotąd nie znaliśmy.',
      button: 'Sprawdź sesje',
      footnote: 'Jeśli to Ty, nie musisz nic robić. Jeśli nie, zakończ tę sesję i ustaw nowe hasło.',
    },
    confirm_email: {
      subject: 'Potwierdź nowy adres e-mail',
      body: 'potwierdź, że Twoje konto Sayso ma odtąd używać adresu {email}. Link działa jeden raz, przez 60 minut.',
      button: 'Potwierdź nowy adres',
      footnote: 'Jeśli to nie Twoja prośba, zignoruj tę wiadomość. Nic się nie zmieniło.',
    },
    email_changed: {
      subject: 'Adres e-mail Twojego konta został zmieniony',
      body: 'Twoje konto Sayso używa teraz adresu {email}. Na ten adres nie wysyłamy już wiadomości o koncie.',
      button: 'To nie ja',
      footnote:
        'Jeśli to Ty, nie musisz nic robić. Jeśli nie, użyj przycisku w ciągu 3 dni: przywraca ten adres i pozwala ustawić nowe hasło.',
    },
    link_google: {
      subject: 'Połącz Google ze swoim kontem',
      body: 'ktoś użył konta Google {email} i poprosił o połączenie go z Twoim kontem Sayso. Potwierdź, aby odtąd logować się przez Google. Obecne hasło przestanie wtedy działać. Link działa jeden raz, przez 30 minut.',
      button: 'Połącz z Google',
      footnote: 'Jeśli to nie Ty, zignoruj tę wiadomość. Nic się nie zmieniło.',
    },
    google_linked: {
      subject: 'Google połączono z Twoim kontem',
      body: 'możesz się teraz logować na swoje konto Sayso kontem Google {email}.',
      button: 'Sprawdź konto',
      footnote: 'Jeśli to nie Ty, ustaw nowe hasło i odłącz Google.',
    },
    google_unlinked: {
      subject: 'Google odłączono od Twojego konta',
      body: 'nie możesz się już logować na swoje konto Sayso kontem Google {email}.',
      button: 'Sprawdź konto',
      footnote: 'Jeśli to nie Ty, ustaw nowe hasło.',
    },
    second_factor_added: {
      subject: 'Do Twojego konta dodano drugi składnik',
      body: 'do Twojego konta Sayso dodano drugi składnik „{factor}”. Do logowania potrzebujesz teraz drugiego składnika.',
      button: 'Sprawdź konto',
      footnote:
        'Jeśli to Ty, nie musisz nic robić. Jeśli nie, usuń go, zakończ wszystkie inne sesje i ustaw nowe hasło.',
    },
    second_factor_removed: {
      subject: 'Z Twojego konta usunięto drugi składnik',
      body: 'z Twojego konta Sayso usunięto drugi składnik „{factor}”.',
      button: 'Sprawdź konto',
      footnote:
        'Jeśli to Ty, nie musisz nic robić. Jeśli nie, zakończ wszystkie inne sesje i ustaw nowe hasło.',
    },
    recovery_codes_created: {
      subject: 'Nowe kody odzyskiwania Twojego konta',
      body: 'dla Twojego konta Sayso utworzono nowe kody odzyskiwania. Stare już nie działają.',
      button: 'Sprawdź konto',
      footnote:
        'Jeśli to Ty, nie musisz nic robić. Jeśli nie, zakończ wszystkie inne sesje i ustaw nowe hasło.',
    },
    recovery_code_used: {
      subject: 'Użyto kodu odzyskiwania',
      body: 'ktoś zalogował się na Twoje konto Sayso kodem odzyskiwania. Pozostałe kody: {left}.',
      button: 'Sprawdź konto',
      footnote:
        'Jeśli to Ty, utwórz nowe kody, zanim się skończą. Jeśli nie, zakończ wszystkie inne sesje i ustaw nowe hasło.',
    },
    passkey_blocked: {
      subject: 'Zablokowaliśmy jeden z Twoich kluczy dostępu',
      body: 'klucz dostępu „{factor}” wygląda na kopię, więc go zablokowaliśmy. Zaloguj się innym drugim składnikiem i usuń go.',
      button: 'Sprawdź konto',
      footnote: 'Jeśli nie wiesz, skąd się to wzięło, ustaw także nowe hasło.',
    },
    second_factor_guessed: {
      subject: 'Ktoś zna Twoje hasło',
      body: 'ktoś przeszedł pierwszy krok logowania na Twoje konto Sayso i podawał błędne drugie składniki, aż przerwaliśmy te próby. Logowanie się nie udało.',
      button: 'Ustaw nowe hasło',
      footnote: 'Jeśli to Ty, nie musisz nic robić. Jeśli nie, ustaw teraz nowe hasło.',
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

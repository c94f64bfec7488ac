import type { ComplaintOutcome } from '#contract/complaints.ts';
import type { Language } from '#contract/fields.ts';

/** What is said in one mail. `lines` stand below the greeting, `note` below the button. */
export interface MailWords {
  subject: string;
  lines: string[];
  /** null: there is nothing to open. */
  button: string | null;
  note: string;
}

/** The mails of one language; `name` is the page's (or the site's) own. */
export interface MailTexts {
  greeting: string;
  privacy: string;
  imprint: string;
  personalLink: (name: string) => MailWords;
  /** @param email the new address, masked */
  emailChanged: (name: string, email: string) => MailWords;
  /** @param lists what would be received again; empty: everything that was chosen before */
  confirmResubscribe: (name: string, lists: readonly string[]) => MailWords;
  /** The same for lists with double opt-in, which may be chosen for the first time. */
  confirmSubscribe: (name: string, lists: readonly string[]) => MailWords;
  /** Goes to the new address. @param email the present address, masked */
  confirmEmail: (name: string, email: string) => MailWords;
  /** @param lists what is received again; empty: everything that was chosen before */
  resubscribed: (name: string, lists: readonly string[]) => MailWords;
  dataDownload: (name: string) => MailWords;
  dataErasure: (name: string) => MailWords;
  /** Days in words. */
  complaintReceived: (name: string, of: { received: string; due: string }) => MailWords;
  /** @param of.answer as the business wrote it, in lines */
  complaintAnswered: (
    name: string,
    of: { received: string; outcome: ComplaintOutcome; answer: string },
  ) => MailWords;
  /** @param list the list that was left; null: everything */
  leftByOldEmail: (name: string, list: string | null) => MailWords;
  /** To a member who wants to see that emails arrive. */
  test: (name: string) => MailWords;
}

/** Formal, as a business writes to people that it does not know. */
export const MAIL_TEXTS: Record<Language, MailTexts> = {
  en: {
    greeting: 'Hello,',
    privacy: 'Privacy policy',
    imprint: 'Legal notice',
    personalLink: (name) => ({
      subject: `Your personal link for ${name}`,
      lines: [`Here’s your personal link to your email preferences at ${name}, as you requested.`],
      button: 'Open my preferences',
      note: 'Don’t forward this link: anyone who has it can change your preferences. If you didn’t ask for it, ignore this email. Nothing has changed.',
    }),
    emailChanged: (name, email) => ({
      subject: `Your email at ${name} was changed`,
      lines: [
        `The email for your preferences at ${name} was changed to ${email}. If that was you, there’s nothing to do.`,
      ],
      button: 'Undo the change',
      note: 'If it wasn’t you, undo the change. The link works for 30 days.',
    }),
    confirmResubscribe: (name, lists) => ({
      subject: `Confirm: emails from ${name}`,
      lines: [
        lists.length === 0
          ? `Someone entered your email on our preference page to receive emails from ${name} again.`
          : `Someone entered your email on our preference page to receive these emails from ${name} again: ${lists.join(', ')}.`,
        'If that was you, open the link and confirm there. Nothing changes until then.',
      ],
      button: 'Receive emails again',
      note: 'The link works for 48 hours. If you didn’t ask for this, ignore this email. Nothing changes.',
    }),
    confirmSubscribe: (name, lists) => ({
      subject: `Confirm your subscription: ${name}`,
      lines: [
        lists.length === 0
          ? `Someone entered your email on our preference page to receive emails from ${name} again.`
          : `Someone entered your email on our preference page to receive these emails from ${name}: ${lists.join(', ')}.`,
        'If that was you, open the link and confirm there. Until then, you aren’t subscribed.',
      ],
      button: 'Confirm subscription',
      note: 'The link works for 7 days. If you didn’t ask for this, ignore this email. You won’t be subscribed.',
    }),
    confirmEmail: (name, email) => ({
      subject: `Confirm your new email at ${name}`,
      lines: [
        `Someone asked to move the preferences of ${email} at ${name} to this email. If that was you, open the link and confirm there. Nothing changes until then.`,
      ],
      button: 'Use this email',
      note: 'The link works for 48 hours. If you didn’t ask for this, ignore this email. Nothing changes.',
    }),
    resubscribed: (name, lists) => ({
      subject: `You’ll receive emails from ${name} again`,
      lines: [
        lists.length === 0
          ? `You’re subscribed again and will receive emails from ${name}.`
          : `You’re subscribed again at ${name}: ${lists.join(', ')}.`,
        'If that was you, there’s nothing to do.',
      ],
      button: 'Unsubscribe again',
      note: 'If it wasn’t you, unsubscribe again with the button. The link works for 30 days.',
    }),
    dataDownload: (name) => ({
      subject: `Confirm: a copy of your data at ${name}`,
      lines: [
        `Someone asked for a copy of the data that ${name} stores about you. To get it, open the link and confirm there.`,
      ],
      button: 'Get my data',
      note: 'The link works for 24 hours. If you didn’t ask for this, ignore this email. No one gets your data.',
    }),
    dataErasure: (name) => ({
      subject: `Confirm: erase your data at ${name}`,
      lines: [
        `Someone asked us to erase the data that ${name} stores about you. To go ahead, open the link and confirm there. You can’t undo this.`,
      ],
      button: 'Erase my data',
      note: 'The link works for 24 hours. If you didn’t ask for this, ignore this email. Nothing is erased.',
    }),
    complaintReceived: (name, { received, due }) => ({
      subject: `We received your complaint: ${name}`,
      lines: [
        `We received your complaint of ${received} about how ${name} uses your data.`,
        `We’ll look into it and email you the outcome by ${due} at the latest.`,
      ],
      button: null,
      note: 'If you didn’t send it, ignore this email. Your preferences haven’t changed.',
    }),
    complaintAnswered: (name, { received, outcome, answer }) => ({
      subject: `Our answer to your complaint: ${name}`,
      lines: [
        `You complained on ${received} about how ${name} uses your data. We’ve looked into it.`,
        {
          upheld: 'We agree with your complaint.',
          partly_upheld: 'We agree with part of your complaint.',
          not_upheld: 'We don’t agree with your complaint.',
        }[outcome],
        answer,
      ],
      button: null,
      note: 'If you’re not satisfied with this answer, you can complain to your data protection authority.',
    }),
    leftByOldEmail: (name, list) => ({
      subject: `You’re unsubscribed from ${list ?? name}`,
      lines: [
        list === null
          ? `You unsubscribed through an earlier email from ${name}, so you won’t receive our emails anymore.`
          : `You unsubscribed from “${list}” through an earlier email from ${name}, so you won’t receive it anymore.`,
        'If you didn’t mean to unsubscribe, open the link and confirm there. Your preferences go back to how they were.',
      ],
      button: 'Subscribe again',
      note: 'If you meant to unsubscribe, there’s nothing to do. The link works for 30 days.',
    }),
    test: (name) => ({
      subject: `Test: an email from ${name}`,
      lines: [
        `This is a test. Customers of ${name} get emails like this one, with the same sender and reply-to address.`,
      ],
      button: 'Open site settings',
      note: 'You sent it from the site settings.',
    }),
  },
  es: {
    greeting: 'Hola:',
    privacy: 'Política de privacidad',
    imprint: 'Aviso legal',
    personalLink: (name) => ({
      subject: `Su enlace personal de ${name}`,
      lines: [`Este es el enlace personal a sus preferencias de correo en ${name}, que ha solicitado.`],
      button: 'Abrir mis preferencias',
      note: 'No reenvíe este enlace: quien lo tenga puede cambiar sus preferencias. Si no lo ha solicitado, ignore este correo. No ha cambiado nada.',
    }),
    emailChanged: (name, email) => ({
      subject: `Se ha cambiado su correo en ${name}`,
      lines: [
        `El correo de sus preferencias en ${name} se ha cambiado a ${email}. Si ha sido usted, no tiene que hacer nada.`,
      ],
      button: 'Deshacer el cambio',
      note: 'Si no ha sido usted, deshaga el cambio. El enlace funciona durante 30 días.',
    }),
    confirmResubscribe: (name, lists) => ({
      subject: `Confirme: correos de ${name}`,
      lines: [
        lists.length === 0
          ? `Alguien ha introducido su correo en nuestra página de preferencias para volver a recibir correos de ${name}.`
          : `Alguien ha introducido su correo en nuestra página de preferencias para volver a recibir estos correos de ${name}: ${lists.join(', ')}.`,
        'Si ha sido usted, abra el enlace y confírmelo allí. Hasta entonces no cambia nada.',
      ],
      button: 'Volver a recibir correos',
      note: 'El enlace funciona durante 48 horas. Si no lo ha solicitado, ignore este correo. No cambia nada.',
    }),
    confirmSubscribe: (name, lists) => ({
      subject: `Confirme su suscripción: ${name}`,
      lines: [
        lists.length === 0
          ? `Alguien ha introducido su correo en nuestra página de preferencias para volver a recibir correos de ${name}.`
          : `Alguien ha introducido su correo en nuestra página de preferencias para recibir estos correos de ${name}: ${lists.join(', ')}.`,
        'Si ha sido usted, abra el enlace y confírmelo allí. Hasta entonces, la suscripción no está activa.',
      ],
      button: 'Confirmar la suscripción',
      note: 'El enlace funciona durante 7 días. Si no lo ha solicitado, ignore este correo. No se activará ninguna suscripción.',
    }),
    confirmEmail: (name, email) => ({
      subject: `Confirme su correo nuevo en ${name}`,
      lines: [
        `Alguien ha pedido pasar las preferencias de ${email} en ${name} a este correo. Si ha sido usted, abra el enlace y confírmelo allí. Hasta entonces no cambia nada.`,
      ],
      button: 'Usar este correo',
      note: 'El enlace funciona durante 48 horas. Si no lo ha solicitado, ignore este correo. No cambia nada.',
    }),
    resubscribed: (name, lists) => ({
      subject: `Volverá a recibir correos de ${name}`,
      lines: [
        lists.length === 0
          ? `Su suscripción vuelve a estar activa y recibirá correos de ${name}.`
          : `Su suscripción en ${name} vuelve a estar activa: ${lists.join(', ')}.`,
        'Si ha sido usted, no tiene que hacer nada.',
      ],
      button: 'Darse de baja de nuevo',
      note: 'Si no ha sido usted, dese de baja de nuevo con el botón. El enlace funciona durante 30 días.',
    }),
    dataDownload: (name) => ({
      subject: `Confirme: una copia de sus datos en ${name}`,
      lines: [
        `Alguien ha pedido una copia de los datos que ${name} guarda sobre usted. Para obtenerla, abra el enlace y confírmelo allí.`,
      ],
      button: 'Obtener mis datos',
      note: 'El enlace funciona durante 24 horas. Si no lo ha solicitado, ignore este correo. Nadie recibe sus datos.',
    }),
    dataErasure: (name) => ({
      subject: `Confirme: borrar sus datos en ${name}`,
      lines: [
        `Alguien nos ha pedido que borremos los datos que ${name} guarda sobre usted. Para continuar, abra el enlace y confírmelo allí. No se puede deshacer.`,
      ],
      button: 'Borrar mis datos',
      note: 'El enlace funciona durante 24 horas. Si no lo ha solicitado, ignore este correo. No se borra nada.',
    }),
    complaintReceived: (name, { received, due }) => ({
      subject: `Hemos recibido su reclamación: ${name}`,
      lines: [
        `Hemos recibido su reclamación del ${received} sobre el uso que ${name} hace de sus datos.`,
        `La estudiaremos y le comunicaremos el resultado por correo, a más tardar el ${due}.`,
      ],
      button: null,
      note: 'Si no la ha enviado usted, ignore este correo. Sus preferencias no han cambiado.',
    }),
    complaintAnswered: (name, { received, outcome, answer }) => ({
      subject: `Respuesta a su reclamación: ${name}`,
      lines: [
        `El ${received} presentó una reclamación sobre el uso que ${name} hace de sus datos. La hemos estudiado.`,
        {
          upheld: 'Consideramos que su reclamación está justificada.',
          partly_upheld: 'Consideramos que su reclamación está justificada en parte.',
          not_upheld: 'Consideramos que su reclamación no está justificada.',
        }[outcome],
        answer,
      ],
      button: null,
      note: 'Si no está de acuerdo con esta respuesta, puede reclamar ante la autoridad de protección de datos.',
    }),
    leftByOldEmail: (name, list) => ({
      subject: `Se ha dado de baja de ${list ?? name}`,
      lines: [
        list === null
          ? `Se ha dado de baja desde un correo anterior de ${name}, así que ya no recibirá nuestros correos.`
          : `Se ha dado de baja de «${list}» desde un correo anterior de ${name}, así que ya no lo recibirá.`,
        'Si no quería darse de baja, abra el enlace y confírmelo allí. Sus preferencias quedarán como estaban.',
      ],
      button: 'Volver a suscribirse',
      note: 'Si quería darse de baja, no tiene que hacer nada. El enlace funciona durante 30 días.',
    }),
    test: (name) => ({
      subject: `Prueba: un correo de ${name}`,
      lines: [
        `Esto es una prueba. Los clientes de ${name} reciben correos como este, con el mismo remitente y la misma dirección de respuesta.`,
      ],
      button: 'Abrir los ajustes del sitio',
      note: 'Lo ha enviado desde los ajustes del sitio.',
    }),
  },
  de: {
    greeting: 'Guten Tag,',
    privacy: 'Datenschutzerklärung',
    imprint: 'Impressum',
    personalLink: (name) => ({
      subject: `Ihr persönlicher Link für ${name}`,
      lines: [`hier ist Ihr persönlicher Link zu Ihren E-Mail-Einstellungen bei ${name}, wie angefordert.`],
      button: 'Meine Einstellungen öffnen',
      note: 'Leiten Sie diesen Link nicht weiter: Wer ihn hat, kann Ihre Einstellungen ändern. Falls Sie ihn nicht angefordert haben, ignorieren Sie diese E-Mail. Nichts hat sich geändert.',
    }),
    emailChanged: (name, email) => ({
      subject: `Ihre E-Mail-Adresse bei ${name} wurde geändert`,
      lines: [
        `die E-Mail-Adresse für Ihre Einstellungen bei ${name} wurde in ${email} geändert. Wenn Sie das waren, müssen Sie nichts tun.`,
      ],
      button: 'Änderung rückgängig machen',
      note: 'Wenn Sie das nicht waren, machen Sie die Änderung rückgängig. Der Link gilt 30 Tage.',
    }),
    confirmResubscribe: (name, lists) => ({
      subject: `Bitte bestätigen: E-Mails von ${name}`,
      lines: [
        lists.length === 0
          ? `jemand hat auf unserer Einstellungsseite Ihre E-Mail-Adresse eingegeben, um wieder E-Mails von ${name} zu erhalten.`
          : `jemand hat auf unserer Einstellungsseite Ihre E-Mail-Adresse eingegeben, um diese E-Mails von ${name} wieder zu erhalten: ${lists.join(', ')}.`,
        'Wenn Sie das waren, öffnen Sie den Link und bestätigen Sie dort. Bis dahin ändert sich nichts.',
      ],
      button: 'Wieder E-Mails erhalten',
      note: 'Der Link gilt 48 Stunden. Falls Sie das nicht angefordert haben, ignorieren Sie diese E-Mail. Nichts ändert sich.',
    }),
    confirmSubscribe: (name, lists) => ({
      subject: `Bitte bestätigen Sie Ihre Anmeldung: ${name}`,
      lines: [
        lists.length === 0
          ? `jemand hat auf unserer Einstellungsseite Ihre E-Mail-Adresse eingegeben, um wieder E-Mails von ${name} zu erhalten.`
          : `jemand hat auf unserer Einstellungsseite Ihre E-Mail-Adresse eingegeben, um diese E-Mails von ${name} zu erhalten: ${lists.join(', ')}.`,
        'Wenn Sie das waren, öffnen Sie den Link und bestätigen Sie dort. Bis dahin sind Sie nicht angemeldet.',
      ],
      button: 'Anmeldung bestätigen',
      note: 'Der Link gilt 7 Tage. Falls Sie das nicht angefordert haben, ignorieren Sie diese E-Mail. Sie werden nicht angemeldet.',
    }),
    confirmEmail: (name, email) => ({
      subject: `Bestätigen Sie Ihre neue E-Mail-Adresse bei ${name}`,
      lines: [
        `jemand möchte die Einstellungen von ${email} bei ${name} auf diese E-Mail-Adresse übertragen. Wenn Sie das waren, öffnen Sie den Link und bestätigen Sie dort. Bis dahin ändert sich nichts.`,
      ],
      button: 'Diese Adresse verwenden',
      note: 'Der Link gilt 48 Stunden. Falls Sie das nicht angefordert haben, ignorieren Sie diese E-Mail. Nichts ändert sich.',
    }),
    resubscribed: (name, lists) => ({
      subject: `Sie erhalten wieder E-Mails von ${name}`,
      lines: [
        lists.length === 0
          ? `Sie sind wieder angemeldet und erhalten E-Mails von ${name}.`
          : `Sie sind bei ${name} wieder angemeldet: ${lists.join(', ')}.`,
        'Wenn Sie das waren, müssen Sie nichts tun.',
      ],
      button: 'Wieder abmelden',
      note: 'Wenn Sie das nicht waren, melden Sie sich mit der Schaltfläche wieder ab. Der Link gilt 30 Tage.',
    }),
    dataDownload: (name) => ({
      subject: `Bitte bestätigen: Kopie Ihrer Daten bei ${name}`,
      lines: [
        `jemand hat eine Kopie der Daten angefordert, die ${name} über Sie speichert. Um sie zu erhalten, öffnen Sie den Link und bestätigen Sie dort.`,
      ],
      button: 'Meine Daten erhalten',
      note: 'Der Link gilt 24 Stunden. Falls Sie das nicht angefordert haben, ignorieren Sie diese E-Mail. Niemand erhält Ihre Daten.',
    }),
    dataErasure: (name) => ({
      subject: `Bitte bestätigen: Ihre Daten bei ${name} löschen`,
      lines: [
        `jemand hat verlangt, die Daten zu löschen, die ${name} über Sie speichert. Öffnen Sie dafür den Link und bestätigen Sie dort. Das lässt sich nicht rückgängig machen.`,
      ],
      button: 'Meine Daten löschen',
      note: 'Der Link gilt 24 Stunden. Falls Sie das nicht angefordert haben, ignorieren Sie diese E-Mail. Nichts wird gelöscht.',
    }),
    complaintReceived: (name, { received, due }) => ({
      subject: `Ihre Beschwerde ist eingegangen: ${name}`,
      lines: [
        `wir haben Ihre Beschwerde vom ${received} erhalten. Darin geht es darum, wie ${name} Ihre Daten verwendet.`,
        `Wir prüfen sie und teilen Ihnen das Ergebnis per E-Mail mit, spätestens am ${due}.`,
      ],
      button: null,
      note: 'Falls die Beschwerde nicht von Ihnen ist, ignorieren Sie diese E-Mail. Ihre Einstellungen sind unverändert.',
    }),
    complaintAnswered: (name, { received, outcome, answer }) => ({
      subject: `Antwort auf Ihre Beschwerde: ${name}`,
      lines: [
        `Sie haben sich am ${received} darüber beschwert, wie ${name} Ihre Daten verwendet. Wir haben die Beschwerde geprüft.`,
        {
          upheld: 'Wir halten Ihre Beschwerde für berechtigt.',
          partly_upheld: 'Wir halten Ihre Beschwerde für teilweise berechtigt.',
          not_upheld: 'Wir halten Ihre Beschwerde nicht für berechtigt.',
        }[outcome],
        answer,
      ],
      button: null,
      note: 'Wenn Sie mit dieser Antwort nicht einverstanden sind, können Sie sich bei der Datenschutzaufsichtsbehörde beschweren.',
    }),
    leftByOldEmail: (name, list) => ({
      subject: `Sie sind von ${list ?? name} abgemeldet`,
      lines: [
        list === null
          ? `Sie haben sich über eine frühere E-Mail von ${name} abgemeldet und erhalten unsere E-Mails nicht mehr.`
          : `Sie haben „${list}“ über eine frühere E-Mail von ${name} abbestellt und erhalten diese E-Mails nicht mehr.`,
        'Falls Sie sich nicht abmelden wollten, öffnen Sie den Link und bestätigen Sie dort. Ihre Einstellungen sind dann wieder wie zuvor.',
      ],
      button: 'Wieder anmelden',
      note: 'Wenn Sie sich abmelden wollten, müssen Sie nichts tun. Der Link gilt 30 Tage.',
    }),
    test: (name) => ({
      subject: `Test: eine E-Mail von ${name}`,
      lines: [
        `das ist ein Test. Kunden von ${name} erhalten solche E-Mails mit demselben Absender und derselben Antwortadresse.`,
      ],
      button: 'Site-Einstellungen öffnen',
      note: 'Sie haben diese E-Mail aus den Site-Einstellungen gesendet.',
    }),
  },
  fr: {
    greeting: 'Bonjour,',
    privacy: 'Politique de confidentialité',
    imprint: 'Mentions légales',
    personalLink: (name) => ({
      subject: `Votre lien personnel pour ${name}`,
      lines: [`Voici votre lien personnel vers vos préférences e-mail chez ${name}, comme demandé.`],
      button: 'Ouvrir mes préférences',
      note: 'Ne transférez pas ce lien : toute personne qui l’a peut modifier vos préférences. Si vous ne l’avez pas demandé, ignorez cet e-mail. Rien n’a changé.',
    }),
    emailChanged: (name, email) => ({
      subject: `Votre adresse chez ${name} a été modifiée`,
      lines: [
        `L’adresse e-mail de vos préférences chez ${name} est désormais ${email}. Si c’était vous, vous n’avez rien à faire.`,
      ],
      button: 'Annuler la modification',
      note: 'Si ce n’était pas vous, annulez la modification. Le lien fonctionne pendant 30 jours.',
    }),
    confirmResubscribe: (name, lists) => ({
      subject: `À confirmer : e-mails de ${name}`,
      lines: [
        lists.length === 0
          ? `Quelqu’un a saisi votre adresse sur notre page de préférences pour recevoir de nouveau des e-mails de ${name}.`
          : `Quelqu’un a saisi votre adresse sur notre page de préférences pour recevoir de nouveau ces e-mails de ${name} : ${lists.join(', ')}.`,
        'Si c’était vous, ouvrez le lien et confirmez. Rien ne change d’ici là.',
      ],
      button: 'Recevoir de nouveau les e-mails',
      note: 'Le lien fonctionne pendant 48 heures. Si vous n’avez rien demandé, ignorez cet e-mail. Rien ne changera.',
    }),
    confirmSubscribe: (name, lists) => ({
      subject: `Confirmez votre inscription : ${name}`,
      lines: [
        lists.length === 0
          ? `Quelqu’un a saisi votre adresse sur notre page de préférences pour recevoir de nouveau des e-mails de ${name}.`
          : `Quelqu’un a saisi votre adresse sur notre page de préférences pour recevoir ces e-mails de ${name} : ${lists.join(', ')}.`,
        'Si c’était vous, ouvrez le lien et confirmez. Votre inscription ne sera effective qu’ensuite.',
      ],
      button: 'Confirmer l’inscription',
      note: 'Le lien fonctionne pendant 7 jours. Si vous n’avez rien demandé, ignorez cet e-mail. Vous ne serez pas inscrit.',
    }),
    confirmEmail: (name, email) => ({
      subject: `À confirmer : votre nouvelle adresse chez ${name}`,
      lines: [
        `Quelqu’un a demandé que les préférences de ${email} chez ${name} passent à votre adresse. Si c’était vous, ouvrez le lien et confirmez. Rien ne change d’ici là.`,
      ],
      button: 'Utiliser cette adresse',
      note: 'Le lien fonctionne pendant 48 heures. Si vous n’avez rien demandé, ignorez cet e-mail. Rien ne changera.',
    }),
    resubscribed: (name, lists) => ({
      subject: `Vous recevrez de nouveau des e-mails de ${name}`,
      lines: [
        lists.length === 0
          ? `Votre abonnement est de nouveau actif : vous recevrez des e-mails de ${name}.`
          : `Votre abonnement chez ${name} est de nouveau actif : ${lists.join(', ')}.`,
        'Si c’était vous, vous n’avez rien à faire.',
      ],
      button: 'Me désabonner de nouveau',
      note: 'Si ce n’était pas vous, désabonnez-vous avec le bouton. Le lien fonctionne pendant 30 jours.',
    }),
    dataDownload: (name) => ({
      subject: `À confirmer : copie de vos données chez ${name}`,
      lines: [
        `Quelqu’un a demandé une copie des données que ${name} stocke sur vous. Pour l’obtenir, ouvrez le lien et confirmez.`,
      ],
      button: 'Obtenir mes données',
      note: 'Le lien fonctionne pendant 24 heures. Si vous n’avez rien demandé, ignorez cet e-mail. Personne ne recevra vos données.',
    }),
    dataErasure: (name) => ({
      subject: `À confirmer : effacement de vos données chez ${name}`,
      lines: [
        `Quelqu’un nous a demandé d’effacer les données que ${name} stocke sur vous. Pour continuer, ouvrez le lien et confirmez. C’est irréversible.`,
      ],
      button: 'Effacer mes données',
      note: 'Le lien fonctionne pendant 24 heures. Si vous n’avez rien demandé, ignorez cet e-mail. Rien ne sera effacé.',
    }),
    complaintReceived: (name, { received, due }) => ({
      subject: `Réclamation reçue : ${name}`,
      lines: [
        `Nous avons reçu votre réclamation du ${received} sur l’utilisation de vos données par ${name}.`,
        `Nous l’examinons et vous communiquerons notre conclusion par e-mail, au plus tard le ${due}.`,
      ],
      button: null,
      note: 'Si vous n’en êtes pas à l’origine, ignorez cet e-mail. Vos préférences n’ont pas changé.',
    }),
    complaintAnswered: (name, { received, outcome, answer }) => ({
      subject: `Réponse à votre réclamation : ${name}`,
      lines: [
        `Le ${received}, vous avez adressé une réclamation sur l’utilisation de vos données par ${name}. Nous l’avons examinée.`,
        {
          upheld: 'Nous estimons que votre réclamation est fondée.',
          partly_upheld: 'Nous estimons que votre réclamation est fondée en partie.',
          not_upheld: 'Nous estimons que votre réclamation n’est pas fondée.',
        }[outcome],
        answer,
      ],
      button: null,
      note: 'Si cette réponse ne vous satisfait pas, vous pouvez adresser une réclamation à l’autorité de protection des données.',
    }),
    leftByOldEmail: (name, list) => ({
      subject: `Désabonnement de ${list ?? name}`,
      lines: [
        list === null
          ? `Nous avons reçu votre désabonnement par un ancien e-mail de ${name}. Vous ne recevrez donc plus nos e-mails.`
          : `Nous avons reçu votre désabonnement de « ${list} » par un ancien e-mail de ${name}. Vous ne recevrez donc plus ces e-mails.`,
        'Si vous ne vouliez pas vous désabonner, ouvrez le lien et confirmez. Vos préférences redeviendront comme avant.',
      ],
      button: 'Me réabonner',
      note: 'Si vous vouliez vous désabonner, vous n’avez rien à faire. Le lien fonctionne pendant 30 jours.',
    }),
    test: (name) => ({
      subject: `Test : un e-mail de ${name}`,
      lines: [
        `Ceci est un test. Les clients de ${name} reçoivent des e-mails comme celui-ci, avec le même expéditeur et la même adresse de réponse.`,
      ],
      button: 'Ouvrir les paramètres du site',
      note: 'Vous l’avez envoyé depuis les paramètres du site.',
    }),
  },
  it: {
    greeting: 'Buongiorno,',
    privacy: 'Informativa sulla privacy',
    imprint: 'Note legali',
    personalLink: (name) => ({
      subject: `Link personale per ${name}`,
      lines: [`ecco il link personale alle preferenze email di ${name}, come richiesto.`],
      button: 'Apri le mie preferenze',
      note: 'Non inoltrare questo link: chi lo riceve può modificare le preferenze. Se la richiesta è di qualcun altro, ignorare questa email. Non è cambiato nulla.',
    }),
    emailChanged: (name, email) => ({
      subject: `Email modificata per ${name}`,
      lines: [
        `l’email per le preferenze di ${name} è stata cambiata in ${email}. Se il cambio è voluto, non serve fare nulla.`,
      ],
      button: 'Annulla la modifica',
      note: 'Se il cambio è opera di qualcun altro, annullare la modifica. Il link funziona per 30 giorni.',
    }),
    confirmResubscribe: (name, lists) => ({
      subject: `Da confermare: email di ${name}`,
      lines: [
        lists.length === 0
          ? `qualcuno ha inserito questa email sulla nostra pagina delle preferenze per ricevere di nuovo le email di ${name}.`
          : `qualcuno ha inserito questa email sulla nostra pagina delle preferenze per ricevere di nuovo queste email di ${name}: ${lists.join(', ')}.`,
        'Se la richiesta è corretta, aprire il link e confermare sulla pagina. Fino ad allora non cambia nulla.',
      ],
      button: 'Ricevi di nuovo le email',
      note: 'Il link funziona per 48 ore. Se la richiesta è di qualcun altro, ignorare questa email. Non cambia nulla.',
    }),
    confirmSubscribe: (name, lists) => ({
      subject: `Confermare l’iscrizione: ${name}`,
      lines: [
        lists.length === 0
          ? `qualcuno ha inserito questa email sulla nostra pagina delle preferenze per ricevere di nuovo le email di ${name}.`
          : `qualcuno ha inserito questa email sulla nostra pagina delle preferenze per ricevere queste email di ${name}: ${lists.join(', ')}.`,
        'Se la richiesta è corretta, aprire il link e confermare sulla pagina. Fino ad allora l’iscrizione non è attiva.',
      ],
      button: 'Conferma l’iscrizione',
      note: 'Il link funziona per 7 giorni. Se la richiesta è di qualcun altro, ignorare questa email. Non verrà attivata nessuna iscrizione.',
    }),
    confirmEmail: (name, email) => ({
      subject: `Da confermare: nuova email per ${name}`,
      lines: [
        `qualcuno ha chiesto di spostare a questa email le preferenze di ${email} per ${name}. Se la richiesta è corretta, aprire il link e confermare sulla pagina. Fino ad allora non cambia nulla.`,
      ],
      button: 'Usa questa email',
      note: 'Il link funziona per 48 ore. Se la richiesta è di qualcun altro, ignorare questa email. Non cambia nulla.',
    }),
    resubscribed: (name, lists) => ({
      subject: `Iscrizione riattivata: email di ${name}`,
      lines: [
        lists.length === 0
          ? `l’iscrizione è di nuovo attiva: le email di ${name} arriveranno di nuovo.`
          : `l’iscrizione alle email di ${name} è di nuovo attiva: ${lists.join(', ')}.`,
        'Se la richiesta è corretta, non serve fare nulla.',
      ],
      button: 'Annulla di nuovo l’iscrizione',
      note: 'Se la richiesta è di qualcun altro, annullare di nuovo l’iscrizione con il pulsante. Il link funziona per 30 giorni.',
    }),
    dataDownload: (name) => ({
      subject: `Da confermare: copia dei dati conservati da ${name}`,
      lines: [
        `qualcuno ha chiesto una copia dei dati che ${name} conserva per questa email. Per riceverla, aprire il link e confermare sulla pagina.`,
      ],
      button: 'Scarica i miei dati',
      note: 'Il link funziona per 24 ore. Se la richiesta è di qualcun altro, ignorare questa email. Nessuno riceve i dati.',
    }),
    dataErasure: (name) => ({
      subject: `Da confermare: cancellazione dei dati conservati da ${name}`,
      lines: [
        `qualcuno ha chiesto di cancellare i dati che ${name} conserva per questa email. Per procedere, aprire il link e confermare sulla pagina. Non si potrà tornare indietro.`,
      ],
      button: 'Cancella i miei dati',
      note: 'Il link funziona per 24 ore. Se la richiesta è di qualcun altro, ignorare questa email. Non viene cancellato nulla.',
    }),
    complaintReceived: (name, { received, due }) => ({
      subject: `Reclamo ricevuto: ${name}`,
      lines: [
        `in data ${received} abbiamo ricevuto un reclamo sull’uso dei dati da parte di ${name}.`,
        `Lo esamineremo e comunicheremo l’esito via email, al più tardi in data ${due}.`,
      ],
      button: null,
      note: 'Se il reclamo è di qualcun altro, ignorare questa email. Le preferenze non sono cambiate.',
    }),
    complaintAnswered: (name, { received, outcome, answer }) => ({
      subject: `Risposta al reclamo: ${name}`,
      lines: [
        `in data ${received} abbiamo ricevuto un reclamo sull’uso dei dati da parte di ${name}. Lo abbiamo esaminato.`,
        {
          upheld: 'Riteniamo che il reclamo sia fondato.',
          partly_upheld: 'Riteniamo che il reclamo sia fondato in parte.',
          not_upheld: 'Riteniamo che il reclamo non sia fondato.',
        }[outcome],
        answer,
      ],
      button: null,
      note: 'Se questa risposta non è soddisfacente, è possibile presentare reclamo all’autorità per la protezione dei dati.',
    }),
    leftByOldEmail: (name, list) => ({
      subject: `Iscrizione annullata: ${list ?? name}`,
      lines: [
        list === null
          ? `l’iscrizione è stata annullata da una precedente email di ${name}, quindi le nostre email non arriveranno più.`
          : `l’iscrizione a «${list}» è stata annullata da una precedente email di ${name}, quindi non arriverà più.`,
        'Se è stato un errore, aprire il link e confermare sulla pagina. Le preferenze tornano com’erano.',
      ],
      button: 'Iscrivimi di nuovo',
      note: 'Se la disiscrizione è voluta, non serve fare nulla. Il link funziona per 30 giorni.',
    }),
    test: (name) => ({
      subject: `Prova: un’email da ${name}`,
      lines: [
        `questa è una prova. I clienti di ${name} ricevono email come questa, con lo stesso mittente e lo stesso indirizzo di risposta.`,
      ],
      button: 'Apri impostazioni del sito',
      note: 'È stata inviata dalle impostazioni del sito.',
    }),
  },
  sl: {
    greeting: 'Pozdravljeni!',
    privacy: 'Politika zasebnosti',
    imprint: 'Pravno obvestilo',
    personalLink: (name) => ({
      subject: `Vaša osebna povezava (${name})`,
      lines: [`To je osebna povezava do vaših e-poštnih nastavitev (${name}), kot ste želeli.`],
      button: 'Odpri moje nastavitve',
      note: 'Povezave ne posredujte naprej: kdor jo ima, lahko spremeni vaše nastavitve. Če je niste zahtevali, prezrite to sporočilo. Nič se ni spremenilo.',
    }),
    emailChanged: (name, email) => ({
      subject: `Vaš e-naslov je spremenjen (${name})`,
      lines: [
        `E-naslov za vaše nastavitve (${name}) je spremenjen v ${email}. Če ste to storili vi, vam ni treba storiti ničesar.`,
      ],
      button: 'Razveljavi spremembo',
      note: 'Če tega niste storili vi, spremembo razveljavite. Povezava velja 30 dni.',
    }),
    confirmResubscribe: (name, lists) => ({
      subject: `Potrdite prejemanje e-pošte (${name})`,
      lines: [
        lists.length === 0
          ? `Nekdo je na naši strani z nastavitvami vnesel vaš e-naslov, da bi znova prejemali našo e-pošto (${name}).`
          : `Nekdo je na naši strani z nastavitvami vnesel vaš e-naslov, da bi znova prejemali to e-pošto (${name}): ${lists.join(', ')}.`,
        'Če ste bili to vi, odprite povezavo in tam potrdite. Do takrat se nič ne spremeni.',
      ],
      button: 'Znova prejemaj e-pošto',
      note: 'Povezava velja 48 ur. Če tega niste zahtevali, prezrite to sporočilo. Nič se ne spremeni.',
    }),
    confirmSubscribe: (name, lists) => ({
      subject: `Potrdite svojo prijavo (${name})`,
      lines: [
        lists.length === 0
          ? `Nekdo je na naši strani z nastavitvami vnesel vaš e-naslov, da bi znova prejemali našo e-pošto (${name}).`
          : `Nekdo je na naši strani z nastavitvami vnesel vaš e-naslov, da bi prejemali to e-pošto (${name}): ${lists.join(', ')}.`,
        'Če ste bili to vi, odprite povezavo in tam potrdite. Do takrat niste prijavljeni.',
      ],
      button: 'Potrdi prijavo',
      note: 'Povezava velja 7 dni. Če tega niste zahtevali, prezrite to sporočilo. Ne bomo vas prijavili.',
    }),
    confirmEmail: (name, email) => ({
      subject: `Potrdite svoj novi e-naslov (${name})`,
      lines: [
        `Nekdo je zahteval, da se nastavitve za ${email} (${name}) prenesejo na ta e-naslov. Če ste bili to vi, odprite povezavo in tam potrdite. Do takrat se nič ne spremeni.`,
      ],
      button: 'Uporabi ta e-naslov',
      note: 'Povezava velja 48 ur. Če tega niste zahtevali, prezrite to sporočilo. Nič se ne spremeni.',
    }),
    resubscribed: (name, lists) => ({
      subject: `Znova boste prejemali e-pošto (${name})`,
      lines: [
        lists.length === 0
          ? `Znova ste prijavljeni in boste prejemali našo e-pošto (${name}).`
          : `Znova ste prijavljeni (${name}): ${lists.join(', ')}.`,
        'Če ste bili to vi, vam ni treba storiti ničesar.',
      ],
      button: 'Znova me odjavi',
      note: 'Če to niste bili vi, se z gumbom znova odjavite. Povezava velja 30 dni.',
    }),
    dataDownload: (name) => ({
      subject: `Potrdite: kopija vaših podatkov (${name})`,
      lines: [
        `Nekdo je zahteval kopijo podatkov, ki jih ${name} hrani o vas. Če jo želite, odprite povezavo in tam potrdite.`,
      ],
      button: 'Prenesi moje podatke',
      note: 'Povezava velja 24 ur. Če tega niste zahtevali, prezrite to sporočilo. Vaših podatkov ne dobi nihče.',
    }),
    dataErasure: (name) => ({
      subject: `Potrdite: izbris vaših podatkov (${name})`,
      lines: [
        `Nekdo je zahteval izbris podatkov, ki jih ${name} hrani o vas. Za nadaljevanje odprite povezavo in tam potrdite. Tega ni mogoče razveljaviti.`,
      ],
      button: 'Izbriši moje podatke',
      note: 'Povezava velja 24 ur. Če tega niste zahtevali, prezrite to sporočilo. Nič ne bo izbrisano.',
    }),
    complaintReceived: (name, { received, due }) => ({
      subject: `Prejeli smo vašo pritožbo (${name})`,
      lines: [
        `Prejeli smo vašo pritožbo glede uporabe vaših podatkov (${name}, ${received}).`,
        `Preučili jo bomo in vam izid sporočili po e-pošti. Skrajni rok: ${due}.`,
      ],
      button: null,
      note: 'Če je niste poslali vi, prezrite to sporočilo. Vaše nastavitve se niso spremenile.',
    }),
    complaintAnswered: (name, { received, outcome, answer }) => ({
      subject: `Odgovor na vašo pritožbo (${name})`,
      lines: [
        `Preučili smo vašo pritožbo glede uporabe vaših podatkov (${name}, ${received}).`,
        {
          upheld: 'Menimo, da je vaša pritožba utemeljena.',
          partly_upheld: 'Menimo, da je vaša pritožba delno utemeljena.',
          not_upheld: 'Menimo, da vaša pritožba ni utemeljena.',
        }[outcome],
        answer,
      ],
      button: null,
      note: 'Če se z odgovorom ne strinjate, se lahko pritožite pri nadzornem organu za varstvo podatkov.',
    }),
    leftByOldEmail: (name, list) => ({
      subject: `Odjavljeni ste (${list ?? name})`,
      lines: [
        list === null
          ? `Odjavili ste se prek enega od prejšnjih sporočil (${name}), zato naše e-pošte ne boste več prejemali.`
          : `Od »${list}« ste se odjavili prek enega od prejšnjih sporočil (${name}), zato tega ne boste več prejemali.`,
        'Če se niste želeli odjaviti, odprite povezavo in tam potrdite. Vaše nastavitve bodo spet take kot prej.',
      ],
      button: 'Znova me prijavi',
      note: 'Če ste se želeli odjaviti, vam ni treba storiti ničesar. Povezava velja 30 dni.',
    }),
    test: (name) => ({
      subject: `Preizkus: e-pošta (${name})`,
      lines: [
        `To je preizkus. Taka sporočila prejmejo stranke (${name}), z istim pošiljateljem in naslovom za odgovore.`,
      ],
      button: 'Odpri nastavitve spletnega mesta',
      note: 'Poslali ste ga iz nastavitev spletnega mesta.',
    }),
  },
  ro: {
    greeting: 'Bună ziua,',
    privacy: 'Politica de confidențialitate',
    imprint: 'Mențiuni legale',
    personalLink: (name) => ({
      subject: `Linkul dumneavoastră personal pentru ${name}`,
      lines: [
        `Acesta este linkul personal către preferințele dumneavoastră de e-mail la ${name}, așa cum ați cerut.`,
      ],
      button: 'Deschide preferințele',
      note: 'Nu redirecționați acest link: oricine îl are vă poate schimba preferințele. Dacă nu l-ați cerut, ignorați acest e-mail. Nu s-a schimbat nimic.',
    }),
    emailChanged: (name, email) => ({
      subject: `Adresa dumneavoastră la ${name} a fost schimbată`,
      lines: [
        `Adresa de e-mail pentru preferințele dumneavoastră la ${name} a fost schimbată în ${email}. Dacă ați schimbat-o dumneavoastră, nu este nimic de făcut.`,
      ],
      button: 'Anulează schimbarea',
      note: 'Dacă nu ați schimbat-o dumneavoastră, anulați schimbarea. Linkul funcționează 30 de zile.',
    }),
    confirmResubscribe: (name, lists) => ({
      subject: `Confirmați: e-mailuri de la ${name}`,
      lines: [
        lists.length === 0
          ? `Cineva a introdus adresa dumneavoastră pe pagina noastră de preferințe ca să primească din nou e-mailuri de la ${name}.`
          : `Cineva a introdus adresa dumneavoastră pe pagina noastră de preferințe ca să primească din nou aceste e-mailuri de la ${name}: ${lists.join(', ')}.`,
        'Dacă ați fost dumneavoastră, deschideți linkul și confirmați acolo. Până atunci nu se schimbă nimic.',
      ],
      button: 'Vreau din nou e-mailuri',
      note: 'Linkul funcționează 48 de ore. Dacă nu ați cerut acest lucru, ignorați acest e-mail. Nu se schimbă nimic.',
    }),
    confirmSubscribe: (name, lists) => ({
      subject: `Confirmați abonarea: ${name}`,
      lines: [
        lists.length === 0
          ? `Cineva a introdus adresa dumneavoastră pe pagina noastră de preferințe ca să primească din nou e-mailuri de la ${name}.`
          : `Cineva a introdus adresa dumneavoastră pe pagina noastră de preferințe ca să primească aceste e-mailuri de la ${name}: ${lists.join(', ')}.`,
        'Dacă ați fost dumneavoastră, deschideți linkul și confirmați acolo. Până atunci nu sunteți abonat.',
      ],
      button: 'Confirm abonarea',
      note: 'Linkul funcționează 7 zile. Dacă nu ați cerut acest lucru, ignorați acest e-mail. Nu veți fi abonat.',
    }),
    confirmEmail: (name, email) => ({
      subject: `Confirmați adresa nouă la ${name}`,
      lines: [
        `Cineva a cerut mutarea preferințelor pentru ${email} la ${name} pe această adresă. Dacă ați fost dumneavoastră, deschideți linkul și confirmați acolo. Până atunci nu se schimbă nimic.`,
      ],
      button: 'Folosește această adresă',
      note: 'Linkul funcționează 48 de ore. Dacă nu ați cerut acest lucru, ignorați acest e-mail. Nu se schimbă nimic.',
    }),
    resubscribed: (name, lists) => ({
      subject: `Veți primi din nou e-mailuri de la ${name}`,
      lines: [
        lists.length === 0
          ? `V-ați abonat din nou și veți primi e-mailuri de la ${name}.`
          : `V-ați abonat din nou la ${name}: ${lists.join(', ')}.`,
        'Dacă ați fost dumneavoastră, nu este nimic de făcut.',
      ],
      button: 'Dezabonează-mă din nou',
      note: 'Dacă nu ați fost dumneavoastră, dezabonați-vă din nou cu butonul. Linkul funcționează 30 de zile.',
    }),
    dataDownload: (name) => ({
      subject: `Confirmați: o copie a datelor dumneavoastră la ${name}`,
      lines: [
        `Cineva a cerut o copie a datelor pe care ${name} le păstrează despre dumneavoastră. Ca să o primiți, deschideți linkul și confirmați acolo.`,
      ],
      button: 'Obține datele',
      note: 'Linkul funcționează 24 de ore. Dacă nu ați cerut acest lucru, ignorați acest e-mail. Nimeni nu vă primește datele.',
    }),
    dataErasure: (name) => ({
      subject: `Confirmați: ștergerea datelor dumneavoastră la ${name}`,
      lines: [
        `Cineva a cerut ștergerea datelor pe care ${name} le păstrează despre dumneavoastră. Ca să continuați, deschideți linkul și confirmați acolo. Ștergerea nu se poate anula.`,
      ],
      button: 'Șterge-mi datele',
      note: 'Linkul funcționează 24 de ore. Dacă nu ați cerut acest lucru, ignorați acest e-mail. Nu se șterge nimic.',
    }),
    complaintReceived: (name, { received, due }) => ({
      subject: `Am primit plângerea dumneavoastră: ${name}`,
      lines: [
        `Am primit plângerea dumneavoastră din ${received} privind modul în care ${name} vă folosește datele.`,
        `O vom analiza și vă vom comunica rezultatul prin e-mail, cel târziu la data de ${due}.`,
      ],
      button: null,
      note: 'Dacă nu ați trimis-o dumneavoastră, ignorați acest e-mail. Preferințele nu s-au schimbat.',
    }),
    complaintAnswered: (name, { received, outcome, answer }) => ({
      subject: `Răspuns la plângerea dumneavoastră: ${name}`,
      lines: [
        `La data de ${received} ați trimis o plângere privind modul în care ${name} vă folosește datele. Am analizat-o.`,
        {
          upheld: 'Considerăm că plângerea este întemeiată.',
          partly_upheld: 'Considerăm că plângerea este întemeiată în parte.',
          not_upheld: 'Considerăm că plângerea nu este întemeiată.',
        }[outcome],
        answer,
      ],
      button: null,
      note: 'Dacă nu sunteți de acord cu acest răspuns, vă puteți adresa autorității pentru protecția datelor.',
    }),
    leftByOldEmail: (name, list) => ({
      subject: `V-ați dezabonat de la ${list ?? name}`,
      lines: [
        list === null
          ? `V-ați dezabonat printr-un e-mail anterior de la ${name}, așa că nu mai primiți e-mailurile noastre.`
          : `V-ați dezabonat de la „${list}” printr-un e-mail anterior de la ${name}, așa că nu mai primiți aceste e-mailuri.`,
        'Dacă nu doreați să vă dezabonați, deschideți linkul și confirmați acolo. Preferințele revin la cum erau.',
      ],
      button: 'Abonează-mă din nou',
      note: 'Dacă doreați să vă dezabonați, nu este nimic de făcut. Linkul funcționează 30 de zile.',
    }),
    test: (name) => ({
      subject: `Test: un e-mail de la ${name}`,
      lines: [
        `Acesta este un test. Clienții ${name} primesc e-mailuri ca acesta, cu același expeditor și aceeași adresă de răspuns.`,
      ],
      button: 'Deschide setările site-ului',
      note: 'L-ați trimis din setările site-ului.',
    }),
  },
  pl: {
    greeting: 'Dzień dobry,',
    privacy: 'Polityka prywatności',
    imprint: 'Nota prawna',
    personalLink: (name) => ({
      subject: `Link osobisty (${name})`,
      lines: [`oto link osobisty do preferencji e-mail w ${name}, zgodnie z prośbą.`],
      button: 'Otwórz moje preferencje',
      note: 'Nie przekazuj tego linku dalej: każdy, kto go ma, może zmienić te preferencje. Jeśli poprosił o to ktoś inny, zignoruj tę wiadomość. Nic się nie zmieniło.',
    }),
    emailChanged: (name, email) => ({
      subject: `Zmieniono adres e-mail (${name})`,
      lines: [
        `adres e-mail preferencji w ${name} zmieniono na ${email}. Jeśli ta zmiana jest zamierzona, nie trzeba nic robić.`,
      ],
      button: 'Cofnij zmianę',
      note: 'Jeśli to pomyłka lub ktoś inny zmienił adres, cofnij zmianę. Link działa przez 30 dni.',
    }),
    confirmResubscribe: (name, lists) => ({
      subject: `Do potwierdzenia: wiadomości od ${name}`,
      lines: [
        lists.length === 0
          ? `na naszej stronie preferencji podano ten adres, aby znów otrzymywać wiadomości od ${name}.`
          : `na naszej stronie preferencji podano ten adres, aby znów otrzymywać te wiadomości od ${name}: ${lists.join(', ')}.`,
        'Jeśli wszystko się zgadza, otwórz link i potwierdź na stronie. Do tego czasu nic się nie zmieni.',
      ],
      button: 'Chcę znów otrzymywać wiadomości',
      note: 'Link działa przez 48 godzin. Jeśli poprosił o to ktoś inny, zignoruj tę wiadomość. Nic się nie zmieni.',
    }),
    confirmSubscribe: (name, lists) => ({
      subject: `Do potwierdzenia: subskrypcja (${name})`,
      lines: [
        lists.length === 0
          ? `na naszej stronie preferencji podano ten adres, aby znów otrzymywać wiadomości od ${name}.`
          : `na naszej stronie preferencji podano ten adres, aby otrzymywać te wiadomości od ${name}: ${lists.join(', ')}.`,
        'Jeśli wszystko się zgadza, otwórz link i potwierdź na stronie. Do tego czasu subskrypcja nie jest aktywna.',
      ],
      button: 'Potwierdzam subskrypcję',
      note: 'Link działa przez 7 dni. Jeśli poprosił o to ktoś inny, zignoruj tę wiadomość. Subskrypcja nie zostanie włączona.',
    }),
    confirmEmail: (name, email) => ({
      subject: `Do potwierdzenia: nowy adres e-mail (${name})`,
      lines: [
        `poproszono nas o przeniesienie preferencji adresu ${email} w ${name} na ten adres. Jeśli wszystko się zgadza, otwórz link i potwierdź na stronie. Do tego czasu nic się nie zmieni.`,
      ],
      button: 'Użyj tego adresu',
      note: 'Link działa przez 48 godzin. Jeśli poprosił o to ktoś inny, zignoruj tę wiadomość. Nic się nie zmieni.',
    }),
    resubscribed: (name, lists) => ({
      subject: `Znów zapisano na wiadomości od ${name}`,
      lines: [
        lists.length === 0
          ? `ten adres jest ponownie zapisany i będzie otrzymywać wiadomości od ${name}.`
          : `ten adres jest ponownie zapisany w ${name}: ${lists.join(', ')}.`,
        'Jeśli ta zmiana jest zamierzona, nie trzeba nic robić.',
      ],
      button: 'Wypisz się ponownie',
      note: 'Jeśli to pomyłka lub zrobił to ktoś inny, wypisz się ponownie przyciskiem. Link działa przez 30 dni.',
    }),
    dataDownload: (name) => ({
      subject: `Do potwierdzenia: kopia danych z ${name}`,
      lines: [
        `poproszono nas o kopię danych, które ${name} przechowuje dla tego adresu. Aby ją otrzymać, otwórz link i potwierdź na stronie.`,
      ],
      button: 'Pobierz moje dane',
      note: 'Link działa przez 24 godziny. Jeśli poprosił o to ktoś inny, zignoruj tę wiadomość. Nikt nie otrzyma tych danych.',
    }),
    dataErasure: (name) => ({
      subject: `Do potwierdzenia: usunięcie danych z ${name}`,
      lines: [
        `poproszono nas o usunięcie danych, które ${name} przechowuje dla tego adresu. Aby kontynuować, otwórz link i potwierdź na stronie. Nie można tego cofnąć.`,
      ],
      button: 'Usuń moje dane',
      note: 'Link działa przez 24 godziny. Jeśli poprosił o to ktoś inny, zignoruj tę wiadomość. Nic nie zostanie usunięte.',
    }),
    complaintReceived: (name, { received, due }) => ({
      subject: `Otrzymaliśmy skargę: ${name}`,
      lines: [
        `otrzymaliśmy skargę z dnia ${received} dotyczącą wykorzystywania danych przez ${name}.`,
        `Rozpatrzymy ją i prześlemy wynik e-mailem, najpóźniej ${due}.`,
      ],
      button: null,
      note: 'Jeśli skargę wysłał ktoś inny, zignoruj tę wiadomość. Ustawienia się nie zmieniły.',
    }),
    complaintAnswered: (name, { received, outcome, answer }) => ({
      subject: `Odpowiedź na skargę: ${name}`,
      lines: [
        `rozpatrzyliśmy skargę z dnia ${received} dotyczącą wykorzystywania danych przez ${name}.`,
        {
          upheld: 'Uważamy, że skarga jest zasadna.',
          partly_upheld: 'Uważamy, że skarga jest częściowo zasadna.',
          not_upheld: 'Uważamy, że skarga nie jest zasadna.',
        }[outcome],
        answer,
      ],
      button: null,
      note: 'Jeśli odpowiedź nie jest zadowalająca, można złożyć skargę do organu ochrony danych.',
    }),
    leftByOldEmail: (name, list) => ({
      subject: `Wypisano: ${list ?? name}`,
      lines: [
        list === null
          ? `wypisano ten adres za pośrednictwem wcześniejszej wiadomości od ${name}, więc nie będziemy już wysyłać wiadomości.`
          : `wypisano ten adres z „${list}” za pośrednictwem wcześniejszej wiadomości od ${name}, więc nie będziemy już tego wysyłać.`,
        'Jeśli to pomyłka, otwórz link i potwierdź na stronie. Preferencje będą takie jak wcześniej.',
      ],
      button: 'Zapisz mnie ponownie',
      note: 'Jeśli wypisanie jest zamierzone, nie trzeba nic robić. Link działa przez 30 dni.',
    }),
    test: (name) => ({
      subject: `Test: e-mail od ${name}`,
      lines: [
        `to jest test. Klienci ${name} otrzymują takie wiadomości, z tym samym nadawcą i adresem do odpowiedzi.`,
      ],
      button: 'Otwórz ustawienia witryny',
      note: 'Tę wiadomość wysłano z ustawień witryny.',
    }),
  },
};

import type { Language } from '#contract/fields.ts';

/** What is said in one mail. `lines` stand below the greeting, `note` below the button. */
export interface MailWords {
  subject: string;
  lines: string[];
  button: string;
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
  /** Goes to the new address. @param email the present address, masked */
  confirmEmail: (name: string, email: string) => MailWords;
  /** @param lists what is received again; empty: everything that was chosen before */
  resubscribed: (name: string, lists: readonly string[]) => MailWords;
  dataDownload: (name: string) => MailWords;
  dataErasure: (name: string) => MailWords;
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
      lines: [
        `Here's your personal link to your email preferences at ${name}, as requested on our preference page.`,
      ],
      button: 'Open my preferences',
      note: "Don't forward this link: anyone who has it can change your preferences. If you didn't ask for it, ignore this email. Nothing has changed.",
    }),
    emailChanged: (name, email) => ({
      subject: `Your email at ${name} was changed`,
      lines: [
        `The email for your preferences at ${name} was changed to ${email}. If that was you, there's nothing to do.`,
      ],
      button: 'Undo the change',
      note: "If it wasn't you, undo the change. The link works for 30 days.",
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
      note: "The link works for 48 hours. If you didn't ask for this, ignore this email. Nothing changes.",
    }),
    confirmEmail: (name, email) => ({
      subject: `Confirm your new email at ${name}`,
      lines: [
        `Someone asked to move the preferences of ${email} at ${name} to this email. If that was you, open the link and confirm there. Nothing changes until then.`,
      ],
      button: 'Use this email',
      note: "The link works for 48 hours. If you didn't ask for this, ignore this email. Nothing changes.",
    }),
    resubscribed: (name, lists) => ({
      subject: `You'll receive emails from ${name} again`,
      lines: [
        lists.length === 0
          ? `You're subscribed again and will receive emails from ${name}.`
          : `You're subscribed again at ${name}: ${lists.join(', ')}.`,
        "If that was you, there's nothing to do.",
      ],
      button: 'Unsubscribe again',
      note: "If it wasn't you, unsubscribe again with the button. The link works for 30 days.",
    }),
    dataDownload: (name) => ({
      subject: `Confirm: a copy of your data at ${name}`,
      lines: [
        `Someone asked for a copy of the data that ${name} stores about you. To get it, open the link and confirm there.`,
      ],
      button: 'Get my data',
      note: "The link works for 24 hours. If you didn't ask for this, ignore this email. No one gets your data.",
    }),
    dataErasure: (name) => ({
      subject: `Confirm: erase your data at ${name}`,
      lines: [
        `Someone asked us to erase the data that ${name} stores about you. To go ahead, open the link and confirm there. You can't undo this.`,
      ],
      button: 'Erase my data',
      note: "The link works for 24 hours. If you didn't ask for this, ignore this email. Nothing is erased.",
    }),
    leftByOldEmail: (name, list) => ({
      subject: `You're unsubscribed from ${list ?? name}`,
      lines: [
        list === null
          ? `You unsubscribed through an earlier email from ${name}, so you won't receive our emails anymore.`
          : `You unsubscribed from “${list}” through an earlier email from ${name}, so you won't receive it anymore.`,
        "If you didn't mean to unsubscribe, open the link and confirm there. Your preferences go back to how they were.",
      ],
      button: 'Subscribe again',
      note: "If you meant to unsubscribe, there's nothing to do. The link works for 30 days.",
    }),
    test: (name) => ({
      subject: `Test: an email from ${name}`,
      lines: [
        `This is a test. Customers of ${name} get emails like this one, with the same sender and reply address.`,
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
      lines: [
        `Este es el enlace personal a sus preferencias de correo en ${name}, solicitado en nuestra página de preferencias.`,
      ],
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
      lines: [
        `hier ist der persönliche Link zu Ihren E-Mail-Einstellungen bei ${name}. Er wurde auf unserer Einstellungsseite angefordert.`,
      ],
      button: 'Meine Einstellungen öffnen',
      note: 'Der Link ist nur für Sie bestimmt: Wer ihn hat, kann Ihre Einstellungen ändern. Bitte leiten Sie ihn nicht weiter. Falls Sie ihn nicht angefordert haben, können Sie diese E-Mail ignorieren; es hat sich nichts geändert.',
    }),
    emailChanged: (name, email) => ({
      subject: `Ihre Adresse bei ${name} wurde geändert`,
      lines: [
        `die E-Mail-Adresse für Ihre Einstellungen bei ${name} wurde in ${email} geändert. Wenn Sie das selbst waren, müssen Sie nichts tun.`,
      ],
      button: 'Änderung rückgängig machen',
      note: 'Wenn Sie das nicht waren, machen Sie die Änderung bitte rückgängig. Der Link gilt 30 Tage.',
    }),
    confirmResubscribe: (name, lists) => ({
      subject: `Bitte bestätigen: E-Mails von ${name}`,
      lines: [
        lists.length === 0
          ? `auf unserer Einstellungsseite wurde diese Adresse eingegeben, um wieder E-Mails von ${name} zu erhalten.`
          : `auf unserer Einstellungsseite wurde diese Adresse eingegeben, um diese E-Mails von ${name} wieder zu erhalten: ${lists.join(', ')}.`,
        'Wenn Sie das waren, öffnen Sie den Link und bestätigen Sie dort. Bis dahin ändert sich nichts.',
      ],
      button: 'Wieder E-Mails erhalten',
      note: 'Der Link gilt 48 Stunden. Falls Sie das nicht angefordert haben, können Sie diese E-Mail ignorieren; es ändert sich nichts.',
    }),
    confirmEmail: (name, email) => ({
      subject: `Bitte bestätigen Sie Ihre neue Adresse bei ${name}`,
      lines: [
        `diese Adresse wurde als neue Adresse für die E-Mail-Einstellungen von ${email} bei ${name} eingegeben. Wenn Sie das waren, öffnen Sie den Link und bestätigen Sie dort. Bis dahin ändert sich nichts.`,
      ],
      button: 'Diese Adresse verwenden',
      note: 'Der Link gilt 48 Stunden. Falls Sie das nicht angefordert haben, können Sie diese E-Mail ignorieren; es ändert sich nichts.',
    }),
    resubscribed: (name, lists) => ({
      subject: `Sie erhalten wieder E-Mails von ${name}`,
      lines: [
        lists.length === 0
          ? `Ihre Adresse wurde wieder angemeldet: Ab jetzt erhalten Sie E-Mails von ${name}.`
          : `Ihre Adresse wurde bei ${name} wieder angemeldet: ${lists.join(', ')}.`,
        'Wenn Sie das selbst waren, müssen Sie nichts tun.',
      ],
      button: 'Wieder abmelden',
      note: 'Wenn Sie das nicht waren, melden Sie sich bitte mit der Schaltfläche wieder ab. Der Link gilt 30 Tage.',
    }),
    dataDownload: (name) => ({
      subject: `Bitte bestätigen: Kopie Ihrer Daten bei ${name}`,
      lines: [
        `es wurde eine Kopie der Daten angefordert, die bei ${name} zu dieser Adresse gespeichert sind. Um sie zu erhalten, öffnen Sie den Link und bestätigen Sie dort.`,
      ],
      button: 'Meine Daten erhalten',
      note: 'Der Link gilt 24 Stunden. Falls Sie das nicht angefordert haben, können Sie diese E-Mail ignorieren; niemand erhält etwas.',
    }),
    dataErasure: (name) => ({
      subject: `Bitte bestätigen: Ihre Daten bei ${name} löschen`,
      lines: [
        `es wurde verlangt, alles zu löschen, was bei ${name} zu dieser Adresse gespeichert ist. Öffnen Sie dafür den Link und bestätigen Sie dort. Das lässt sich nicht rückgängig machen.`,
      ],
      button: 'Meine Daten löschen',
      note: 'Der Link gilt 24 Stunden. Falls Sie das nicht verlangt haben, können Sie diese E-Mail ignorieren; es wird nichts gelöscht.',
    }),
    leftByOldEmail: (name, list) => ({
      subject: `Sie sind von ${list ?? name} abgemeldet`,
      lines: [
        list === null
          ? `uns hat über eine frühere E-Mail von ${name} eine Abmeldung erreicht. Sie erhalten unsere E-Mails deshalb nicht mehr.`
          : `uns hat über eine frühere E-Mail von ${name} eine Abmeldung von „${list}“ erreicht. Sie erhalten es deshalb nicht mehr.`,
        'Wenn Sie sich nicht abmelden wollten, öffnen Sie den Link und bestätigen Sie dort: Alles wird wieder so, wie es vorher war.',
      ],
      button: 'Wieder anmelden',
      note: 'Wenn Sie sich abmelden wollten, müssen Sie nichts tun. Der Link gilt 30 Tage.',
    }),
    test: (name) => ({
      subject: `Test: eine E-Mail von ${name}`,
      lines: [
        `Das ist ein Test: eine E-Mail, wie sie die Kunden von ${name} erhalten, mit demselben Absender und derselben Antwortadresse.`,
      ],
      button: 'Site-Einstellungen öffnen',
      note: 'Sie haben sie in den Site-Einstellungen angefordert.',
    }),
  },
  fr: {
    greeting: 'Bonjour,',
    privacy: 'Politique de confidentialité',
    imprint: 'Mentions légales',
    personalLink: (name) => ({
      subject: `Votre lien personnel pour ${name}`,
      lines: [
        `Voici le lien personnel vers vos préférences e-mail chez ${name}. Il a été demandé sur notre page de préférences.`,
      ],
      button: 'Ouvrir mes préférences',
      note: 'Ce lien est strictement personnel : toute personne qui le détient peut modifier vos préférences. Merci de ne pas le transférer. Si vous ne l’avez pas demandé, ignorez cet e-mail ; rien n’a changé.',
    }),
    emailChanged: (name, email) => ({
      subject: `Votre adresse chez ${name} a été modifiée`,
      lines: [
        `L’adresse e-mail de vos préférences chez ${name} est désormais ${email}. Si ce changement vient de vous, vous n’avez rien à faire.`,
      ],
      button: 'Annuler la modification',
      note: 'Si ce changement ne vient pas de vous, annulez-le. Le lien est valable 30 jours.',
    }),
    confirmResubscribe: (name, lists) => ({
      subject: `À confirmer : e-mails de ${name}`,
      lines: [
        lists.length === 0
          ? `Sur notre page de préférences, cette adresse a été saisie pour recevoir à nouveau des e-mails de ${name}.`
          : `Sur notre page de préférences, cette adresse a été saisie pour recevoir à nouveau ces e-mails de ${name} : ${lists.join(', ')}.`,
        'Si c’était vous, ouvrez le lien et confirmez sur la page. D’ici là, rien ne change.',
      ],
      button: 'Recevoir à nouveau les e-mails',
      note: 'Le lien est valable 48 heures. Si vous n’avez rien demandé, vous pouvez ignorer cet e-mail ; rien ne changera.',
    }),
    confirmEmail: (name, email) => ({
      subject: `À confirmer : votre nouvelle adresse chez ${name}`,
      lines: [
        `Cette adresse a été saisie comme nouvelle adresse pour les préférences e-mail de ${email} chez ${name}. Si c’était vous, ouvrez le lien et confirmez sur la page. D’ici là, rien ne change.`,
      ],
      button: 'Utiliser cette adresse',
      note: 'Le lien est valable 48 heures. Si vous n’avez rien demandé, vous pouvez ignorer cet e-mail ; rien ne changera.',
    }),
    resubscribed: (name, lists) => ({
      subject: `Vous recevrez à nouveau des e-mails de ${name}`,
      lines: [
        lists.length === 0
          ? `Votre adresse a été réinscrite : vous recevrez désormais des e-mails de ${name}.`
          : `Votre adresse a été réinscrite chez ${name} : ${lists.join(', ')}.`,
        'Si c’était vous, vous n’avez rien à faire.',
      ],
      button: 'Me désinscrire à nouveau',
      note: 'Si ce n’était pas vous, désinscrivez-vous à nouveau avec le bouton. Le lien est valable 30 jours.',
    }),
    dataDownload: (name) => ({
      subject: `À confirmer : copie de vos données chez ${name}`,
      lines: [
        `Une copie des données que ${name} conserve au sujet de cette adresse a été demandée. Pour l’obtenir, ouvrez le lien et confirmez sur la page.`,
      ],
      button: 'Obtenir mes données',
      note: 'Le lien est valable 24 heures. Si vous n’avez rien demandé, ignorez cet e-mail ; rien ne sera transmis.',
    }),
    dataErasure: (name) => ({
      subject: `À confirmer : effacement de vos données chez ${name}`,
      lines: [
        `L’effacement de tout ce que ${name} conserve au sujet de cette adresse a été demandé. Pour continuer, ouvrez le lien et confirmez sur la page. Cette action est irréversible.`,
      ],
      button: 'Effacer mes données',
      note: 'Le lien est valable 24 heures. Si vous n’avez rien demandé, ignorez cet e-mail ; rien ne sera effacé.',
    }),
    leftByOldEmail: (name, list) => ({
      subject: `Désinscription de ${list ?? name}`,
      lines: [
        list === null
          ? `Une demande de désinscription nous est parvenue par un e-mail antérieur de ${name} ; vous ne recevez donc plus nos e-mails.`
          : `Une demande de désinscription de « ${list} » nous est parvenue par un e-mail antérieur de ${name} ; vous ne recevez donc plus ces e-mails.`,
        'Si vous ne souhaitiez pas vous désinscrire, ouvrez le lien et confirmez sur la page : tout sera comme avant.',
      ],
      button: 'M’abonner de nouveau',
      note: 'Si vous souhaitiez vous désinscrire, vous n’avez rien à faire. Le lien est valable 30 jours.',
    }),
    test: (name) => ({
      subject: `Test : un e-mail de ${name}`,
      lines: [
        `Ceci est un test : un e-mail tel que les clients de ${name} le reçoivent, avec le même expéditeur et la même adresse de réponse.`,
      ],
      button: 'Ouvrir les réglages du site',
      note: 'Vous l’avez demandé dans les réglages du site.',
    }),
  },
  it: {
    greeting: 'Buongiorno,',
    privacy: 'Informativa sulla privacy',
    imprint: 'Note legali',
    personalLink: (name) => ({
      subject: `Il suo link personale per ${name}`,
      lines: [
        `ecco il link personale alle sue preferenze e-mail di ${name}. È stato richiesto sulla nostra pagina delle preferenze.`,
      ],
      button: 'Apri le mie preferenze',
      note: 'Il link è solo per lei: chiunque lo abbia può modificare le sue preferenze, quindi la preghiamo di non inoltrarlo. Se non lo ha richiesto, può ignorare questa e-mail; non è cambiato nulla.',
    }),
    emailChanged: (name, email) => ({
      subject: `Il suo indirizzo per ${name} è stato modificato`,
      lines: [
        `l’indirizzo e-mail delle sue preferenze di ${name} è stato cambiato in ${email}. Se è stato lei, non deve fare nulla.`,
      ],
      button: 'Annulla la modifica',
      note: 'Se non è stato lei, annulli la modifica. Il link è valido per 30 giorni.',
    }),
    confirmResubscribe: (name, lists) => ({
      subject: `Da confermare: e-mail di ${name}`,
      lines: [
        lists.length === 0
          ? `sulla nostra pagina delle preferenze è stato inserito questo indirizzo per ricevere di nuovo le e-mail di ${name}.`
          : `sulla nostra pagina delle preferenze è stato inserito questo indirizzo per ricevere di nuovo queste e-mail di ${name}: ${lists.join(', ')}.`,
        'Se è stato lei, apra il link e confermi sulla pagina. Fino ad allora non cambia nulla.',
      ],
      button: 'Ricevere di nuovo le e-mail',
      note: 'Il link vale 48 ore. Se non l’ha richiesto lei, può ignorare questa e-mail; non cambierà nulla.',
    }),
    confirmEmail: (name, email) => ({
      subject: `Da confermare: il suo nuovo indirizzo presso ${name}`,
      lines: [
        `questo indirizzo è stato inserito come nuovo indirizzo per le preferenze e-mail di ${email} presso ${name}. Se è stato lei, apra il link e confermi sulla pagina. Fino ad allora non cambia nulla.`,
      ],
      button: 'Usare questo indirizzo',
      note: 'Il link vale 48 ore. Se non l’ha richiesto lei, può ignorare questa e-mail; non cambierà nulla.',
    }),
    resubscribed: (name, lists) => ({
      subject: `Riceverà di nuovo le e-mail di ${name}`,
      lines: [
        lists.length === 0
          ? `il suo indirizzo è stato iscritto di nuovo: da ora riceverà le e-mail di ${name}.`
          : `il suo indirizzo è stato iscritto di nuovo presso ${name}: ${lists.join(', ')}.`,
        'Se è stato lei, non deve fare nulla.',
      ],
      button: 'Disiscrivimi di nuovo',
      note: 'Se non è stato lei, si disiscriva di nuovo con il pulsante. Il link vale 30 giorni.',
    }),
    dataDownload: (name) => ({
      subject: `Da confermare: copia dei suoi dati presso ${name}`,
      lines: [
        `è stata richiesta una copia dei dati che ${name} conserva su questo indirizzo. Per ottenerla, apra il link e confermi sulla pagina.`,
      ],
      button: 'Ottieni i miei dati',
      note: 'Il link è valido per 24 ore. Se non l’ha richiesta, può ignorare questa e-mail; nessuno riceverà nulla.',
    }),
    dataErasure: (name) => ({
      subject: `Da confermare: cancellazione dei suoi dati presso ${name}`,
      lines: [
        `è stata richiesta la cancellazione di tutto ciò che ${name} conserva su questo indirizzo. Per procedere, apra il link e confermi sulla pagina. L’operazione non si può annullare.`,
      ],
      button: 'Cancella i miei dati',
      note: 'Il link è valido per 24 ore. Se non l’ha richiesta, può ignorare questa e-mail; non verrà cancellato nulla.',
    }),
    leftByOldEmail: (name, list) => ({
      subject: `Disiscrizione da ${list ?? name}`,
      lines: [
        list === null
          ? `ci è arrivata una richiesta di disiscrizione tramite una precedente e-mail di ${name}, perciò non riceve più le nostre e-mail.`
          : `ci è arrivata una richiesta di disiscrizione da «${list}» tramite una precedente e-mail di ${name}, perciò non la riceve più.`,
        'Se non voleva disiscriversi, apra il link e confermi sulla pagina: tutto tornerà com’era prima.',
      ],
      button: 'Iscrivimi di nuovo',
      note: 'Se voleva disiscriversi, non deve fare nulla. Il link vale 30 giorni.',
    }),
    test: (name) => ({
      subject: `Prova: un’e-mail da ${name}`,
      lines: [
        `Questa è una prova: un’e-mail come la ricevono i clienti di ${name}, con lo stesso mittente e lo stesso indirizzo di risposta.`,
      ],
      button: 'Apri le impostazioni del sito',
      note: 'L’ha richiesta nelle impostazioni del sito.',
    }),
  },
  sl: {
    greeting: 'Pozdravljeni!',
    privacy: 'Politika zasebnosti',
    imprint: 'Pravno obvestilo',
    personalLink: (name) => ({
      subject: `Vaša osebna povezava (${name})`,
      lines: [
        `To je osebna povezava do vaših e-poštnih nastavitev (${name}). Zahtevana je bila na naši strani z nastavitvami.`,
      ],
      button: 'Odpri moje nastavitve',
      note: 'Povezava je namenjena samo vam: kdor jo ima, lahko spremeni vaše nastavitve, zato je, prosimo, ne posredujte naprej. Če je niste zahtevali, lahko to sporočilo prezrete; nič se ni spremenilo.',
    }),
    emailChanged: (name, email) => ({
      subject: `Vaš naslov je bil spremenjen (${name})`,
      lines: [
        `E-poštni naslov za vaše nastavitve (${name}) je bil spremenjen v ${email}. Če ste to storili vi, vam ni treba storiti ničesar.`,
      ],
      button: 'Razveljavi spremembo',
      note: 'Če tega niste storili vi, spremembo razveljavite. Povezava velja 30 dni.',
    }),
    confirmResubscribe: (name, lists) => ({
      subject: `Potrdite: sporočila (${name})`,
      lines: [
        lists.length === 0
          ? `Na naši strani z nastavitvami je bil vpisan ta naslov, da bi znova prejemal sporočila (${name}).`
          : `Na naši strani z nastavitvami je bil vpisan ta naslov, da bi znova prejemal ta sporočila (${name}): ${lists.join(', ')}.`,
        'Če ste bili to vi, odprite povezavo in tam pritisnite gumb. Do takrat se nič ne spremeni.',
      ],
      button: 'Znova prejemaj sporočila',
      note: 'Povezava velja 48 ur. Če tega niste zahtevali, lahko to sporočilo prezrete; nič se ne bo spremenilo.',
    }),
    confirmEmail: (name, email) => ({
      subject: `Potrdite svoj novi naslov (${name})`,
      lines: [
        `Ta naslov je bil vpisan kot novi naslov za nastavitve sporočil osebe ${email} (${name}). Če ste bili to vi, odprite povezavo in tam pritisnite gumb. Do takrat se nič ne spremeni.`,
      ],
      button: 'Uporabi ta naslov',
      note: 'Povezava velja 48 ur. Če tega niste zahtevali, lahko to sporočilo prezrete; nič se ne bo spremenilo.',
    }),
    resubscribed: (name, lists) => ({
      subject: `Znova boste prejemali sporočila (${name})`,
      lines: [
        lists.length === 0
          ? `Vaš naslov je bil znova prijavljen: odslej boste prejemali sporočila (${name}).`
          : `Vaš naslov je bil znova prijavljen (${name}): ${lists.join(', ')}.`,
        'Če ste bili to vi, vam ni treba storiti ničesar.',
      ],
      button: 'Znova me odjavi',
      note: 'Če to niste bili vi, se z gumbom znova odjavite. Povezava velja 30 dni.',
    }),
    dataDownload: (name) => ({
      subject: `Potrdite: kopija vaših podatkov (${name})`,
      lines: [
        `Zahtevana je bila kopija podatkov, ki jih ${name} hrani o tem naslovu. Če jo želite, odprite povezavo in tam pritisnite gumb.`,
      ],
      button: 'Pridobi moje podatke',
      note: 'Povezava velja 24 ur. Če tega niste zahtevali, lahko to sporočilo prezrete; nihče ne bo prejel ničesar.',
    }),
    dataErasure: (name) => ({
      subject: `Potrdite: izbris vaših podatkov (${name})`,
      lines: [
        `Zahtevan je bil izbris vsega, kar ${name} hrani o tem naslovu. Za nadaljevanje odprite povezavo in tam pritisnite gumb. Tega ni mogoče razveljaviti.`,
      ],
      button: 'Izbriši moje podatke',
      note: 'Povezava velja 24 ur. Če tega niste zahtevali, lahko to sporočilo prezrete; nič ne bo izbrisano.',
    }),
    leftByOldEmail: (name, list) => ({
      subject: `Odjavljeni ste (${list ?? name})`,
      lines: [
        list === null
          ? `Prek prejšnjega sporočila (${name}) smo prejeli zahtevo za odjavo, zato naših sporočil ne prejemate več.`
          : `Prek prejšnjega sporočila (${name}) smo prejeli zahtevo za odjavo od »${list}«, zato ga ne prejemate več.`,
        'Če se niste želeli odjaviti, odprite povezavo in tam pritisnite gumb: vse bo tako, kot je bilo prej.',
      ],
      button: 'Znova me prijavi',
      note: 'Če ste se želeli odjaviti, vam ni treba storiti ničesar. Povezava velja 30 dni.',
    }),
    test: (name) => ({
      subject: `Preizkus: e-pošta od ${name}`,
      lines: [
        `To je preizkus: sporočilo, kakršno prejmejo stranke ${name}, z istim pošiljateljem in istim naslovom za odgovore.`,
      ],
      button: 'Odpri nastavitve spletnega mesta',
      note: 'Zahtevali ste ga v nastavitvah spletnega mesta.',
    }),
  },
  ro: {
    greeting: 'Bună ziua,',
    privacy: 'Politica de confidențialitate',
    imprint: 'Mențiuni legale',
    personalLink: (name) => ({
      subject: `Linkul dumneavoastră personal pentru ${name}`,
      lines: [
        `acesta este linkul personal către preferințele dumneavoastră de e-mail la ${name}. A fost cerut pe pagina noastră de preferințe.`,
      ],
      button: 'Deschide preferințele mele',
      note: 'Linkul este numai pentru dumneavoastră: oricine îl are vă poate schimba preferințele, așa că vă rugăm să nu îl redirecționați. Dacă nu l-ați cerut, puteți ignora acest mesaj; nu s-a schimbat nimic.',
    }),
    emailChanged: (name, email) => ({
      subject: `Adresa dumneavoastră la ${name} a fost schimbată`,
      lines: [
        `adresa de e-mail pentru preferințele dumneavoastră la ${name} a fost schimbată în ${email}. Dacă ați făcut-o dumneavoastră, nu trebuie să faceți nimic.`,
      ],
      button: 'Anulează schimbarea',
      note: 'Dacă nu ați făcut-o dumneavoastră, anulați schimbarea. Linkul este valabil 30 de zile.',
    }),
    confirmResubscribe: (name, lists) => ({
      subject: `Confirmați: e-mailuri de la ${name}`,
      lines: [
        lists.length === 0
          ? `pe pagina noastră de preferințe a fost introdusă această adresă pentru a primi din nou e-mailuri de la ${name}.`
          : `pe pagina noastră de preferințe a fost introdusă această adresă pentru a primi din nou aceste e-mailuri de la ${name}: ${lists.join(', ')}.`,
        'Dacă ați fost dumneavoastră, deschideți linkul și apăsați butonul de acolo. Până atunci nu se schimbă nimic.',
      ],
      button: 'Primește din nou e-mailuri',
      note: 'Linkul este valabil 48 de ore. Dacă nu ați cerut acest lucru, puteți ignora acest e-mail; nu se schimbă nimic.',
    }),
    confirmEmail: (name, email) => ({
      subject: `Confirmați noua dumneavoastră adresă la ${name}`,
      lines: [
        `această adresă a fost introdusă ca adresă nouă pentru preferințele de e-mail ale ${email} la ${name}. Dacă ați fost dumneavoastră, deschideți linkul și apăsați butonul de acolo. Până atunci nu se schimbă nimic.`,
      ],
      button: 'Folosește această adresă',
      note: 'Linkul este valabil 48 de ore. Dacă nu ați cerut acest lucru, puteți ignora acest e-mail; nu se schimbă nimic.',
    }),
    resubscribed: (name, lists) => ({
      subject: `Veți primi din nou e-mailuri de la ${name}`,
      lines: [
        lists.length === 0
          ? `adresa dumneavoastră a fost abonată din nou: de acum veți primi e-mailuri de la ${name}.`
          : `adresa dumneavoastră a fost abonată din nou la ${name}: ${lists.join(', ')}.`,
        'Dacă ați fost dumneavoastră, nu trebuie să faceți nimic.',
      ],
      button: 'Dezabonează-mă din nou',
      note: 'Dacă nu ați fost dumneavoastră, dezabonați-vă din nou cu butonul. Linkul este valabil 30 de zile.',
    }),
    dataDownload: (name) => ({
      subject: `Confirmați: o copie a datelor dumneavoastră la ${name}`,
      lines: [
        `s-a cerut o copie a datelor pe care ${name} le păstrează despre această adresă. Pentru a o primi, deschideți linkul și apăsați butonul de acolo.`,
      ],
      button: 'Obține datele mele',
      note: 'Linkul este valabil 24 de ore. Dacă nu ați cerut acest lucru, puteți ignora mesajul; nimeni nu primește nimic.',
    }),
    dataErasure: (name) => ({
      subject: `Confirmați: ștergerea datelor dumneavoastră la ${name}`,
      lines: [
        `s-a cerut ștergerea a tot ceea ce ${name} păstrează despre această adresă. Pentru a continua, deschideți linkul și apăsați butonul de acolo. Ștergerea nu poate fi anulată.`,
      ],
      button: 'Șterge datele mele',
      note: 'Linkul este valabil 24 de ore. Dacă nu ați cerut acest lucru, puteți ignora mesajul; nu se șterge nimic.',
    }),
    leftByOldEmail: (name, list) => ({
      subject: `V-ați dezabonat de la ${list ?? name}`,
      lines: [
        list === null
          ? `am primit o cerere de dezabonare printr-un e-mail anterior de la ${name}, așa că nu mai primiți e-mailurile noastre.`
          : `am primit o cerere de dezabonare de la „${list}” printr-un e-mail anterior de la ${name}, așa că nu îl mai primiți.`,
        'Dacă nu doreați să vă dezabonați, deschideți linkul și apăsați butonul de acolo: totul va fi ca înainte.',
      ],
      button: 'Abonează-mă din nou',
      note: 'Dacă doreați să vă dezabonați, nu trebuie să faceți nimic. Linkul este valabil 30 de zile.',
    }),
    test: (name) => ({
      subject: `Test: un e-mail de la ${name}`,
      lines: [
        `Acesta este un test: un e-mail așa cum îl primesc clienții ${name}, cu același expeditor și aceeași adresă de răspuns.`,
      ],
      button: 'Deschide setările site-ului',
      note: 'L-ați cerut în setările site-ului.',
    }),
  },
  pl: {
    greeting: 'Dzień dobry,',
    privacy: 'Polityka prywatności',
    imprint: 'Nota prawna',
    personalLink: (name) => ({
      subject: `Państwa osobisty link (${name})`,
      lines: [
        `oto osobisty link do Państwa ustawień e-mail (${name}). Poproszono o niego na naszej stronie ustawień.`,
      ],
      button: 'Otwórz moje ustawienia',
      note: 'Link jest przeznaczony tylko dla Państwa: każdy, kto go ma, może zmienić Państwa ustawienia, dlatego prosimy go nie przekazywać. Jeśli to nie Państwo o niego poprosili, prosimy zignorować tę wiadomość; nic się nie zmieniło.',
    }),
    emailChanged: (name, email) => ({
      subject: `Zmieniono Państwa adres (${name})`,
      lines: [
        `adres e-mail Państwa ustawień (${name}) zmieniono na ${email}. Jeśli to Państwo go zmienili, nie trzeba nic robić.`,
      ],
      button: 'Cofnij zmianę',
      note: 'Jeśli to nie Państwo go zmienili, prosimy cofnąć zmianę. Link działa przez 30 dni.',
    }),
    confirmResubscribe: (name, lists) => ({
      subject: `Prosimy o potwierdzenie: wiadomości (${name})`,
      lines: [
        lists.length === 0
          ? `na naszej stronie preferencji wpisano ten adres, aby ponownie otrzymywać wiadomości (${name}).`
          : `na naszej stronie preferencji wpisano ten adres, aby ponownie otrzymywać te wiadomości (${name}): ${lists.join(', ')}.`,
        'Jeśli to Państwo, prosimy otworzyć link i nacisnąć przycisk na stronie. Do tego czasu nic się nie zmieni.',
      ],
      button: 'Chcę znów otrzymywać wiadomości',
      note: 'Link działa przez 48 godzin. Jeśli to nie Państwo o to prosili, można zignorować tę wiadomość; nic się nie zmieni.',
    }),
    confirmEmail: (name, email) => ({
      subject: `Prosimy o potwierdzenie nowego adresu (${name})`,
      lines: [
        `ten adres wpisano jako nowy adres dla preferencji ${email} (${name}). Jeśli to Państwo, prosimy otworzyć link i nacisnąć przycisk na stronie. Do tego czasu nic się nie zmieni.`,
      ],
      button: 'Użyj tego adresu',
      note: 'Link działa przez 48 godzin. Jeśli to nie Państwo o to prosili, można zignorować tę wiadomość; nic się nie zmieni.',
    }),
    resubscribed: (name, lists) => ({
      subject: `Znów będą Państwo otrzymywać wiadomości (${name})`,
      lines: [
        lists.length === 0
          ? `Państwa adres został ponownie zapisany: od teraz będą Państwo otrzymywać wiadomości (${name}).`
          : `Państwa adres został ponownie zapisany (${name}): ${lists.join(', ')}.`,
        'Jeśli to Państwo, nie trzeba nic robić.',
      ],
      button: 'Zrezygnuj ponownie',
      note: 'Jeśli to nie Państwo, prosimy ponownie zrezygnować za pomocą przycisku. Link działa przez 30 dni.',
    }),
    dataDownload: (name) => ({
      subject: `Prosimy o potwierdzenie: kopia danych (${name})`,
      lines: [
        `poproszono o kopię danych, które ${name} przechowuje na temat tego adresu. Aby ją otrzymać, prosimy otworzyć link i nacisnąć przycisk na stronie.`,
      ],
      button: 'Pobierz moje dane',
      note: 'Link działa przez 24 godziny. Jeśli to nie Państwo o to poprosili, prosimy zignorować tę wiadomość; nikt nic nie otrzyma.',
    }),
    dataErasure: (name) => ({
      subject: `Prosimy o potwierdzenie: usunięcie danych (${name})`,
      lines: [
        `poproszono o usunięcie wszystkiego, co ${name} przechowuje na temat tego adresu. Aby kontynuować, prosimy otworzyć link i nacisnąć przycisk na stronie. Tego nie można cofnąć.`,
      ],
      button: 'Usuń moje dane',
      note: 'Link działa przez 24 godziny. Jeśli to nie Państwo o to poprosili, prosimy zignorować tę wiadomość; nic nie zostanie usunięte.',
    }),
    leftByOldEmail: (name, list) => ({
      subject: `Rezygnacja przyjęta (${list ?? name})`,
      lines: [
        list === null
          ? `za pośrednictwem wcześniejszej wiadomości (${name}) otrzymaliśmy prośbę o rezygnację, dlatego nie otrzymują już Państwo naszych wiadomości.`
          : `za pośrednictwem wcześniejszej wiadomości (${name}) otrzymaliśmy prośbę o rezygnację z „${list}”, dlatego nie otrzymują już Państwo tych wiadomości.`,
        'Jeśli nie chcieli Państwo zrezygnować, prosimy otworzyć link i nacisnąć przycisk na stronie: wszystko będzie tak jak wcześniej.',
      ],
      button: 'Zapisz mnie ponownie',
      note: 'Jeśli chcieli Państwo zrezygnować, nie trzeba nic robić. Link działa przez 30 dni.',
    }),
    test: (name) => ({
      subject: `Test: wiadomość od ${name}`,
      lines: [
        `To jest test: wiadomość taka, jaką otrzymują klienci ${name}, od tego samego nadawcy i z tym samym adresem do odpowiedzi.`,
      ],
      button: 'Otwórz ustawienia witryny',
      note: 'Zamówiono ją w ustawieniach witryny.',
    }),
  },
};

/** How links say that they lead to unsubscribing or to preferences, in the languages that newsletters come in. */
const WORDS = [
  'unsubscrib|opt[ -]?out|preferences|manage (?:your )?(?:subscription|email|notification)|update (?:your )?(?:profile|subscription)',
  'abmeld|abbestell|austragen|abonnement (?:beenden|kündigen)|einstellungen',
  'désabonn|desabonn|désinscri|desinscri|préférences|preferences|ne plus recevoir',
  'darse de baja|darme de baja|cancelar|baja de|desuscri|preferencias',
  'disiscri|disiscriv|cancella|annulla l|preferenze',
  'odjav|nastavitve|prekli',
  'dezabon|preferin',
  'wypisz|wypisa|rezygn|anuluj|preferencj|ustawieni',
  'uitschrij|afmeld|voorkeuren|descadastr|subscrição|preferências|inscrição',
  'avregistr|avprenumer|avanmäl|avsluta|frameld|meld (?:deg |meg )?av|avmeld|preferanser|inställningar',
  'peruuta|peru tilaus|lopeta|asetukset|odhlás|odhlas|leirat|předvolb|nastavení',
  'abonelikten|üyelikten|отпис|відпис|配信停止|購読解除|退订|取消订阅|수신거부|διαγραφ|إلغاء',
].join('|');

const IN_TEXT = new RegExp(WORDS, 'iu');
const IN_URL =
  /unsub|opt-?_?out|prefer|subscri|profile|abmeld|abbestell|desabon|desinscri|desuscri|disiscri|odjav|dezabon|wypis|uitschrij|afmeld|\/u\/|\blist-?manage\b/i;

/** Does a link say that it leads to unsubscribing? */
export function saysUnsubscribe(text: string): boolean {
  return IN_TEXT.test(text.slice(0, 2000).normalize('NFC'));
}

/** Does a URL look like one for unsubscribing? */
export function looksLikeUnsubscribe(url: string): boolean {
  return IN_URL.test(url.slice(0, 2000));
}

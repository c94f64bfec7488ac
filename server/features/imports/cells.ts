/* What cells of people's files say, in the languages of the product. Compared without case and accents. */

const YES = new Set(
  `1 yes y true t on x subscribed subscribe active opt-in opted-in optin
  si verdadero suscrito suscrita activo activa alta
  ja wahr an abonniert angemeldet aktiv
  oui vrai abonne abonnee inscrit inscrite actif active
  vero iscritto iscritta attivo attiva
  da res narocen narocena prijavljen prijavljena aktiven aktivna
  adevarat abonat abonata activ activa
  tak prawda zapisany zapisana subskrybuje aktywny aktywna`.split(/\s+/),
);

const NO = new Set(
  `0 no n false f off unsubscribed unsubscribe inactive opt-out opted-out optout
  falso baja desuscrito desuscrita inactivo inactiva
  nein falsch aus abgemeldet abbestellt inaktiv
  non faux desabonne desabonnee desinscrit desinscrite inactif inactive
  falso disiscritto disiscritta cancellato cancellata inattivo inattiva
  ne neres odjavljen odjavljena neaktiven neaktivna
  nu fals dezabonat dezabonata inactiv
  nie falsz wypisany wypisana nieaktywny nieaktywna`.split(/\s+/),
);

/** Lower case, without accents, one space between words. */
export function plainWords(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll('ł', 'l')
    .replaceAll('ß', 'ss')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Takes back what keeps spreadsheets from reading a cell as a formula. */
export function withoutGuard(cell: string): string {
  return /^'[=+\-@\t\r＝＋－＠]/.test(cell) ? cell.slice(1) : cell;
}

/** null: the cell says nothing. undefined: nobody can tell what it says. */
export function readYesNo(cell: string): boolean | null | undefined {
  const word = plainWords(withoutGuard(cell));
  if (word === '') return null;
  if (YES.has(word)) return true;
  return NO.has(word) ? false : undefined;
}

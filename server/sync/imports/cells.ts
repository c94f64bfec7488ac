/* The words understood in cells, in the product's languages. Compared without case and accents. */

const wordsOf = (text: string) => new Set(text.split(/\s+/));

const YES = wordsOf(`1 yes y true t on x si verdadero ja wahr an oui vrai vero da res adevarat tak prawda`);

const NO = wordsOf(`0 no n false f off falso nein falsch aus non faux ne neres nu fals nie falsz`);

/** Words for a subscribed person: "yes" of a list, "no" of having left. */
const SUBSCRIBED = wordsOf(
  `subscribed subscribe active opt-in opted-in optin
  suscrito suscrita activo activa alta
  abonniert angemeldet aktiv
  abonne abonnee inscrit inscrite actif active
  iscritto iscritta attivo attiva
  narocen narocena prijavljen prijavljena aktiven aktivna
  abonat abonata activ activa
  zapisany zapisana subskrybuje aktywny aktywna`,
);

const UNSUBSCRIBED = wordsOf(
  `unsubscribed unsubscribe inactive opt-out opted-out optout
  baja desuscrito desuscrita inactivo inactiva
  abgemeldet abbestellt inaktiv
  desabonne desabonnee desinscrit desinscrite inactif inactive
  disiscritto disiscritta cancellato cancellata inattivo inattiva
  odjavljen odjavljena neaktiven neaktivna
  dezabonat dezabonata inactiv
  wypisany wypisana nieaktywny nieaktywna`,
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

/** Removes the prefix that keeps spreadsheets from reading a cell as a formula. */
export function withoutGuard(cell: string): string {
  return /^'[=+\-@\t\r＝＋－＠]/.test(cell) ? cell.slice(1) : cell;
}

/** Reads a cell about a list: subscribed? null: empty. undefined: not understood. */
export function readYesNo(cell: string): boolean | null | undefined {
  return read(cell, [YES, SUBSCRIBED], [NO, UNSUBSCRIBED]);
}

/** Reads a cell about having left everything. Like `readYesNo`, but "unsubscribed" means yes. */
export function readHasLeft(cell: string): boolean | null | undefined {
  return read(cell, [YES, UNSUBSCRIBED], [NO, SUBSCRIBED]);
}

type Words = readonly ReadonlySet<string>[];

function read(cell: string, yes: Words, no: Words): boolean | null | undefined {
  const word = plainWords(withoutGuard(cell));
  if (word === '') return null;
  if (yes.some((words) => words.has(word))) return true;
  return no.some((words) => words.has(word)) ? false : undefined;
}

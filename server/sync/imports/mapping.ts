import { email } from '#contract/fields.ts';
import type { ImportMapping, SuggestedMapping } from '#contract/imports.ts';
import type { ListRow } from '#server/audience/lists/lists.ts';
import { invalidField } from '#server/platform/errors.ts';
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

const LEFT_ALL_WORDS = new Set([
  ...['global_unsubscribe', 'global unsubscribe', 'globally unsubscribed', 'unsubscribed', 'opted out'],
  ...['left everything', 'unsubscribed from all', 'unsubscribed from everything', 'do not mail', 'opt-out'],
  ...['dado de baja', 'baja', 'abgemeldet', 'von allem abgemeldet', 'desabonne', 'desinscrit'],
  ...['disiscritto', 'odjavljen', 'dezabonat', 'wypisany'],
]);

/** Guesses the meaning of columns by their names and contents. */
export function suggestMapping(
  columns: readonly string[],
  preview: readonly (readonly string[])[],
  lists: readonly ListRow[],
): SuggestedMapping {
  const names = columns.map((name) => plainWords(withoutGuard(name)));
  const emailAt = emailColumn(names, preview);
  const allAt = names.findIndex((name) => LEFT_ALL_WORDS.has(name));
  const taken = new Set([emailAt, allAt]);
  const found = lists.flatMap((list) => {
    const known = namesOf(list);
    const at = names.findIndex((name, index) => !taken.has(index) && known.has(name));
    taken.add(at);
    const column = columns[at];
    return column === undefined ? [] : [{ column, list_id: list.id }];
  });
  const [emailName, allName] = [columns[emailAt], columns[allAt]];
  return {
    ...(emailName === undefined ? {} : { email: emailName }),
    lists: found,
    ...(allName === undefined ? {} : { all: allName }),
  };
}

function emailColumn(names: readonly string[], preview: readonly (readonly string[])[]): number {
  const byName = names.findIndex((name) => EMAIL_WORDS.has(name));
  if (byName >= 0) return byName;
  return names.findIndex(
    (_, index) =>
      preview.length > 0 &&
      preview.every((fields) => email.safeParse(withoutGuard(fields[index] ?? '')).success),
  );
}

function namesOf(list: ListRow): Set<string> {
  return new Set([list.name, ...list.translations.map(({ name }) => name), list.id].map(plainWords));
}

/** @throws AppError `invalid_field` for a column missing from the file, an unknown list, or a duplicate */
export function requireMapping(
  mapping: ImportMapping,
  columns: readonly string[],
  lists: readonly ListRow[],
): void {
  const requireColumn = (field: string, column: string) => {
    if (!columns.includes(column)) throw invalidField(field, `${field}: the file doesn't have this column.`);
  };
  requireColumn('mapping.email', mapping.email);
  if (mapping.all !== undefined) requireColumn('mapping.all', mapping.all);
  for (const [index, { column, list_id: listId }] of mapping.lists.entries()) {
    const field = `mapping.lists.${index}`;
    requireColumn(`${field}.column`, column);
    if (!lists.some(({ id }) => id === listId)) {
      throw invalidField(`${field}.list_id`, `${field}.list_id: this site doesn't have this list.`);
    }
    if (mapping.lists.findIndex((one) => one.list_id === listId) !== index) {
      throw invalidField(`${field}.list_id`, `${field}.list_id: another column already uses this list.`);
    }
  }
}

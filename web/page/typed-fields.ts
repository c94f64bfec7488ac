type Field = HTMLInputElement;

const fieldsIn = (page: ParentNode) => [...page.querySelectorAll<Field>('input:not([type=hidden]),textarea')];

const isSwitch = ({ type }: Field) => type === 'checkbox';

/** A switch is known by its list. */
const nameOf = (field: Field) => (isSwitch(field) ? field.value : field.name);

/** What somebody has typed, filled in or switched since the server's HTML arrived. */
export function typedFields(page: ParentNode): Field[] {
  return fieldsIn(page).filter((field) =>
    isSwitch(field) ? field.checked !== field.defaultChecked : field.value !== field.defaultValue,
  );
}

/** Enters it again, in a page that was drawn anew. */
export function enterAgain(page: ParentNode, typed: readonly Field[]): void {
  for (const field of fieldsIn(page)) {
    const before = typed.find((one) => nameOf(one) === nameOf(field));
    if (!before) continue;
    if (!isSwitch(field)) field.value = before.value;
    else if (field.checked !== before.checked) field.click();
  }
}

type Field = HTMLInputElement;

const fieldsIn = (page: ParentNode) => [...page.querySelectorAll<Field>('input:not([type=hidden]),textarea')];

const isSwitch = ({ type }: Field) => type === 'checkbox';

const isSame = (one: Field, other: Field) =>
  one.name === other.name && (!isSwitch(one) || one.value === other.value);

/** What somebody has typed, filled in or switched since the server's HTML arrived. */
export function typedFields(page: ParentNode): Field[] {
  return fieldsIn(page).filter((field) =>
    isSwitch(field) ? field.checked !== field.defaultChecked : field.value !== field.defaultValue,
  );
}

/** Enters it again, in a page that was drawn anew. */
export function enterAgain(page: ParentNode, typed: readonly Field[]): void {
  for (const field of fieldsIn(page)) {
    const before = typed.find((one) => isSame(one, field));
    if (!before) continue;
    if (!isSwitch(field)) field.value = before.value;
    else if (field.checked !== before.checked) field.click();
  }
}

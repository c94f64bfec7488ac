import { useDeferredValue, useState } from 'react';
import { ComboBox, Input, type Key, ListBox, ListBoxItem, Popover } from 'react-aria-components';
import { useTranslation } from 'react-i18next';
import { useErrorText } from '#web/ui/error-text.ts';
import { FieldLayout } from '#web/ui/Field.tsx';
import { useCustomerSearch } from './actions.api.ts';

interface CustomerPickerProps {
  value: string | null;
  onChange: (customerId: string | null, email?: string) => void;
  /** The one whom `value` names at first. */
  initial?: { id: string; email: string } | null;
  errorMessage?: string | undefined;
}

export function CustomerPicker({ value, onChange, initial = null, errorMessage }: CustomerPickerProps) {
  const { t } = useTranslation('actions');
  const errorText = useErrorText();
  const [input, setInput] = useState(initial?.email ?? '');
  const [chosen, setChosen] = useState(initial);
  const search = useCustomerSearch(useDeferredValue(input.trim()));
  const found = search.data ?? [];
  // Results that arrive after the choice must not take the chosen customer out of the collection: React Aria would
  // clear the field, and the choice with it.
  const isFound = chosen === null || found.some(({ id }) => id === chosen.id);
  const items = isFound ? found : [chosen, ...found];

  function type(text: string) {
    setInput(text);
    if (text === chosen?.email) return;
    setChosen(null);
    if (value !== null) onChange(null);
  }

  function choose(key: Key | null) {
    const customer = items.find((one) => one.id === key);
    if (!customer) return;
    setInput(customer.email);
    setChosen(customer);
    onChange(customer.id, customer.email);
  }

  return (
    <ComboBox
      allowsEmptyCollection
      menuTrigger="focus"
      items={items}
      inputValue={input}
      onInputChange={type}
      value={value}
      onChange={(key) => choose(key)}
      // The server has searched already.
      defaultFilter={() => true}
      isInvalid={errorMessage !== undefined}
      validationBehavior="aria"
      className="flex min-w-0 flex-col gap-1.5"
    >
      <FieldLayout
        label={t('preview.customer')}
        errorMessage={search.isError ? errorText(search.error) : errorMessage}
      >
        <Input
          inputMode="email"
          autoComplete="off"
          spellCheck={false}
          placeholder={t('preview.placeholder')}
          className="field-box"
        />
      </FieldLayout>
      <Popover className="max-h-64 w-(--trigger-width) animate-fade overflow-auto rounded-lg border border-line bg-raised p-1 shadow-lift">
        <ListBox<{ id: string; email: string }>
          className="outline-none"
          renderEmptyState={() => (
            <p className="px-2.5 py-1.5 text-ink-muted">
              {search.isFetching ? t('preview.searching') : t('preview.no_customer')}
            </p>
          )}
        >
          {(customer) => (
            <ListBoxItem
              id={customer.id}
              textValue={customer.email}
              className="flex cursor-pointer items-center rounded-md px-2.5 py-1.5 wrap-anywhere outline-none data-focused:bg-hover pointer-coarse:min-h-11"
            >
              {customer.email}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </ComboBox>
  );
}

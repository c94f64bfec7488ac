import { ChevronDown } from 'lucide-react';
import { type Ref, use } from 'react';
import {
  Button,
  ComboBox,
  ComboBoxStateContext,
  Group,
  Input,
  type InputProps,
  ListBox,
  ListBoxItem,
  Popover,
} from 'react-aria-components';
import { useTranslation } from 'react-i18next';
import { FieldLayout, type FieldTexts } from './Field.tsx';

interface ComboBoxFieldProps extends FieldTexts {
  options: readonly { value: string; label: string }[];
  /** null: nothing chosen yet. */
  value: string | null;
  onChange: (value: string | null) => void;
  onBlur?: () => void;
  placeholder?: string;
  /** Instead of options, where none is there or fits what was typed. */
  emptyText: string;
  /** More options are still loading. */
  isLoading?: boolean;
  ref?: Ref<HTMLInputElement>;
}

/** One of many: typing narrows them down. Focus opens nothing, or what is wrong with it would be covered. */
export function ComboBoxField({
  label,
  isLabelHidden,
  description,
  errorMessage,
  successMessage,
  options,
  value,
  onChange,
  onBlur,
  placeholder,
  emptyText,
  isLoading = false,
  ref,
}: ComboBoxFieldProps) {
  const { t } = useTranslation('ui');
  return (
    <ComboBox
      allowsEmptyCollection
      defaultItems={options}
      value={value}
      onChange={(key) => onChange(key === null ? null : String(key))}
      onBlur={() => onBlur?.()}
      validationBehavior="aria"
      isInvalid={Boolean(errorMessage)}
      className="flex min-w-0 flex-col gap-1.5"
    >
      <FieldLayout {...{ label, isLabelHidden, description, errorMessage, successMessage }}>
        <Group className="relative">
          <OpeningInput ref={ref} autoComplete="off" placeholder={placeholder} className="field-box pr-9" />
          <Button className="absolute inset-y-0 right-0 flex w-9 cursor-pointer items-center justify-center text-ink-muted">
            <ChevronDown size={16} aria-hidden />
          </Button>
        </Group>
      </FieldLayout>
      <Popover className="max-h-64 w-(--trigger-width) animate-fade overflow-auto rounded-lg border border-line bg-raised p-1 shadow-lift">
        <ListBox<{ value: string; label: string }>
          className="outline-none"
          renderEmptyState={() => !isLoading && <p className="px-2.5 py-1.5 text-ink-muted">{emptyText}</p>}
        >
          {(option) => (
            <ListBoxItem
              id={option.value}
              textValue={option.label}
              className="flex cursor-pointer items-center rounded-md px-2.5 py-1.5 wrap-anywhere outline-none data-focused:bg-hover data-selected:font-medium pointer-coarse:min-h-11"
            >
              {option.label}
            </ListBoxItem>
          )}
        </ListBox>
        {isLoading && (
          <p role="status" className="px-2.5 py-1.5 text-ink-muted">
            {t('loading')}
          </p>
        )}
      </Popover>
    </ComboBox>
  );
}

/** A press on it shows all there is. */
function OpeningInput(props: InputProps & { ref?: Ref<HTMLInputElement> | undefined }) {
  const box = use(ComboBoxStateContext);
  return <Input {...props} onClick={() => box?.open(null, 'manual')} />;
}

import {
  type Control,
  type FieldPath,
  type FieldValues,
  type RegisterOptions,
  useController,
} from 'react-hook-form';
import { TextField, type TextFieldProps } from './TextField.tsx';

interface FormTextFieldProps<Values extends FieldValues> extends Omit<
  TextFieldProps,
  'name' | 'value' | 'onChange' | 'onBlur' | 'errorMessage' | 'ref'
> {
  control: Control<Values>;
  name: FieldPath<Values>;
  rules?: Pick<RegisterOptions<Values, FieldPath<Values>>, 'validate' | 'deps'>;
}

/** A TextField that is bound to a react-hook-form form. */
export function FormTextField<Values extends FieldValues>({
  control,
  name,
  rules,
  ...props
}: FormTextFieldProps<Values>) {
  const { field, fieldState } = useController({ control, name, ...(rules ? { rules } : {}) });
  return (
    <TextField
      {...props}
      name={field.name}
      value={field.value}
      onChange={field.onChange}
      onBlur={field.onBlur}
      ref={field.ref}
      errorMessage={fieldState.error?.message}
    />
  );
}

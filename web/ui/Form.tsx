import { type ComponentProps, type FormEvent, useRef } from 'react';

interface FormProps extends Omit<ComponentProps<'form'>, 'onSubmit' | 'noValidate'> {
  /** Its promise is settled once everything is done that a submit does. */
  onSubmit: (event: FormEvent<HTMLFormElement>) => Promise<unknown> | void;
}

/** A form that is checked by the app. Enter, pressed again while a submit is under way, doesn't start a second one. */
export function Form({ onSubmit, children, ...props }: FormProps) {
  const isUnderWay = useRef(false);

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (isUnderWay.current) return;
    isUnderWay.current = true;
    try {
      await onSubmit(event);
    } finally {
      isUnderWay.current = false;
    }
  }

  return (
    <form noValidate {...props} onSubmit={(event) => void submit(event)}>
      {children}
    </form>
  );
}

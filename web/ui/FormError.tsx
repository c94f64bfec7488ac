import { CircleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { ApiError } from '#contract/client.ts';
import { useErrorText } from './error-text.ts';

/** Why a form could not be sent, above its buttons; nothing while `error` is null. */
export function FormError({ error }: { error: unknown }) {
  const errorText = useErrorText();
  if (error === null || error === undefined) return null;
  const requestId = error instanceof ApiError && error.status >= 500 ? error.requestId : null;
  return (
    <FormErrorText>
      {errorText(error)} {requestId && <code className="font-mono text-xs">{requestId}</code>}
    </FormErrorText>
  );
}

/** The same for an error that the form words itself. */
export function FormErrorText({ children }: { children: ReactNode }) {
  return (
    <p role="alert" className="flex gap-2 rounded-lg bg-danger-soft px-3 py-2 text-danger">
      <CircleAlert size={16} aria-hidden className="mt-0.5 shrink-0" />
      <span className="min-w-0 break-words">{children}</span>
    </p>
  );
}

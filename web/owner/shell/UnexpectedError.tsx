import type { ErrorComponentProps } from '@tanstack/react-router';
import { ErrorState } from '#web/ui/ErrorState.tsx';

/** A screen that broke, or whose files could not be loaded (a new release took their place). */
export function UnexpectedError({ error }: ErrorComponentProps) {
  return (
    <div className="mx-auto max-w-xl px-4 py-12">
      <ErrorState error={error} onRetry={() => window.location.reload()} />
    </div>
  );
}

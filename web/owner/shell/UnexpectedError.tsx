import type { ErrorComponentProps } from '@tanstack/react-router';
import { ErrorState } from '#web/ui/ErrorState.tsx';

/** For a screen that threw, or whose chunks failed to load (a new release replaced them). */
export function UnexpectedError({ error }: ErrorComponentProps) {
  return (
    <div className="mx-auto max-w-xl px-4 py-12">
      <ErrorState error={error} onRetry={() => window.location.reload()} />
    </div>
  );
}

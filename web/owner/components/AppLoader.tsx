import { Spinner } from '#web/ui/Spinner.tsx';

/** Fills the window while the account, or the first screen, loads. */
export function AppLoader() {
  return (
    <main className="flex min-h-dvh animate-appear items-center justify-center text-accent">
      <Spinner size={28} />
    </main>
  );
}

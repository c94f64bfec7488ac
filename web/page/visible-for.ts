/** Resolves once the page has been visible for this long without a break; a hidden or prerendered page has been seen by nobody. */
export function visibleFor(window: Window, ms: number, signal: AbortSignal): Promise<void> {
  const { document } = window;
  return new Promise((resolve) => {
    let timer: number | undefined;
    const restart = () => {
      window.clearTimeout(timer);
      if (document.visibilityState === 'visible') timer = window.setTimeout(finish, ms);
    };
    const stop = () => {
      window.clearTimeout(timer);
      document.removeEventListener('visibilitychange', restart);
    };
    const finish = () => {
      stop();
      resolve();
    };
    document.addEventListener('visibilitychange', restart);
    signal.addEventListener('abort', stop);
    restart();
  });
}

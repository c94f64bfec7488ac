/** Resolves once the page was visible for this long without a break; hidden and prerendered pages do not count. */
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

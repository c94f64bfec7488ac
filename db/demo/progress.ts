const SAY_EVERY_MS = 5000;

/** Reports how many are done, the rate and the time left. */
export function createProgress({
  made: madeBefore,
  customers,
  say,
}: {
  made: number;
  customers: number;
  say: (progress: string) => void;
}) {
  const beganMs = Date.now();
  let made = madeBefore;
  let saidMs = beganMs;
  const text = () => `The crowd: ${made.toLocaleString('en')} of ${customers.toLocaleString('en')} customers`;

  function pace(): string {
    const perSecond = (made - madeBefore) / Math.max(0.001, (Date.now() - beganMs) / 1000);
    const left = (customers - made) / perSecond;
    const time = left < 90 ? `${Math.ceil(left)} seconds` : `${Math.ceil(left / 60)} minutes`;
    return `${Math.round(perSecond).toLocaleString('en')} a second, ${time} left`;
  }

  return {
    made: () => made,
    text,
    add(written: number): void {
      made += written;
      if (made < customers && Date.now() < saidMs + SAY_EVERY_MS) return;
      saidMs = Date.now();
      say(made < customers ? `${text()}, ${pace()}` : text());
    },
  };
}

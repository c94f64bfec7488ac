interface Gate {
  running: number;
  waiting: (() => void)[];
}

const gates = new Map<string, Gate>();

/**
 * Runs work of one key at most so many at a time in this process; who has to wait comes in the order of asking.
 * @param limit the same for every call of a key
 */
export async function withConcurrencyLimit<T>(
  limit: number,
  key: string,
  work: () => Promise<T>,
): Promise<T> {
  const gate = gates.get(key) ?? { running: 0, waiting: [] };
  gates.set(key, gate);
  if (gate.running >= limit) await new Promise<void>((go) => gate.waiting.push(go));
  else gate.running += 1;
  try {
    return await work();
  } finally {
    const next = gate.waiting.shift();
    // The place goes to the next one without being free in between.
    if (next !== undefined) next();
    else gate.running -= 1;
    if (gate.running === 0) gates.delete(key);
  }
}
